/* special.h - CUDA's special functions that are no operation of Lanewise: gamma, inverse errors ...
 *
 * All compute in double; float rounds the result. Few bits are lost by design: arguments that
 * exponentials enlarge are carried in two parts, and series begin where they do not cancel.
 */
#ifndef LANEWISE_CUDA_SPECIAL_H
#define LANEWISE_CUDA_SPECIAL_H

#include "bessel.h"

/* ---- Gamma --------------------------------------------------------------------------------- */

/* log(gamma(2 + z)) for |z| <= 0.5: (1 - Euler's constant) z + sum (-1)^k (zeta(k) - 1) z^k / k
 * (Abramowitz and Stegun 6.1.33). */
LW_DEVICE double lw_lgamma_at_2(double z)
{
    const double terms[] = {
        0.3224670334241132,     -0.067352301053198102,   0.020580808427784546,
        -0.0073855510286739857, 0.0028905103307415234,   -0.001192753911703261,
        0.00050966952474304245, -0.00022315475845357939, 9.9457512781808531e-05,
        -4.4926236738133142e-05, 2.0507212775670691e-05, -9.4394882752683967e-06,
        4.3748667899074882e-06, -2.0392157538013662e-06, 9.5514121304074194e-07,
        -4.4924691987645662e-07, 2.1207184805554665e-07, -1.0043224823968099e-07,
        4.7698101693639804e-08, -2.2711094608943164e-08, 1.0838659214896955e-08,
        -5.1834750419700466e-09, 2.4836745438024785e-09, -1.1921401405860912e-09,
        5.7313672416788623e-10, -2.7595228851242334e-10, 1.3304764374244489e-10};
    double sum = 0;
    for (int k = 26; k >= 0; k--)
        sum = lw_fma(sum, z, terms[k]);
    return z * lw_fma(sum, z, 0.42278433509846714);
}
LW_DEVICE double lw_lgamma_at_1(double z) { return lw_lgamma_at_2(z) - lw_log1p(z); }

/* The sum of Stirling's series, for x >= 8 (Abramowitz and Stegun 6.1.42). */
LW_DEVICE double lw_stirling(double x)
{
    const double terms[] = {1.0 / 12,         -1.0 / 360, 1.0 / 1260,       -1.0 / 1680, 1.0 / 1188,
                            -691.0 / 360360,  1.0 / 156,  -3617.0 / 122400, 43867.0 / 244188};
    const double r = 1 / x, square = r * r;
    double sum = 0;
    for (int k = 8; k >= 0; k--)
        sum = lw_fma(sum, square, terms[k]);
    return sum * r;
}

LW_DEVICE double lw_lgamma_positive(double x)
{
    if (x < 0.5)
        return lw_lgamma_at_1(x) - lw_log(x);
    if (x < 1.5)
        return lw_lgamma_at_1(x - 1);
    if (x >= 8)
        return (x - 0.5) * (lw_log(x) - 1) + 0.41893853320467274178 + lw_stirling(x);
    double factors = 1;
    for (; x > 2.5; factors *= x)
        x -= 1;
    return lw_lgamma_at_2(x - 2) + lw_log(factors);
}
/* Below 0 by gamma(x) gamma(1 - x) = pi / sin(pi x). */
LW_DEVICE double __nv_lgamma(double x)
{
    if (__builtin_isnan(x))
        return x;
    if (__builtin_isinf(x) || (x <= 0 && x == lw_floor(x)))
        return __builtin_inf();
    const double value = lw_lgamma_positive(lw_fabs(x));
    return x < 0 ? lw_log(3.14159265358979323846 / lw_fabs(x * lw_sinpi(x))) - value : value;
}

LW_DEVICE double __nv_tgamma(double x)
{
    if (x == 0)
        return 1 / x;
    if (x < 0 && (x == lw_floor(x) || __builtin_isinf(x)))
        return __builtin_nan("");
    const double positive = lw_fabs(x);
    double value;
    if (positive >= 8) {
        /* The power in two halves, whose exponent is exact: neither overflows before the value. */
        const double half = lw_pow(positive, positive / 2 - 0.25);
        value = half * lw_exp(-positive) * half * 2.5066282746310005024;
        value *= lw_exp(lw_stirling(positive));
        if (positive > 172)
            value = __builtin_inf();
    } else {
        double z = positive, factors = 1;
        for (; z >= 1.5; factors *= z)
            z -= 1;
        value = z < 0.5 ? lw_exp(lw_lgamma_at_1(z)) / z : lw_exp(lw_lgamma_at_1(z - 1));
        value *= factors;
    }
    if (x > 0 || __builtin_isnan(x))
        return __builtin_isnan(x) ? x : value;
    return -3.14159265358979323846 / (positive * lw_sinpi(positive) * value);
}

/* ---- Errors and their inverses ------------------------------------------------------------- */

/* exp(x * x), with the product's own error. */
LW_DEVICE double lw_exp_of_square(double x)
{
    const double square = x * x, rest = lw_fma(x, x, -square);
    const double value = lw_exp(square);
    return __builtin_isinf(value) ? value : lw_fma(value, rest, value);
}
/* exp(x * x) erfc(x). From 25 on by its asymptotic series. */
LW_DEVICE double __nv_erfcx(double x)
{
    if (x < 25)
        return x < -27 ? __builtin_inf() : lw_exp_of_square(x) * lw_erfc(x);
    const double r = 0.5 / x / x;
    double sum = 1;
    for (int k = 8; k > 0; k--)
        sum = 1 - (2 * k - 1) * r * sum;
    return 0.56418958354775628695 / x * sum;
}

/* For 0 < y <= 0.125 by Newton's steps on log(erfc(z)) = log(erfcx(z)) - z * z. */
LW_DEVICE double lw_erfcinv_small(double y)
{
    const double wanted = lw_log(y);
    double z = lw_sqrt(-wanted - 0.5 * lw_log(-3.14159265358979323846 * wanted));
    for (int step = 0; step < 5; step++) {
        const double scaled = __nv_erfcx(z);
        z += (lw_log(scaled) - z * z - wanted) * 0.88622692545275801365 * scaled;
    }
    return z;
}
/* Below that a first value from Giles's polynomial (2012, single precision) and Halley's steps. */
LW_DEVICE double __nv_erfinv(double x)
{
    const double size = lw_fabs(x);
    if (!(size < 1))
        return size == 1 ? lw_copysign(__builtin_inf(), x) : __builtin_nan("");
    if (size >= 0.875)
        return lw_copysign(lw_erfcinv_small(1 - size), x);
    const double terms[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                            -4.39150654e-06, 0.00021858087,  -0.00125372503,
                            -0.00417768164,  0.246640727,    1.50140941};
    const double w = -lw_log1p(-size * size) - 2.5;
    double sum = 0;
    for (int k = 0; k < 9; k++)
        sum = lw_fma(sum, w, terms[k]);
    double y = sum * size;
    for (int step = 0; step < 2; step++) {
        const double miss = size < 0.5 ? lw_erf(y) - size : (1 - size) - lw_erfc(y);
        const double u = miss * 0.88622692545275801365 * lw_exp_of_square(y);
        y -= u / (1 + y * u);
    }
    return lw_copysign(y, x);
}
LW_DEVICE double __nv_erfcinv(double y)
{
    if (!(y > 0 && y < 2))
        return y == 0 ? __builtin_inf() : y == 2 ? -__builtin_inf() : __builtin_nan("");
    return y <= 0.125   ? lw_erfcinv_small(y)
           : y >= 1.875 ? -lw_erfcinv_small(2 - y)
                        : __nv_erfinv(1 - y);
}

/* erfc(-x / sqrt(2)) / 2, where the argument's rounding is put right by erfc's derivative. */
LW_DEVICE double __nv_normcdf(double x)
{
    const double high = -x * 0.70710678118654752440;
    const double low = lw_fma(-x, 0.70710678118654752440, -high) + x * 4.8336466567264567e-17;
    const double value = lw_erfc(high);
    if (!(lw_fabs(high) < 27))
        return 0.5 * value;
    return 0.5 * (value - 1.1283791670955125739 * low / lw_exp_of_square(high));
}
LW_DEVICE double __nv_normcdfinv(double p)
{
    return -1.41421356237309504880 * __nv_erfcinv(2 * p);
}

/* ---- Float --------------------------------------------------------------------------------- */

#define LW_BY_DOUBLE(name)                                                                         \
    LW_DEVICE float __nv_##name##f(float x) { return (float)__nv_##name((double)x); }
LW_BY_DOUBLE(lgamma)
LW_BY_DOUBLE(tgamma)
LW_BY_DOUBLE(erfcx)
LW_BY_DOUBLE(erfinv)
LW_BY_DOUBLE(erfcinv)
LW_BY_DOUBLE(normcdf)
LW_BY_DOUBLE(normcdfinv)
LW_BY_DOUBLE(j0)
LW_BY_DOUBLE(j1)
LW_BY_DOUBLE(y0)
LW_BY_DOUBLE(y1)
LW_BY_DOUBLE(cyl_bessel_i0)
LW_BY_DOUBLE(cyl_bessel_i1)
#undef LW_BY_DOUBLE
LW_DEVICE float __nv_jnf(int n, float x) { return (float)__nv_jn(n, (double)x); }
LW_DEVICE float __nv_ynf(int n, float x) { return (float)__nv_yn(n, (double)x); }

#endif
