/* hand_avx2.c - AVX2 with FMA by hand: what differs from the other width; the kernels are in
 * hand.inc. Compiled with -mavx2 -mfma.
 */
#include "hand.h"
#include <immintrin.h>
#include <math.h>
#include <string.h>

#define W 8
#define LINES 4
#define COLUMNS 2
#define BODIES 2

#define fma_of(a, b, c) _mm256_fmadd_ps(a, b, c)
#define max_of(a, b) _mm256_max_ps(a, b)
#define min_of(a, b) _mm256_min_ps(a, b)
#define rsqrt_near(x) _mm256_rsqrt_ps(x)
#define round_of(x) _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define stream(p, x) _mm256_stream_ps(p, x)

static inline float lanes_sum(__m256 x)
{
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}

/* The exponent's bits, made by integer arithmetic. */
static inline __m256 power_of_two(__m256 n)
{
    __m256i biased = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23));
}

static inline __m256 add_where(__m256 sum, __m256 a, const unsigned char *p)
{
    __m256i flags = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
    __m256i chosen = _mm256_cmpgt_epi32(flags, _mm256_setzero_si256());
    return _mm256_add_ps(sum, _mm256_and_ps(a, _mm256_castsi256_ps(chosen)));
}

static inline __m256 low(__m256 x)
{
    return _mm256_cmp_ps(x, _mm256_set1_ps(4), _CMP_LE_OQ);
}

static inline __m256 count_low(__m256 count, __m256 x)
{
    return _mm256_add_ps(count, _mm256_and_ps(low(x), _mm256_set1_ps(1)));
}

static inline int any_low(__m256 x)
{
    return _mm256_movemask_ps(low(x));
}

/* Move every lane up in its half; zeros come in. */
#define lanes_up(x, by) _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(x), 4 * (by)))

static inline __m256 scan_lanes(__m256 x)
{
    x = _mm256_add_ps(x, lanes_up(x, 1));
    x = _mm256_add_ps(x, lanes_up(x, 2));
    __m256 totals = _mm256_permute_ps(x, 0xff);
    return _mm256_add_ps(x, _mm256_permute2f128_ps(totals, totals, 0x08));
}

static inline __m256 last_lane(__m256 x)
{
    return _mm256_permutevar8x32_ps(x, _mm256_set1_epi32(7));
}

static inline __m256 reversed(__m256 x)
{
    __m256 halves = _mm256_permute_ps(x, 0x1b);
    return _mm256_permute2f128_ps(halves, halves, 0x01);
}

/* `apart` and `up` are constants where this is inlined. */
static inline __attribute__((always_inline)) __m256 order_lanes(__m256 x, int apart, int up)
{
    __m256 other = apart == 1   ? _mm256_permute_ps(x, 0xb1)
                   : apart == 2 ? _mm256_permute_ps(x, 0x4e)
                                : _mm256_permute2f128_ps(x, x, 0x01);
    __m256 least = _mm256_min_ps(x, other), most = _mm256_max_ps(x, other);
    __m256 low = up ? least : most, high = up ? most : least;
    return apart == 1   ? _mm256_blend_ps(low, high, 0xaa)
           : apart == 2 ? _mm256_blend_ps(low, high, 0xcc)
                        : _mm256_blend_ps(low, high, 0xf0);
}

/* For each set of lanes the places they come from, a byte each: 2 KiB, always in the first cache.
 * `usable` fills it, before anything else of this file runs. */
static uint64_t places[256];

static void fill_places(void)
{
    for (unsigned set = 0; set < 256; set++) {
        unsigned at = 0;
        places[set] = 0;
        for (unsigned lane = 0; lane < 8; lane++)
            if (set >> lane & 1)
                places[set] |= (uint64_t)lane << (8 * at++);
    }
}

static inline size_t compress(float *p, __m256 x)
{
    int keep = _mm256_movemask_ps(_mm256_cmp_ps(x, _mm256_set1_ps(0.5f), _CMP_GT_OQ));
    __m256i from = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(void *)&places[keep]));
    _mm256_storeu_ps(p, _mm256_permutevar8x32_ps(x, from));
    return (size_t)__builtin_popcount((unsigned)keep);
}

/* Lines r and r+4 of four columns as the halves of a vector. */
static inline __m256 halves(const float *from, size_t stride)
{
    __m256 x = _mm256_castps128_ps256(_mm_loadu_ps(from));
    return _mm256_insertf128_ps(x, _mm_loadu_ps(from + 4 * stride), 1);
}

/* Halves bring each element within a step of its place: what is left is 4 x 4 in each of them. */
static inline void flip(const float *from, size_t stride, float *to, size_t to_stride)
{
    _Pragma("GCC unroll 2") for (int c = 0; c < 8; c += 4)
    {
        __m256 r0 = halves(from + c, stride);
        __m256 r1 = halves(from + c + stride, stride);
        __m256 r2 = halves(from + c + 2 * stride, stride);
        __m256 r3 = halves(from + c + 3 * stride, stride);
        __m256 low01 = _mm256_unpacklo_ps(r0, r1), high01 = _mm256_unpackhi_ps(r0, r1);
        __m256 low23 = _mm256_unpacklo_ps(r2, r3), high23 = _mm256_unpackhi_ps(r2, r3);
        float *line = to + c * to_stride;
        _mm256_storeu_ps(line, _mm256_shuffle_ps(low01, low23, 0x44));
        _mm256_storeu_ps(line + to_stride, _mm256_shuffle_ps(low01, low23, 0xee));
        _mm256_storeu_ps(line + 2 * to_stride, _mm256_shuffle_ps(high01, high23, 0x44));
        _mm256_storeu_ps(line + 3 * to_stride, _mm256_shuffle_ps(high01, high23, 0xee));
    }
}

#include "hand.inc"

static bool usable(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return false;
    fill_places();
    return true;
}

const struct hand hand_avx2 = {.level = "avx2", .usable = usable, .op = HAND_TABLE};
