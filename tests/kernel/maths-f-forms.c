// C's names for float give what the names without f give for a float, to the last bit.
// run: -b 8 i32[1] 'f32[8]=0.3,-0.7,1.5,-2.5,0,-0.0,7.25,nan' 'f32[8]=0.9,2.5,-0.4,3,-0.0,2,inf,1'
// expect: checked: i32[1] = [8]
#include <lanewise/kernel.h>

static uint32_t bits(float x)
{
    union {
        float value;
        uint32_t bits;
    } both = {x};
    return both.bits;
}

#define SAME(narrow, any) assert(bits(narrow) == bits(any))

KERNEL void check(int *checked, const float *in, const float *other)
{
    float x = in[thread_idx.x], y = other[thread_idx.x], z = x - y;
    int n = thread_idx.x, m;
    SAME(expf(x), exp(x)); SAME(exp2f(x), exp2(x)); SAME(exp10f(x), exp10(x));
    SAME(expm1f(x), expm1(x)); SAME(logf(x), log(x)); SAME(log2f(x), log2(x));
    SAME(log10f(x), log10(x)); SAME(log1pf(x), log1p(x)); SAME(logbf(x), logb(x));
    SAME(sinf(x), sin(x)); SAME(cosf(x), cos(x)); SAME(tanf(x), tan(x)); SAME(asinf(x), asin(x));
    SAME(acosf(x), acos(x)); SAME(atanf(x), atan(x)); SAME(sinhf(x), sinh(x));
    SAME(coshf(x), cosh(x)); SAME(tanhf(x), tanh(x)); SAME(asinhf(x), asinh(x));
    SAME(acoshf(x), acosh(x)); SAME(atanhf(x), atanh(x)); SAME(erff(x), erf(x));
    SAME(erfcf(x), erfc(x)); SAME(sqrtf(x), sqrt(x)); SAME(rsqrtf(x), rsqrt(x));
    SAME(cbrtf(x), cbrt(x)); SAME(fabsf(x), fabs(x)); SAME(floorf(x), floor(x));
    SAME(ceilf(x), ceil(x)); SAME(truncf(x), trunc(x)); SAME(roundf(x), round(x));
    SAME(rintf(x), rint(x)); SAME(nearbyintf(x), nearbyint(x)); SAME(powf(x, y), pow(x, y));
    SAME(fmodf(x, y), fmod(x, y)); SAME(remainderf(x, y), remainder(x, y));
    SAME(fminf(x, y), fmin(x, y)); SAME(fmaxf(x, y), fmax(x, y)); SAME(fdimf(x, y), fdim(x, y));
    SAME(copysignf(x, y), copysign(x, y)); SAME(hypotf(x, y), hypot(x, y));
    SAME(atan2f(x, y), atan2(x, y)); SAME(fmaf(x, y, z), fma(x, y, z));
    SAME(ldexpf(x, n), ldexp(x, n)); SAME(scalbnf(x, n), scalbn(x, n));
    SAME(frexpf(x, &n), frexp(x, &m)); assert(n == m);
    atomic_add(checked, 1);
}
