/* trig_f32.c - sin, cos and tan on float; follows maths_f32.c, whose notes hold here too.
 *
 * x = n pi/2 + (r + low) with |r| <= pi/4: by a split constant for common arguments, by the bits of
 * 2/pi for the huge ones. sin and cos of r are each a leading term and a tail; n modulo 4 picks.
 */
#include "devlib.h"

/* |x| - n pi/2 as result + *low for |x| < 2^17, pi/2 in three parts. n times the first part is
 * taken away exactly by fma; the product with the second is kept in two parts. */
static inline float reduce_near_f32(float x, float *low, int *n)
{
    float k = nearest_f32(x * 0x1.45f306p-1f, n);
    float first = fma_f32(k, -0x1.921fb6p+0f, x);
    float p_low;
    float p = product_f32(k, 0x1.777a5cp-25f, &p_low);
    float sum_low;
    float r = sum_f32(first, p, &sum_low);
    r = fast_sum_f32(r, fma_f32(k, 0x1.ee59dap-50f, sum_low + p_low), low);
    return r;
}

/* The same for |x| >= 2^17 (Payne & Hanek): of x = m 2^e times 2/pi only the part modulo 4 matters,
 * so the bits of 2/pi before place e - 2 are skipped and the next 96 suffice: two bits of
 * quadrant, then a fraction that keeps over 30 bits even where x is closest to a multiple. */
static inline float reduce_far_f32(float x, float *low, int *n)
{
    static const uint32_t two_over_pi[8] = {
        /* 32 zero bits, then 2/pi (minimax.py) */
        0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
        0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    };
    uint32_t bits = bits_f32(x);
    uint64_t m = (bits & 0x7fffff) | 0x800000;
    uint32_t place = (bits >> 23) - 150 - 2 + 32;
    const uint32_t *t = two_over_pi + (place >> 5);
    uint32_t shift = place & 31;
    uint64_t w0 = ((uint64_t)t[0] << 32 | t[1]) << shift >> 32;
    uint64_t w1 = ((uint64_t)t[1] << 32 | t[2]) << shift >> 32;
    uint64_t w2 = ((uint64_t)t[2] << 32 | t[3]) << shift >> 32;
    uint64_t product = (m * w0 << 32) + m * w1 + (m * w2 >> 32);
    uint64_t quadrant = (product + (UINT64_C(1) << 61)) >> 62;
    int64_t fraction = (int64_t)(product - (quadrant << 62)); /* in [-2^61, 2^61): 2^62 is pi/2 */
    float hi = (float)fraction;
    float rest = (float)(fraction - (int64_t)hi);
    float p_low;
    float p = product_f32(hi * 0x1p-62f, 0x1.921fb6p+0f, &p_low);
    p_low = fma_f32(hi * 0x1p-62f, -0x1.777a5cp-25f, p_low);
    *n = (int)quadrant;
    return fast_sum_f32(p, fma_f32(rest * 0x1p-62f, 0x1.921fb6p+0f, p_low), low);
}

/* x = n pi/2 + result + *low, with *n right modulo 4. */
static inline float reduce_pio2_f32(float x, float *low, int *n)
{
    float a = __builtin_fabsf(x), r;
    if (a < 0x1p17f)
        r = reduce_near_f32(a, low, n);
    else
        r = reduce_far_f32(a, low, n);
    bool negative = x < 0.0f;
    *n = negative ? -*n : *n;
    *low = negative ? -*low : *low;
    return negative ? -r : r;
}

/* (sin(r) - r) / r^3 of z = r^2 on |r| <= pi/4 */
static inline float sin_poly_f32(float z)
{
    float p = 0x1.6cd5eap-19f;
    p = fma_f32(p, z, -0x1.a00f94p-13f);
    p = fma_f32(p, z, 0x1.111108p-7f);
    return fma_f32(p, z, -0x1.555556p-3f);
}

/* (cos(r) - 1 + z/2) / z^2 of z = r^2 on |r| <= pi/4 */
static inline float cos_poly_f32(float z)
{
    float p = 0x1.99ff4p-16f;
    p = fma_f32(p, z, -0x1.6c0c82p-10f);
    return fma_f32(p, z, 0x1.55554ap-5f);
}

/* sin(r + low) = r + *tail. */
static inline float sin_pair_f32(float r, float low, float *tail)
{
    float z = r * r;
    *tail = fma_f32(r * z, sin_poly_f32(z), fma_f32(-0.5f * z, low, low));
    return r;
}

/* cos(r + low) = result + *tail; 1 - z/2 is split exactly. */
static inline float cos_pair_f32(float r, float low, float *tail)
{
    float z = r * r;
    float lead = fast_sum_f32(1.0f, -0.5f * z, tail);
    *tail += fma_f32(z * z, cos_poly_f32(z), -r * low);
    return lead;
}

/* sin of n quarter turns and r: the sine or cosine of r, with a sign. */
static inline float turn_f32(float r, float low, int n)
{
    float s_tail;
    float s = sin_pair_f32(r, low, &s_tail);
    float c_tail;
    float c = cos_pair_f32(r, low, &c_tail);
    float v = n & 1 ? c + c_tail : s + s_tail;
    return n & 2 ? -v : v;
}

float lw__sin_f32(float x)
{
    int n;
    float low;
    float r = reduce_pio2_f32(x, &low, &n);
    float v = turn_f32(r, low, n);
    v = is_finite_f32(x) ? v : x - x;
    return __builtin_fabsf(x) < 0x1p-12f ? x : v; /* x^3/6 is below a quarter ULP; keeps -0 */
}

float lw__cos_f32(float x)
{
    int n;
    float low;
    float r = reduce_pio2_f32(x, &low, &n);
    float v = turn_f32(r, low, (int)((uint32_t)n + 1));
    return is_finite_f32(x) ? v : x - x;
}

/* tan - sine over cosine, or minus the inverse in odd quadrants, both in two parts. */
float lw__tan_f32(float x)
{
    int n;
    float low;
    float r = reduce_pio2_f32(x, &low, &n);
    float s_tail;
    float s = sin_pair_f32(r, low, &s_tail);
    float c_tail;
    float c = cos_pair_f32(r, low, &c_tail);
    s = fast_sum_f32(s, s_tail, &s_tail);
    c = fast_sum_f32(c, c_tail, &c_tail);
    bool odd = n & 1;
    float v =
        quotient_f32(odd ? -c : s, odd ? -c_tail : s_tail, odd ? s : c, odd ? s_tail : c_tail);
    v = is_finite_f32(x) ? v : x - x;
    return __builtin_fabsf(x) < 0x1p-12f ? x : v; /* x^3/3 is below half an ULP; keeps -0 */
}
