/* cli_fill.c - iota, rand and normal keep docs/cli.md's promise.
 */
#include "cli_test.h"
#include "text/half.h"
#include <math.h>

/* The known answers of the paper's own library, Random123 (kat_vectors, philox4x32 10). */
static void philox(void)
{
    static const uint32_t rows[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    for (int i = 0; i < 3; i++) {
        uint32_t words[4];
        lw__philox(rows[i] + 4, rows[i], words);
        CHECK(memcmp(words, rows[i] + 6, sizeof words) == 0);
    }
}

/* Element i has word i % 4 of counter i / 4; 64-bit elements have two words, low first. */
static void rand_words(void)
{
    uint32_t key[2] = {7, 1}, words[4], u32[9];
    uint64_t seed = 7 | UINT64_C(1) << 32, u64[5];
    uint8_t u8[9];
    bool flags[9];
    float f32[9];
    double f64[5];
    lw__fill_make(LW_FILL_RAND, LW_U32, seed, 9, u32);
    lw__fill_make(LW_FILL_RAND, LW_U64, seed, 5, u64);
    lw__fill_make(LW_FILL_RAND, LW_U8, seed, 9, u8);
    lw__fill_make(LW_FILL_RAND, LW_BOOL, seed, 9, flags);
    lw__fill_make(LW_FILL_RAND, LW_F32, seed, 9, f32);
    lw__fill_make(LW_FILL_RAND, LW_F64, seed, 5, f64);
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t counter[4] = {i / 4, 0, 0, 0};
        lw__philox(key, counter, words);
        CHECK(u32[i] == words[i % 4]);
        CHECK(u8[i] == (uint8_t)words[i % 4]);
        CHECK(flags[i] == (words[i % 4] & 1));
        CHECK(f32[i] == (float)(words[i % 4] >> 8) / 16777216);
    }
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t counter[4] = {i / 2, 0, 0, 0};
        lw__philox(key, counter, words);
        uint64_t joined = words[i % 2 * 2] | (uint64_t)words[i % 2 * 2 + 1] << 32;
        CHECK(u64[i] == joined);
        CHECK(f64[i] == (double)(joined >> 11) / 9007199254740992);
    }
}

enum { MANY = 1 << 16 };

static void check_uniform(lw_dtype dtype)
{
    char *data = malloc(MANY * lw_dtype_size(dtype));
    double sum = 0;
    lw__fill_make(LW_FILL_RAND, dtype, 1, MANY, data);
    for (int i = 0; i < MANY; i++) {
        double value = lw__real_get(dtype, data + (size_t)i * lw_dtype_size(dtype));
        CHECK(value >= 0 && value < 1);
        sum += value;
    }
    CHECK(fabs(sum / MANY - 0.5) < 0.01);
    free(data);
}

static void check_normal(lw_dtype dtype)
{
    char *data = malloc(MANY * lw_dtype_size(dtype));
    double sum = 0, squares = 0;
    lw__fill_make(LW_FILL_NORMAL, dtype, 1, MANY, data);
    for (int i = 0; i < MANY; i++) {
        double value = lw__real_get(dtype, data + (size_t)i * lw_dtype_size(dtype));
        CHECK(isfinite(value));
        sum += value;
        squares += value * value;
    }
    CHECK(fabs(sum / MANY) < 0.02 && fabs(squares / MANY - 1) < 0.03);
    free(data);
}

/* Box & Muller with the C library's functions, which are good to about the last bit. */
static void normal_values(void)
{
    enum { COUNT = 20001 };
    uint32_t key[2] = {42, 0}, words[4];
    double *values = malloc(COUNT * sizeof *values);
    lw__fill_make(LW_FILL_NORMAL, LW_F64, 42, COUNT, values);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t counter[4] = {i / 2, 0, 0, 0};
        lw__philox(key, counter, words);
        uint64_t first = words[0] | (uint64_t)words[1] << 32;
        uint64_t second = words[2] | (uint64_t)words[3] << 32;
        double u = ((double)(first >> 11) + 1) * 0x1p-53;
        double angle = 2 * 3.14159265358979323846 * ((double)(second >> 11) * 0x1p-53);
        double expected = sqrt(-2 * log(u)) * (i % 2 ? sin(angle) : cos(angle));
        CHECK(fabs(values[i] - expected) < 1e-14);
    }
    free(values);
}

static void iota(void)
{
    uint8_t u8[300];
    uint16_t f16[4096];
    bool flags[3];
    lw__fill_make(LW_FILL_IOTA, LW_U8, 0, 300, u8);
    lw__fill_make(LW_FILL_IOTA, LW_F16, 0, 4096, f16);
    lw__fill_make(LW_FILL_IOTA, LW_BOOL, 0, 3, flags);
    CHECK(u8[255] == 255 && u8[256] == 0 && u8[299] == 43);
    CHECK(f16[1] == 0x3c00 && f16[2049] == 0x6800 && f16[2051] == 0x6802);
    CHECK(!flags[0] && flags[1] && !flags[2]);
}

int main(void)
{
    static const lw_dtype floats[] = {LW_F16, LW_BF16, LW_F32, LW_F64};
    philox();
    rand_words();
    for (int i = 0; i < 4; i++) {
        check_uniform(floats[i]);
        check_normal(floats[i]);
    }
    normal_values();
    iota();
    return failures != 0;
}
