/* maths.h - the functions of <math.h> for the device, CUDA's own besides, min and max for both.
 *
 * clang's headers make the overloads (sin(float), std::sin, sin(int) ...) over the `__nv_`
 * functions of libdevice.h. Their min and max, for int on the device alone, would stand in the way
 * of ours.
 */
#ifndef LANEWISE_CUDA_MATHS_H
#define LANEWISE_CUDA_MATHS_H

#include "libdevice.h"
#include "special.h"

#undef signbit
#undef isnan
#undef isinf
#undef isfinite
#undef isnormal
#undef fpclassify

/* lrintf of clang's headers calls this, which conversions.h has for all. */
LW_DEVICE long long lw_float2ll_rn(float x) { return lw_to_i64(lw_rint(x)); }

#define min lw_clang_min
#define max lw_clang_max
#define __float2ll_rn lw_float2ll_rn
#define __builtin_rint(x) lw_rint(x)
#define __builtin_rintf(x) lw_rint(x)
#define __builtin_nearbyint(x) lw_rint(x)
#define __builtin_nearbyintf(x) lw_rint(x)
#include <__clang_cuda_math.h>
#undef min
#undef max
#undef __float2ll_rn
#undef __builtin_rint
#undef __builtin_rintf
#undef __builtin_nearbyint
#undef __builtin_nearbyintf
#include <__clang_cuda_cmath.h>

/* ---- Overloads for float that clang's headers leave to CUDA's ------------------------------- */

#define LW_OVERLOAD_1(R, name) LW_DEVICE R name(float x) { return name##f(x); }
#define LW_OVERLOAD_2(name) LW_DEVICE float name(float x, float y) { return name##f(x, y); }
LW_OVERLOAD_1(float, acosh)
LW_OVERLOAD_1(float, asinh)
LW_OVERLOAD_1(float, atanh)
LW_OVERLOAD_1(float, cbrt)
LW_OVERLOAD_1(float, erf)
LW_OVERLOAD_1(float, erfc)
LW_OVERLOAD_1(float, erfcinv)
LW_OVERLOAD_1(float, erfcx)
LW_OVERLOAD_1(float, erfinv)
LW_OVERLOAD_1(float, exp2)
LW_OVERLOAD_1(float, expm1)
LW_OVERLOAD_1(float, lgamma)
LW_OVERLOAD_1(float, log1p)
LW_OVERLOAD_1(float, log2)
LW_OVERLOAD_1(float, logb)
LW_OVERLOAD_1(float, nearbyint)
LW_OVERLOAD_1(float, normcdf)
LW_OVERLOAD_1(float, normcdfinv)
LW_OVERLOAD_1(float, rint)
LW_OVERLOAD_1(float, round)
LW_OVERLOAD_1(float, tgamma)
LW_OVERLOAD_1(float, trunc)
LW_OVERLOAD_1(int, ilogb)
LW_OVERLOAD_1(long, lrint)
LW_OVERLOAD_1(long, lround)
LW_OVERLOAD_1(long long, llrint)
LW_OVERLOAD_1(long long, llround)
LW_OVERLOAD_2(copysign)
LW_OVERLOAD_2(fdim)
LW_OVERLOAD_2(fmax)
LW_OVERLOAD_2(fmin)
LW_OVERLOAD_2(hypot)
LW_OVERLOAD_2(nextafter)
LW_OVERLOAD_2(remainder)
#undef LW_OVERLOAD_1
#undef LW_OVERLOAD_2
LW_DEVICE float fma(float x, float y, float z) { return lw_fma(x, y, z); }
LW_DEVICE float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
LW_DEVICE float scalbn(float x, int n) { return scalbnf(x, n); }
LW_DEVICE float scalbln(float x, long n) { return scalblnf(x, n); }

/* ---- Overloads and names that <math.h> does not have --------------------------------------- */

LW_DEVICE float rsqrt(float x) { return lw_rsqrt(x); }
LW_DEVICE float rcbrt(float x) { return rcbrtf(x); }
LW_DEVICE float sinpi(float x) { return lw_sinpi(x); }
LW_DEVICE float cospi(float x) { return lw_cospi(x); }
LW_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
LW_DEVICE void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
LW_DEVICE float exp10(float x) { return lw_exp10(x); }
LW_DEVICE float fdivide(float x, float y) { return x / y; }
LW_DEVICE float rhypot(float x, float y) { return rhypotf(x, y); }
LW_DEVICE float norm3d(float x, float y, float z) { return norm3df(x, y, z); }
LW_DEVICE float norm4d(float x, float y, float z, float w) { return norm4df(x, y, z, w); }
LW_DEVICE float rnorm3d(float x, float y, float z) { return rnorm3df(x, y, z); }
LW_DEVICE float rnorm4d(float x, float y, float z, float w) { return rnorm4df(x, y, z, w); }
LW_DEVICE double nan(const char *) { return __builtin_nan(""); }
LW_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

LW_DEVICE float __expf(float x) { return lw_exp(x); }
LW_DEVICE float __exp10f(float x) { return lw_exp10(x); }
LW_DEVICE float __logf(float x) { return lw_log(x); }
LW_DEVICE float __log2f(float x) { return lw_log2(x); }
LW_DEVICE float __log10f(float x) { return lw_log10(x); }
LW_DEVICE float __sinf(float x) { return lw_sin(x); }
LW_DEVICE float __cosf(float x) { return lw_cos(x); }
LW_DEVICE float __tanf(float x) { return lw_tan(x); }
LW_DEVICE float __tanhf(float x) { return lw_tanh(x); }
LW_DEVICE float __powf(float x, float y) { return lw_pow(x, y); }
LW_DEVICE void __sincosf(float x, float *s, float *c) { *s = lw_sin(x), *c = lw_cos(x); }
LW_DEVICE float __fdividef(float x, float y) { return x / y; }
LW_DEVICE float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1.0f : 0.0f; }
LW_DEVICE float __frsqrt_rn(float x) { return (float)lw_rsqrt((double)x); }

/* CUDA has these for host code too, which takes no part in the device's maths. */
static __host__ inline float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }
static __host__ inline double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
static __host__ inline float rsqrt(float x) { return 1 / __builtin_sqrtf(x); }
static __host__ inline float rcbrtf(float x) { return 1 / __builtin_cbrtf(x); }
static __host__ inline double rcbrt(double x) { return 1 / __builtin_cbrt(x); }
static __host__ inline float fdividef(float x, float y) { return x / y; }
static __host__ inline double fdivide(double x, double y) { return x / y; }
static __host__ inline float sinpif(float x) { return __builtin_sinf(3.14159265358979324f * x); }
static __host__ inline double sinpi(double x) { return __builtin_sin(3.14159265358979324 * x); }
static __host__ inline float cospif(float x) { return __builtin_cosf(3.14159265358979324f * x); }
static __host__ inline double cospi(double x) { return __builtin_cos(3.14159265358979324 * x); }

/* ---- min and max --------------------------------------------------------------------------- */

/* Mixed signs compare as unsigned; of a number and NaN the number results, as fmin has it. */
#define LW_MIN_MAX(A, B, R)                                                                        \
    LW_BOTH R min(A a, B b) { return (R)b < (R)a ? (R)b : (R)a; }                                  \
    LW_BOTH R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
#define LW_MIN_MAX_SIGNS(T)                                                                        \
    LW_MIN_MAX(T, T, T)                                                                            \
    LW_MIN_MAX(unsigned T, unsigned T, unsigned T)                                                 \
    LW_MIN_MAX(T, unsigned T, unsigned T)                                                          \
    LW_MIN_MAX(unsigned T, T, unsigned T)
LW_MIN_MAX_SIGNS(int)
LW_MIN_MAX_SIGNS(long)
LW_MIN_MAX_SIGNS(long long)
#undef LW_MIN_MAX_SIGNS
#undef LW_MIN_MAX
#define LW_MIN_MAX(A, B, R, f)                                                                     \
    LW_DEVICE R min(A a, B b) { return lw_fmin((R)a, (R)b); }                                      \
    LW_DEVICE R max(A a, B b) { return lw_fmax((R)a, (R)b); }                                      \
    static __host__ inline R min(A a, B b) { return __builtin_fmin##f((R)a, (R)b); }               \
    static __host__ inline R max(A a, B b) { return __builtin_fmax##f((R)a, (R)b); }
LW_MIN_MAX(float, float, float, f)
LW_MIN_MAX(double, double, double, )
LW_MIN_MAX(float, double, double, )
LW_MIN_MAX(double, float, double, )
#undef LW_MIN_MAX

#endif
