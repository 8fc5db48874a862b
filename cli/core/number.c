/* number.c - numbers from text, rounded once to their own type, and back in the shortest form.
 *
 * Reading: the C library reads f32 and f64, and rounds correctly. For f16 and bf16 the text is
 * first rounded to a double. That double misleads only if it is exactly half-way between two 16-bit
 * values and the text is not. Then the text is read again with directed rounding, which gives the
 * double on the text's side. The argument is that of rounding to odd: Boldo & Melquiond 2008.
 *
 * Writing: the nearest decimal of ever more digits until one reads back. At a power of two the gap
 * below is half of the gap above. So the nearest decimal may fail where the next larger one
 * succeeds; both are tried.
 */
#include "cli/core/cli.h"
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_dtype_is_float(lw_dtype dtype)
{
    return dtype == LW_F16 || dtype == LW_BF16 || dtype == LW_F32 || dtype == LW_F64;
}

static bool is_half(lw_dtype dtype)
{
    return dtype == LW_F16 || dtype == LW_BF16;
}

static bool is_signed(lw_dtype dtype)
{
    return dtype == LW_I8 || dtype == LW_I16 || dtype == LW_I32 || dtype == LW_I64;
}

bool cli_dtype_find(const char *name, size_t length, lw_dtype *dtype)
{
    for (int i = 0; i < LW_DTYPE_COUNT; i++) {
        const char *known = lw_dtype_name((lw_dtype)i);
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            *dtype = (lw_dtype)i;
            return true;
        }
    }
    return false;
}

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

/* is_half_way - is value, finite, exactly between two neighbours of the 16-bit format? Rounding its
 * neighbours among the doubles then gives different results. */
static bool is_half_way(lw_dtype dtype, double value)
{
    uint16_t up = cli_half_from(dtype, nextafter(value, INFINITY), CLI_NEAREST);
    uint16_t down = cli_half_from(dtype, nextafter(value, -INFINITY), CLI_NEAREST);
    return up != down;
}

static enum cli_number read_half(lw_dtype dtype, const char *text, uint16_t *to)
{
    double value = strtod(text, NULL);
    if (isfinite(value) && is_half_way(dtype, value)) {
        double below = double_below(text), above = double_above(text);
        value = below == value ? above : below; /* the text's side; itself where exact */
    }
    *to = cli_half_from(dtype, value, CLI_NEAREST);
    bool overflows = isinf(cli_half_to(dtype, *to)) && !strstr(text, "inf");
    return overflows ? CLI_OUT_OF_RANGE : CLI_NUMBER_OK;
}

static enum cli_number read_real(lw_dtype dtype, const char *text, void *to)
{
    bool is_infinite = strstr(text, "inf") != NULL;
    if (is_half(dtype))
        return read_half(dtype, text, to);
    if (dtype == LW_F32) {
        float value = strtof(text, NULL);
        memcpy(to, &value, sizeof value);
        return isinf(value) && !is_infinite ? CLI_OUT_OF_RANGE : CLI_NUMBER_OK;
    }
    double value = strtod(text, NULL);
    memcpy(to, &value, sizeof value);
    return isinf(value) && !is_infinite ? CLI_OUT_OF_RANGE : CLI_NUMBER_OK;
}

/* read_whole - a whole number as sign and magnitude. */
static enum cli_number read_whole(const char *text, bool *negative, uint64_t *magnitude)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    *negative = *text == '-';
    errno = 0;
    bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    *magnitude = strtoull(digits, &end, is_hex ? 16 : 10);
    if (*end == '\0')
        return errno == ERANGE ? CLI_OUT_OF_RANGE : CLI_NUMBER_OK;

    double below = double_below(digits), above = double_above(digits); /* "1e3", "8.0" */
    if (isfinite(below) && below >= 0x1p64)
        return CLI_OUT_OF_RANGE;
    if (!isfinite(below) || below != above || floor(below) != below)
        return CLI_NOT_AN_INTEGER;
    *magnitude = (uint64_t)below;
    return CLI_NUMBER_OK;
}

static uint64_t largest(lw_dtype dtype)
{
    if (dtype == LW_BOOL)
        return 1;
    int bits = (int)lw_dtype_size(dtype) * 8 - is_signed(dtype);
    return UINT64_MAX >> (64 - bits);
}

static enum cli_number read_integer(lw_dtype dtype, const char *text, void *to)
{
    bool negative;
    uint64_t magnitude;
    enum cli_number read = read_whole(text, &negative, &magnitude);
    if (read != CLI_NUMBER_OK)
        return read;
    uint64_t limit = largest(dtype);
    if (negative)
        limit = is_signed(dtype) ? limit + 1 : 0;
    if (magnitude > limit)
        return CLI_OUT_OF_RANGE;
    uint64_t bits = negative ? 0 - magnitude : magnitude;
    memcpy(to, &bits, lw_dtype_size(dtype)); /* little-endian: the low bytes */
    return CLI_NUMBER_OK;
}

enum cli_number cli_number_read(lw_dtype dtype, const char *text, void *to)
{
    if (strcmp(text, "true") == 0)
        text = "1";
    if (strcmp(text, "false") == 0)
        text = "0";
    char *end;
    if (!is_number(text) || (strtod(text, &end), *end != '\0'))
        return CLI_NOT_A_NUMBER;
    return cli_dtype_is_float(dtype) ? read_real(dtype, text, to) : read_integer(dtype, text, to);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* reads_back - is text the element at from? */
static bool reads_back(lw_dtype dtype, const char *text, const void *from)
{
    char element[8];
    return read_real(dtype, text, element) == CLI_NUMBER_OK &&
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
    decimal.digits[decimal.count] = '\0';
    return decimal;
}

/* safe_digits - so many digits that two different decimals are never the same normal number
 * (FLT_DIG). Hence when one reads back, the shortest is the same, less its zeros at the end. */
static int safe_digits(lw_dtype dtype, double value)
{
    static const struct {
        lw_dtype dtype;
        int digits;
        double least; /* normal number */
    } rows[] = {{LW_F16, 3, 0x1p-14},
                {LW_BF16, 2, 0x1p-126},
                {LW_F32, FLT_DIG, FLT_MIN},
                {LW_F64, DBL_DIG, DBL_MIN}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].dtype == dtype && value >= rows[i].least)
            return rows[i].digits;
    return 1;
}

/* shortest - the decimal of the fewest digits that reads back as the element at from. value is this
 * element, finite and above 0. */
static struct decimal shortest(lw_dtype dtype, double value, const void *from)
{
    char text[CLI_NUMBER_SIZE];
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

static double to_double(lw_dtype dtype, const void *from)
{
    uint16_t half;
    float single;
    double value;
    if (is_half(dtype)) {
        memcpy(&half, from, sizeof half);
        return cli_half_to(dtype, half);
    }
    if (dtype == LW_F32) {
        memcpy(&single, from, sizeof single);
        return (double)single;
    }
    memcpy(&value, from, sizeof value);
    return value;
}

static void write_real(lw_dtype dtype, const void *from, char *text, size_t size)
{
    double value = to_double(dtype, from);
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

void cli_number_write(lw_dtype dtype, const void *from, char text[CLI_NUMBER_SIZE])
{
    if (cli_dtype_is_float(dtype)) {
        write_real(dtype, from, text, CLI_NUMBER_SIZE);
        return;
    }
    size_t bytes = lw_dtype_size(dtype);
    uint64_t bits = 0;
    memcpy(&bits, from, bytes);
    if (dtype == LW_BOOL)
        snprintf(text, CLI_NUMBER_SIZE, "%s", bits ? "true" : "false");
    else if (is_signed(dtype) && bits >> (8 * bytes - 1))
        snprintf(text, CLI_NUMBER_SIZE, "-%llu",
                 (unsigned long long)(0 - bits) & (UINT64_MAX >> (64 - 8 * bytes)));
    else
        snprintf(text, CLI_NUMBER_SIZE, "%llu", (unsigned long long)bits);
}
