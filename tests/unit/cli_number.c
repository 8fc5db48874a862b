/* cli_number.c - numbers from and to text: one rounding, shortest form, 16-bit floats.
 */
#include "cli_test.h"
#include "text/half.h"
#include <math.h>

static void check_written(lw_dtype dtype, const void *element, const char *expected)
{
    char text[LW_NUMBER_SIZE];
    lw__number_write(dtype, element, text);
    CHECK_TEXT(text, expected);
}

/* read, write: the same or the shortest form of it. */
static void check_shown(lw_dtype dtype, const char *text, const char *expected)
{
    char element[8];
    CHECK(lw__number_read(dtype, text, element) == LW_NUMBER_OK);
    check_written(dtype, element, expected);
}

static void shortest_forms(void)
{
    check_shown(LW_F32, "140", "140.0");
    check_shown(LW_F32, "1381760", "1381760.0");
    check_shown(LW_F32, "3.33333333333", "3.3333333");
    check_shown(LW_F32, "0.2222222222", "0.22222222");
    check_shown(LW_F32, "0.1", "0.1");
    check_shown(LW_F32, "16777216", "16777216.0");
    check_shown(LW_F32, "123456789012", "123456790000.0");
    check_shown(LW_F32, "1e15", "1000000000000000.0");
    check_shown(LW_F32, "1e16", "1e+16");
    check_shown(LW_F32, "0.0001", "0.0001");
    check_shown(LW_F32, "0.00001", "1e-05");
    check_shown(LW_F32, "3.4028235e38", "3.4028235e+38");
    check_shown(LW_F32, "1e-45", "1e-45");
    check_shown(LW_F32, "-0", "-0.0");
    check_shown(LW_F32, "-inf", "-inf");
    check_shown(LW_F32, "nan", "nan");
    check_shown(LW_F32, "-.5", "-0.5");
    check_shown(LW_F32, "true", "1.0");
    check_shown(LW_F32, "0x10", "16.0");
    check_shown(LW_F64, "0.1", "0.1");
    check_shown(LW_F64, "0.30000000000000004", "0.30000000000000004");
    check_shown(LW_F64, "5.6843418860808015e-14", "5.684341886080802e-14"); /* 2^-44 */
    check_shown(LW_F64, "9007199254740993", "9007199254740992.0");
    check_shown(LW_F64, "5e-324", "5e-324");
    check_shown(LW_F64, "1.7976931348623157e308", "1.7976931348623157e+308");
    check_shown(LW_F16, "65504", "65500.0");
    check_shown(LW_F16, "0.1", "0.1");
    check_shown(LW_F16, "6e-8", "6e-08");
    check_shown(LW_BF16, "3.14159", "3.14");
    check_shown(LW_BF16, "3e38", "3e+38");
}

static void integers(void)
{
    check_shown(LW_I8, "-128", "-128");
    check_shown(LW_I64, "-9223372036854775808", "-9223372036854775808");
    check_shown(LW_U64, "0xffffffffffffffff", "18446744073709551615");
    check_shown(LW_I32, "-0x10", "-16");
    check_shown(LW_I32, "1e3", "1000");
    check_shown(LW_I32, "8.0", "8");
    check_shown(LW_BOOL, "true", "true");
    check_shown(LW_BOOL, "0", "false");
    check_shown(LW_U8, "010", "10");
}

static void refusals(void)
{
    static const struct {
        lw_dtype dtype;
        const char *text;
        enum lw__number expected;
    } rows[] = {
        {LW_I32, "8.5", LW_NOT_AN_INTEGER},
        {LW_I32, "inf", LW_NOT_AN_INTEGER},
        {LW_I32, "nan", LW_NOT_AN_INTEGER},
        {LW_I32, "1.00000000000000000001", LW_NOT_AN_INTEGER},
        {LW_I32, "2147483648", LW_OUT_OF_RANGE},
        {LW_I32, "0xffffffff", LW_OUT_OF_RANGE},
        {LW_I8, "-129", LW_OUT_OF_RANGE},
        {LW_U8, "-1", LW_OUT_OF_RANGE},
        {LW_U8, "256", LW_OUT_OF_RANGE},
        {LW_U64, "18446744073709551616", LW_OUT_OF_RANGE},
        {LW_U64, "1e30", LW_OUT_OF_RANGE},
        {LW_BOOL, "2", LW_OUT_OF_RANGE},
        {LW_F32, "1e39", LW_OUT_OF_RANGE},
        {LW_F64, "1e309", LW_OUT_OF_RANGE},
        {LW_F16, "65520", LW_OUT_OF_RANGE},
        {LW_BF16, "3.4e38", LW_OUT_OF_RANGE},
        {LW_F32, "", LW_NOT_A_NUMBER},
        {LW_F32, "x", LW_NOT_A_NUMBER},
        {LW_F32, "1x", LW_NOT_A_NUMBER},
        {LW_F32, " 1", LW_NOT_A_NUMBER},
        {LW_F32, "1 ", LW_NOT_A_NUMBER},
        {LW_F32, "infinity", LW_NOT_A_NUMBER},
        {LW_F32, "nan(1)", LW_NOT_A_NUMBER},
        {LW_F32, "--1", LW_NOT_A_NUMBER},
        {LW_I32, "0x", LW_NOT_A_NUMBER},
        {LW_I32, "1e", LW_NOT_A_NUMBER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char element[8];
        enum lw__number read = lw__number_read(rows[i].dtype, rows[i].text, element);
        if (read != rows[i].expected) {
            fprintf(stderr, "'%s': %d\n", rows[i].text, read);
            failures++;
        }
    }
}

/* The text lies just beside the middle of two 16-bit floats; its double lies on it. */
static void one_rounding(void)
{
    static const char *const texts[] = {"2049", "2049.00000000000000000000000000001",
                                        "2048.99999999999999999999999999999", "2051"};
    static const uint16_t expected[] = {0x6800, 0x6801, 0x6800, 0x6802};
    uint16_t half;
    for (int i = 0; i < 4; i++) {
        CHECK(lw__number_read(LW_F16, texts[i], &half) == LW_NUMBER_OK);
        CHECK(half == expected[i]);
    }
    CHECK(lw__number_read(LW_F16, "65519.9999999999999999999999999999", &half) == LW_NUMBER_OK);
    CHECK(half == 0x7bff);
    CHECK(lw__number_read(LW_BF16, "257.00000000000000000000001", &half) == LW_NUMBER_OK);
    CHECK(half == 0x4381);
}

static double of_half(lw_dtype dtype, uint16_t half)
{
    return lw__real_get(dtype, &half);
}

static uint16_t to_half(lw_dtype dtype, double value, enum lw__rounding rounding)
{
    uint16_t half;
    lw__real_put(dtype, value, rounding, &half);
    return half;
}

/* Every 16-bit float survives both ways, also as text. */
static void all_halves(lw_dtype dtype)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint16_t half = (uint16_t)bits, back;
        double value = of_half(dtype, half);
        char text[LW_NUMBER_SIZE];
        back = to_half(dtype, value, LW_NEAREST);
        CHECK(isnan(value) ? isnan(of_half(dtype, back)) : back == half);
        CHECK(isnan(value) || to_half(dtype, value, LW_TOWARD_ZERO) == half);
        lw__number_write(dtype, &half, text);
        CHECK(lw__number_read(dtype, text, &back) == LW_NUMBER_OK);
        CHECK(isnan(value) || back == half);
    }
}

/* Between two neighbours: below the middle down, above it up, on it to the even one. */
static void half_way(lw_dtype dtype)
{
    uint16_t last = dtype == LW_F16 ? 0x7bff : 0x7f7f;
    for (uint16_t half = 0; half < last; half++) {
        double low = of_half(dtype, half), high = of_half(dtype, (uint16_t)(half + 1));
        double middle = low / 2 + high / 2;
        CHECK(to_half(dtype, middle, LW_NEAREST) == half + (half & 1));
        CHECK(to_half(dtype, nextafter(middle, 0), LW_NEAREST) == half);
        CHECK(to_half(dtype, nextafter(middle, INFINITY), LW_NEAREST) == half + 1);
        CHECK(to_half(dtype, nextafter(high, 0), LW_TOWARD_ZERO) == half);
    }
    CHECK(isinf(of_half(dtype, to_half(dtype, 1e39, LW_NEAREST))));
    CHECK(to_half(dtype, 1e39, LW_TOWARD_ZERO) == last);
}

int main(void)
{
    shortest_forms();
    integers();
    refusals();
    one_rounding();
    all_halves(LW_F16);
    all_halves(LW_BF16);
    half_way(LW_F16);
    half_way(LW_BF16);
    return failures != 0;
}
