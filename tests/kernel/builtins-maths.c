// clang's builtins for mathematics are the functions of the kernel language, to the bit, on short
// vectors and 16-bit floats too. canonicalize is the number itself.
// run: -k the_same -b 16 i32[1] 'f32[16]=0.25,-0.0,0.5,1,1.5,2,3,-7.5,10,1e-3,100,-1e-40,inf,-inf,nan,65504'
// expect: good_ones: i32[1] = [1584]
// run: -k tens -b 6 f32[6] f64[6] 'f32[6]=0,1,-2,10,0.5,-45'
// expect: out: f32[6] = [1.0, 10.0, 0.01, 10000000000.0, 3.1622777, 1e-45]
// expect: wide: f64[6] = [1.0, 10.0, 0.01, 10000000000.0, 3.1622776601683795, 1e-45]
// run: -k on_halves -b 4 f32[32] 'f16[4]=2,-0.1,0.3,300'
// expect: out: f32[32] = [1.4140625, 0.3161621, 0.54785156, 17.328125, 7.390625, 0.90478516, 1.3496094, inf, 2.0, -1.0, 0.0, 300.0, 3.0, -3.0, 3.0, 3.0, 2.0, 0.19995117, 0.30004883, 300.0, 8.0, 4.9335938, 5.2304688, inf, 0.5, -0.7998047, 0.60009766, 0.5859375, 16.0, -25.59375, 19.203125, 18.75]
// run: -k classes -b 10 i32[10] i32[10] i32[10] 'f32[10]=0,-0.0,1,-1,1e-40,-1e-40,inf,-inf,nan,6e-8' 'f16[10]=0,-0.0,1,-1,6e-8,-6e-8,inf,-inf,nan,65504'
// expect: out: i32[10] = [36, 36, 12, 12, 20, 20, 2, 2, 1, 12]
// expect: kind: i32[10] = [5, 5, 3, 3, 4, 4, 2, 2, 1, 3]
// expect: of_half: i32[10] = [36, 36, 12, 12, 20, 20, 2, 2, 1, 12]
// run: -k licences -b 3 f32[3] 'f32[4]=1.1,2.3,-7.7,0.3'
// expect: out: f32[3] = [6.98, -10.913333, 79.75333]
#include <lanewise/kernel.h>

static int same(float a, float b)
{
    return __builtin_isnan(a) ? __builtin_isnan(b)
                              : __builtin_bit_cast(int, a) == __builtin_bit_cast(int, b);
}

static int same2(double a, double b)
{
    return __builtin_isnan(a) ? __builtin_isnan(b)
                              : __builtin_bit_cast(long, a) == __builtin_bit_cast(long, b);
}

#define BOTH(name)                                                                                 \
    good += same(__builtin_##name##f(x), name(x)) + same2(__builtin_##name(d), name(d));
#define OF_TWO(name)                                                                               \
    good += same(__builtin_##name##f(x, y), name(x, y)) + same2(__builtin_##name(d, e), name(d, e));
#define OF_FOUR(name)                                                                              \
    {                                                                                              \
        float4 w = __builtin_elementwise_##name(v);                                                \
        good += same(w.x, name(v.x)) + same(w.w, name(v.w));                                       \
    }

/* 99 for each thread. */
KERNEL void the_same(int *good_ones, const float *in)
{
    int i = thread_idx.x, good = 0;
    float x = in[i], y = in[15 - i];
    double d = (double)x * 1.1, e = (double)y * 0.3;
    float4 v = {x, y, x + y, x * 0.5f};
    BOTH(exp)
    BOTH(exp2)
    BOTH(log) BOTH(log2) BOTH(sin) BOTH(cos) BOTH(tan) BOTH(tanh) BOTH(erf) BOTH(sqrt) BOTH(cbrt)
        BOTH(fabs) BOTH(floor) BOTH(ceil) BOTH(trunc) BOTH(round) BOTH(rint) OF_TWO(pow)
            OF_TWO(fmod) OF_TWO(fmin) OF_TWO(fmax) BOTH(logb) BOTH(exp10) BOTH(expm1) BOTH(log10)
                BOTH(log1p) BOTH(sinh) BOTH(cosh) BOTH(asinh) BOTH(acosh) BOTH(atanh) BOTH(asin)
                    BOTH(acos) BOTH(atan) BOTH(erfc) OF_TWO(fdim) OF_TWO(remainder) OF_TWO(hypot)
                        OF_TWO(atan2) OF_TWO(copysign) OF_FOUR(log10) OF_FOUR(acos) OF_FOUR(exp)
                            OF_FOUR(log) OF_FOUR(sin) OF_FOUR(cos) OF_FOUR(sqrt) OF_FOUR(floor)
                                good +=
        same(__builtin_fmaf(x, y, x), fma(x, y, x)) + same(__builtin_canonicalizef(x), x) +
        same2(__builtin_canonicalize(d), d);
    atomic_add(good_ones, good);
}

KERNEL void tens(float *out, double *wide, const float *in)
{
    int i = thread_idx.x;
    out[i] = __builtin_exp10f(in[i]);
    wide[i] = __builtin_exp10(in[i]);
}

/* Through float, rounded once. */
KERNEL void on_halves(float *out, const _Float16 *in)
{
    int i = thread_idx.x;
    half2 v = {in[i], 2};
    out[i] = __builtin_sqrtf16(__builtin_fabsf16(in[i]));
    out[4 + i] = __builtin_expf16(in[i]);
    out[8 + i] = __builtin_floorf16(in[i]);
    out[12 + i] = __builtin_copysignf16(3, in[i]);
    out[16 + i] = __builtin_fmaxf16(in[i], (_Float16)0.2);
    v = __builtin_elementwise_max(__builtin_elementwise_exp2(v), v);
    out[20 + i] = v.x + v.y;
    int n;
    out[24 + i] = __builtin_frexpf16(in[i], &n);
    out[28 + i] = __builtin_ldexpf16(in[i], 5 - n);
}

KERNEL void classes(int *out, int *kind, int *of_half, const float *in, const _Float16 *halves)
{
    int i = thread_idx.x;
    float x = in[i];
    _Float16 h = halves[i];
    out[i] = __builtin_isnan(x) + 2 * __builtin_isinf(x) + 4 * __builtin_isfinite(x) +
             8 * __builtin_isnormal(x) + 16 * __builtin_issubnormal(x) + 32 * __builtin_iszero(x);
    kind[i] = __builtin_fpclassify(1, 2, 3, 4, 5, x);
    of_half[i] = __builtin_isnan(h) + 2 * __builtin_isinf(h) + 4 * __builtin_isfinite(h) +
                 8 * __builtin_isnormal(h) + 16 * __builtin_issubnormal(h) +
                 32 * __builtin_iszero(h);
}

/* What a pragma allows, no device does: products and sums are rounded one by one, in order. */
KERNEL void licences(float *out, const float *in)
{
    int i = thread_idx.x;
    {
#pragma STDC FP_CONTRACT ON
        out[i] = in[i] * in[i] + in[i + 1];
    }
    {
#pragma clang fp reassociate(on) contract(fast) reciprocal(on)
        out[i] = out[i] + in[i] + in[i + 1] - in[i] + out[i] / 3.0f;
    }
}
