/* curand_kernel.h - random numbers in kernels: Philox4x32-10, XORWOW and MRG32k3a.
 *
 * Philox (Salmon, Moraes, Dror and Shaw 2011) enciphers a counter: a subsequence is its upper half,
 * an offset four numbers to one of its lower half. XORWOW is Marsaglia's (2003), MRG32k3a is
 * L'Ecuyer's (1999). Their start comes from Philox, of seed and subsequence, so their numbers are
 * not those of NVIDIA's library.
 */
#ifndef LANEWISE_CUDA_CURAND_KERNEL_H
#define LANEWISE_CUDA_CURAND_KERNEL_H
#define CURAND_KERNEL_H_

#include "cuda_runtime.h"

/* ---- Philox4x32-10 ------------------------------------------------------------------------- */

LW_DEVICE uint4 lw_philox(uint4 counter, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        const unsigned long long p = 0xd2511f53ull * counter.x, q = 0xcd9e8d57ull * counter.z;
        counter = uint4{(unsigned)(q >> 32) ^ counter.y ^ key.x, (unsigned)q,
                        (unsigned)(p >> 32) ^ counter.w ^ key.y, (unsigned)p};
        key.x += 0x9e3779b9, key.y += 0xbb67ae85;
    }
    return counter;
}

struct curandStatePhilox4_32_10 {
    typedef void lw_generator;
    uint4 ctr, output;
    uint2 key;
    unsigned STATE; /* how many of `output` are used */
    int lw_has_normal, lw_has_normal_double;
    float lw_normal;
    double lw_normal_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

LW_DEVICE void lw_advance(curandStatePhilox4_32_10_t *s, unsigned long long blocks)
{
    const unsigned long long low = s->ctr.x | (unsigned long long)s->ctr.y << 32;
    const unsigned long long sum = low + blocks;
    const unsigned long long high =
        (s->ctr.z | (unsigned long long)s->ctr.w << 32) + (sum < low ? 1 : 0);
    s->ctr = uint4{(unsigned)sum, (unsigned)(sum >> 32), (unsigned)high, (unsigned)(high >> 32)};
}
LW_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    s->STATE += (unsigned)(n & 3);
    lw_advance(s, n / 4 + s->STATE / 4);
    s->STATE &= 3;
    s->output = lw_philox(s->ctr, s->key);
}
LW_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    const unsigned long long high = (s->ctr.z | (unsigned long long)s->ctr.w << 32) + n;
    s->ctr.z = (unsigned)high, s->ctr.w = (unsigned)(high >> 32);
    s->output = lw_philox(s->ctr, s->key);
}
LW_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStatePhilox4_32_10_t *s)
{
    *s = curandStatePhilox4_32_10_t{};
    s->key = uint2{(unsigned)seed, (unsigned)(seed >> 32)};
    s->ctr.z = (unsigned)subsequence, s->ctr.w = (unsigned)(subsequence >> 32);
    skipahead(offset, s);
}
LW_DEVICE unsigned curand(curandStatePhilox4_32_10_t *s)
{
    const uint4 block = s->output;
    const unsigned at = s->STATE;
    if (at == 3) {
        lw_advance(s, 1);
        s->output = lw_philox(s->ctr, s->key);
    }
    s->STATE = (at + 1) & 3;
    return at == 0 ? block.x : at == 1 ? block.y : at == 2 ? block.z : block.w;
}
/* The next four numbers. */
LW_DEVICE uint4 curand4(curandStatePhilox4_32_10_t *s)
{
    const uint4 a = s->output;
    lw_advance(s, 1);
    const uint4 b = s->output = lw_philox(s->ctr, s->key);
    const unsigned at = s->STATE;
    return at == 0   ? a
           : at == 1 ? uint4{a.y, a.z, a.w, b.x}
           : at == 2 ? uint4{a.z, a.w, b.x, b.y}
                     : uint4{a.w, b.x, b.y, b.z};
}

/* ---- XORWOW -------------------------------------------------------------------------------- */

struct curandStateXORWOW {
    typedef void lw_generator;
    unsigned d, v[5];
    int lw_has_normal, lw_has_normal_double;
    float lw_normal;
    double lw_normal_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

LW_DEVICE unsigned curand(curandStateXORWOW_t *s)
{
    const unsigned first = s->v[0] ^ s->v[0] >> 2, last = s->v[4];
    s->v[0] = s->v[1], s->v[1] = s->v[2], s->v[2] = s->v[3], s->v[3] = last;
    s->v[4] = (last ^ last << 4) ^ (first ^ first << 1);
    s->d += 362437;
    return s->v[4] + s->d;
}
/* One by one: the time grows with n. */
LW_DEVICE void skipahead(unsigned long long n, curandStateXORWOW_t *s)
{
    for (; n > 0; n--)
        curand(s);
}
LW_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStateXORWOW_t *s)
{
    const uint2 key = {(unsigned)seed, (unsigned)(seed >> 32)};
    const unsigned low = (unsigned)subsequence, high = (unsigned)(subsequence >> 32);
    const uint4 a = lw_philox(uint4{low, high, 0, 0x584f52}, key);
    const uint4 b = lw_philox(uint4{low, high, 1, 0x584f52}, key);
    *s = curandStateXORWOW_t{};
    s->v[0] = a.x, s->v[1] = a.y, s->v[2] = a.z, s->v[3] = a.w, s->v[4] = b.x | 1;
    s->d = b.y;
    skipahead(offset, s);
}

/* ---- MRG32k3a ------------------------------------------------------------------------------ */

struct curandStateMRG32k3a {
    typedef void lw_generator;
    unsigned s1[3], s2[3];
    int lw_has_normal, lw_has_normal_double;
    float lw_normal;
    double lw_normal_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

/* Two recurrences of order three, modulo 2^32 - 209 and 2^32 - 22853. */
LW_DEVICE unsigned curand(curandStateMRG32k3a_t *s)
{
    const unsigned long long m1 = 4294967087, m2 = 4294944443;
    const unsigned long long a = 1403580ull * s->s1[1] + (m1 - 810728) * s->s1[0] % m1;
    const unsigned long long b = 527612ull * s->s2[2] + (m2 - 1370589) * s->s2[0] % m2;
    const unsigned p = (unsigned)(a % m1), q = (unsigned)(b % m2);
    s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = p;
    s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = q;
    return p > q ? p - q : (unsigned)(p + m1 - q);
}
LW_DEVICE void skipahead(unsigned long long n, curandStateMRG32k3a_t *s)
{
    for (; n > 0; n--)
        curand(s);
}
LW_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStateMRG32k3a_t *s)
{
    const uint2 key = {(unsigned)seed, (unsigned)(seed >> 32)};
    const unsigned low = (unsigned)subsequence, high = (unsigned)(subsequence >> 32);
    const uint4 a = lw_philox(uint4{low, high, 0, 0x4d5247}, key);
    const uint4 b = lw_philox(uint4{low, high, 1, 0x4d5247}, key);
    *s = curandStateMRG32k3a_t{};
    s->s1[0] = a.x % 4294967087u, s->s1[1] = a.y % 4294967087u, s->s1[2] = a.z % 4294967086u + 1;
    s->s2[0] = a.w % 4294944443u, s->s2[1] = b.x % 4294944443u, s->s2[2] = b.y % 4294944442u + 1;
    skipahead(offset, s);
}

/* ---- Distributions ------------------------------------------------------------------------- */

#define LW_GENERATOR template <class S, class = typename S::lw_generator>

/* Above 0 and up to 1: the middle of each step of 2^-32 or 2^-53. */
LW_DEVICE float lw_uniform(unsigned x) { return (float)x * 0x1p-32f + 0x1p-33f; }
LW_DEVICE double lw_uniform(unsigned x, unsigned y)
{
    return (double)((unsigned long long)x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}
/* Two normal numbers of two uniform ones (Box and Muller 1958). */
LW_DEVICE float2 lw_normals(unsigned x, unsigned y)
{
    const float length = lw_sqrt(-2 * lw_log(lw_uniform(x)));
    const float angle = 6.2831853071795865f * lw_uniform(y);
    return float2{length * lw_sin(angle), length * lw_cos(angle)};
}
LW_DEVICE double2 lw_normals(unsigned x0, unsigned x1, unsigned y0, unsigned y1)
{
    const double length = lw_sqrt(-2 * lw_log(lw_uniform(x0, x1)));
    const double turns = 2 * lw_uniform(y0, y1);
    return double2{length * lw_sinpi(turns), length * lw_cospi(turns)};
}

LW_GENERATOR LW_DEVICE float curand_uniform(S *s) { return lw_uniform(curand(s)); }
LW_GENERATOR LW_DEVICE double curand_uniform_double(S *s)
{
    const unsigned x = curand(s), y = curand(s);
    return lw_uniform(x, y);
}
LW_GENERATOR LW_DEVICE float2 curand_normal2(S *s)
{
    const unsigned x = curand(s), y = curand(s);
    return lw_normals(x, y);
}
LW_GENERATOR LW_DEVICE double2 curand_normal2_double(S *s)
{
    const unsigned x0 = curand(s), x1 = curand(s), y0 = curand(s), y1 = curand(s);
    return lw_normals(x0, x1, y0, y1);
}
/* Of two normal numbers the second waits for the next call. */
LW_GENERATOR LW_DEVICE float curand_normal(S *s)
{
    if (s->lw_has_normal) {
        s->lw_has_normal = 0;
        return s->lw_normal;
    }
    const float2 two = curand_normal2(s);
    s->lw_has_normal = 1, s->lw_normal = two.y;
    return two.x;
}
LW_GENERATOR LW_DEVICE double curand_normal_double(S *s)
{
    if (s->lw_has_normal_double) {
        s->lw_has_normal_double = 0;
        return s->lw_normal_double;
    }
    const double2 two = curand_normal2_double(s);
    s->lw_has_normal_double = 1, s->lw_normal_double = two.y;
    return two.x;
}
LW_GENERATOR LW_DEVICE float curand_log_normal(S *s, float mean, float deviation)
{
    return lw_exp(mean + deviation * curand_normal(s));
}
LW_GENERATOR LW_DEVICE double curand_log_normal_double(S *s, double mean, double deviation)
{
    return lw_exp(mean + deviation * curand_normal_double(s));
}
LW_GENERATOR LW_DEVICE float2 curand_log_normal2(S *s, float mean, float deviation)
{
    const float2 n = curand_normal2(s);
    return float2{lw_exp(mean + deviation * n.x), lw_exp(mean + deviation * n.y)};
}

LW_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t *s)
{
    const uint4 r = curand4(s);
    return float4{lw_uniform(r.x), lw_uniform(r.y), lw_uniform(r.z), lw_uniform(r.w)};
}
LW_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
    const uint4 r = curand4(s);
    return double2{lw_uniform(r.x, r.y), lw_uniform(r.z, r.w)};
}
LW_DEVICE double4 curand_uniform4_double(curandStatePhilox4_32_10_t *s)
{
    const double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
    return double4{a.x, a.y, b.x, b.y};
}
LW_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t *s)
{
    const uint4 r = curand4(s);
    const float2 a = lw_normals(r.x, r.y), b = lw_normals(r.z, r.w);
    return float4{a.x, a.y, b.x, b.y};
}
LW_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float deviation)
{
    const float4 n = curand_normal4(s);
    return float4{lw_exp(mean + deviation * n.x), lw_exp(mean + deviation * n.y),
                  lw_exp(mean + deviation * n.z), lw_exp(mean + deviation * n.w)};
}

/* Poisson: below 10 by the product of uniform numbers (Knuth 1969), else by transformed rejection
 * (Hormann 1993, PTRS). */
LW_GENERATOR LW_DEVICE unsigned curand_poisson(S *s, double lambda)
{
    if (lambda < 10) {
        const double end = lw_exp(-lambda);
        unsigned n = 0;
        for (double product = curand_uniform_double(s); product > end; n++)
            product *= curand_uniform_double(s);
        return n;
    }
    const double b = 0.931 + 2.53 * lw_sqrt(lambda), a = -0.059 + 0.02483 * b;
    const double inverse = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2);
    const double log_lambda = lw_log(lambda);
    for (;;) {
        const double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s);
        const double us = 0.5 - lw_fabs(u);
        const double k = lw_floor((2 * a / us + b) * u + lambda + 0.43);
        if (us >= 0.07 && v <= quick)
            return (unsigned)k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (lw_log(v * inverse / (a / (us * us) + b)) <=
            k * log_lambda - lambda - __nv_lgamma(k + 1))
            return (unsigned)k;
    }
}
LW_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10_t *s, double lambda)
{
    const unsigned x = curand_poisson(s, lambda), y = curand_poisson(s, lambda);
    const unsigned z = curand_poisson(s, lambda), w = curand_poisson(s, lambda);
    return uint4{x, y, z, w};
}
#undef LW_GENERATOR

#endif
