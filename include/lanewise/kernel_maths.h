/* kernel_maths.h - the functions of numbers; <lanewise/kernel.h> includes it.
 *
 * A name that the kernel file defines itself stays the file's. So each stands in an #ifndef of its
 * own: a macro that came first stays, one that comes later replaces it without a warning. Where
 * the file has a function of that name, the compiler defines the name as itself and begins again
 * (src/compile/front/own_names.c). It takes for names of this header those with an #ifndef here.
 */
#ifndef LANEWISE_KERNEL_MATHS_H
#define LANEWISE_KERNEL_MATHS_H

/* ---- Floating point ------------------------------------------------------------------------ */

/* tgmath style: float and 16-bit arguments give float; double and integers give double; with
 * several arguments their common type decides. */
#define LW__MATHS_ROW(name, parameters)                                                            \
    LW__PLACE float lw__##name##_f32 LW__F32 parameters __asm__("lw." #name ".f32");               \
    LW__PLACE double lw__##name##_f64 LW__F64 parameters __asm__("lw." #name ".f64");
#define LW__F32(...) LW__PARAMETERS_F32_##__VA_ARGS__
#define LW__F64(...) LW__PARAMETERS_F64_##__VA_ARGS__
#define LW__PARAMETERS_F32_1 (float x)
#define LW__PARAMETERS_F64_1 (double x)
#define LW__PARAMETERS_F32_2 (float x, float y)
#define LW__PARAMETERS_F64_2 (double x, double y)
#define LW__PARAMETERS_F32_3 (float x, float y, float z)
#define LW__PARAMETERS_F64_3 (double x, double y, double z)
#define LW__PARAMETERS_F32_int (float x, int n)
#define LW__PARAMETERS_F64_int (double x, int n)
LW__MATHS_ROW(exp, (1)) LW__MATHS_ROW(exp2, (1)) LW__MATHS_ROW(log, (1)) LW__MATHS_ROW(log2, (1))
LW__MATHS_ROW(sin, (1)) LW__MATHS_ROW(cos, (1)) LW__MATHS_ROW(tan, (1)) LW__MATHS_ROW(tanh, (1))
LW__MATHS_ROW(erf, (1)) LW__MATHS_ROW(sqrt, (1)) LW__MATHS_ROW(rsqrt, (1)) LW__MATHS_ROW(cbrt, (1))
LW__MATHS_ROW(fabs, (1)) LW__MATHS_ROW(floor, (1)) LW__MATHS_ROW(ceil, (1))
LW__MATHS_ROW(trunc, (1)) LW__MATHS_ROW(round, (1)) LW__MATHS_ROW(rint, (1))
LW__MATHS_ROW(logb, (1)) LW__MATHS_ROW(exp10, (1)) LW__MATHS_ROW(expm1, (1))
LW__MATHS_ROW(log10, (1)) LW__MATHS_ROW(log1p, (1)) LW__MATHS_ROW(sinh, (1))
LW__MATHS_ROW(cosh, (1)) LW__MATHS_ROW(asinh, (1)) LW__MATHS_ROW(acosh, (1))
LW__MATHS_ROW(atanh, (1)) LW__MATHS_ROW(asin, (1)) LW__MATHS_ROW(acos, (1)) LW__MATHS_ROW(atan, (1))
LW__MATHS_ROW(erfc, (1)) LW__MATHS_ROW(pow, (2)) LW__MATHS_ROW(fmod, (2)) LW__MATHS_ROW(fmin, (2))
LW__MATHS_ROW(fmax, (2)) LW__MATHS_ROW(copysign, (2)) LW__MATHS_ROW(fdim, (2))
LW__MATHS_ROW(remainder, (2)) LW__MATHS_ROW(hypot, (2)) LW__MATHS_ROW(atan2, (2))
LW__MATHS_ROW(fma, (3)) LW__MATHS_ROW(ldexp, (int))
#define lw__frexp_f32 __builtin_frexpf
#define lw__frexp_f64 __builtin_frexp

#define LW__MATHS(name, type)                                                                      \
    _Generic((type), float: lw__##name##_f32, _Float16: lw__##name##_f32,                          \
        __bf16: lw__##name##_f32, default: lw__##name##_f64)
#ifndef exp
#define exp(x) LW__MATHS(exp, x)(x)
#endif
#ifndef exp2
#define exp2(x) LW__MATHS(exp2, x)(x)
#endif
#ifndef log
#define log(x) LW__MATHS(log, x)(x)
#endif
#ifndef log2
#define log2(x) LW__MATHS(log2, x)(x)
#endif
#ifndef sin
#define sin(x) LW__MATHS(sin, x)(x)
#endif
#ifndef cos
#define cos(x) LW__MATHS(cos, x)(x)
#endif
#ifndef tan
#define tan(x) LW__MATHS(tan, x)(x)
#endif
#ifndef tanh
#define tanh(x) LW__MATHS(tanh, x)(x)
#endif
#ifndef erf
#define erf(x) LW__MATHS(erf, x)(x)
#endif
#ifndef sqrt
#define sqrt(x) LW__MATHS(sqrt, x)(x)
#endif
#ifndef rsqrt
#define rsqrt(x) LW__MATHS(rsqrt, x)(x)
#endif
#ifndef cbrt
#define cbrt(x) LW__MATHS(cbrt, x)(x)
#endif
#ifndef fabs
#define fabs(x) LW__MATHS(fabs, x)(x)
#endif
#ifndef floor
#define floor(x) LW__MATHS(floor, x)(x)
#endif
#ifndef ceil
#define ceil(x) LW__MATHS(ceil, x)(x)
#endif
#ifndef trunc
#define trunc(x) LW__MATHS(trunc, x)(x)
#endif
#ifndef round
#define round(x) LW__MATHS(round, x)(x)
#endif
#ifndef rint
#define rint(x) LW__MATHS(rint, x)(x)
#endif
#ifndef logb
#define logb(x) LW__MATHS(logb, x)(x)
#endif
#ifndef exp10
#define exp10(x) LW__MATHS(exp10, x)(x)
#endif
#ifndef expm1
#define expm1(x) LW__MATHS(expm1, x)(x)
#endif
#ifndef log10
#define log10(x) LW__MATHS(log10, x)(x)
#endif
#ifndef log1p
#define log1p(x) LW__MATHS(log1p, x)(x)
#endif
#ifndef sinh
#define sinh(x) LW__MATHS(sinh, x)(x)
#endif
#ifndef cosh
#define cosh(x) LW__MATHS(cosh, x)(x)
#endif
#ifndef asinh
#define asinh(x) LW__MATHS(asinh, x)(x)
#endif
#ifndef acosh
#define acosh(x) LW__MATHS(acosh, x)(x)
#endif
#ifndef atanh
#define atanh(x) LW__MATHS(atanh, x)(x)
#endif
#ifndef asin
#define asin(x) LW__MATHS(asin, x)(x)
#endif
#ifndef acos
#define acos(x) LW__MATHS(acos, x)(x)
#endif
#ifndef atan
#define atan(x) LW__MATHS(atan, x)(x)
#endif
#ifndef erfc
#define erfc(x) LW__MATHS(erfc, x)(x)
#endif
#ifndef nearbyint
#define nearbyint(x) LW__MATHS(rint, x)(x)
#endif
#ifndef pow
#define pow(x, y) LW__MATHS(pow, (x) + (y))(x, y)
#endif
#ifndef fmod
#define fmod(x, y) LW__MATHS(fmod, (x) + (y))(x, y)
#endif
#ifndef fmin
#define fmin(x, y) LW__MATHS(fmin, (x) + (y))(x, y)
#endif
#ifndef fmax
#define fmax(x, y) LW__MATHS(fmax, (x) + (y))(x, y)
#endif
#ifndef copysign
#define copysign(x, y) LW__MATHS(copysign, (x) + (y))(x, y)
#endif
#ifndef fdim
#define fdim(x, y) LW__MATHS(fdim, (x) + (y))(x, y)
#endif
#ifndef remainder
#define remainder(x, y) LW__MATHS(remainder, (x) + (y))(x, y)
#endif
#ifndef hypot
#define hypot(x, y) LW__MATHS(hypot, (x) + (y))(x, y)
#endif
#ifndef atan2
#define atan2(x, y) LW__MATHS(atan2, (x) + (y))(x, y)
#endif
#ifndef fma
#define fma(x, y, z) LW__MATHS(fma, (x) + (y) + (z))(x, y, z)
#endif
#ifndef ldexp
#define ldexp(x, n) LW__MATHS(ldexp, x)(x, n)
#endif
#ifndef scalbn
#define scalbn(x, n) LW__MATHS(ldexp, x)(x, n)
#endif
#ifndef frexp
#define frexp(x, exponent) LW__MATHS(frexp, x)(x, exponent)
#endif

/* C's names for float. The plus sign makes an error of a function of that name. */
#ifndef expf
#define expf(x) (+lw__exp_f32(x))
#endif
#ifndef exp2f
#define exp2f(x) (+lw__exp2_f32(x))
#endif
#ifndef logf
#define logf(x) (+lw__log_f32(x))
#endif
#ifndef log2f
#define log2f(x) (+lw__log2_f32(x))
#endif
#ifndef sinf
#define sinf(x) (+lw__sin_f32(x))
#endif
#ifndef cosf
#define cosf(x) (+lw__cos_f32(x))
#endif
#ifndef tanf
#define tanf(x) (+lw__tan_f32(x))
#endif
#ifndef tanhf
#define tanhf(x) (+lw__tanh_f32(x))
#endif
#ifndef erff
#define erff(x) (+lw__erf_f32(x))
#endif
#ifndef sqrtf
#define sqrtf(x) (+lw__sqrt_f32(x))
#endif
#ifndef rsqrtf
#define rsqrtf(x) (+lw__rsqrt_f32(x))
#endif
#ifndef cbrtf
#define cbrtf(x) (+lw__cbrt_f32(x))
#endif
#ifndef fabsf
#define fabsf(x) (+lw__fabs_f32(x))
#endif
#ifndef floorf
#define floorf(x) (+lw__floor_f32(x))
#endif
#ifndef ceilf
#define ceilf(x) (+lw__ceil_f32(x))
#endif
#ifndef truncf
#define truncf(x) (+lw__trunc_f32(x))
#endif
#ifndef roundf
#define roundf(x) (+lw__round_f32(x))
#endif
#ifndef rintf
#define rintf(x) (+lw__rint_f32(x))
#endif
#ifndef logbf
#define logbf(x) (+lw__logb_f32(x))
#endif
#ifndef exp10f
#define exp10f(x) (+lw__exp10_f32(x))
#endif
#ifndef expm1f
#define expm1f(x) (+lw__expm1_f32(x))
#endif
#ifndef log10f
#define log10f(x) (+lw__log10_f32(x))
#endif
#ifndef log1pf
#define log1pf(x) (+lw__log1p_f32(x))
#endif
#ifndef sinhf
#define sinhf(x) (+lw__sinh_f32(x))
#endif
#ifndef coshf
#define coshf(x) (+lw__cosh_f32(x))
#endif
#ifndef asinhf
#define asinhf(x) (+lw__asinh_f32(x))
#endif
#ifndef acoshf
#define acoshf(x) (+lw__acosh_f32(x))
#endif
#ifndef atanhf
#define atanhf(x) (+lw__atanh_f32(x))
#endif
#ifndef asinf
#define asinf(x) (+lw__asin_f32(x))
#endif
#ifndef acosf
#define acosf(x) (+lw__acos_f32(x))
#endif
#ifndef atanf
#define atanf(x) (+lw__atan_f32(x))
#endif
#ifndef erfcf
#define erfcf(x) (+lw__erfc_f32(x))
#endif
#ifndef nearbyintf
#define nearbyintf(x) (+lw__rint_f32(x))
#endif
#ifndef powf
#define powf(x, y) (+lw__pow_f32(x, y))
#endif
#ifndef fmodf
#define fmodf(x, y) (+lw__fmod_f32(x, y))
#endif
#ifndef fminf
#define fminf(x, y) (+lw__fmin_f32(x, y))
#endif
#ifndef fmaxf
#define fmaxf(x, y) (+lw__fmax_f32(x, y))
#endif
#ifndef copysignf
#define copysignf(x, y) (+lw__copysign_f32(x, y))
#endif
#ifndef fdimf
#define fdimf(x, y) (+lw__fdim_f32(x, y))
#endif
#ifndef remainderf
#define remainderf(x, y) (+lw__remainder_f32(x, y))
#endif
#ifndef hypotf
#define hypotf(x, y) (+lw__hypot_f32(x, y))
#endif
#ifndef atan2f
#define atan2f(x, y) (+lw__atan2_f32(x, y))
#endif
#ifndef fmaf
#define fmaf(x, y, z) (+lw__fma_f32(x, y, z))
#endif
#ifndef ldexpf
#define ldexpf(x, n) (+lw__ldexp_f32(x, n))
#endif
#ifndef scalbnf
#define scalbnf(x, n) (+lw__ldexp_f32(x, n))
#endif
#ifndef frexpf
#define frexpf(x, exponent) (+lw__frexp_f32(x, exponent))
#endif

/* 1 or 0, for floating-point numbers of any type. */
#ifndef isnan
#define isnan(x) __builtin_isnan(x)
#endif
#ifndef isinf
#define isinf(x) __builtin_isinf(x)
#endif
#ifndef isfinite
#define isfinite(x) __builtin_isfinite(x)
#endif
#ifndef isnormal
#define isnormal(x) __builtin_isnormal(x)
#endif
#ifndef signbit
#define signbit(x) (__builtin_signbit(x) != 0)
#endif

/* May trade accuracy for speed, and differ between devices; on ref they are the exact ones. */
#ifndef fast_exp
#define fast_exp(x) exp(x)
#endif
#ifndef fast_exp2
#define fast_exp2(x) exp2(x)
#endif
#ifndef fast_log
#define fast_log(x) log(x)
#endif
#ifndef fast_log2
#define fast_log2(x) log2(x)
#endif
#ifndef fast_pow
#define fast_pow(x, y) pow(x, y)
#endif
#ifndef fast_sin
#define fast_sin(x) sin(x)
#endif
#ifndef fast_cos
#define fast_cos(x) cos(x)
#endif
#ifndef fast_tan
#define fast_tan(x) tan(x)
#endif
#ifndef fast_tanh
#define fast_tanh(x) tanh(x)
#endif
#ifndef fast_rsqrt
#define fast_rsqrt(x) rsqrt(x)
#endif

/* ---- Any number ---------------------------------------------------------------------------- */

#define LW__HELPER static __inline__ __attribute__((always_inline, const, unused, nodebug))
#define LW__INTEGER_ROW(name, T, U)                                                                \
    LW__HELPER T lw__min_##name(T x, T y) { return y < x ? y : x; }                                \
    LW__HELPER T lw__max_##name(T x, T y) { return x < y ? y : x; }                                \
    LW__HELPER T lw__clamp_##name(T x, T low, T high)                                              \
    {                                                                                              \
        T least = x < low ? low : x;                                                               \
        return high < least ? high : least;                                                        \
    }                                                                                              \
    LW__HELPER T lw__abs_##name(T x) { return x < (T)1 ? (T)(0 - (U)x) : x; }
LW__INTEGER_ROW(int, int, unsigned)
LW__INTEGER_ROW(uint, unsigned, unsigned)
LW__INTEGER_ROW(long, long, unsigned long)
LW__INTEGER_ROW(ulong, unsigned long, unsigned long)
LW__INTEGER_ROW(llong, long long, unsigned long long)
LW__INTEGER_ROW(ullong, unsigned long long, unsigned long long)
#define lw__min_f32 lw__fmin_f32
#define lw__min_f64 lw__fmin_f64
#define lw__max_f32 lw__fmax_f32
#define lw__max_f64 lw__fmax_f64
#define lw__abs_f32 lw__fabs_f32
#define lw__abs_f64 lw__fabs_f64
LW__HELPER float lw__clamp_f32(float x, float low, float high)
{
    return lw__fmin_f32(lw__fmax_f32(x, low), high);
}
LW__HELPER double lw__clamp_f64(double x, double low, double high)
{
    return lw__fmin_f64(lw__fmax_f64(x, low), high);
}

/* In the common type of the arguments, as C's operators have it. */
#define LW__OF_INTEGER(op)                                                                         \
    int: lw__##op##_int, unsigned: lw__##op##_uint, long: lw__##op##_long,                         \
        unsigned long: lw__##op##_ulong, long long: lw__##op##_llong,                              \
        unsigned long long: lw__##op##_ullong
#define LW__OF_NUMBER(op, type)                                                                    \
    _Generic((type), LW__OF_INTEGER(op), float: lw__##op##_f32, _Float16: lw__##op##_f32,          \
        __bf16: lw__##op##_f32, double: lw__##op##_f64)
#ifndef abs
#define abs(x) LW__OF_NUMBER(abs, +(x))(x)
#endif
#ifndef min
#define min(x, y) LW__OF_NUMBER(min, (x) + (y))(x, y)
#endif
#ifndef max
#define max(x, y) LW__OF_NUMBER(max, (x) + (y))(x, y)
#endif
#ifndef clamp
#define clamp(x, low, high) LW__OF_NUMBER(clamp, (x) + (low) + (high))(x, low, high)
#endif

/* ---- Bits ---------------------------------------------------------------------------------- */

/* In the width of x's type; clz and ctz of 0 give the width, ffs counts from 1 and is 0 for 0. */
#ifndef popcount
#define popcount(x) __builtin_popcountg(LW__UNSIGNED(x))
#endif
#ifndef clz
#define clz(x) __builtin_clzg(LW__UNSIGNED(x), (int)(CHAR_BIT * sizeof(LW__UNSIGNED(x))))
#endif
#ifndef ctz
#define ctz(x) __builtin_ctzg(LW__UNSIGNED(x), (int)(CHAR_BIT * sizeof(LW__UNSIGNED(x))))
#endif
#ifndef ffs
#define ffs(x) (__builtin_ctzg(LW__UNSIGNED(x), -1) + 1)
#endif
#define LW__UNSIGNED(x)                                                                            \
    _Generic((x), bool: (unsigned char)(x), char: (unsigned char)(x),                              \
        signed char: (unsigned char)(x), unsigned char: (unsigned char)(x),                        \
        short: (unsigned short)(x), unsigned short: (unsigned short)(x), int: (unsigned)(x),       \
        unsigned: (unsigned)(x), long: (unsigned long)(x), unsigned long: (unsigned long)(x),      \
        long long: (unsigned long long)(x), unsigned long long: (unsigned long long)(x))

/* x's type again; rotate_left takes any number of places, modulo the width. */
#define LW__OF_WIDTH(op, x)                                                                        \
    _Generic((x), char: op##8, signed char: op##8, unsigned char: op##8, short: op##16,            \
        unsigned short: op##16, int: op##32, unsigned: op##32, long: op##64,                       \
        unsigned long: op##64, long long: op##64, unsigned long long: op##64)
LW__HELPER uint8_t lw__bswap8(uint8_t x) { return x; }
LW__HELPER uint16_t lw__bswap16(uint16_t x) { return __builtin_bswap16(x); }
LW__HELPER uint32_t lw__bswap32(uint32_t x) { return __builtin_bswap32(x); }
LW__HELPER uint64_t lw__bswap64(uint64_t x) { return __builtin_bswap64(x); }
#ifndef rotate_left
#define rotate_left(x, n)                                                                          \
    ((__typeof__(x))LW__OF_WIDTH(__builtin_rotateleft, x)(x, (unsigned char)((n) & 63)))
#endif
#ifndef bitreverse
#define bitreverse(x) ((__typeof__(x))LW__OF_WIDTH(__builtin_bitreverse, x)(x))
#endif
#ifndef byte_swap
#define byte_swap(x) ((__typeof__(x))LW__OF_WIDTH(lw__bswap, x)(x))
#endif

/* The high half of the product, in the common type. */
LW__HELPER int lw__mulhi_int(int x, int y) { return (int)((long)x * y >> 32); }
LW__HELPER unsigned lw__mulhi_uint(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long)x * y >> 32);
}
LW__HELPER unsigned long lw__mulhi_ulong(unsigned long x, unsigned long y)
{
    const unsigned long x0 = (unsigned)x, x1 = x >> 32, y0 = (unsigned)y, y1 = y >> 32;
    const unsigned long middle = x1 * y0 + (x0 * y0 >> 32), cross = x0 * y1 + (unsigned)middle;
    return x1 * y1 + (middle >> 32) + (cross >> 32);
}
LW__HELPER long lw__mulhi_long(long x, long y)
{
    const unsigned long high = lw__mulhi_ulong((unsigned long)x, (unsigned long)y);
    return (long)(high - (x < 0 ? (unsigned long)y : 0) - (y < 0 ? (unsigned long)x : 0));
}
LW__HELPER unsigned long long lw__mulhi_ullong(unsigned long long x, unsigned long long y)
{
    return lw__mulhi_ulong(x, y);
}
LW__HELPER long long lw__mulhi_llong(long long x, long long y) { return lw__mulhi_long(x, y); }
#ifndef mulhi
#define mulhi(x, y) _Generic((x) + (y), LW__OF_INTEGER(mulhi))(x, y)
#endif

#endif
