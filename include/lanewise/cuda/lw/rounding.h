/* rounding.h - arithmetic rounded down, up or towards zero: __fadd_rd, __dmul_ru and their like.
 *
 * The machine rounds to the nearest. Each function finds the sign of the exact value less that
 * result. Where the sign asks for it, it takes the neighbour. Float works in double, whose results
 * are exact or rounded to odd; a float is then the only rounding. Double finds its sign by sums and
 * products without error (Dekker 1971, Knuth 1969; Shewchuk 1997 for the sign of a sum).
 */
#ifndef LANEWISE_CUDA_ROUNDING_H
#define LANEWISE_CUDA_ROUNDING_H

#include "libdevice.h"

struct lw_nearest {
    static constexpr int down = 0, up = 0;
};
struct lw_down {
    static constexpr int down = 1, up = 0;
};
struct lw_up {
    static constexpr int down = 0, up = 1;
};
struct lw_zero {
    static constexpr int down = 1, up = 1;
};

template <class T> struct lw_bits_of;
template <> struct lw_bits_of<float> {
    typedef unsigned type;
};
template <> struct lw_bits_of<double> {
    typedef unsigned long type;
};

/* The directed result: `x` is within a unit of it, and `error` has the sign of exact less x. Only
 * lw_zero has both directions: it goes down from positive numbers and up from negative ones. */
template <class Mode, class T> LW_DEVICE T lw_directed(T x, T error)
{
    const bool both = Mode::down && Mode::up, negative = __builtin_signbit(x);
    const bool go_down = Mode::down && error < 0 && !(both && negative);
    const bool go_up = Mode::up && error > 0 && !(both && !negative);
    typedef typename lw_bits_of<T>::type Bits;
    return go_down || go_up ? lw_next<T, Bits>(x, go_up) : x;
}

/* The sign of the error of a result that overflowed from finite numbers is against the result. */
template <class T> LW_DEVICE T lw_overflow_error(T x) { return x > 0 ? (T)-1 : (T)1; }

/* x + y - (x + y as rounded), exactly. */
LW_DEVICE double lw_sum_error(double x, double y, double sum)
{
    const double part = sum - x;
    return (x - (sum - part)) + (y - part);
}

/* An exact zero of two numbers that are not zeros of one sign is -0 when rounded down. */
template <class Mode, class T> LW_DEVICE T lw_zero_of_sum(T sum, T x, T y)
{
    const bool cancelled = sum == 0 && __builtin_signbit(x) != __builtin_signbit(y);
    return cancelled && Mode::down && !Mode::up ? (T)-0.0 : sum;
}

/* ---- Float --------------------------------------------------------------------------------- */

/* A double as a float. Where the float overflows, the neighbour of infinity is the largest. */
template <class Mode> LW_DEVICE float lw_to_float(double x)
{
    const float near = (float)x;
    return lw_directed<Mode>(near, x > near ? 1.0f : x < near ? -1.0f : 0.0f);
}

/* x + y in double, rounded to odd: an inexact sum gets a last bit that no float and no half of a
 * float has. So rounding it again is rounding the exact sum. */
LW_DEVICE double lw_odd_sum(double x, double y)
{
    const double sum = x + y, error = lw_sum_error(x, y, sum);
    const unsigned long bits = __builtin_bit_cast(unsigned long, sum);
    if (bits & 1 || !(error != 0) || __builtin_isinf(sum) || __builtin_isnan(error))
        return sum;
    return lw_next<double, unsigned long>(sum, error > 0);
}

template <class Mode> LW_DEVICE float lw_add_to(float x, float y)
{
    return lw_zero_of_sum<Mode>(lw_to_float<Mode>(lw_odd_sum(x, y)), x, y);
}
template <class Mode> LW_DEVICE float lw_multiply_to(float x, float y)
{
    return lw_to_float<Mode>((double)x * y);
}
/* A quotient or root in double is a float or no half only where the exact one is: 53 > 2 * 24. */
template <class Mode> LW_DEVICE float lw_divide_to(float x, float y)
{
    return lw_to_float<Mode>((double)x / y);
}
template <class Mode> LW_DEVICE float lw_root_to(float x)
{
    return lw_to_float<Mode>(lw_sqrt((double)x));
}
template <class Mode> LW_DEVICE float lw_fma_to(float x, float y, float z)
{
    const double product = (double)x * y;
    return lw_to_float<Mode>(lw_zero_of_sum<Mode>(lw_odd_sum(product, z), product, (double)z));
}

/* ---- Double -------------------------------------------------------------------------------- */

template <class Mode> LW_DEVICE double lw_add_to(double x, double y)
{
    const double sum = x + y;
    if (__builtin_isnan(sum) || __builtin_isinf(x) || __builtin_isinf(y))
        return sum;
    const double error =
        __builtin_isinf(sum) ? lw_overflow_error(sum) : lw_sum_error(x, y, sum);
    return lw_zero_of_sum<Mode>(lw_directed<Mode>(sum, error), x, y);
}

/* The sign of a + b + c + d, which no partial sum may overflow. Each term joins an expansion whose
 * parts do not overlap; its last part that is not zero has the sign. */
LW_DEVICE double lw_sign_of_sum(double a, double b, double c, double d)
{
    const double p = a + b, p0 = lw_sum_error(a, b, p);
    const double q = p0 + c, q0 = lw_sum_error(p0, c, q);
    const double r = p + q, r0 = lw_sum_error(p, q, r);
    const double s = q0 + d, s0 = lw_sum_error(q0, d, s);
    const double t = r0 + s, t0 = lw_sum_error(r0, s, t);
    const double u = r + t, u0 = lw_sum_error(r, t, u);
    return u != 0 ? u : u0 != 0 ? u0 : t0 != 0 ? t0 : s0;
}

/* x = result * 2^exponent with 1 <= |result| < 2. */
LW_DEVICE double lw_significand(double x, int *exponent)
{
    *exponent = x == 0 ? 0 : (int)lw_logb(x);
    return lw_ldexp(x, -*exponent);
}

/* x * y + z. The factors are scaled to 1, so that no part of the exact sum underflows. A term far
 * below the other may be anything of its sign, and one far above is the result itself. */
template <class Mode> LW_DEVICE double lw_fma_to(double x, double y, double z)
{
    const double near = lw_fma(x, y, z);
    if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || !__builtin_isfinite(z))
        return near;
    const double product_sign = __builtin_signbit(x) == __builtin_signbit(y) ? 1.0 : -1.0;
    double error;
    if (__builtin_isinf(near)) {
        error = lw_overflow_error(near);
    } else if (x == 0 || y == 0) {
        error = 0;
    } else {
        int of_x, of_y, of_z;
        const double a = lw_significand(x, &of_x), b = lw_significand(y, &of_y);
        const double c = lw_significand(z, &of_z);
        const int apart = z == 0 ? -200 : of_z - of_x - of_y;
        const double product = a * b, rest = lw_fma(a, b, -product);
        if (apart > 200)
            error = product_sign;
        else
            error = lw_sign_of_sum(product, rest, lw_ldexp(c, apart < -200 ? -200 : apart),
                                   -lw_ldexp(near, -of_x - of_y));
    }
    const double result = lw_directed<Mode>(near, error);
    return error == 0 ? lw_zero_of_sum<Mode>(result, product_sign * lw_fabs(x == 0 ? x : y), z)
                      : result;
}
template <class Mode> LW_DEVICE double lw_multiply_to(double x, double y)
{
    const double zero = __builtin_signbit(x) == __builtin_signbit(y) ? 0.0 : -0.0;
    return lw_fma_to<Mode>(x, y, zero);
}
template <class Mode> LW_DEVICE double lw_divide_to(double x, double y)
{
    const double near = x / y;
    if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || x == 0 || y == 0)
        return near;
    if (__builtin_isinf(near))
        return lw_directed<Mode>(near, lw_overflow_error(near));
    int of_x, of_y;
    const double a = lw_significand(x, &of_x), b = lw_significand(y, &of_y);
    const double rest = lw_fma(-lw_ldexp(near, of_y - of_x), b, a);
    return lw_directed<Mode>(near, b < 0 ? -rest : rest);
}
template <class Mode> LW_DEVICE double lw_root_to(double x)
{
    const double near = lw_sqrt(x);
    if (!(x > 0) || __builtin_isinf(x))
        return near;
    int exponent;
    lw_significand(x, &exponent);
    exponent &= ~1;
    const double root = lw_ldexp(near, -exponent / 2);
    return lw_directed<Mode>(near, lw_fma(-root, root, lw_ldexp(x, -exponent)));
}

/* ---- CUDA's names -------------------------------------------------------------------------- */

#define LW_ROUNDED(T, f, d, fma, mode, Mode)                                                       \
    LW_DEVICE T __##d##add_##mode(T x, T y) { return lw_add_to<Mode>(x, y); }                      \
    LW_DEVICE T __##d##sub_##mode(T x, T y) { return lw_add_to<Mode>(x, -y); }                     \
    LW_DEVICE T __##d##mul_##mode(T x, T y) { return lw_multiply_to<Mode>(x, y); }                 \
    LW_DEVICE T __##d##div_##mode(T x, T y) { return lw_divide_to<Mode>(x, y); }                   \
    LW_DEVICE T __##d##rcp_##mode(T x) { return lw_divide_to<Mode>((T)1, x); }                     \
    LW_DEVICE T __##d##sqrt_##mode(T x) { return lw_root_to<Mode>(x); }                            \
    LW_DEVICE T __##fma##_##mode(T x, T y, T z) { return lw_fma_to<Mode>(x, y, z); }
#define LW_ROUNDED_ALL(T, f, d, fma)                                                               \
    LW_ROUNDED(T, f, d, fma, rd, lw_down)                                                          \
    LW_ROUNDED(T, f, d, fma, ru, lw_up)                                                            \
    LW_ROUNDED(T, f, d, fma, rz, lw_zero)                                                          \
    LW_DEVICE T __##d##add_rn(T x, T y) { return x + y; }                                          \
    LW_DEVICE T __##d##sub_rn(T x, T y) { return x - y; }                                          \
    LW_DEVICE T __##d##mul_rn(T x, T y) { return x * y; }                                          \
    LW_DEVICE T __##d##div_rn(T x, T y) { return x / y; }                                          \
    LW_DEVICE T __##d##rcp_rn(T x) { return 1 / x; }                                               \
    LW_DEVICE T __##d##sqrt_rn(T x) { return lw_sqrt(x); }                                         \
    LW_DEVICE T __##fma##_rn(T x, T y, T z) { return lw_fma(x, y, z); }
LW_ROUNDED_ALL(float, f, f, fmaf)
LW_ROUNDED_ALL(double, , d, fma)
#undef LW_ROUNDED_ALL
#undef LW_ROUNDED

#endif
