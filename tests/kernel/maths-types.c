// The maths functions are tgmath's: float and 16-bit floats give float, double and integers double.
// run: -b 1 i32[1]
// expect: checked: i32[1] = [1]
#include <lanewise/kernel.h>

#define ONE(X) X(exp) X(exp2) X(log) X(log2) X(sin) X(cos) X(tan) X(tanh) X(erf) X(sqrt) X(rsqrt) \
    X(cbrt) X(fabs) X(floor) X(ceil) X(trunc) X(round) X(rint) X(nearbyint) X(logb) X(exp10) \
    X(expm1) X(log10) X(log1p) X(sinh) X(cosh) X(asinh) X(acosh) X(atanh) X(asin) X(acos) X(atan) \
    X(erfc)
#define FAST(X) X(fast_exp) X(fast_exp2) X(fast_log) X(fast_log2) X(fast_sin) X(fast_cos) \
    X(fast_tan) X(fast_tanh) X(fast_rsqrt)
#define TWO(X) X(pow) X(fmod) X(fmin) X(fmax) X(fast_pow) X(copysign) X(fdim) X(remainder) \
    X(hypot) X(atan2)
#define NARROW(X) X(expf) X(exp2f) X(logf) X(log2f) X(sinf) X(cosf) X(tanf) X(tanhf) X(erff) \
    X(sqrtf) X(rsqrtf) X(cbrtf) X(fabsf) X(floorf) X(ceilf) X(truncf) X(roundf) X(rintf) \
    X(nearbyintf) X(logbf) X(exp10f) X(expm1f) X(log10f) X(log1pf) X(sinhf) X(coshf) X(asinhf) \
    X(acoshf) X(atanhf) X(asinf) X(acosf) X(atanf) X(erfcf)
#define NARROW_TWO(X) X(powf) X(fmodf) X(fminf) X(fmaxf) X(copysignf) X(fdimf) X(remainderf) \
    X(hypotf) X(atan2f)
#define IS(T, x) assert(_Generic((x), T: 1, default: 0));

#define OF_ONE(f)                                                                                  \
    IS(float, f(1.0f)) IS(double, f(1.0)) IS(double, f(1)) IS(float, f((_Float16)1))               \
    IS(float, f((__bf16)1.0f)) IS(double, f(1L)) IS(double, f((short)1))
#define OF_TWO(f)                                                                                  \
    IS(float, f(1.0f, 1.0f)) IS(double, f(1.0, 1.0f)) IS(double, f(1.0f, 1.0))                     \
    IS(double, f(1, 1)) IS(float, f((_Float16)1, (_Float16)1))

/* C's names for float take any number. */
#define OF_FLOAT(f) IS(float, f(1.0f)) IS(float, f(1.0)) IS(float, f(1)) IS(float, f((_Float16)1))
#define OF_TWO_FLOATS(f) IS(float, f(1.0f, 1.0f)) IS(float, f(1.0, 2)) IS(float, f(1, 1.0))

KERNEL void types(int *checked)
{
    ONE(OF_ONE) FAST(OF_ONE) TWO(OF_TWO) NARROW(OF_FLOAT) NARROW_TWO(OF_TWO_FLOATS)
    IS(float, fmaf(1, 1.0, 1))
    IS(float, fma(1.0f, 1.0f, 1.0f)) IS(double, fma(1.0f, 1.0f, 1.0)) IS(double, fma(1, 2, 3))
    *checked = 1;
}
