/* devlib_maths.h - the maths functions under test, their bounds, and the inputs always tried.
 *
 * KERNEL_LANGUAGE's bounds: what must be exact, 1.01 ULP, 2 ULP. A row is
 *     X(name, bound, double judge, long double judge, MPFR judge or exactly)
 * where exactly says that the C library's result is the only right one.
 */
#ifndef DEVLIB_MATHS_H
#define DEVLIB_MATHS_H

#include <math.h>
#include <stddef.h>

/* clang-format off */
#define MATHS_UNARY(X) \
    X(rsqrt, 1.01, wide_rsqrt, widest_rsqrt, true_rsqrt) \
    X(exp, 1.01, exp, expl, mpfr_exp) \
    X(exp2, 1.01, exp2, exp2l, mpfr_exp2) \
    X(log, 1.01, log, logl, mpfr_log) \
    X(log2, 1.01, log2, log2l, mpfr_log2) \
    X(sin, 2, sin, sinl, mpfr_sin) \
    X(cos, 2, cos, cosl, mpfr_cos) \
    X(tan, 2, tan, tanl, mpfr_tan) \
    X(tanh, 2, tanh, tanhl, mpfr_tanh) \
    X(erf, 2, erf, erfl, mpfr_erf) \
    X(cbrt, 2, cbrt, cbrtl, mpfr_cbrt) \
    X(exp10, 2, exp10, exp10l, mpfr_exp10) \
    X(expm1, 2, expm1, expm1l, mpfr_expm1) \
    X(log10, 2, log10, log10l, mpfr_log10) \
    X(log1p, 2, log1p, log1pl, mpfr_log1p) \
    X(sinh, 2, sinh, sinhl, mpfr_sinh) \
    X(cosh, 2, cosh, coshl, mpfr_cosh) \
    X(asinh, 2, asinh, asinhl, mpfr_asinh) \
    X(acosh, 2, acosh, acoshl, mpfr_acosh) \
    X(atanh, 2, atanh, atanhl, mpfr_atanh) \
    X(asin, 2, asin, asinl, mpfr_asin) \
    X(acos, 2, acos, acosl, mpfr_acos) \
    X(atan, 2, atan, atanl, mpfr_atan) \
    X(erfc, 2, erfc, erfcl, mpfr_erfc) \
    X(sqrt, 0.5, sqrt, sqrtl, mpfr_sqrt) \
    X(fabs, 0, fabs, fabsl, exactly) \
    X(floor, 0, floor, floorl, exactly) \
    X(ceil, 0, ceil, ceill, exactly) \
    X(trunc, 0, trunc, truncl, exactly) \
    X(round, 0, round, roundl, exactly) \
    X(rint, 0, rint, rintl, exactly) \
    X(logb, 0, logb, logbl, exactly)

static inline double wide_rsqrt(double x) { return 1 / sqrt(x); }
static inline long double widest_rsqrt(long double x) { return 1 / sqrtl(x); }

/* Where the functions change, and the ends of the formats. Both signs are tried, and every pair. */
static const double maths_special[] = {
    0, 1, 2, 3, 0.5, 1.5, 2.5, 3.5, 0.25, 0.75, 10, 100, 0x1p-149, 0x1p-126, 0x1.fffffcp-127,
    0x1.fffffep127, 0x1p23, 0x1.000002p23, 0x1p24, 0x1.fffffep23, 0x1p31, 0x1p63, 0x1.fffffep-1,
    0x1.000002p0, 0x1.fffffffffffffp-1, 0x1.0000000000001p0, 0x1p-1074, 0x1p-1022,
    0x1.fffffffffffffp1023, 0x1p52, 0x1p53, 0x1.fffffffffffffp51, 0x1.fffffffffffffp52,
    0x1.62e42ep6, 0x1.62e43p6, 0x1.62e42fefa39efp9, 0x1.62e42fefa39fp9, 127.99999, 1023.9999999,
    88.72284, 103.97208, 104, 709.782712893384, 745.1332191019411, 745.2, 150, 149.5, 1074, 1075,
    0x1.921fb6p0, 0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 0x1.6ac5b262ca1ffp849, 0x1.f9cbe2p7,
    0x1.4d8494p+75, 0x1p17, 0x1.fffffep16, 0x1p30, 0x1.fffffffffffffp29, 1e22, 9.01, 19.06,
    3.9192059, 5.92, 0x1p-12, 0x1p-27, 0x1p-98, 0x1p-900, INFINITY, NAN,
};

/* Doubles whose exp, exp2, log, sin, cos or tan lies closest to a rounding boundary: V. Lefevre,
 * J.-M. Muller, "Worst Cases for Correct Rounding of the Elementary Functions in Double Precision",
 * 2003. All are given to all functions, with both signs. */
static const double maths_hard[] = {
    0x1.e8bdbfcd9144ep3, 0x1.71e0b869b5e79p2, 0x1.02393d5976769p1, 0x1.2a9cad9998262p0,
    0x1.cc37ef7de7501p0, 0x1.22e24fa3d5cf9p-1, 0x1.dc2b5df1f7d3dp-1, 0x1.290ea09e36479p-3,
    0x1.a2fefefd580dfp-13, 0x1.ed318efb627eap-27, 0x1.4bd46601ae1efp-31, 0x1.1000000000242p-42,
    0x1.9e9cbbfd6080bp-31, 0x1.d7a7d893609e5p-26, 0x1.ba07d73250de7p-14, 0x1.d77fd13d27fffp-11,
    0x1.6a4d1af9cc989p-8, 0x1.accfbe46b4ef0p-1, 0x1.aca7ae8da5a7bp0, 0x1.d6336a88077aap0,
    0x1.76e7e5d7b6eacp3, 0x1.a8ead058bc6b8p3, 0x1.1d5c2daebe367p4, 0x1.c44ce0d716a1ap4,
    0x2.0012ecb039c9cp0, 0x6.46a37fd503fdcp0, 0x7.78dfecc7f57fp0, 0x9.588ccf24bb9c8p0,
    0xa.af87550d97e4p0, 0xc.76f2496cb039p0, 0x11.1867637cbd03p0, 0x13.d9d7d597a9ddp0,
    0x17.f3825778aaafp0, 0x1ac.50b409c8aeep0, 0x1.de7cd6751029ap16, 0x1.e0000000001c2p-20,
    0x1.598bae9e632f6p-7, 0x1.9283586503fep-5, 0x1.d7bdcd778049fp-5, 0x1.a202b3fb84788p-4,
    0x1.d037cb27ee6dfp-3, 0x1.d5064e6fe82c5p-3, 0x1.fe767739d0f6dp-2, 0x1.d98c4c612718dp-1,
    0x1.6756745770a51p1, 0x1.8000000000009p-23, 0x1.8000000000024p-22, 0x1.2000000000f30p-18,
    0x1.06b505550e6b2p-9, 0x1.97ccd3d2c438fp-6, 0x1.549ec0c0c5afap-5, 0x1.16e534ee36580p-4,
    0x1.efeef61d39ac2p-3, 0x1.feb1f7920e248p-2, 0x1.7cb7648526f99p-1, 0x1.c65a170474549p-1,
    0x1.6b8a6273d7c21p0, 0x1.dffffffffff1fp-22, 0x1.67fffffffa114p-18, 0x1.50486b2f87014p-5,
    0x1.52c39ef070cadp-4, 0x1.a33f32ac5ceb5p-3, 0x1.d696bfa988db9p-2, 0x1.46ac372243536p-1,
    0xa.3561b9121a9bp-4, 0x1.16a76ec41b516p-1, 0x1.3e34fa6ab969ep-1, 0x1.4a63ff1d53f53p-1,
    0x1.b32a6c92d1185p-1, 0x1.25dd9eedac79ap0,
};
/* clang-format on */

/* NaN loses, -0 is less than +0. */
static inline double exact_fmin(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? y : x;
    if (x == y)
        return signbit(x) ? x : y;
    return x < y ? x : y;
}

static inline double exact_fmax(double x, double y)
{
    return -exact_fmin(-x, -y);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The special values with both signs: first + then -. */
static inline double maths_special_signed(size_t i)
{
    return i & 1 ? -maths_special[i / 2] : maths_special[i / 2];
}

#endif
