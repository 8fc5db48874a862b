/* cli_number.c - numbers from and to text: one rounding, shortest form, 16-bit floats.
 */
#include "cli_test.h"
#include <math.h>

static void check_written(lw_dtype dtype, const void *element, const char *expected)
{
    char text[CLI_NUMBER_SIZE];
    cli_number_write(dtype, element, text);
    CHECK_TEXT(text, expected);
}

/* read, write: the same or the shortest form of it. */
static void check_shown(lw_dtype dtype, const char *text, const char *expected)
{
    char element[8];
    CHECK(cli_number_read(dtype, text, element) == CLI_NUMBER_OK);
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
        enum cli_number expected;
    } rows[] = {
        {LW_I32, "8.5", CLI_NOT_AN_INTEGER},
        {LW_I32, "inf", CLI_NOT_AN_INTEGER},
        {LW_I32, "nan", CLI_NOT_AN_INTEGER},
        {LW_I32, "1.00000000000000000001", CLI_NOT_AN_INTEGER},
        {LW_I32, "2147483648", CLI_OUT_OF_RANGE},
        {LW_I32, "0xffffffff", CLI_OUT_OF_RANGE},
        {LW_I8, "-129", CLI_OUT_OF_RANGE},
        {LW_U8, "-1", CLI_OUT_OF_RANGE},
        {LW_U8, "256", CLI_OUT_OF_RANGE},
        {LW_U64, "18446744073709551616", CLI_OUT_OF_RANGE},
        {LW_U64, "1e30", CLI_OUT_OF_RANGE},
        {LW_BOOL, "2", CLI_OUT_OF_RANGE},
        {LW_F32, "1e39", CLI_OUT_OF_RANGE},
        {LW_F64, "1e309", CLI_OUT_OF_RANGE},
        {LW_F16, "65520", CLI_OUT_OF_RANGE},
        {LW_BF16, "3.4e38", CLI_OUT_OF_RANGE},
        {LW_F32, "", CLI_NOT_A_NUMBER},
        {LW_F32, "x", CLI_NOT_A_NUMBER},
        {LW_F32, "1x", CLI_NOT_A_NUMBER},
        {LW_F32, " 1", CLI_NOT_A_NUMBER},
        {LW_F32, "1 ", CLI_NOT_A_NUMBER},
        {LW_F32, "infinity", CLI_NOT_A_NUMBER},
        {LW_F32, "nan(1)", CLI_NOT_A_NUMBER},
        {LW_F32, "--1", CLI_NOT_A_NUMBER},
        {LW_I32, "0x", CLI_NOT_A_NUMBER},
        {LW_I32, "1e", CLI_NOT_A_NUMBER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char element[8];
        enum cli_number read = cli_number_read(rows[i].dtype, rows[i].text, element);
        if (read != rows[i].expected) {
            fprintf(stderr, "'%s': %d\n", rows[i].text, read);
            failures++;
        }
    }
}

/* The text lies just beside the middle of two 16-bit floats; its double lies on it. */
static void one_rounding(void)
{
    uint16_t half;
    static const char *const texts[] = {"2049", "2049.00000000000000000000000000001",
                                        "2048.99999999999999999999999999999", "2051"};
    static const uint16_t expected[] = {0x6800, 0x6801, 0x6800, 0x6802};
    for (int i = 0; i < 4; i++) {
        CHECK(cli_number_read(LW_F16, texts[i], &half) == CLI_NUMBER_OK);
        CHECK(half == expected[i]);
    }
    CHECK(cli_number_read(LW_F16, "65519.9999999999999999999999999999", &half) == CLI_NUMBER_OK);
    CHECK(half == 0x7bff);
    CHECK(cli_number_read(LW_BF16, "257.00000000000000000000001", &half) == CLI_NUMBER_OK);
    CHECK(half == 0x4381);
}

/* Every 16-bit float survives both ways, also as text. */
static void all_halves(lw_dtype dtype)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint16_t half = (uint16_t)bits, back;
        double value = cli_half_to(dtype, half);
        char text[CLI_NUMBER_SIZE];
        back = cli_half_from(dtype, value, CLI_NEAREST);
        CHECK(isnan(value) ? isnan(cli_half_to(dtype, back)) : back == half);
        CHECK(isnan(value) || cli_half_from(dtype, value, CLI_TOWARD_ZERO) == half);
        cli_number_write(dtype, &half, text);
        CHECK(cli_number_read(dtype, text, &back) == CLI_NUMBER_OK);
        CHECK(isnan(value) || back == half);
    }
}

/* Between two neighbours: below the middle down, above it up, on it to the even one. */
static void half_way(lw_dtype dtype)
{
    uint16_t last = dtype == LW_F16 ? 0x7bff : 0x7f7f;
    for (uint16_t half = 0; half < last; half++) {
        double low = cli_half_to(dtype, half), high = cli_half_to(dtype, (uint16_t)(half + 1));
        double middle = low / 2 + high / 2;
        CHECK(cli_half_from(dtype, middle, CLI_NEAREST) == half + (half & 1));
        CHECK(cli_half_from(dtype, nextafter(middle, 0), CLI_NEAREST) == half);
        CHECK(cli_half_from(dtype, nextafter(middle, INFINITY), CLI_NEAREST) == half + 1);
        CHECK(cli_half_from(dtype, nextafter(high, 0), CLI_TOWARD_ZERO) == half);
    }
    CHECK(isinf(cli_half_to(dtype, cli_half_from(dtype, 1e39, CLI_NEAREST))));
    CHECK(cli_half_from(dtype, 1e39, CLI_TOWARD_ZERO) == last);
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
