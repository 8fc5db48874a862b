/* devlib_maths.c - the maths functions against the C library's next wider type.
 *
 *     devlib_maths [stride [points]]
 *
 * Float functions of one argument are tried on each stride-th bit pattern (997; 1 is exhaustive),
 * the others on random points (100000 a range), all on special values. Prints the largest error
 * of each function in ULP with its input, and fails above the bound. scripts/test-maths is the
 * long form, with MPFR as the last judge.
 */
#include "devlib/devlib.h"
#include "devlib_maths.h"
#include "devlib_ulp.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;
static uint64_t points = 100000;

static const struct {
    const char *name;
    float (*f32)(float);
    double (*wide)(double);
    double (*f64)(double);
    long double (*widest)(long double);
    double bound; /* largest error allowed, in ULP */
} unary[] = {
#define ROW(name, bound, wide, widest, judge)                                                      \
    {#name, lw__##name##_f32, wide, lw__##name##_f64, widest, bound},
    MATHS_UNARY(ROW)
#undef ROW
};

static void report(const char *name, const char *type, double worst, double at, double and,
                   double bound)
{
    bool bad = !(worst <= bound);
    failures += bad;
    printf("%-6s %s  %9.6f ULP  bound %.2f  at %a", name, type, worst, bound, at);
    if (!isnan(and))
        printf(", %a", and);
    printf("%s\n", bad ? "  FAILED" : "");
}

static void try_unary_f32(size_t row, float x, double *worst, float *at)
{
    double error = ulps_f32(unary[row].f32(x), unary[row].wide(x));
    if (error > *worst) {
        *worst = error;
        *at = x;
    }
}

static void test_unary_f32(size_t row, uint64_t stride)
{
    double worst = 0;
    float at = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += stride)
        try_unary_f32(row, float_of((uint32_t)bits), &worst, &at);
    for (size_t i = 0; i < 2 * COUNT(maths_special); i++)
        try_unary_f32(row, (float)maths_special_signed(i), &worst, &at);
    report(unary[row].name, "f32", worst, at, NAN, unary[row].bound);
}

static void try_unary_f64(size_t row, double x, double *worst, double *at)
{
    double error = ulps_f64(unary[row].f64(x), unary[row].widest(x));
    if (error > *worst) {
        *worst = error;
        *at = x;
    }
}

/* Random bit patterns reach every exponent; the ranges are where most functions live; multiples of
 * pi/2 are where the reduction of sin, cos and tan loses most. */
static void test_unary_f64(size_t row)
{
    uint64_t state = 1;
    double worst = 0, at = 0;
    for (uint64_t i = 0; i < points; i++) {
        try_unary_f64(row, double_of(random_bits(&state)), &worst, &at);
        try_unary_f64(row, random_between(&state, -2, 2), &worst, &at);
        try_unary_f64(row, random_between(&state, -8, 8), &worst, &at);
        try_unary_f64(row, random_between(&state, -750, 750), &worst, &at);
        try_unary_f64(row, (double)(random_bits(&state) >> (i & 63)) * M_PI_2, &worst, &at);
    }
    for (size_t i = 0; i < 2 * COUNT(maths_special); i++)
        try_unary_f64(row, maths_special_signed(i), &worst, &at);
    for (size_t i = 0; i < 2 * COUNT(maths_hard); i++)
        try_unary_f64(row, (i & 1 ? -1 : 1) * maths_hard[i / 2], &worst, &at);
    report(unary[row].name, "f64", worst, at, NAN, unary[row].bound);
}

static void expect_f32(const char *name, float x, float y, float got, float want)
{
    if (same_f32(got, want))
        return;
    failures++;
    printf("%s.f32(%a, %a) = %a, want %a\n", name, x, y, got, want);
}

static void expect_f64(const char *name, double x, double y, double got, double want)
{
    if (same_f64(got, want))
        return;
    failures++;
    printf("%s.f64(%a, %a) = %a, want %a\n", name, x, y, got, want);
}

struct worst_pair {
    double error, x, y;
};

static void try_pow_f32(float x, float y, struct worst_pair *worst)
{
    double error = ulps_f32(lw__pow_f32(x, y), pow(x, y));
    if (error > worst->error)
        *worst = (struct worst_pair){error, x, y};
}

/* At the ends pow is the judge: glibc's powl takes 2^63 for odd. */
static void try_pow_f64(double x, double y, struct worst_pair *worst)
{
    double end = pow(x, y);
    long double want = isfinite(end) && end != 0 ? powl(x, y) : end;
    double error = ulps_f64(lw__pow_f64(x, y), want);
    if (error > worst->error)
        *worst = (struct worst_pair){error, x, y};
}

static const struct {
    const char *name;
    float (*f32)(float, float);
    double (*f64)(double, double), (*wide)(double, double);
    long double (*widest)(long double, long double);
} pairs[] = {
    {"atan2", lw__atan2_f32, lw__atan2_f64, atan2, atan2l},
    {"hypot", lw__hypot_f32, lw__hypot_f64, hypot, hypotl},
};

static void try_pair(size_t row, double x, double y, struct worst_pair *f32, struct worst_pair *f64)
{
    float a = (float)x, b = (float)y;
    double error = ulps_f32(pairs[row].f32(a, b), pairs[row].wide(a, b));
    if (error > f32->error)
        *f32 = (struct worst_pair){error, a, b};
    error = ulps_f64(pairs[row].f64(x, y), pairs[row].widest(x, y));
    if (error > f64->error)
        *f64 = (struct worst_pair){error, x, y};
}

/* Random pairs of any bits, of about the same size, and every pair of special values. */
static void test_pair(size_t row)
{
    uint64_t state = 5;
    struct worst_pair f32 = {0, 0, 0}, f64 = {0, 0, 0};
    const size_t specials = 2 * COUNT(maths_special);
    for (uint64_t i = 0; i < points; i++) {
        const double x = double_of(random_bits(&state)),
                     y = float_of((uint32_t)random_bits(&state));
        try_pair(row, x, double_of(random_bits(&state)), &f32, &f64);
        try_pair(row, y, float_of((uint32_t)random_bits(&state)), &f32, &f64);
        try_pair(row, x, x * random_between(&state, -4, 4), &f32, &f64);
        try_pair(row, y, y * random_between(&state, -4, 4), &f32, &f64);
        try_pair(row, y * random_between(&state, -9, 9) * 0x1p-20, y, &f32, &f64);
    }
    for (size_t i = 0; i < specials * specials; i++)
        try_pair(row, maths_special_signed(i % specials), maths_special_signed(i / specials), &f32,
                 &f64);
    report(pairs[row].name, "f32", f32.error, f32.x, f32.y, 2);
    report(pairs[row].name, "f64", f64.error, f64.x, f64.y, 2);
}

/* C17 F.10.4.4, a row or more for each of its lines. */
/* clang-format off */
static const double pow_table[][3] = {
    {0, -3, INFINITY}, {-0.0, -3, -INFINITY}, {-0.0, -1, -INFINITY},
    {0, -2, INFINITY}, {-0.0, -2, INFINITY}, {-0.0, -0.5, INFINITY}, {-0.0, -0x1p60, INFINITY},
    {0, -INFINITY, INFINITY}, {-0.0, -INFINITY, INFINITY},
    {0, 3, 0}, {-0.0, 3, -0.0}, {-0.0, 1, -0.0},
    {0, 2, 0}, {-0.0, 2, 0}, {-0.0, 0.5, 0}, {0, INFINITY, 0}, {-0.0, INFINITY, 0},
    {-1, INFINITY, 1}, {-1, -INFINITY, 1},
    {1, 0.5, 1}, {1, INFINITY, 1}, {1, -INFINITY, 1}, {1, NAN, 1},
    {5, 0, 1}, {-5, -0.0, 1}, {0, 0, 1}, {-0.0, -0.0, 1}, {INFINITY, 0, 1}, {-INFINITY, -0.0, 1},
    {NAN, 0, 1}, {NAN, -0.0, 1},
    {-2, 0.5, NAN}, {-0.5, -1.5, NAN}, {-0x1p-149, 0x1p-149, NAN},
    {0.5, -INFINITY, INFINITY}, {-0.5, -INFINITY, INFINITY},
    {2, -INFINITY, 0}, {-2, -INFINITY, 0}, {INFINITY, -INFINITY, 0}, {-INFINITY, -INFINITY, 0},
    {0.5, INFINITY, 0}, {-0.5, INFINITY, 0},
    {2, INFINITY, INFINITY}, {-2, INFINITY, INFINITY}, {-INFINITY, INFINITY, INFINITY},
    {-INFINITY, -3, -0.0}, {-INFINITY, -2, 0}, {-INFINITY, -0.5, 0},
    {-INFINITY, 3, -INFINITY}, {-INFINITY, 2, INFINITY}, {-INFINITY, 0.5, INFINITY},
    {INFINITY, -3, 0}, {INFINITY, -0.5, 0}, {INFINITY, 3, INFINITY}, {INFINITY, 0.5, INFINITY},
    {NAN, 1, NAN}, {2, NAN, NAN}, {-1, NAN, NAN}, {0, NAN, NAN}, {NAN, INFINITY, NAN},
    /* odd up to the last odd number of the type, even from there on */
    {-1, 0xffffff, -1}, {-1, 0x1p24, 1}, {-1, 0x1.fffffep23, -1}, {-2, 3, -8}, {-2, -2, 0.25},
};
/* clang-format on */

static void test_pow_table(void)
{
    for (size_t i = 0; i < COUNT(pow_table); i++) {
        double x = pow_table[i][0], y = pow_table[i][1], want = pow_table[i][2];
        float a = (float)x, b = (float)y;
        expect_f64("pow", x, y, lw__pow_f64(x, y), want);
        expect_f32("pow", a, b, lw__pow_f32(a, b), (float)want);
    }
    expect_f64("pow", -1, 0x1.fffffffffffffp52, lw__pow_f64(-1, 0x1.fffffffffffffp52), -1);
    expect_f64("pow", -1, 0x1p53, lw__pow_f64(-1, 0x1p53), 1);
}

/* Random pairs, most with a y that keeps the result in range, and every pair of special values:
 * the table of C17 F.10.4.4, which the C library keeps. */
static void test_pow(void)
{
    uint64_t state = 2;
    struct worst_pair f32 = {0, 0, 0}, f64 = {0, 0, 0};
    for (uint64_t i = 0; i < 10 * points; i++) {
        float x = float_of((uint32_t)random_bits(&state) >> 1);
        try_pow_f32(x, float_of((uint32_t)random_bits(&state)), &f32);
        try_pow_f32(x, (float)(random_between(&state, -105, 90) / log(x)), &f32);
        x = (float)random_between(&state, 0.5, 2);
        try_pow_f32(x, (float)(random_between(&state, -105, 90) / log(x)), &f32);
    }
    for (uint64_t i = 0; i < points; i++) {
        double x = double_of(random_bits(&state) >> 1);
        try_pow_f64(x, double_of(random_bits(&state)), &f64);
        try_pow_f64(x, random_between(&state, -746, 711) / log(x), &f64);
        x = random_between(&state, 0.5, 2);
        try_pow_f64(x, random_between(&state, -746, 711) / log(x), &f64);
    }
    size_t specials = 2 * COUNT(maths_special);
    for (size_t i = 0; i < specials * specials; i++) {
        double x = maths_special_signed(i % specials), y = maths_special_signed(i / specials);
        try_pow_f32((float)x, (float)y, &f32);
        try_pow_f64(x, y, &f64);
    }
    report("pow", "f32", f32.error, f32.x, f32.y, 2);
    report("pow", "f64", f64.error, f64.x, f64.y, 2);
}

static void try_binary(double x, double y)
{
    float a = (float)x, b = (float)y;
    expect_f32("fmin", a, b, lw__fmin_f32(a, b), (float)exact_fmin(a, b));
    expect_f32("fmax", a, b, lw__fmax_f32(a, b), (float)exact_fmax(a, b));
    expect_f32("fmod", a, b, lw__fmod_f32(a, b), fmodf(a, b));
    expect_f32("remainder", a, b, lw__remainder_f32(a, b), remainderf(a, b));
    expect_f32("copysign", a, b, lw__copysign_f32(a, b), copysignf(a, b));
    expect_f32("fdim", a, b, lw__fdim_f32(a, b), fdimf(a, b));
    expect_f64("fmin", x, y, lw__fmin_f64(x, y), exact_fmin(x, y));
    expect_f64("fmax", x, y, lw__fmax_f64(x, y), exact_fmax(x, y));
    expect_f64("fmod", x, y, lw__fmod_f64(x, y), fmod(x, y));
    expect_f64("remainder", x, y, lw__remainder_f64(x, y), remainder(x, y));
    expect_f64("copysign", x, y, lw__copysign_f64(x, y), copysign(x, y));
    expect_f64("fdim", x, y, lw__fdim_f64(x, y), fdim(x, y));
}

static void test_binary(void)
{
    uint64_t state = 3;
    size_t specials = 2 * COUNT(maths_special);
    for (size_t i = 0; i < specials * specials; i++)
        try_binary(maths_special_signed(i % specials), maths_special_signed(i / specials));
    for (uint64_t i = 0; i < points / 4; i++) {
        double x = double_of(random_bits(&state));
        try_binary(x, double_of(random_bits(&state)));
        try_binary(float_of((uint32_t)random_bits(&state)),
                   float_of((uint32_t)random_bits(&state)));
        try_binary(x, x * random_between(&state, 0, 1));
        try_binary(x, x / ((double)(i % 9) + 0.5));
    }
}

/* The residual of a square is where a rounded product would give 0. */
static void test_fma(void)
{
    uint64_t state = 4;
    for (uint64_t i = 0; i < points; i++) {
        double x = double_of(random_bits(&state)), z = double_of(random_bits(&state));
        float a = float_of((uint32_t)random_bits(&state));
        float c = float_of((uint32_t)random_bits(&state));
        expect_f64("fma", x, z, lw__fma_f64(x, x, z), fma(x, x, z));
        expect_f64("fma", x, x, lw__fma_f64(x, x, -(x * x)), fma(x, x, -(x * x)));
        expect_f32("fma", a, c, lw__fma_f32(a, a, c), fmaf(a, a, c));
        expect_f32("fma", a, a, lw__fma_f32(a, a, -(a * a)), fmaf(a, a, -(a * a)));
    }
}

int main(int argc, char **argv)
{
    uint64_t stride = argc > 1 ? strtoull(argv[1], NULL, 10) : 997;
    points = argc > 2 ? strtoull(argv[2], NULL, 10) : points;
    for (size_t row = 0; row < COUNT(unary); row++) {
        test_unary_f32(row, stride ? stride : 1);
        test_unary_f64(row);
    }
    test_pow_table();
    test_pow();
    for (size_t row = 0; row < COUNT(pairs); row++)
        test_pair(row);
    test_binary();
    test_fma();
    printf("%d failures\n", failures);
    return failures != 0;
}
