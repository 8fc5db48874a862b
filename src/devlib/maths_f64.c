/* maths_f64.c - the maths functions on double. The algorithms, the notes and the sources are those
 * of maths_f32.c, function by function; only constants, degrees and the wide products differ.
 */
#include "devlib.h"

#define FRACTION_F64 UINT64_C(0xfffffffffffff) /* the mask of the fraction bits */
#define ROUND_MAGIC_F64 0x1.8p52 /* x + it - it is x rounded to an integer, for |x| < 2^51 */

static inline uint64_t bits_f64(double x)
{
    union {
        double value;
        uint64_t bits;
    } u = {.value = x};
    return u.bits;
}

static inline double from_bits_f64(uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } u = {.bits = bits};
    return u.value;
}

static inline double fma_f64(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}

/* a + b = result + *low exactly, for |a| >= |b| or a = 0 (Dekker). */
static inline double fast_sum_f64(double a, double b, double *low)
{
    double sum = a + b;
    *low = b - (sum - a);
    return sum;
}

/* a + b = result + *low exactly (Knuth). */
static inline double sum_f64(double a, double b, double *low)
{
    double sum = a + b;
    double b_part = sum - a;
    *low = (a - (sum - b_part)) + (b - b_part);
    return sum;
}

/* a * b = result + *low exactly. */
static inline double product_f64(double a, double b, double *low)
{
    double product = a * b;
    *low = fma_f64(a, b, -product);
    return product;
}

/* (a + a_low) / (b + b_low): the quotient of the leading parts, corrected by its residual. */
static inline double quotient_f64(double a, double a_low, double b, double b_low)
{
    double inverse = 1.0 / b;
    double q = a * inverse;
    double residual = fma_f64(-q, b, a) + (a_low - q * b_low);
    return fma_f64(residual, inverse, q);
}

/* x rounded to the nearest integer, as double and as *n; |x| < 2^31. */
static inline double nearest_f64(double x, int *n)
{
    double shifted = x + ROUND_MAGIC_F64;
    *n = (int)(bits_f64(shifted) - bits_f64(ROUND_MAGIC_F64));
    return shifted - ROUND_MAGIC_F64;
}

static inline double power_of_two_f64(int n)
{
    return from_bits_f64((uint64_t)((uint32_t)n + 1023) << 52);
}

/* v * 2^n, rounded once, for normal v and |n| <= 2044. */
static inline double scale_f64(double v, int n)
{
    int half = n >> 1;
    return v * power_of_two_f64(half) * power_of_two_f64(n - half);
}

static inline bool is_finite_f64(double x)
{
    return __builtin_fabs(x) < __builtin_inf();
}

/* ---- exact functions ---- */

double lw__fma_f64(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}

double lw__sqrt_f64(double x)
{
    return __builtin_sqrt(x);
}

double lw__fabs_f64(double x)
{
    return __builtin_fabs(x);
}

/* The sum with 2^52 has no fraction bits: adding and taking it away again rounds to an integer. */
double lw__rint_f64(double x)
{
    double a = __builtin_fabs(x);
    double rounded = (a + 0x1p52) - 0x1p52;
    return __builtin_copysign(a < 0x1p52 ? rounded : a, x);
}

double lw__trunc_f64(double x)
{
    double a = __builtin_fabs(x);
    double rounded = lw__rint_f64(a);
    return __builtin_copysign(rounded > a ? rounded - 1.0 : rounded, x);
}

double lw__floor_f64(double x)
{
    double rounded = lw__rint_f64(x);
    return rounded > x ? rounded - 1.0 : rounded;
}

double lw__ceil_f64(double x)
{
    double rounded = lw__rint_f64(x);
    return __builtin_copysign(rounded < x ? rounded + 1.0 : rounded, x);
}

/* Half goes away from zero. */
double lw__round_f64(double x)
{
    double a = __builtin_fabs(x);
    double whole = lw__trunc_f64(a);
    return __builtin_copysign(a - whole >= 0.5 ? whole + 1.0 : whole, x);
}

/* Equal values differ at most in the sign of zero: -0 < +0 decides. A NaN loses. */
double lw__fmin_f64(double x, double y)
{
    double equal = from_bits_f64(bits_f64(x) | bits_f64(y)), far = y < x ? y : x;
    far = x == y ? equal : far;
    return x != x ? y : far;
}

double lw__fmax_f64(double x, double y)
{
    double equal = from_bits_f64(bits_f64(x) & bits_f64(y)), far = y > x ? y : x;
    far = x == y ? equal : far;
    return x != x ? y : far;
}

/* The significand of x > 0 with its leading bit at 2^52, and *e with x = significand * 2^*e. */
static inline uint64_t significand_f64(double x, int *e)
{
    uint64_t bits = bits_f64(x);
    int field = (int)(bits >> 52);
    uint64_t m = (bits & FRACTION_F64) | (field ? FRACTION_F64 + 1 : 0);
    int shift = __builtin_clzll(m | 1) - 11;
    *e = (field ? field : 1) - 1075 - shift;
    return m << shift;
}

/* a mod m for whole a < 2^51 m and m of full length. The quotient is rounded to the nearest
 * integer, or where two are nearly as close, to one of them; so the difference has no more bits
 * than m and is exact. */
static inline double remainder_f64(double a, double m)
{
    int unused;
    double r = fma_f64(-nearest_f64(a / m, &unused), m, a);
    return r < 0.0 ? r + m : r;
}

/* fmod - r 2^rest mod m on whole numbers: long division, 50 bits a step. The first step is the
 * only one unless x / y is 2^50 or more. */
double lw__fmod_f64(double x, double y)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    bool valid = a < __builtin_inf() && b > 0.0, smaller = a < b;
    int ea;
    double r = (double)(int64_t)significand_f64(a, &ea);
    int eb;
    double m = (double)(int64_t)significand_f64(b, &eb);
    int rest = valid && !smaller ? ea - eb : 0;
    int step = rest < 50 ? rest : 50;
    r = remainder_f64(r * power_of_two_f64(step), m);
    for (rest -= step; rest > 0; rest -= step) {
        step = rest < 50 ? rest : 50;
        r = remainder_f64(r * power_of_two_f64(step), m);
    }
    double v = __builtin_copysign(scale_f64(r, eb), x);
    return !valid ? __builtin_nan("") : smaller ? x : v;
}

/* ---- exponentials ---- */

/* (e^r - 1 - r) / r^2 on |r| <= ln2/2 */
static inline double exp_poly_f64(double r)
{
    double p = 0x1.ad7efa348cba5p-26;
    p = fma_f64(p, r, 0x1.28adce79db481p-22);
    p = fma_f64(p, r, 0x1.71df263143556p-19);
    p = fma_f64(p, r, 0x1.a01999adc0097p-16);
    p = fma_f64(p, r, 0x1.a01a0129b25bdp-13);
    p = fma_f64(p, r, 0x1.6c16c1844b084p-10);
    p = fma_f64(p, r, 0x1.1111111127e88p-7);
    p = fma_f64(p, r, 0x1.55555555507fp-5);
    p = fma_f64(p, r, 0x1.55555555554f9p-3);
    return fma_f64(p, r, 0x1.000000000000ap-1);
}

/* e^(r + low) 2^n for |r| <= ln2/2 and |n| <= 2044. 1 + r is split exactly; the rest, with
 * low far below 1, is small. */
static inline double exp_core_f64(double r, double low, int n)
{
    double tail;
    double lead = fast_sum_f64(1.0, r, &tail);
    double v = lead + fma_f64(r * r, exp_poly_f64(r), tail + low);
    return scale_f64(v, n);
}

/* x - n ln2 as result + *low, n the integer nearest to x / ln2. Exact up to the second part of
 * ln2 (Cody & Waite; with fma the first part needs no trailing zeros). |x| <= 800. */
static inline double reduce_ln2_f64(double x, double *low, int *n)
{
    double k = nearest_f64(x * 0x1.71547652b82fep+0, n);
    double first = fma_f64(k, -0x1.62e42fefa39efp-1, x);
    double r = fma_f64(k, -0x1.abc9e3b39803fp-56, first);
    *low = fma_f64(k, -0x1.abc9e3b39803fp-56, first - r);
    return r;
}

/* e^x for |x| <= 800. */
static inline double exp_in_range_f64(double x)
{
    int n;
    double low;
    double r = reduce_ln2_f64(x, &low, &n);
    return exp_core_f64(r, low, n);
}

double lw__exp_f64(double x)
{
    double clamped = x > 720.0 ? 720.0 : x < -760.0 ? -760.0 : x;
    return exp_in_range_f64(clamped);
}

double lw__exp2_f64(double x)
{
    double clamped = x > 1030.0 ? 1030.0 : x < -1080.0 ? -1080.0 : x;
    int n;
    double fraction = clamped - nearest_f64(clamped, &n);
    double low;
    double r = product_f64(fraction, 0x1.62e42fefa39efp-1, &low);
    return exp_core_f64(r, fma_f64(fraction, 0x1.abc9e3b39803fp-56, low), n);
}

/* tanh - with m = e^2a - 1 = 2^n (1 + r + tail) - 1 as hi + low: tanh a = m / (m + 2). Near zero
 * n is 0 and m has no cancellation, so one formula serves the whole range. */
double lw__tanh_f64(double x)
{
    double a = __builtin_fabs(x);
    a = a > 20.0 ? 20.0 : a;
    int n;
    double tail, low, sum_low;
    double r = reduce_ln2_f64(a + a, &tail, &n);
    double power = power_of_two_f64(n);
    tail = fma_f64(r * r, exp_poly_f64(r), tail);
    double m = fast_sum_f64(power - 1.0, power * r, &low);
    m = fast_sum_f64(m, fma_f64(power, tail, low), &low);
    double divisor = sum_f64(m, 2.0, &sum_low);
    return __builtin_copysign(quotient_f64(m, low, divisor, sum_low + low), x);
}

/* erf(x) / x - 1 of z = x^2 on [0, 1] */
static inline double erf_poly_f64(double z)
{
    double p = 0x1.06275d91058a2p-34;
    p = fma_f64(p, z, -0x1.38ac22a9984b9p-30);
    p = fma_f64(p, z, 0x1.f7b99d0aa431cp-27);
    p = fma_f64(p, z, -0x1.5f1f40e39d16ap-23);
    p = fma_f64(p, z, 0x1.b9df30583f02ep-20);
    p = fma_f64(p, z, -0x1.f4d1e4343e42cp-17);
    p = fma_f64(p, z, 0x1.f9a321e4af9d1p-14);
    p = fma_f64(p, z, -0x1.c02db3db49151p-11);
    p = fma_f64(p, z, 0x1.565bcd0dbd8f7p-8);
    p = fma_f64(p, z, -0x1.b82ce31284f37p-6);
    p = fma_f64(p, z, 0x1.ce2f21a042b34p-4);
    p = fma_f64(p, z, -0x1.812746b0379e6p-2);
    return fma_f64(p, z, 0x1.06eba8214db69p-3);
}

/* log erfc(1 + t) on [0, 5]; beyond, erf is 1 */
static inline double erfc_log_poly_f64(double t)
{
    double p = -0x1.56453efc00555p-38;
    p = fma_f64(p, t, 0x1.065a19df303a9p-33);
    p = fma_f64(p, t, -0x1.6a895fd10054bp-30);
    p = fma_f64(p, t, 0x1.24aa533c99f6ap-27);
    p = fma_f64(p, t, -0x1.1ecbbf6468b7p-25);
    p = fma_f64(p, t, 0x1.f23ca88b658d5p-25);
    p = fma_f64(p, t, 0x1.b7dd0a14ce7b2p-23);
    p = fma_f64(p, t, -0x1.1e258600ce9b2p-19);
    p = fma_f64(p, t, 0x1.4484a02fd70fap-17);
    p = fma_f64(p, t, -0x1.c852bc2097acfp-16);
    p = fma_f64(p, t, 0x1.b92de0a904bb9p-16);
    p = fma_f64(p, t, 0x1.f1b04a596ede8p-13);
    p = fma_f64(p, t, -0x1.033f5a12b1c41p-9);
    p = fma_f64(p, t, 0x1.48c9d37fc55ffp-7);
    p = fma_f64(p, t, -0x1.5477f099b707ep-5);
    p = fma_f64(p, t, -0x1.afabc11a2afd4p-1);
    p = fma_f64(p, t, -0x1.51c9b0006c21ap+1);
    return fma_f64(p, t, -0x1.d97fbf27aa2a1p+0);
}

/* erf - a polynomial below 1; above, 1 - e^p with p near log erfc, whose error shrinks with it. */
double lw__erf_f64(double x)
{
    double a = __builtin_fabs(x);
    double small = fma_f64(a, erf_poly_f64(a * a), a);
    double t = (a < 1.0 ? 1.0 : a > 6.0 ? 6.0 : a) - 1.0;
    double large = 1.0 - exp_in_range_f64(erfc_log_poly_f64(t));
    return __builtin_copysign(a < 1.0 ? small : a >= 1.0 ? large : a, x);
}

/* ---- logarithms ---- */

#define SQRT_HALF_BITS_F64 UINT64_C(0x3fe6a09e667f3bcd)

/* x = result * 2^*e with result in [sqrt(1/2), sqrt(2)), for positive finite x. */
static inline double split_f64(double x, int *e)
{
    bool tiny = x < 0x1p-1022;
    uint64_t bits = bits_f64(tiny ? x * 0x1p52 : x) - SQRT_HALF_BITS_F64;
    *e = (int)((int64_t)bits >> 52) - (tiny ? 52 : 0);
    return from_bits_f64((bits & FRACTION_F64) + SQRT_HALF_BITS_F64);
}

/* The value at the ends: log 0 = -inf, log of a negative number is NaN, log inf = inf. */
static inline double log_special_f64(double x, double regular)
{
    double end = x == 0.0 ? -__builtin_inf() : x < 0.0 ? __builtin_nan("") : x;
    return x > 0.0 && x < __builtin_inf() ? regular : end;
}

/* ((log((1+s)/(1-s)) - 2s) / s^3 - 2/3) / z, z = s^2 */
static inline double atanh_poly_f64(double z)
{
    double p = 0x1.0e4a31e434c9ep-3;
    p = fma_f64(p, z, 0x1.0f7f2086ce9f1p-3);
    p = fma_f64(p, z, 0x1.3b1ef46278c43p-3);
    p = fma_f64(p, z, 0x1.745ce9b6bf454p-3);
    p = fma_f64(p, z, 0x1.c71c722de36a7p-3);
    p = fma_f64(p, z, 0x1.2492492457805p-2);
    return fma_f64(p, z, 0x1.9999999999b33p-2);
}

/* log(1 + f) - f = s (h + z (2/3 + z Q)) - h with s = f / (2 + f), z = s^2, h = f^2 / 2: needs
 * fewer terms than a polynomial of f, for one division. The rounding of h is put back. */
static inline double log_tail_f64(double f)
{
    double s = f / (2.0 + f);
    double z = s * s;
    double h_low;
    double h = product_f64(0.5 * f, f, &h_low);
    double series = z * fma_f64(z, atanh_poly_f64(z), 0x1.5555555555555p-1);
    return fma_f64(s, h + series, -h_low) - h;
}

/* log - e ln2 + f + tail(f); e times the short first part of ln2 is exact. */
double lw__log_f64(double x)
{
    int e;
    double f = split_f64(x, &e) - 1.0;
    double low;
    double lead = fast_sum_f64((double)e * 0x1.62e42fefa38p-1, f, &low);
    double tail = fma_f64((double)e, 0x1.ef35793c7673p-45, log_tail_f64(f));
    return log_special_f64(x, lead + (low + tail));
}

/* log2 - e + (f + tail(f)) log2(e), both products in two parts. */
double lw__log2_f64(double x)
{
    int e;
    double f = split_f64(x, &e) - 1.0;
    double f_low;
    double scaled = product_f64(f, 0x1.71547652b82fep+0, &f_low);
    double tail_low;
    double tail = product_f64(log_tail_f64(f), 0x1.71547652b82fep+0, &tail_low);
    double rest = fma_f64(f, 0x1.777d0ffda0d24p-56, f_low) + tail_low;
    double low;
    double lead = fast_sum_f64((double)e, scaled, &low);
    rest += low;
    lead = fast_sum_f64(lead, tail, &low);
    return log_special_f64(x, lead + (low + rest));
}

/* ---- power ---- */

/* log(1 + f) as result + *low, some 12 bits better than one double. The series is
 *     2s + s^3 (2/3 + z Q(z)),  s = f / (2 + f)
 * All but Q is in two parts (the method of Tang, TOMS 1990). */
static inline double log1p_pair_f64(double f, double *low)
{
    double d_low;
    double d = fast_sum_f64(2.0, f, &d_low);
    double s = f / d;
    double s_low = (fma_f64(-s, d, f) - s * d_low) / d;
    double z_low;
    double z = product_f64(s, s, &z_low);
    z_low = fma_f64(2.0 * s, s_low, z_low);
    double c_low;
    double c = fast_sum_f64(0x1.5555555555555p-1, z * atanh_poly_f64(z), &c_low);
    c_low += 0x1.5555555555555p-55;
    double v_low;
    double v = product_f64(z, c, &v_low);
    v_low += z * c_low + z_low * c;
    double w_low;
    double w = product_f64(s, v, &w_low);
    w_low += s * v_low + s_low * v;
    double lead = fast_sum_f64(2.0 * s, w, low);
    return fast_sum_f64(lead, *low + (2.0 * s_low + w_low), low);
}

/* |x|^y for finite |x| > 0, as e^(y log|x|) with the logarithm and the product in two parts. */
static inline double pow_regular_f64(double x, double y)
{
    int e;
    double f = split_f64(x, &e) - 1.0;
    double f_low;
    double log_f = log1p_pair_f64(f, &f_low);
    double low;
    double lead = fast_sum_f64((double)e * 0x1.62e42fefa38p-1, log_f, &low);
    lead = fast_sum_f64(lead, fma_f64((double)e, 0x1.ef35793c7673p-45, low + f_low), &low);
    double p_low;
    double p = product_f64(y, lead, &p_low);
    p_low = fma_f64(y, low, p_low);
    bool large = p > 720.0, small = p < -760.0;
    p_low = large || small ? 0.0 : p_low;
    int n;
    double r = reduce_ln2_f64(large ? 720.0 : small ? -760.0 : p, &low, &n);
    r = sum_f64(r, low + p_low, &low); /* p_low alone may be 2^-44: too much to leave beside r */
    return exp_core_f64(r, low, n);
}

/* pow - the special values are those of C17 F.10.4.4; each line overrides those before. */
double lw__pow_f64(double x, double y)
{
    double a = __builtin_fabs(x);
    bool y_whole = lw__trunc_f64(y) == y;
    bool y_odd = y_whole & (lw__trunc_f64(0.5 * y) != 0.5 * y);
    bool x_end = (a == 0.0) | !is_finite_f64(x);
    double at_end = (a == 0.0) == (y < 0.0) ? __builtin_inf() : 0.0;
    double at_infinity = (a > 1.0) == (y > 0.0) ? __builtin_inf() : 0.0;
    double v = pow_regular_f64(x_end ? 1.0 : a, y);
    v = x_end ? at_end : v;
    v = is_finite_f64(y) ? v : a == 1.0 ? 1.0 : at_infinity;
    double of_negative = y_odd ? -v : (y_whole | x_end) ? v : __builtin_nan("");
    v = bits_f64(x) >> 63 ? of_negative : v;
    v = ((x != x) | (y != y)) ? x + y : v;
    return ((x == 1.0) | (y == 0.0)) ? 1.0 : v;
}

/* ---- roots ---- */

/* rsqrt - 1 / sqrt(x), then one correction by the exact residuals of both roundings. */
double lw__rsqrt_f64(double x)
{
    bool tiny = x < 0x1p-900;
    double a = tiny ? x * 0x1p200 : x;
    double root = __builtin_sqrt(a);
    double y = 1.0 / root;
    double divide_error = fma_f64(-y, root, 1.0);
    double root_error = fma_f64(-root, root, a);
    double v = fma_f64(fma_f64(-0.5 * root_error * y, y, divide_error), y, y);
    v = x == 0.0 || !is_finite_f64(x) ? y : v;
    return tiny ? v * 0x1p100 : v;
}

/* A better 1/cbrt(a) from r: r += r (h/3 + 2h^2/9), h = 1 - a r^3, cubes the error. */
static inline double inverse_cbrt_f64(double a, double r)
{
    double h = fma_f64(-(a * r), r * r, 1.0);
    return fma_f64(r * h, fma_f64(h, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), r);
}

/* cbrt - 1/cbrt(a) from the upper bits: the exponent is divided by 3, and the constant minimises
 * the largest error, 3.4 %. Two steps improve it to r. Then cbrt a = a r^2, with one Newton step on
 * the residual in two parts. */
double lw__cbrt_f64(double x)
{
    double a = __builtin_fabs(x);
    bool tiny = a < 0x1p-900;
    a = tiny ? a * 0x1p300 : a;
    uint32_t third = (uint32_t)(bits_f64(a) >> 32) / 3;
    double r = from_bits_f64((uint64_t)(UINT32_C(0x553ef100) - third) << 32);
    r = inverse_cbrt_f64(a, inverse_cbrt_f64(a, r));
    double square_low;
    double y = a * r * r;
    double square = product_f64(y, y, &square_low);
    double residual = fma_f64(square, y, -a) + square_low * y;
    y = fma_f64(residual * (r * r), -0x1.5555555555555p-2, y);
    y = tiny ? y * 0x1p-100 : y;
    return x == 0.0 || !is_finite_f64(x) ? x : __builtin_copysign(y, x);
}
