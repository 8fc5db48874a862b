/* maths_f32.c - the maths functions on float; maths_f64.c is the same with wider constants.
 *
 * Every function has three steps:
 *     1. Reduce the argument exactly, or to an unevaluated sum hi + low.
 *     2. Evaluate one short polynomial of the small remainder.
 *     3. Add the leading term last.
 * The leading term is exact and everything else is small. So one final rounding dominates the
 * error. If both sides of a condition are cheap, a select chooses, so that the code widens to SIMD.
 * There are no tables except the bits of 2/pi. Only IEEE + - * /, fma, square root and integers are
 * used, and nothing is contracted: the bits are the same wherever it runs.
 *
 * Coefficients and split constants are made by minimax.py (its row is named after the function).
 * Sources: W. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980 (reduction
 * with a split constant); J.-M. Muller et al., "Handbook of Floating-Point Arithmetic", 2nd ed.
 * (error-free sums and products: Dekker 1971, Knuth's two-sum); M. Payne, R. Hanek, "Radian
 * reduction for trigonometric functions", SIGNUM 1983.
 */
#include "devlib.h"

#define ROUND_MAGIC_F32 0x1.8p23f /* x + it - it is x rounded to an integer, for |x| < 2^22 */

static inline uint32_t bits_f32(float x)
{
    union {
        float value;
        uint32_t bits;
    } u = {.value = x};
    return u.bits;
}

static inline float from_bits_f32(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } u = {.bits = bits};
    return u.value;
}

static inline float fma_f32(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}

/* a + b = result + *low exactly, for |a| >= |b| or a = 0 (Dekker). */
static inline float fast_sum_f32(float a, float b, float *low)
{
    float sum = a + b;
    *low = b - (sum - a);
    return sum;
}

/* a + b = result + *low exactly (Knuth). */
static inline float sum_f32(float a, float b, float *low)
{
    float sum = a + b;
    float b_part = sum - a;
    *low = (a - (sum - b_part)) + (b - b_part);
    return sum;
}

/* a * b = result + *low exactly. */
static inline float product_f32(float a, float b, float *low)
{
    float product = a * b;
    *low = fma_f32(a, b, -product);
    return product;
}

/* (a + a_low) / (b + b_low): the quotient of the leading parts, corrected by its residual. */
static inline float quotient_f32(float a, float a_low, float b, float b_low)
{
    float inverse = 1.0f / b;
    float q = a * inverse;
    float residual = fma_f32(-q, b, a) + (a_low - q * b_low);
    return fma_f32(residual, inverse, q);
}

/* x rounded to the nearest integer, as float and as *n; |x| < 2^22. */
static inline float nearest_f32(float x, int *n)
{
    float shifted = x + ROUND_MAGIC_F32;
    *n = (int)(bits_f32(shifted) - bits_f32(ROUND_MAGIC_F32));
    return shifted - ROUND_MAGIC_F32;
}

static inline float power_of_two_f32(int n)
{
    return from_bits_f32(((uint32_t)n + 127) << 23);
}

/* v * 2^n, rounded once, for normal v and |n| <= 252. */
static inline float scale_f32(float v, int n)
{
    int half = n >> 1;
    return v * power_of_two_f32(half) * power_of_two_f32(n - half);
}

static inline bool is_finite_f32(float x)
{
    return __builtin_fabsf(x) < __builtin_inff();
}

/* ---- exact functions ---- */

float lw__fma_f32(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}

float lw__sqrt_f32(float x)
{
    return __builtin_sqrtf(x);
}

float lw__fabs_f32(float x)
{
    return __builtin_fabsf(x);
}

/* The sum with 2^23 has no fraction bits: adding and taking it away again rounds to an integer. */
float lw__rint_f32(float x)
{
    float a = __builtin_fabsf(x);
    float rounded = (a + 0x1p23f) - 0x1p23f;
    return __builtin_copysignf(a < 0x1p23f ? rounded : a, x);
}

float lw__trunc_f32(float x)
{
    float a = __builtin_fabsf(x);
    float rounded = lw__rint_f32(a);
    return __builtin_copysignf(rounded > a ? rounded - 1.0f : rounded, x);
}

float lw__floor_f32(float x)
{
    float rounded = lw__rint_f32(x);
    return rounded > x ? rounded - 1.0f : rounded;
}

float lw__ceil_f32(float x)
{
    float rounded = lw__rint_f32(x);
    return __builtin_copysignf(rounded < x ? rounded + 1.0f : rounded, x);
}

/* Half goes away from zero. */
float lw__round_f32(float x)
{
    float a = __builtin_fabsf(x);
    float whole = lw__trunc_f32(a);
    return __builtin_copysignf(a - whole >= 0.5f ? whole + 1.0f : whole, x);
}

/* Equal values differ at most in the sign of zero: -0 < +0 decides. A NaN loses. */
float lw__fmin_f32(float x, float y)
{
    float equal = from_bits_f32(bits_f32(x) | bits_f32(y)), far = y < x ? y : x;
    far = x == y ? equal : far;
    return x != x ? y : far;
}

float lw__fmax_f32(float x, float y)
{
    float equal = from_bits_f32(bits_f32(x) & bits_f32(y)), far = y > x ? y : x;
    far = x == y ? equal : far;
    return x != x ? y : far;
}

/* The significand of x > 0 with its leading bit at 2^23, and *e with x = significand * 2^*e. */
static inline uint32_t significand_f32(float x, int *e)
{
    uint32_t bits = bits_f32(x);
    int field = (int)(bits >> 23);
    uint32_t m = (bits & 0x7fffff) | (field ? 0x800000 : 0);
    int shift = __builtin_clz(m | 1) - 8;
    *e = (field ? field : 1) - 150 - shift;
    return m << shift;
}

/* a mod m for whole a < 2^22 m and m of full length. The quotient is rounded to the nearest
 * integer, or where two are nearly as close, to one of them; so the difference has no more bits
 * than m and is exact. */
static inline float remainder_f32(float a, float m)
{
    int unused;
    float r = fma_f32(-nearest_f32(a / m, &unused), m, a);
    return r < 0.0f ? r + m : r;
}

/* fmod - r 2^rest mod m on whole numbers: long division, 21 bits a step. The first step is the
 * only one unless x / y is 2^21 or more. */
float lw__fmod_f32(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    bool valid = a < __builtin_inff() && b > 0.0f, smaller = a < b;
    int ea;
    float r = (float)(int32_t)significand_f32(a, &ea);
    int eb;
    float m = (float)(int32_t)significand_f32(b, &eb);
    int rest = valid && !smaller ? ea - eb : 0;
    int step = rest < 21 ? rest : 21;
    r = remainder_f32(r * power_of_two_f32(step), m);
    for (rest -= step; rest > 0; rest -= step) {
        step = rest < 21 ? rest : 21;
        r = remainder_f32(r * power_of_two_f32(step), m);
    }
    float v = __builtin_copysignf(scale_f32(r, eb), x);
    return !valid ? __builtin_nanf("") : smaller ? x : v;
}

/* ---- exponentials ---- */

/* (e^r - 1 - r) / r^2 on |r| <= ln2/2 */
static inline float exp_poly_f32(float r)
{
    float p = 0x1.6a23dcp-10f;
    p = fma_f32(p, r, 0x1.123a6cp-7f);
    p = fma_f32(p, r, 0x1.5558f4p-5f);
    p = fma_f32(p, r, 0x1.55549p-3f);
    return fma_f32(p, r, 0x1.fffffcp-2f);
}

/* e^(r + low) 2^n for |r| <= ln2/2 and |n| <= 252. 1 + r is split exactly; the rest, with
 * low far below 1, is small. */
static inline float exp_core_f32(float r, float low, int n)
{
    float tail;
    float lead = fast_sum_f32(1.0f, r, &tail);
    float v = lead + fma_f32(r * r, exp_poly_f32(r), tail + low);
    return scale_f32(v, n);
}

/* x - n ln2 as result + *low, n the integer nearest to x / ln2. Exact up to the second part of
 * ln2 (Cody & Waite; with fma the first part needs no trailing zeros). |x| <= 200. */
static inline float reduce_ln2_f32(float x, float *low, int *n)
{
    float k = nearest_f32(x * 0x1.715476p+0f, n);
    float first = fma_f32(k, -0x1.62e43p-1f, x);
    float r = fma_f32(k, 0x1.05c61p-29f, first);
    *low = fma_f32(k, 0x1.05c61p-29f, first - r);
    return r;
}

/* e^x for |x| <= 200. */
static inline float exp_in_range_f32(float x)
{
    int n;
    float low;
    float r = reduce_ln2_f32(x, &low, &n);
    return exp_core_f32(r, low, n);
}

/* The bits of n, halved and shifted to the exponent's place, are two powers of two. */
__attribute__((noinline)) float lw__scale_f32(float v, float k, uint32_t n)
{
    uint32_t half = (n << 22) & 0xff800000;
    (void)k;
    return v * from_bits_f32(half) * from_bits_f32((n << 23) - half);
}

/* exp - no low part: 1 + r (1 + r p(r)) is rounded three times, each time less than the last. The
 * integer is rounded off with 2 x 127 added, for lw__scale_f32. */
float lw__exp_f32(float x)
{
    const float magic = ROUND_MAGIC_F32 + 254;
    x = x > 90.0f ? 90.0f : x;
    x = x < -110.0f ? -110.0f : x;
    float shifted = fma_f32(x, 0x1.715476p+0f, magic), k = shifted - magic;
    float r = fma_f32(k, 0x1.05c61p-29f, fma_f32(k, -0x1.62e43p-1f, x));
    float v = fma_f32(fma_f32(exp_poly_f32(r), r, 1.0f), r, 1.0f);
    return lw__scale_f32(v, k, bits_f32(shifted));
}

float lw__exp2_f32(float x)
{
    float clamped = x > 130.0f ? 130.0f : x < -155.0f ? -155.0f : x;
    int n;
    float fraction = clamped - nearest_f32(clamped, &n);
    float low;
    float r = product_f32(fraction, 0x1.62e43p-1f, &low);
    return exp_core_f32(r, fma_f32(fraction, -0x1.05c61p-29f, low), n);
}

/* tanh - with m = e^2a - 1 = 2^n (1 + r + tail) - 1 as hi + low: tanh a = m / (m + 2). Near zero
 * n is 0 and m has no cancellation, so one formula serves the whole range. */
float lw__tanh_f32(float x)
{
    float a = __builtin_fabsf(x);
    a = a > 10.0f ? 10.0f : a;
    int n;
    float tail, low, sum_low;
    float r = reduce_ln2_f32(a + a, &tail, &n);
    float power = power_of_two_f32(n);
    tail = fma_f32(r * r, exp_poly_f32(r), tail);
    float m = fast_sum_f32(power - 1.0f, power * r, &low);
    m = fast_sum_f32(m, fma_f32(power, tail, low), &low);
    float divisor = sum_f32(m, 2.0f, &sum_low);
    return __builtin_copysignf(quotient_f32(m, low, divisor, sum_low + low), x);
}

/* erf(x) / x - 1 of z = x^2 on [0, 1] */
static inline float erf_poly_f32(float z)
{
    float p = 0x1.4ae4c6p-14f;
    p = fma_f32(p, z, -0x1.a485eap-11f);
    p = fma_f32(p, z, 0x1.5419f4p-8f);
    p = fma_f32(p, z, -0x1.b7fbb4p-6f);
    p = fma_f32(p, z, 0x1.ce2d2p-4f);
    p = fma_f32(p, z, -0x1.81273ep-2f);
    return fma_f32(p, z, 0x1.06eba8p-3f);
}

/* log erfc(1 + t) on [0, 3]; beyond, erf is 1 */
static inline float erfc_log_poly_f32(float t)
{
    float p = -0x1.6bd6f8p-16f;
    p = fma_f32(p, t, 0x1.2f973ep-12f);
    p = fma_f32(p, t, -0x1.07b64ep-9f);
    p = fma_f32(p, t, 0x1.4933bap-7f);
    p = fma_f32(p, t, -0x1.547cfp-5f);
    p = fma_f32(p, t, -0x1.afabbcp-1f);
    p = fma_f32(p, t, -0x1.51c9bp+1f);
    return fma_f32(p, t, -0x1.d97fcp+0f);
}

/* erf - a polynomial below 1; above, 1 - e^p with p near log erfc, whose error shrinks with it. */
float lw__erf_f32(float x)
{
    float a = __builtin_fabsf(x);
    float small = fma_f32(a, erf_poly_f32(a * a), a);
    float t = (a < 1.0f ? 1.0f : a > 4.0f ? 4.0f : a) - 1.0f;
    float large = 1.0f - exp_in_range_f32(erfc_log_poly_f32(t));
    return __builtin_copysignf(a < 1.0f ? small : a >= 1.0f ? large : a, x);
}

/* ---- logarithms ---- */

#define SQRT_HALF_BITS_F32 0x3f3504f3u

/* x = result * 2^*e with result in [sqrt(1/2), sqrt(2)), for positive finite x. */
static inline float split_f32(float x, int *e)
{
    bool tiny = x < 0x1p-126f;
    uint32_t bits = bits_f32(tiny ? x * 0x1p23f : x) - SQRT_HALF_BITS_F32;
    *e = ((int)bits >> 23) - (tiny ? 23 : 0);
    return from_bits_f32((bits & 0x7fffff) + SQRT_HALF_BITS_F32);
}

/* The value at the ends: log 0 = -inf, log of a negative number is NaN, log inf = inf. */
static inline float log_special_f32(float x, float regular)
{
    float end = x == 0.0f ? -__builtin_inff() : x < 0.0f ? __builtin_nanf("") : x;
    return x > 0.0f && x < __builtin_inff() ? regular : end;
}

/* (log(1 + f) - f) / f^2 on [sqrt(1/2) - 1, sqrt(2) - 1] */
static inline float log_poly_f32(float f)
{
    float p = -0x1.3830c2p-4f;
    p = fma_f32(p, f, 0x1.0848a4p-3f);
    p = fma_f32(p, f, -0x1.0f3762p-3f);
    p = fma_f32(p, f, 0x1.227192p-3f);
    p = fma_f32(p, f, -0x1.54276cp-3f);
    p = fma_f32(p, f, 0x1.99a3f4p-3f);
    p = fma_f32(p, f, -0x1.000426p-2f);
    p = fma_f32(p, f, 0x1.55555p-2f);
    return fma_f32(p, f, -0x1.fffff8p-2f);
}

/* log(1 + f) - f; the rounding of the square is the largest error, so it is put back. */
static inline float log_tail_f32(float f)
{
    float square_low;
    float square = product_f32(f, f, &square_low);
    return fma_f32(square, log_poly_f32(f), -0.5f * square_low);
}

/* log - e ln2 + f + tail(f); e times the short first part of ln2 is exact. */
float lw__log_f32(float x)
{
    int e;
    float f = split_f32(x, &e) - 1.0f;
    float low;
    float lead = fast_sum_f32((float)e * 0x1.62e4p-1f, f, &low);
    float tail = fma_f32((float)e, 0x1.7f7d1cp-20f, log_tail_f32(f));
    return log_special_f32(x, lead + (low + tail));
}

/* log2 - e + (f + tail(f)) log2(e), both products in two parts. */
float lw__log2_f32(float x)
{
    int e;
    float f = split_f32(x, &e) - 1.0f;
    float f_low;
    float scaled = product_f32(f, 0x1.715476p+0f, &f_low);
    float tail_low;
    float tail = product_f32(log_tail_f32(f), 0x1.715476p+0f, &tail_low);
    float rest = fma_f32(f, 0x1.4ae0cp-26f, f_low) + tail_low;
    float low;
    float lead = fast_sum_f32((float)e, scaled, &low);
    rest += low;
    lead = fast_sum_f32(lead, tail, &low);
    return log_special_f32(x, lead + (low + rest));
}

/* ---- power ---- */

/* ((log((1+s)/(1-s)) - 2s) / s^3 - 2/3) / z, z = s^2 */
static inline float atanh_poly_f32(float z)
{
    float p = 0x1.dfa388p-3f;
    p = fma_f32(p, z, 0x1.245276p-2f);
    return fma_f32(p, z, 0x1.999ap-2f);
}

/* log(1 + f) as result + *low, some 10 bits better than one float. The series is
 *     2s + s^3 (2/3 + z Q(z)),  s = f / (2 + f)
 * All but Q is in two parts (the method of Tang, TOMS 1990). */
static inline float log1p_pair_f32(float f, float *low)
{
    float d_low;
    float d = fast_sum_f32(2.0f, f, &d_low);
    float s = f / d;
    float s_low = (fma_f32(-s, d, f) - s * d_low) / d;
    float z_low;
    float z = product_f32(s, s, &z_low);
    z_low = fma_f32(2.0f * s, s_low, z_low);
    float c_low;
    float c = fast_sum_f32(0x1.555556p-1f, z * atanh_poly_f32(z), &c_low);
    c_low += -0x1.555556p-26f;
    float v_low;
    float v = product_f32(z, c, &v_low);
    v_low += z * c_low + z_low * c;
    float w_low;
    float w = product_f32(s, v, &w_low);
    w_low += s * v_low + s_low * v;
    float lead = fast_sum_f32(2.0f * s, w, low);
    return fast_sum_f32(lead, *low + (2.0f * s_low + w_low), low);
}

/* |x|^y for finite |x| > 0, as e^(y log|x|) with the logarithm and the product in two parts. */
static inline float pow_regular_f32(float x, float y)
{
    int e;
    float f = split_f32(x, &e) - 1.0f;
    float f_low;
    float log_f = log1p_pair_f32(f, &f_low);
    float low;
    float lead = fast_sum_f32((float)e * 0x1.62e4p-1f, log_f, &low);
    lead = fast_sum_f32(lead, fma_f32((float)e, 0x1.7f7d1cp-20f, low + f_low), &low);
    float p_low;
    float p = product_f32(y, lead, &p_low);
    p_low = fma_f32(y, low, p_low);
    bool large = p > 90.0f, small = p < -110.0f;
    p_low = large || small ? 0.0f : p_low;
    int n;
    float r = reduce_ln2_f32(large ? 90.0f : small ? -110.0f : p, &low, &n);
    r = sum_f32(r, low + p_low, &low); /* p_low alone may be 2^-18: too much to leave beside r */
    return exp_core_f32(r, low, n);
}

/* pow - the special values are those of C17 F.10.4.4; each line overrides those before. */
float lw__pow_f32(float x, float y)
{
    float a = __builtin_fabsf(x);
    bool y_whole = lw__trunc_f32(y) == y;
    bool y_odd = y_whole & (lw__trunc_f32(0.5f * y) != 0.5f * y);
    bool x_end = (a == 0.0f) | !is_finite_f32(x);
    float at_end = (a == 0.0f) == (y < 0.0f) ? __builtin_inff() : 0.0f;
    float at_infinity = (a > 1.0f) == (y > 0.0f) ? __builtin_inff() : 0.0f;
    float v = pow_regular_f32(x_end ? 1.0f : a, y);
    v = x_end ? at_end : v;
    v = is_finite_f32(y) ? v : a == 1.0f ? 1.0f : at_infinity;
    float of_negative = y_odd ? -v : (y_whole | x_end) ? v : __builtin_nanf("");
    v = bits_f32(x) >> 31 ? of_negative : v;
    v = ((x != x) | (y != y)) ? x + y : v;
    return ((x == 1.0f) | (y == 0.0f)) ? 1.0f : v;
}

/* ---- roots ---- */

__attribute__((noinline)) float lw__rarely_f32(float usual, float other, bool rare)
{
    return rare ? other : usual;
}

/* For all x. y = 1 / sqrt(x) is within two roundings; with e = 1 - x y^2, whose terms are exact, it
 * is y / sqrt(1 - e) = y (1 + e/2 + 3 e^2/8). That is a NaN where y is infinite or zero. */
static inline float rsqrt_by_root_f32(float x)
{
    float y = 1.0f / __builtin_sqrtf(x);
    float t = x * y;
    float e = fma_f32(-fma_f32(x, y, -t), y, fma_f32(-t, y, 1.0f));
    float v = fma_f32(fma_f32(0.375f * e, e, 0.5f * e), y, y);
    return v == v ? v : y;
}

/* ((1 - h)^-0.5 - 1) / h for h in [-0.0646, 0.0708], within 2^-25.3 of (1 - h)^-0.5 */
static inline float rsqrt_poly_f32(float h)
{
    float p = 0x1.1d248cp-2f;
    p = fma_f32(p, h, 0x1.4165bep-2f);
    p = fma_f32(p, h, 0x1.7ffcb4p-2f);
    return fma_f32(p, h, 0x1.ffff9cp-2f);
}

/* rsqrt - halving the exponent in the bits gives y within 3.6 % (the method of "0x5f3759df"). A
 * polynomial of h = 1 - x y^2 gives the rest. y keeps 12 bits, so y^2 is exact and h rounded once.
 * That is for x from 2^-126 up to 2^125, where y^2 is no subnormal; all others are rare. */
float lw__rsqrt_f32(float x)
{
    uint32_t bits = bits_f32(x);
    float y = from_bits_f32((0x5f370000u - (bits >> 1)) & ~0xfffu);
    float h = fma_f32(x, -(y * y), 1.0f);
    float near = fma_f32(y * h, rsqrt_poly_f32(h), y);
    bool rare = (int32_t)(bits + 0x02000000u) < 0x02800000;
    return lw__rarely_f32(near, rsqrt_by_root_f32(x), rare);
}

/* A better 1/cbrt(a) from r: r += r (h/3 + 2h^2/9), h = 1 - a r^3, cubes the error. */
static inline float inverse_cbrt_f32(float a, float r)
{
    float h = fma_f32(-(a * r), r * r, 1.0f);
    return fma_f32(r * h, fma_f32(h, 0x1.c71c72p-3f, 0x1.555556p-2f), r);
}

/* cbrt - 1/cbrt(a) from the bits: the exponent is divided by 3, and the constant minimises the
 * largest error, 3.4 %. Two steps improve it to r. Then cbrt a = a r^2, with one Newton step on the
 * residual in two parts. */
float lw__cbrt_f32(float x)
{
    float a = __builtin_fabsf(x);
    bool tiny = a < 0x1p-98f;
    a = tiny ? a * 0x1p48f : a;
    float r = from_bits_f32(0x54a23200u - bits_f32(a) / 3);
    r = inverse_cbrt_f32(a, inverse_cbrt_f32(a, r));
    float square_low;
    float y = a * r * r;
    float square = product_f32(y, y, &square_low);
    float residual = fma_f32(square, y, -a) + square_low * y;
    y = fma_f32(residual * (r * r), -0x1.555556p-2f, y);
    y = tiny ? y * 0x1p-16f : y;
    return x == 0.0f || !is_finite_f32(x) ? x : __builtin_copysignf(y, x);
}
