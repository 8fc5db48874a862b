/* libdevice.h - the functions `__nv_NAME` that clang's CUDA maths headers call.
 *
 * Most are an operation of Lanewise. The others are short formulas over them, whose comments say
 * where their error comes from. special.h has those that need series.
 */
#ifndef LANEWISE_CUDA_LIBDEVICE_H
#define LANEWISE_CUDA_LIBDEVICE_H

#include "operations.h"

#define LW_NV_1(name, op)                                                                          \
    LW_DEVICE float __nv_##name##f(float x) { return lw_##op(x); }                                 \
    LW_DEVICE double __nv_##name(double x) { return lw_##op(x); }
#define LW_NV_2(name, op)                                                                          \
    LW_DEVICE float __nv_##name##f(float x, float y) { return lw_##op(x, y); }                     \
    LW_DEVICE double __nv_##name(double x, double y) { return lw_##op(x, y); }
#define LW_NV_SAME_1(name) LW_NV_1(name, name)
#define LW_NV_SAME_2(name) LW_NV_2(name, name)
LW_NV_SAME_1(exp)
LW_NV_SAME_1(exp2)
LW_NV_SAME_1(exp10)
LW_NV_SAME_1(expm1)
LW_NV_SAME_1(log)
LW_NV_SAME_1(log2)
LW_NV_SAME_1(log10)
LW_NV_SAME_1(log1p)
LW_NV_SAME_1(logb)
LW_NV_SAME_1(sin)
LW_NV_SAME_1(cos)
LW_NV_SAME_1(tan)
LW_NV_SAME_1(asin)
LW_NV_SAME_1(acos)
LW_NV_SAME_1(atan)
LW_NV_SAME_1(sinh)
LW_NV_SAME_1(cosh)
LW_NV_SAME_1(tanh)
LW_NV_SAME_1(asinh)
LW_NV_SAME_1(acosh)
LW_NV_SAME_1(atanh)
LW_NV_SAME_1(erf)
LW_NV_SAME_1(erfc)
LW_NV_SAME_1(sqrt)
LW_NV_SAME_1(rsqrt)
LW_NV_SAME_1(cbrt)
LW_NV_SAME_1(fabs)
LW_NV_SAME_1(floor)
LW_NV_SAME_1(ceil)
LW_NV_SAME_1(trunc)
LW_NV_SAME_1(round)
LW_NV_SAME_1(rint)
LW_NV_1(nearbyint, rint)
LW_NV_SAME_2(pow)
LW_NV_SAME_2(fmod)
LW_NV_SAME_2(fmin)
LW_NV_SAME_2(fmax)
LW_NV_SAME_2(copysign)
LW_NV_SAME_2(fdim)
LW_NV_SAME_2(remainder)
LW_NV_SAME_2(hypot)
LW_NV_SAME_2(atan2)
#undef LW_NV_SAME_1
#undef LW_NV_SAME_2
#undef LW_NV_1
#undef LW_NV_2

/* The functions below exist for both types by one text. */
#define LW_NV_BOTH(X) X(float, f) X(double, )
#define LW_NV_SHARED(T, f)                                                                         \
    LW_DEVICE T __nv_fma##f(T x, T y, T z) { return lw_fma(x, y, z); }                             \
    LW_DEVICE T __nv_ldexp##f(T x, int n) { return lw_ldexp(x, n); }                               \
    LW_DEVICE T __nv_scalbn##f(T x, int n) { return lw_ldexp(x, n); }                              \
    LW_DEVICE T __nv_frexp##f(T x, int *n) { return __builtin_frexp##f(x, n); }                    \
    LW_DEVICE T __nv_powi##f(T x, int n) { return lw_pow(x, (T)n); }                               \
    LW_DEVICE T __nv_rcbrt##f(T x) { return 1 / lw_cbrt(x); }                                      \
    LW_DEVICE T __nv_modf##f(T x, T *whole)                                                        \
    {                                                                                              \
        *whole = lw_trunc(x);                                                                      \
        return lw_copysign(__builtin_isinf(x) ? (T)0 : x - *whole, x);                             \
    }                                                                                              \
    LW_DEVICE int __nv_ilogb##f(T x)                                                               \
    {                                                                                              \
        return x == 0 || __builtin_isnan(x) ? (int)0x80000000                                      \
               : __builtin_isinf(x)         ? 0x7fffffff                                           \
                                            : (int)lw_logb(x);                                     \
    }                                                                                              \
    LW_DEVICE long long __nv_llrint##f(T x) { return lw_to_i64(lw_rint(x)); }                      \
    LW_DEVICE long long __nv_llround##f(T x) { return lw_to_i64(lw_round(x)); }                    \
    LW_DEVICE void __nv_sincos##f(T x, T *s, T *c) { *s = lw_sin(x), *c = lw_cos(x); }             \
    LW_DEVICE T __nv_sinpi##f(T x) { return lw_sinpi(x); }                                         \
    LW_DEVICE T __nv_cospi##f(T x) { return lw_cospi(x); }                                         \
    LW_DEVICE void __nv_sincospi##f(T x, T *s, T *c) { *s = lw_sinpi(x), *c = lw_cospi(x); }       \
    LW_DEVICE T __nv_rhypot##f(T x, T y) { return 1 / lw_hypot(x, y); }                            \
    LW_DEVICE T __nv_norm3d##f(T x, T y, T z) { return lw_hypot(lw_hypot(x, y), z); }              \
    LW_DEVICE T __nv_norm4d##f(T x, T y, T z, T w)                                                 \
    {                                                                                              \
        return lw_hypot(lw_hypot(x, y), lw_hypot(z, w));                                           \
    }                                                                                              \
    LW_DEVICE T __nv_norm##f(int n, const T *x)                                                    \
    {                                                                                              \
        T length = 0;                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            length = lw_hypot(length, x[i]);                                                       \
        return length;                                                                             \
    }                                                                                              \
    LW_DEVICE T __nv_rnorm3d##f(T x, T y, T z) { return 1 / __nv_norm3d##f(x, y, z); }             \
    LW_DEVICE T __nv_rnorm4d##f(T x, T y, T z, T w) { return 1 / __nv_norm4d##f(x, y, z, w); }     \
    LW_DEVICE T __nv_rnorm##f(int n, const T *x) { return 1 / __nv_norm##f(n, x); }                \
    LW_DEVICE T __nv_remquo##f(T x, T y, int *quotient)                                            \
    {                                                                                              \
        const T rest = lw_remainder(x, y);                                                         \
        *quotient = lw_quotient_bits(x, y, rest);                                                  \
        return rest;                                                                               \
    }

/* Conversions saturate, as the GPU's do; NaN gives 0 (PTX: the largest of i64 as 0x8000...). */
template <class T> LW_DEVICE long long lw_to_i64(T x)
{
    if (x >= (T)9223372036854775808.0)
        return 0x7fffffffffffffff;
    return x >= (T)-9223372036854775808.0 ? (long long)x : (long long)0x8000000000000000;
}

/* sin(pi x), cos(pi x): x is reduced exactly, so the error is that of sin and of one product. */
template <class T> LW_DEVICE T lw_sinpi(T x)
{
    const T turns = x - 2 * lw_rint(x / 2), near = lw_rint(2 * turns);
    const T angle = (T)3.14159265358979323846 * (turns - near / 2);
    const int quarter = (int)near & 3;
    const T value = quarter & 1 ? lw_cos(angle) : lw_sin(angle);
    if (__builtin_isinf(x) || __builtin_isnan(x))
        return x - x;
    return turns == lw_rint(turns) ? lw_copysign((T)0, x) : quarter & 2 ? -value : value;
}
template <class T> LW_DEVICE T lw_cospi(T x)
{
    const T turns = x - 2 * lw_rint(x / 2), near = lw_rint(2 * turns);
    const T angle = (T)3.14159265358979323846 * (turns - near / 2);
    const int quarter = ((int)near + 1) & 3;
    const T value = quarter & 1 ? lw_cos(angle) : lw_sin(angle);
    if (__builtin_isinf(x) || __builtin_isnan(x))
        return x - x;
    return angle == 0 && !(quarter & 1) ? (T)0 : quarter & 2 ? -value : value;
}

/* The low three bits of the rounded quotient, with its sign, as remquo gives them. fmod by 8 y
 * leaves a quotient below 8, which a division finds. */
template <class T> LW_DEVICE int lw_quotient_bits(T x, T y, T rest)
{
    if (!(lw_fabs(x) < (T)__builtin_inf()) || y == 0 || __builtin_isnan(y) || __builtin_isnan(rest))
        return 0;
    if (__builtin_isinf(y))
        return 0;
    const T eight = 8 * lw_fabs(y), within = __builtin_isinf(eight) ? x : lw_fmod(x, eight);
    const T multiple = lw_fabs(within) - (x < 0 ? -rest : rest);
    const int n = (int)lw_rint(multiple / lw_fabs(y)) & 7;
    return (x < 0) != (y < 0) ? -n : n;
}

LW_NV_BOTH(LW_NV_SHARED)
#undef LW_NV_SHARED

/* ---- Integers ------------------------------------------------------------------------------ */

LW_DEVICE int __nv_abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
LW_DEVICE long long __nv_llabs(long long x) { return x < 0 ? (long long)(0ull - x) : x; }
LW_DEVICE int __nv_min(int x, int y) { return y < x ? y : x; }
LW_DEVICE int __nv_max(int x, int y) { return x < y ? y : x; }
LW_DEVICE unsigned __nv_umin(unsigned x, unsigned y) { return y < x ? y : x; }
LW_DEVICE unsigned __nv_umax(unsigned x, unsigned y) { return x < y ? y : x; }
LW_DEVICE long long __nv_llmin(long long x, long long y) { return y < x ? y : x; }
LW_DEVICE long long __nv_llmax(long long x, long long y) { return x < y ? y : x; }
LW_DEVICE unsigned long long __nv_ullmin(unsigned long long x, unsigned long long y)
{
    return y < x ? y : x;
}
LW_DEVICE unsigned long long __nv_ullmax(unsigned long long x, unsigned long long y)
{
    return x < y ? y : x;
}

/* ---- Classes and neighbours of numbers ----------------------------------------------------- */

LW_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
LW_DEVICE int __isinf(double x) { return __builtin_isinf(x); }
LW_DEVICE int __isnanf(float x) { return __builtin_isnan(x); }
LW_DEVICE int __isnan(double x) { return __builtin_isnan(x); }
LW_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }
LW_DEVICE int __isfinited(double x) { return __builtin_isfinite(x); }
LW_DEVICE int __finite(double x) { return __builtin_isfinite(x); }
LW_DEVICE int __signbitf(float x) { return __builtin_signbit(x) != 0; }
LW_DEVICE int __signbitd(double x) { return __builtin_signbit(x) != 0; }
LW_DEVICE int __signbit(double x) { return __builtin_signbit(x) != 0; }

/* The numbers of one sign are in the order of their bits. */
template <class T, class Bits> LW_DEVICE T lw_next(T x, bool up)
{
    const Bits bits = __builtin_bit_cast(Bits, x), sign = (Bits)1 << (8 * sizeof(T) - 1);
    if (x == 0)
        return __builtin_bit_cast(T, (Bits)(up ? 1 : sign | 1));
    return __builtin_bit_cast(T, (Bits)(((bits & sign) != 0) == up ? bits - 1 : bits + 1));
}
LW_DEVICE float __nv_nextafterf(float x, float y)
{
    return x != x || y != y ? x + y : x == y ? y : lw_next<float, unsigned>(x, y > x);
}
LW_DEVICE double __nv_nextafter(double x, double y)
{
    return x != x || y != y ? x + y : x == y ? y : lw_next<double, unsigned long>(x, y > x);
}

/* ---- Fast forms: the accurate ones, but for the quotient ----------------------------------- */

LW_DEVICE float __nv_fast_cosf(float x) { return lw_cos(x); }
LW_DEVICE float __nv_fast_sinf(float x) { return lw_sin(x); }
LW_DEVICE float __nv_fast_log2f(float x) { return lw_log2(x); }
LW_DEVICE float __nv_fast_logf(float x) { return lw_log(x); }
LW_DEVICE void __nv_fast_sincosf(float x, float *s, float *c) { __nv_sincosf(x, s, c); }
LW_DEVICE float __nv_fast_fdividef(float x, float y) { return x / y; }

#endif
