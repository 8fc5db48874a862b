/* half.c - floats narrower than a double by integer arithmetic on the bits of a double.
 *
 * Each is sign, exponent, fraction. At each magnitude the last bit of the narrow format has a
 * weight. A double's 53-bit significand is shifted right until its last bit has this weight; the
 * bits shifted out decide the rounding. A carry out of the fraction increments the exponent, which
 * is correct up to infinity. So there is one path for normal and subnormal results.
 *
 * source  IEEE 754-2019, 3.4 and 4.3.1
 */
#include "text/half.h"
#include <assert.h>
#include <string.h>

struct format {
    int fraction; /* bits */
    int bias;     /* of the exponent */
};

static struct format format_of(lw_dtype dtype)
{
    const int fraction = lw__dtypes[dtype].fraction,
              exponent = 8 * lw__dtypes[dtype].bytes - 1 - fraction;
    return (struct format){fraction, (1 << (exponent - 1)) - 1};
}

static uint64_t infinity_of(struct format format)
{
    return (uint64_t)(2 * format.bias + 1) << format.fraction;
}

/* shift_right - value / 2^shift, rounded; shift at least 1. */
static uint64_t shift_right(uint64_t value, int shift, enum lw__rounding rounding)
{
    assert(shift >= 1);
    if (shift > 63)
        return 0; /* the significand has 53 bits: less than half of the last place */
    uint64_t kept = value >> shift;
    uint64_t rest = value & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    if (rounding == LW_NEAREST && (rest > half || (rest == half && (kept & 1))))
        kept++;
    return kept;
}

static uint64_t narrow(lw_dtype dtype, double value, enum lw__rounding rounding)
{
    const struct format format = format_of(dtype);
    assert(format.fraction > 0 && format.fraction < 52);
    const uint64_t infinity = infinity_of(format);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t sign = (bits >> 63) * (infinity + (UINT64_C(1) << format.fraction));
    const int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t significand = bits & ((UINT64_C(1) << 52) - 1);

    if (exponent == 0x7ff) /* infinity, or NaN made quiet */
        return sign | infinity | (significand ? UINT64_C(1) << (format.fraction - 1) : 0);
    if (exponent == 0)
        return sign; /* zero, or a double subnormal: far below each format */

    significand |= UINT64_C(1) << 52;
    const int biased = exponent - 1023 + format.bias; /* in the narrow format */
    const int below = biased < 1 ? 1 - biased : 0;    /* places that a subnormal result loses */
    uint64_t result = shift_right(significand, 52 - format.fraction + below, rounding);
    if (biased >= 1) /* the leading one of the significand adds the last 1 of the exponent */
        result += (uint64_t)(biased - 1) << format.fraction;
    if (result >= infinity)
        result = rounding == LW_NEAREST ? infinity : infinity - 1;
    return sign | result;
}

void lw__real_put(lw_dtype dtype, double value, enum lw__rounding rounding, void *to)
{
    const float single = (float)value;
    uint64_t bits;
    if (dtype == LW_F64) {
        memcpy(to, &value, sizeof value);
    } else if (dtype == LW_F32 && (double)single == value) { /* exact, however the host rounds */
        memcpy(to, &single, sizeof single);
    } else {
        bits = narrow(dtype, value, rounding);
        memcpy(to, &bits, lw__dtypes[dtype].bytes); /* little-endian: the low bytes */
    }
}

double lw__real_get(lw_dtype dtype, const void *from)
{
    const struct format format = format_of(dtype);
    uint64_t bits = 0;
    memcpy(&bits, from, lw_dtype_size(dtype));
    double value;
    if (dtype != LW_F64) {
        const uint64_t infinity = infinity_of(format),
                       magnitude = bits & (infinity | (infinity - 1));
        const uint64_t fraction = bits & ((UINT64_C(1) << format.fraction) - 1);
        const uint64_t sign = (uint64_t)(bits != magnitude) << 63;
        const int exponent = (int)(magnitude >> format.fraction);
        if (magnitude >= infinity) {
            bits = sign | UINT64_C(0x7ff) << 52 | fraction << (52 - format.fraction);
        } else if (exponent > 0) {
            bits = sign | (uint64_t)(exponent - format.bias + 1023) << 52 |
                   fraction << (52 - format.fraction);
        } else { /* fraction * 2^(1 - bias - fraction bits), exact: a power of two */
            const uint64_t unit = (uint64_t)(1 - format.bias - format.fraction + 1023) << 52;
            memcpy(&value, &unit, sizeof value);
            value *= (double)fraction;
            memcpy(&bits, &value, sizeof bits);
            bits |= sign;
        }
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}
