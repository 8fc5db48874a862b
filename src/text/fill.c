/* fill.c - contents made from the index of an element: iota, rand, normal.
 *
 * Random bits are Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011): the key is the seed's low and high word, the counter {low, high, 0, 0} of a
 * group's number. A group is four elements of up to 32 bits, or two of 64. docs/cli.md is the
 * promise that this file keeps.
 *
 * A normal pair comes from one group by Box & Muller (1958). Its logarithm, sine and cosine use
 * only correctly rounded operations (+ - * / sqrt fma), so every machine gives the same bits. Where
 * the code adds an inexact product it uses fma; so the compiler finds nothing to contract.
 */
#include "text/fill.h"
#include "text/half.h"
#include <assert.h>
#include <math.h>
#include <string.h>

void lw__philox(const uint32_t key[2], const uint32_t counter[4], uint32_t words[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        uint64_t even = UINT64_C(0xD2511F53) * c0, odd = UINT64_C(0xCD9E8D57) * c2;
        c0 = (uint32_t)(odd >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)odd;
        c2 = (uint32_t)(even >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)even;
        k0 += 0x9E3779B9; /* the golden ratio */
        k1 += 0xBB67AE85; /* sqrt(3) - 1 */
    }
    words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
}

static uint64_t join(const uint32_t words[2])
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* ---- one element from a double --------------------------------------------------------------- */

/* put_integer - the low bits; of bool the lowest. */
static void put_integer(lw_dtype dtype, uint64_t bits, void *to)
{
    if (dtype == LW_BOOL)
        bits &= 1;
    memcpy(to, &bits, lw_dtype_size(dtype));
}

/* ---- iota and rand --------------------------------------------------------------------------- */

/* put_rand - element i of its group. Uniform values keep the bits that fit below 1: 53 of a double,
 * 24 of a float; 16-bit floats take the float's toward zero, so they stay below 1 too. */
static void put_rand(lw_dtype dtype, const uint32_t words[4], size_t i, void *to)
{
    if (dtype == LW_F64)
        lw__real_put(dtype, (double)(join(words + 2 * i) >> 11) * 0x1p-53, LW_NEAREST, to);
    else if (lw__dtype_is_float(dtype))
        lw__real_put(dtype, (double)(words[i] >> 8) * 0x1p-24, LW_TOWARD_ZERO, to);
    else if (lw_dtype_size(dtype) == 8)
        put_integer(dtype, join(words + 2 * i), to);
    else
        put_integer(dtype, words[i], to);
}

/* ---- normal ---------------------------------------------------------------------------------- */

/* logarithm - ln x for 0 < x <= 1: x = m 2^e, sqrt(1/2) <= m < sqrt(2), and
 *     ln m = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...), s = (m - 1) / (m + 1), s^2 < 0.0295 */
static double logarithm(double x)
{
    int e;
    assert(x > 0 && x <= 1);
    double m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1)
        m *= 2, e--;
    double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = fma(sum, s2, 1.0 / k);
    return fma(e, 0x1.62e42fefa39efp-1, 2 * s * sum); /* ln 2 */
}

/* sine_cosine - of 2 pi turn, 0 <= turn < 1: the nearest eighth is taken away exactly by quarters,
 * the rest, within pi/4 of zero, goes into the Taylor series. */
static void sine_cosine(double turn, double *sine, double *cosine)
{
    int quarter = (int)floor(fma(turn, 4, 0.5));
    assert(quarter >= 0 && quarter <= 4);
    double x = (turn - quarter * 0.25) * 0x1.921fb54442d18p+2; /* 2 pi */
    double x2 = x * x, s = 1, c = 1;
    for (int k = 19; k >= 3; k -= 2)
        s = fma(-x2 / (k * (k - 1)), s, 1);
    for (int k = 20; k >= 2; k -= 2)
        c = fma(-x2 / (k * (k - 1)), c, 1);
    s *= x;
    const double around[5] = {s, c, -s, -c, s};
    *sine = around[quarter & 3];
    *cosine = around[(quarter & 3) + 1];
}

/* put_normal - element i of a pair. */
static void put_normal(lw_dtype dtype, const uint32_t words[4], size_t i, void *to)
{
    double u = (double)((join(words) >> 11) + 1) * 0x1p-53; /* above 0, for the logarithm */
    double turn = (double)(join(words + 2) >> 11) * 0x1p-53;
    double sine, cosine, radius = sqrt(-2 * logarithm(u));
    sine_cosine(turn, &sine, &cosine);
    lw__real_put(dtype, radius * (i == 0 ? cosine : sine), LW_NEAREST, to);
}

void lw__fill_make(enum lw__fill fill, lw_dtype dtype, uint64_t seed, size_t count, void *to)
{
    size_t bytes = lw_dtype_size(dtype);
    size_t in_group = fill == LW_FILL_NORMAL || bytes == 8 ? 2 : 4;
    uint32_t words[4] = {0};
    char *element = to;
    for (size_t i = 0; i < count; i++, element += bytes) {
        if (fill == LW_FILL_IOTA) {
            if (lw__dtype_is_float(dtype))
                lw__real_put(dtype, (double)i, LW_NEAREST, element);
            else
                put_integer(dtype, i, element);
            continue;
        }
        if (i % in_group == 0) {
            const uint64_t group = i / in_group;
            uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
            uint32_t counter[4] = {(uint32_t)group, (uint32_t)(group >> 32), 0, 0};
            lw__philox(key, counter, words);
        }
        if (fill == LW_FILL_RAND)
            put_rand(dtype, words, i % in_group, element);
        else
            put_normal(dtype, words, i % in_group, element);
    }
}
