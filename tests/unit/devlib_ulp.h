/* devlib_ulp.h - the distance of a result from the true value, in units of the last place.
 *
 * The true value comes in the next wider type: double for float, long double for double. One ULP
 * is the spacing at the true value, down to the subnormals' and up to the largest octave's.
 * Infinity counts as the first power of two that has overflowed, and is right for all beyond. A
 * wrong NaN or a wrong sign is infinitely far.
 */
#ifndef DEVLIB_ULP_H
#define DEVLIB_ULP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Selects only, so that a loop of it becomes SIMD. */
static inline double ulps_f32(float got, double want)
{
    double g = fabs((double)got), w = fabs(want);
    g = g < 0x1p128 ? g : 0x1p128;
    int64_t field = (int64_t)(bits_of(w) >> 52);
    field = field < 1023 - 126 ? 1023 - 126 : field > 1023 + 127 ? 1023 + 127 : field;
    double per_ulp = double_of((uint64_t)(2 * 1023 + 23 - field) << 52);
    double error = fabs(g - w) * per_ulp;
    error = g == 0x1p128 && w >= 0x1p128 ? 0 : error;
    bool wrong = (bits_of(got) ^ bits_of(want)) >> 63 || (w == 0 && g != 0);
    error = wrong ? (double)INFINITY : error;
    bool got_nan = got != got, want_nan = want != want;
    return got_nan || want_nan ? (got_nan && want_nan ? 0 : (double)INFINITY) : error;
}

static inline double ulps_f64(double got, long double want)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (!signbit(got) != !signbit(want) || (want == 0 && got != 0))
        return INFINITY;
    long double g = fabsl((long double)got), w = fabsl(want);
    if (isinf(got)) {
        g = scalbnl(1, 1024);
        if (w >= g)
            return 0;
    }
    int exponent = -1022;
    if (w >= 0x1p-1022L)
        exponent = w < 0x1p1023L ? (int)(bits_of((double)w) >> 52) - 1023 : 1023;
    if (exponent > -1022 && w < scalbnl(1, exponent)) /* w was rounded up to the power of two */
        exponent--;
    return (double)(fabsl(g - w) * scalbnl(1, 52 - exponent));
}

/* The same bits, or both NaN. */
static inline bool same_f32(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static inline bool same_f64(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016). */
static inline uint64_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static inline double random_between(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(random_bits(state) >> 11) * 0x1p-53;
}

#endif
