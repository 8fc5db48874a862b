/* half.c - conversions to and from the 16-bit floats, in integer code with one rounding.
 *
 * Hardware conversions differ: some flush subnormals, some reach bf16 by way of float and round
 * twice. Here all round once, to nearest even, keep subnormals and overflow to infinity; a NaN
 * becomes a quiet NaN of the same sign with the leading payload bits. Doubles and 64-bit integers
 * become a significand of 64 bits and a power of two. One function rounds these to either format.
 * Source: IEEE 754-2019, sections 3.4 (encodings), 4.3.1 (rounding) and 5.4.2 (conversions).
 */
#include "devlib.h"

/* A 16-bit format: bits of the fraction field, and the exponent of its smallest step. */
#define F16_FRACTION 10
#define F16_STEP (-24)
#define BF16_FRACTION 7
#define BF16_STEP (-133)
#define EXPONENT_MASK(fraction) ((uint16_t)(0x7fff >> (fraction) << (fraction)))

/* m * 2^e rounded to the format; a non-zero m has its leading bit at 2^63.
 * The biased exponent is added to the significand with its leading bit, not put beside the
 * fraction: a carry out of the fraction then steps the exponent, up to infinity. */
static inline uint16_t round_to_16(uint64_t m, int e, int fraction, int step)
{
    int drop = 63 - fraction;               /* bits below the last place of a normal result */
    int field = e + drop - step;            /* 0 for a normal result in the lowest binade */
    drop = field < 0 ? drop - field : drop; /* a subnormal loses more */
    uint64_t kept = drop < 64 ? m >> drop : 0;
    uint64_t rest = drop < 64 ? m << (64 - drop) : drop == 64 ? m : m != 0;
    uint64_t half = UINT64_C(1) << 63;
    kept += rest > half || (rest == half && (kept & 1));
    uint64_t biased = (field > 0 ? (uint64_t)field << fraction : 0) + kept;
    uint16_t infinity = EXPONENT_MASK(fraction);
    return m == 0 ? 0 : biased > infinity ? infinity : (uint16_t)biased;
}

/* The fraction of a double is moved up so that its leading bit, written or not, is at 2^63. */
static inline uint16_t double_to_16(double x, int fraction, int step)
{
    uint64_t bits = bits_f64(x);
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    int field = (int)(bits >> 52) & 0x7ff;
    uint64_t m = bits << 11 & INT64_MAX;
    uint16_t quiet = m ? (uint16_t)(1 << (fraction - 1) | m >> (63 - fraction)) : 0;
    int shift = field ? 0 : __builtin_clzll(m | 1);
    m = field ? m | UINT64_C(1) << 63 : m << shift;
    int e = (field ? field : 1) - 1023 - 63 - shift;
    uint16_t finite = round_to_16(m, e, fraction, step);
    return sign | (field == 0x7ff ? EXPONENT_MASK(fraction) | quiet : finite);
}

static inline uint16_t integer_to_16(uint64_t magnitude, bool negative, int fraction, int step)
{
    int shift = __builtin_clzll(magnitude | 1);
    return (uint16_t)(negative << 15) | round_to_16(magnitude << shift, -shift, fraction, step);
}

static inline uint64_t magnitude_i64(int64_t x)
{
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

/* In 32 bits, for SIMD. A normal result is the float's fields with the bias changed (127 to 15). An
 * addition below the last place rounds it. A subnormal result is the low bits of the sum 1/2 + x:
 * the last place of both is 2^-24 (F. Giesen, "Float to half conversions", 2012). */
uint16_t lw__f32_to_f16(float x)
{
    uint32_t bits = bits_f32(x), a = bits & 0x7fffffff;
    uint32_t normal = (a + 0xfff + (a >> 13 & 1) - ((127 - 15) << 23)) >> 13;
    uint32_t subnormal = bits_f32(from_bits_f32(a) + 0.5f) - bits_f32(0.5f);
    uint32_t result = a < bits_f32(0x1p-14f) ? subnormal : a < bits_f32(0x1p16f) ? normal : 0x7c00;
    if (a > 0x7f800000)
        result = 0x7e00 | (a >> 13 & 0x3ff);
    return (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)result;
}

uint16_t lw__f64_to_f16(double x)
{
    return double_to_16(x, F16_FRACTION, F16_STEP);
}

uint16_t lw__i64_to_f16(int64_t x)
{
    return integer_to_16(magnitude_i64(x), x < 0, F16_FRACTION, F16_STEP);
}

uint16_t lw__u64_to_f16(uint64_t x)
{
    return integer_to_16(x, false, F16_FRACTION, F16_STEP);
}

/* bf16 is the upper half of a float, so rounding is one addition: half a step less one, and one
 * more if the kept part is odd. A carry may rightly end in infinity. */
uint16_t lw__f32_to_bf16(float x)
{
    uint32_t bits = bits_f32(x);
    uint16_t rounded = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    return x != x ? (uint16_t)(bits >> 16 | 0x40) : rounded;
}

float lw__extendhfsf2(float half)
{
    return lw__f16_to_f32((uint16_t)bits_f32(half));
}

float lw__truncsfhf2(float x)
{
    return from_bits_f32(lw__f32_to_f16(x));
}

float lw__truncsfbf2(float x)
{
    return from_bits_f32(lw__f32_to_bf16(x));
}

uint16_t lw__f64_to_bf16(double x)
{
    return double_to_16(x, BF16_FRACTION, BF16_STEP);
}

uint16_t lw__i64_to_bf16(int64_t x)
{
    return integer_to_16(magnitude_i64(x), x < 0, BF16_FRACTION, BF16_STEP);
}

uint16_t lw__u64_to_bf16(uint64_t x)
{
    return integer_to_16(x, false, BF16_FRACTION, BF16_STEP);
}

/* A normal f16 moves its fields to their places in a float and changes the bias (127 - 15); a
 * subnormal is its fraction times 2^-24, exactly. */
float lw__f16_to_f32(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7fff;
    uint32_t subnormal = bits_f32((float)(int32_t)rest * 0x1p-24f);
    uint32_t normal = (rest << 13) + ((127 - 15) << 23);
    uint32_t special = 0x7f800000 | rest << 13 | (rest > 0x7c00 ? 0x400000 : 0);
    return from_bits_f32(sign | (rest >= 0x7c00 ? special : rest >= 0x400 ? normal : subnormal));
}

float lw__bf16_to_f32(uint16_t bits)
{
    return from_bits_f32((uint32_t)bits << 16);
}
