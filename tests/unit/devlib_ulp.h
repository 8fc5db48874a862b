/* devlib_ulp.h - the distance of a result from the true value, in units of the last place.
 *
 * The true value comes in the next wider type: double for float, long double for double. One ULP
 * is the spacing at the true value, down to the subnormals'. Infinity counts as the first power of
 * two that has overflowed. A wrong NaN or a wrong sign of zero or infinity is infinitely far.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline double ulp_distance(long double got, long double want, int bits, int lowest,
                                  int overflow)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (want == 0 || isinf(want))
        return got == want && signbit(got) == signbit(want) ? 0 : INFINITY;
    if (signbit(got) != signbit(want))
        return INFINITY;
    long double limit = scalbnl(1, overflow);
    long double g = fminl(fabsl(got), limit), w = fminl(fabsl(want), limit);
    int exponent = w > 0 ? ilogbl(w) : lowest;
    if (exponent < lowest)
        exponent = lowest;
    return (double)(fabsl(g - w) / scalbnl(1, exponent - bits + 1));
}

static inline double ulps_f32(float got, double want)
{
    return ulp_distance(got, want, 24, -126, 128);
}

static inline double ulps_f64(double got, long double want)
{
    return ulp_distance(got, want, 53, -1022, 1024);
}

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
