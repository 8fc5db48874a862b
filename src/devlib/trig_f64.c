/* trig_f64.c - sin, cos and tan on double: trig_f32.c with wider constants. */
#include "devlib.h"

/* |x| - n pi/2 as result + *low for |x| < 2^30, pi/2 in three parts. n times the first part is
 * taken away exactly by fma; the product with the second is kept in two parts. */
static inline double reduce_near_f64(double x, double *low, int *n)
{
    double k = nearest_f64(x * 0x1.45f306dc9c883p-1, n);
    double first = fma_f64(k, -0x1.921fb54442d18p+0, x);
    double p_low;
    double p = product_f64(k, -0x1.1a62633145c07p-54, &p_low);
    double sum_low;
    double r = sum_f64(first, p, &sum_low);
    r = fast_sum_f64(r, fma_f64(k, 0x1.f1976b7ed8fbcp-110, sum_low + p_low), low);
    return r;
}

/* The high half of a * b, from products of 32-bit halves (Knuth, TAOCP 2, 4.3.1). */
static inline uint64_t product_high_u64(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t cross = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (cross >> 32);
}

/* 64 bits from place shift of the 128 bits first, second. */
static inline uint64_t window_u64(uint64_t first, uint64_t second, uint32_t shift)
{
    return first << shift | second >> 1 >> (63 - shift);
}

/* The same for |x| >= 2^30 (Payne & Hanek), with 192 bits of 2/pi: a fraction of 126 bits keeps
 * 64 even where x is closest to a multiple. Its parts become hi + rest without loss. */
static inline double reduce_far_f64(double x, double *low, int *n)
{
    static const uint64_t two_over_pi[20] = {
        /* 64 zero bits, then 2/pi (minimax.py) */
        0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
        0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
        0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
        0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
        0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    };
    uint64_t bits = bits_f64(x);
    uint64_t m = (bits & FRACTION_F64) | (FRACTION_F64 + 1);
    uint32_t place = (uint32_t)(bits >> 52) - 1075 - 2 + 64;
    const uint64_t *t = two_over_pi + (place >> 6);
    uint64_t w0 = window_u64(t[0], t[1], place & 63);
    uint64_t w1 = window_u64(t[1], t[2], place & 63);
    uint64_t w2 = window_u64(t[2], t[3], place & 63);
    uint64_t low_bits = m * w1 + product_high_u64(m, w2);
    uint64_t carry = low_bits < m * w1;
    uint64_t high_bits = m * w0 + product_high_u64(m, w1) + carry;
    uint64_t quadrant = (high_bits + (UINT64_C(1) << 61)) >> 62;
    int64_t fraction = (int64_t)(high_bits - (quadrant << 62)); /* 2^62 is pi/2 */
    double hi = (double)fraction;
    double rest = (double)(fraction - (int64_t)hi) + (double)low_bits * 0x1p-64;
    hi = fast_sum_f64(hi, rest, &rest);
    double p_low;
    double p = product_f64(hi * 0x1p-62, 0x1.921fb54442d18p+0, &p_low);
    p_low = fma_f64(hi * 0x1p-62, 0x1.1a62633145c07p-54, p_low);
    *n = (int)quadrant;
    return fast_sum_f64(p, fma_f64(rest * 0x1p-62, 0x1.921fb54442d18p+0, p_low), low);
}

/* x = n pi/2 + result + *low, with *n right modulo 4. */
static inline double reduce_pio2_f64(double x, double *low, int *n)
{
    double a = __builtin_fabs(x), r;
    if (a < 0x1p30)
        r = reduce_near_f64(a, low, n);
    else
        r = reduce_far_f64(a, low, n);
    bool negative = x < 0.0;
    *n = negative ? -*n : *n;
    *low = negative ? -*low : *low;
    return negative ? -r : r;
}

/* (sin(r) - r) / r^3 of z = r^2 on |r| <= pi/4 */
static inline double sin_poly_f64(double z)
{
    double p = 0x1.5d915e55e2021p-33;
    p = fma_f64(p, z, -0x1.ae5e60c5b0306p-26);
    p = fma_f64(p, z, 0x1.71de3570ff44p-19);
    p = fma_f64(p, z, -0x1.a01a019c0a2bbp-13);
    p = fma_f64(p, z, 0x1.111111110f842p-7);
    return fma_f64(p, z, -0x1.5555555555549p-3);
}

/* (cos(r) - 1 + z/2) / z^2 of z = r^2 on |r| <= pi/4 */
static inline double cos_poly_f64(double z)
{
    double p = -0x1.8facd0c899352p-37;
    p = fma_f64(p, z, 0x1.1ee9e88ff143ep-29);
    p = fma_f64(p, z, -0x1.27e4f805332c7p-22);
    p = fma_f64(p, z, 0x1.a01a019cab747p-16);
    p = fma_f64(p, z, -0x1.6c16c16c1514p-10);
    return fma_f64(p, z, 0x1.555555555554cp-5);
}

/* sin(r + low) = r + *tail. */
static inline double sin_pair_f64(double r, double low, double *tail)
{
    double z = r * r;
    *tail = fma_f64(r * z, sin_poly_f64(z), fma_f64(-0.5 * z, low, low));
    return r;
}

/* cos(r + low) = result + *tail; 1 - z/2 is split exactly. */
static inline double cos_pair_f64(double r, double low, double *tail)
{
    double z = r * r;
    double lead = fast_sum_f64(1.0, -0.5 * z, tail);
    *tail += fma_f64(z * z, cos_poly_f64(z), -r * low);
    return lead;
}

/* sin of n quarter turns and r: the sine or cosine of r, with a sign. */
static inline double turn_f64(double r, double low, int n)
{
    double s_tail;
    double s = sin_pair_f64(r, low, &s_tail);
    double c_tail;
    double c = cos_pair_f64(r, low, &c_tail);
    double v = n & 1 ? c + c_tail : s + s_tail;
    return n & 2 ? -v : v;
}

double lw__sin_f64(double x)
{
    int n;
    double low;
    double r = reduce_pio2_f64(x, &low, &n);
    double v = turn_f64(r, low, n);
    v = is_finite_f64(x) ? v : x - x;
    return __builtin_fabs(x) < 0x1p-27 ? x : v; /* x^3/6 is below a quarter ULP; keeps -0 */
}

double lw__cos_f64(double x)
{
    int n;
    double low;
    double r = reduce_pio2_f64(x, &low, &n);
    double v = turn_f64(r, low, (int)((uint32_t)n + 1));
    return is_finite_f64(x) ? v : x - x;
}

/* tan - sine over cosine, or minus the inverse in odd quadrants, both in two parts. */
double lw__tan_f64(double x)
{
    int n;
    double low;
    double r = reduce_pio2_f64(x, &low, &n);
    double s_tail;
    double s = sin_pair_f64(r, low, &s_tail);
    double c_tail;
    double c = cos_pair_f64(r, low, &c_tail);
    s = fast_sum_f64(s, s_tail, &s_tail);
    c = fast_sum_f64(c, c_tail, &c_tail);
    bool odd = n & 1;
    double v =
        quotient_f64(odd ? -c : s, odd ? -c_tail : s_tail, odd ? s : c, odd ? s_tail : c_tail);
    v = is_finite_f64(x) ? v : x - x;
    return __builtin_fabs(x) < 0x1p-27 ? x : v; /* x^3/3 is below half an ULP; keeps -0 */
}
