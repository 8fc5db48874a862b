/* half.c - _Float16 and __bf16 by integer arithmetic on the bits of a double.
 *
 * Both are sign, exponent, fraction. At each magnitude the last bit of the 16-bit format has a
 * weight. A double's 53-bit significand is shifted right until its last bit has this weight; the
 * bits shifted out decide the rounding. A carry out of the fraction increments the exponent, which
 * is correct up to infinity. So there is one path for normal and subnormal results.
 */
#include "cli/core/cli.h"
#include <string.h>

struct format {
    int fraction; /* bits */
    int bias;     /* of the exponent */
};

static struct format format_of(lw_dtype dtype)
{
    struct format f16 = {10, 15}, bf16 = {7, 127};
    return dtype == LW_F16 ? f16 : bf16;
}

/* shift_right - value / 2^shift, rounded; shift at least 1. */
static uint64_t shift_right(uint64_t value, int shift, enum cli_rounding rounding)
{
    if (shift > 63)
        return 0; /* the significand has 53 bits: less than half of the last place */
    uint64_t kept = value >> shift;
    uint64_t rest = value & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    if (rounding == CLI_NEAREST && (rest > half || (rest == half && (kept & 1))))
        kept++;
    return kept;
}

uint16_t cli_half_from(lw_dtype dtype, double value, enum cli_rounding rounding)
{
    const struct format format = format_of(dtype);
    const uint16_t infinity = (uint16_t)(0x7fff >> format.fraction << format.fraction);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t significand = bits & ((UINT64_C(1) << 52) - 1);

    if (exponent == 0x7ff) /* infinity, or NaN made quiet */
        return (uint16_t)(sign | infinity | (significand ? 1 << (format.fraction - 1) : 0));
    if (exponent == 0)
        return sign; /* zero, or a double subnormal: far below either format */

    significand |= UINT64_C(1) << 52;
    int biased = exponent - 1023 + format.bias; /* in the 16-bit format */
    int below = biased < 1 ? 1 - biased : 0;    /* places that a subnormal result loses */
    uint64_t result = shift_right(significand, 52 - format.fraction + below, rounding);
    if (biased >= 1) /* the leading one of the significand adds the last 1 of the exponent */
        result += (uint64_t)(biased - 1) << format.fraction;
    if (result >= infinity)
        result = rounding == CLI_NEAREST ? infinity : infinity - 1u;
    return (uint16_t)(sign | result);
}

double cli_half_to(lw_dtype dtype, uint16_t half)
{
    const struct format format = format_of(dtype);
    uint64_t sign = (uint64_t)(half & 0x8000) << 48;
    uint64_t fraction = half & ((1u << format.fraction) - 1);
    int exponent = (half & 0x7fff) >> format.fraction;
    uint64_t bits;

    if (exponent == 0x7fff >> format.fraction) {
        bits = sign | UINT64_C(0x7ff) << 52 | fraction << (52 - format.fraction);
    } else if (exponent > 0) {
        bits = sign | (uint64_t)(exponent - format.bias + 1023) << 52 |
               fraction << (52 - format.fraction);
    } else { /* fraction * 2^(1 - bias - fraction bits), exact: a power of two */
        uint64_t unit = (uint64_t)(1 - format.bias - format.fraction + 1023) << 52;
        double scale, value;
        memcpy(&scale, &unit, sizeof scale);
        value = (double)fraction * scale;
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
