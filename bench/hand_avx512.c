/* hand_avx512.c - AVX-512 by hand: what differs from the other width; the kernels are in hand.inc.
 * Compiled with -mavx512f -mavx512bw -mavx512vl -mavx512dq.
 */
#include "hand.h"
#include <immintrin.h>
#include <math.h>
#include <string.h>

#define W 16
#define LINES 8
#define COLUMNS 2
#define BODIES 4

#define fma_of(a, b, c) _mm512_fmadd_ps(a, b, c)
#define max_of(a, b) _mm512_max_ps(a, b)
#define min_of(a, b) _mm512_min_ps(a, b)
#define rsqrt_near(x) _mm512_rsqrt14_ps(x)
#define power_of_two(n) _mm512_scalef_ps(_mm512_set1_ps(1), n)
#define round_of(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define stream(p, x) _mm512_stream_ps(p, x)
#define lanes_sum(x) _mm512_reduce_add_ps(x)

static inline __m512 add_where(__m512 sum, __m512 a, const unsigned char *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
    return _mm512_mask_add_ps(sum, _mm_test_epi8_mask(bytes, bytes), sum, a);
}

static inline __mmask16 low(__m512 x)
{
    return _mm512_cmp_ps_mask(x, _mm512_set1_ps(4), _CMP_LE_OQ);
}

static inline __m512 count_low(__m512 count, __m512 x)
{
    return _mm512_mask_add_ps(count, low(x), count, _mm512_set1_ps(1));
}

static inline int any_low(__m512 x)
{
    return low(x);
}

/* Move every lane up by that many; zeros come in. */
#define lanes_up(x, by)                                                                            \
    _mm512_castsi512_ps(                                                                           \
        _mm512_alignr_epi32(_mm512_castps_si512(x), _mm512_setzero_si512(), 16 - (by)))

static inline __m512 scan_lanes(__m512 x)
{
    x = _mm512_add_ps(x, lanes_up(x, 1));
    x = _mm512_add_ps(x, lanes_up(x, 2));
    x = _mm512_add_ps(x, lanes_up(x, 4));
    return _mm512_add_ps(x, lanes_up(x, 8));
}

static inline __m512 last_lane(__m512 x)
{
    return _mm512_permutexvar_ps(_mm512_set1_epi32(15), x);
}

static inline __m512 reversed(__m512 x)
{
    __m512 quarters = _mm512_permute_ps(x, 0x1b);
    return _mm512_shuffle_f32x4(quarters, quarters, 0x1b);
}

/* `apart` and `up` are constants where this is inlined. */
static inline __attribute__((always_inline)) __m512 order_lanes(__m512 x, int apart, int up)
{
    static const __mmask16 upper[] = {[1] = 0xaaaa, [2] = 0xcccc, [4] = 0xf0f0, [8] = 0xff00};
    __m512 other = x;
    switch (apart) {
    case 1: other = _mm512_permute_ps(x, 0xb1); break;
    case 2: other = _mm512_permute_ps(x, 0x4e); break;
    case 4: other = _mm512_shuffle_f32x4(x, x, 0xb1); break;
    default: other = _mm512_shuffle_f32x4(x, x, 0x4e); break;
    }
    __mmask16 most = up ? upper[apart] : (__mmask16)~upper[apart];
    return _mm512_mask_max_ps(_mm512_min_ps(x, other), most, x, other);
}

/* In a register, then a plain store: the instruction that stores what it compresses is slow. */
static inline size_t compress(float *p, __m512 x)
{
    __mmask16 keep = _mm512_cmp_ps_mask(x, _mm512_set1_ps(0.5f), _CMP_GT_OQ);
    _mm512_storeu_ps(p, _mm512_maskz_compress_ps(keep, x));
    return (size_t)__builtin_popcount(keep);
}

/* Lines r, r+4, r+8, r+12 of four columns as the quarters of a vector. */
static inline __m512 quarters(const float *from, size_t stride)
{
    __m512 x = _mm512_castps128_ps512(_mm_loadu_ps(from));
    x = _mm512_insertf32x4(x, _mm_loadu_ps(from + 4 * stride), 1);
    x = _mm512_insertf32x4(x, _mm_loadu_ps(from + 8 * stride), 2);
    return _mm512_insertf32x4(x, _mm_loadu_ps(from + 12 * stride), 3);
}

/* Quarters bring each element within a step of its place: what is left is 4 x 4 in each of them. */
static inline void flip(const float *from, size_t stride, float *to, size_t to_stride)
{
    _Pragma("GCC unroll 4") for (int c = 0; c < 16; c += 4)
    {
        __m512 r0 = quarters(from + c, stride);
        __m512 r1 = quarters(from + c + stride, stride);
        __m512 r2 = quarters(from + c + 2 * stride, stride);
        __m512 r3 = quarters(from + c + 3 * stride, stride);
        __m512 low01 = _mm512_unpacklo_ps(r0, r1), high01 = _mm512_unpackhi_ps(r0, r1);
        __m512 low23 = _mm512_unpacklo_ps(r2, r3), high23 = _mm512_unpackhi_ps(r2, r3);
        float *line = to + c * to_stride;
        _mm512_storeu_ps(line, _mm512_shuffle_ps(low01, low23, 0x44));
        _mm512_storeu_ps(line + to_stride, _mm512_shuffle_ps(low01, low23, 0xee));
        _mm512_storeu_ps(line + 2 * to_stride, _mm512_shuffle_ps(high01, high23, 0x44));
        _mm512_storeu_ps(line + 3 * to_stride, _mm512_shuffle_ps(high01, high23, 0xee));
    }
}

#include "hand.inc"

static bool usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

const struct hand hand_avx512 = {.level = "avx512", .usable = usable, .op = HAND_TABLE};
