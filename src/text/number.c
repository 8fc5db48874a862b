/* number.c - numbers from text, rounded once to their own type, and back in the shortest form.
 *
 * Reading: the C library reads f64, and rounds correctly. For narrower floats the text is first
 * rounded to a double. That double misleads only if it is exactly half-way between two values of
 * the type and the text is not. Then the text is read again with directed rounding, which gives the
 * double on the text's side. The argument is that of rounding to odd: Boldo & Melquiond 2008.
 *
 * Writing: the nearest decimal of ever more digits until one reads back. At a power of two the gap
 * below is half of the gap above. So the nearest decimal may fail where the next larger one
 * succeeds; both are tried.
 */
#include "text/number.h"
#include "text/half.h"
#include <assert.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* is_number - does text begin as a number does? strtod also takes blanks, "nan(1)", "INFINITY". */
static bool is_number(const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (strcmp(digits, "inf") == 0 || strcmp(digits, "nan") == 0)
        return true;
    return is_digit(digits[0]) || (digits[0] == '.' && is_digit(digits[1]));
}

static double read_directed(const char *text, int mode)
{
    int before = fegetround();
    fesetround(mode);
    double value = strtod(text, NULL);
    fesetround(before);
    return value;
}

/* double_below, double_above - the doubles around text; equal where text is one. */
static double double_below(const char *text)
{
    return read_directed(text, FE_DOWNWARD);
}

static double double_above(const char *text)
{
    return read_directed(text, FE_UPWARD);
}

/* is_half_way - is value, finite, exactly between two neighbours of a narrower format? Rounding its
 * neighbours among the doubles then gives different results. */
static bool is_half_way(lw_dtype dtype, double value)
{
    uint64_t up = 0, down = 0;
    lw__real_put(dtype, nextafter(value, (double)INFINITY), LW_NEAREST, &up);
    lw__real_put(dtype, nextafter(value, (double)-INFINITY), LW_NEAREST, &down);
    return up != down;
}

static enum lw__number read_real(lw_dtype dtype, const char *text, void *to)
{
    double value = strtod(text, NULL);
    if (dtype != LW_F64 && isfinite(value) && is_half_way(dtype, value)) {
        double below = double_below(text), above = double_above(text);
        value = below == value ? above : below; /* the text's side; itself where exact */
    }
    lw__real_put(dtype, value, LW_NEAREST, to);
    bool overflows = isinf(lw__real_get(dtype, to)) && !strstr(text, "inf");
    return overflows ? LW_OUT_OF_RANGE : LW_NUMBER_OK;
}

/* read_whole - a whole number as sign and magnitude. */
static enum lw__number read_whole(const char *text, bool *negative, uint64_t *magnitude)
{
    const char *digits = text + (*text == '-' || *text == '+');
    *negative = *text == '-';
    errno = 0;
    bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end;
    *magnitude = strtoull(digits, &end, is_hex ? 16 : 10);
    if (*end == '\0')
        return errno == ERANGE ? LW_OUT_OF_RANGE : LW_NUMBER_OK;

    double below = double_below(digits), above = double_above(digits); /* "1e3", "8.0" */
    if (isfinite(below) && below >= 0x1p64)
        return LW_OUT_OF_RANGE;
    if (!isfinite(below) || below != above || floor(below) != below)
        return LW_NOT_AN_INTEGER;
    *magnitude = (uint64_t)below;
    return LW_NUMBER_OK;
}

uint64_t lw__integer_limit(lw_dtype dtype, bool is_negative)
{
    const unsigned bits = 8u * lw__dtypes[dtype].bytes;
    switch (lw__dtypes[dtype].kind) {
    case 'b': return !is_negative;
    case 'u': return is_negative ? 0 : UINT64_MAX >> (64 - bits);
    default: return (UINT64_C(1) << (bits - 1)) - !is_negative;
    }
}

bool lw__integer_put(lw_dtype dtype, bool is_negative, uint64_t magnitude, void *to)
{
    const uint64_t bits = is_negative ? 0 - magnitude : magnitude;
    if (magnitude > lw__integer_limit(dtype, is_negative))
        return false;
    memcpy(to, &bits, lw__dtypes[dtype].bytes); /* little-endian: the low bytes */
    return true;
}

int64_t lw__integer_get(lw_dtype dtype, const void *from)
{
    const unsigned unused = 64 - 8u * lw__dtypes[dtype].bytes;
    uint64_t bits = 0;
    memcpy(&bits, from, lw__dtypes[dtype].bytes);
    return lw__dtypes[dtype].kind == 'i' ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

static enum lw__number read_integer(lw_dtype dtype, const char *text, void *to)
{
    bool is_negative;
    uint64_t magnitude;
    enum lw__number read = read_whole(text, &is_negative, &magnitude);
    if (read == LW_NUMBER_OK && !lw__integer_put(dtype, is_negative, magnitude, to))
        return LW_OUT_OF_RANGE;
    return read;
}

enum lw__number lw__number_read(lw_dtype dtype, const char *text, void *to)
{
    if (strcmp(text, "true") == 0)
        text = "1";
    if (strcmp(text, "false") == 0)
        text = "0";
    char *end;
    if (!is_number(text) || (strtod(text, &end), *end != '\0'))
        return LW_NOT_A_NUMBER;
    return lw__dtype_is_float(dtype) ? read_real(dtype, text, to) : read_integer(dtype, text, to);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* reads_back - is text the element at from? */
static bool reads_back(lw_dtype dtype, const char *text, const void *from)
{
    char element[8];
    return read_real(dtype, text, element) == LW_NUMBER_OK &&
           memcmp(element, from, lw_dtype_size(dtype)) == 0;
}

/* next_larger - text, "d.ddde+XX", becomes the next decimal of as many digits; false after the last
 * of them. */
static bool next_larger(char *text)
{
    for (char *at = strchr(text, 'e') - 1; at >= text; at--) {
        if (*at == '.')
            continue;
        if (*at != '9') {
            ++*at;
            return true;
        }
        *at = '0';
    }
    return false;
}

/* A positive number 0.d1d2d3... * 10^point. */
struct decimal {
    char digits[DBL_DECIMAL_DIG + 1];
    int count, point;
};

/* to_decimal - text is "d.ddde+XX". */
static struct decimal to_decimal(const char *text)
{
    struct decimal decimal = {.point = atoi(strchr(text, 'e') + 1) + 1};
    for (; *text != 'e' && decimal.count < DBL_DECIMAL_DIG; text++)
        if (*text != '.')
            decimal.digits[decimal.count++] = *text;
    while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0')
        decimal.count--;
    assert(decimal.count > 0 && decimal.digits[0] != '0');
    decimal.digits[decimal.count] = '\0';
    return decimal;
}

/* safe_digits - so many digits that two different decimals are never the same normal number
 * (FLT_DIG: fraction * log10(2)). Hence when one reads back, the shortest is the same, less its
 * zeros at the end. */
static int safe_digits(lw_dtype dtype, double value)
{
    const int fraction = lw__dtypes[dtype].fraction, digits = fraction * 301 / 1000;
    const int exponent = 8 * lw__dtypes[dtype].bytes - 1 - fraction;
    const double least = ldexp(1, 2 - (1 << (exponent - 1))); /* normal number */
    return digits && value >= least ? digits : 1;
}

/* shortest - the decimal of the fewest digits that reads back as the element at from. value is this
 * element, finite and above 0. */
static struct decimal shortest(lw_dtype dtype, double value, const void *from)
{
    char text[LW_NUMBER_SIZE];
    int exponent;
    bool is_power_of_two = frexp(value, &exponent) == 0.5;
    for (int count = safe_digits(dtype, value); count <= DBL_DECIMAL_DIG; count++) {
        snprintf(text, sizeof text, "%.*e", count - 1, value);
        if (reads_back(dtype, text, from))
            break;
        if (is_power_of_two && next_larger(text) && reads_back(dtype, text, from))
            break;
    }
    return to_decimal(text);
}

/* write_decimal - positional for exponents that people read with ease, as Python and NumPy do. */
static void write_decimal(const struct decimal *decimal, char *text, size_t size)
{
    const char *digits = decimal->digits;
    int count = decimal->count, point = decimal->point;
    if (point > 16 || point <= -4)
        snprintf(text, size, "%c%s%se%+03d", digits[0], count > 1 ? "." : "", digits + 1,
                 point - 1);
    else if (point <= 0)
        snprintf(text, size, "0.%.*s%s", -point, "0000", digits);
    else if (point >= count)
        snprintf(text, size, "%s%.*s.0", digits, point - count, "0000000000000000");
    else
        snprintf(text, size, "%.*s.%s", point, digits, digits + point);
}

static void write_real(lw_dtype dtype, const void *from, char *text, size_t size)
{
    double value = lw__real_get(dtype, from);
    const char *sign = signbit(value) ? "-" : "";
    if (isnan(value)) {
        snprintf(text, size, "nan");
    } else if (isinf(value)) {
        snprintf(text, size, "%sinf", sign);
    } else if (value == 0) {
        snprintf(text, size, "%s0.0", sign);
    } else {
        char positive[8];
        size_t bytes = lw_dtype_size(dtype);
        memcpy(positive, from, bytes);
        positive[bytes - 1] &= 0x7f; /* the sign bit */
        struct decimal decimal = shortest(dtype, fabs(value), positive);
        size_t length = strlen(sign);
        memcpy(text, sign, length);
        write_decimal(&decimal, text + length, size - length);
    }
}

void lw__number_write(lw_dtype dtype, const void *from, char text[LW_NUMBER_SIZE])
{
    if (lw__dtype_is_float(dtype)) {
        write_real(dtype, from, text, LW_NUMBER_SIZE);
        return;
    }
    const int64_t value = lw__integer_get(dtype, from);
    if (dtype == LW_BOOL)
        snprintf(text, LW_NUMBER_SIZE, "%s", value ? "true" : "false");
    else
        snprintf(text, LW_NUMBER_SIZE, lw__dtypes[dtype].kind == 'i' ? "%" PRId64 : "%" PRIu64,
                 value);
}
