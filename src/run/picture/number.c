/* number.c - an element as text. */
#include "run/picture/picture.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double of_half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double of_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The value, and how many decimals tell all values of the type apart. */
static double real(lw_dtype dtype, uint64_t bits, int *digits)
{
    double value;
    *digits = dtype == LW_F16 ? 5 : dtype == LW_BF16 ? 4 : dtype == LW_F32 ? 9 : 17;
    if (dtype == LW_F16)
        return of_half((uint16_t)bits);
    if (dtype == LW_BF16)
        return of_float((uint32_t)bits << 16);
    if (dtype == LW_F32)
        return of_float((uint32_t)bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* With so many decimals, and without an exponent where people write none. */
static void spell(char *text, double value, int digits)
{
    const double size = fabs(value);
    if (size != 0 && (size < 1e-4 || size >= 1e15))
        return;
    const int exponent = size != 0 ? (int)floor(log10(size)) : 0;
    const int behind = digits - 1 - exponent;
    snprintf(text, LW_NUMBER_SIZE, "%.*f", behind > 0 ? behind : 0, value);
}

/* Of so many decimals the first that reads back; those of a float as a float, and so on. */
static void shortest(char *text, lw_dtype dtype, double value, int digits)
{
    for (int n = 1; n <= digits; n++) {
        snprintf(text, LW_NUMBER_SIZE, "%.*g", n, value);
        const double back = strtod(text, NULL);
        const bool same = dtype == LW_F32 ? (double)(float)back == value : back == value;
        if (same) {
            spell(text, value, n);
            return;
        }
    }
}

void lw__number(char text[LW_NUMBER_SIZE], lw_dtype dtype, uint64_t bits)
{
    int digits;
    switch (dtype) {
    case LW_F16:
    case LW_BF16:
    case LW_F32:
    case LW_F64: {
        const double value = real(dtype, bits, &digits);
        if (isnan(value) || isinf(value))
            snprintf(text, LW_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        else
            shortest(text, dtype, value, digits);
        break;
    }
    case LW_I8: snprintf(text, LW_NUMBER_SIZE, "%d", (int8_t)bits); break;
    case LW_I16: snprintf(text, LW_NUMBER_SIZE, "%d", (int16_t)bits); break;
    case LW_I32: snprintf(text, LW_NUMBER_SIZE, "%d", (int32_t)bits); break;
    case LW_I64: snprintf(text, LW_NUMBER_SIZE, "%" PRId64, (int64_t)bits); break;
    default: snprintf(text, LW_NUMBER_SIZE, "%" PRIu64, bits); break;
    }
}
