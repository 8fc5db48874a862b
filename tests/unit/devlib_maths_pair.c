/* devlib_maths_pair.c - functions of two and three arguments: too many inputs to try them all.
 *
 * Each job draws pairs of several kinds, the first also all pairs of special values (C17 F.10.4.4
 * for pow). pow, atan2 and hypot are judged as the functions of one argument are; what must be
 * exact, by the C library alone.
 */
#include "devlib_maths_long.h"
#include "devlib/devlib.h"

#define JOBS 64

static void try_pow_f32(const struct test *test, struct tally *tally, float x, float y)
{
    float got = lw__pow_f32(x, y);
    double error = ulps_f32(got, pow((double)x, (double)y));
    tally->count++;
    if (error > fmin(fmax(tally->worst, BELOW_INTEREST), test->bound) - MARGIN_F32) {
        tally->judged++;
        error = maths_judge2(mpfr_pow, (double)x, (double)y, (double)got, FORMAT_F32);
    }
    maths_enter(tally, test, error, (double)x, (double)y, NAN);
}

static void try_pow_f64(const struct test *test, struct tally *tally, double x, double y)
{
    double got = lw__pow_f64(x, y);
    double error = ulps_f64(got, powl((long double)x, (long double)y));
    tally->count++;
    if (error > fmin(fmax(tally->worst, BELOW_INTEREST), test->bound) - MARGIN_F64) {
        tally->judged++;
        error = maths_judge2(mpfr_pow, x, y, got, FORMAT_F64);
    }
    maths_enter(tally, test, error, x, y, NAN);
}

/* Pairs of any bits; any x with a y that keeps the result in range; x near 1, where log x is
 * smallest; whole numbers. */
static void run_pow_f32(const struct test *test, unsigned job, struct tally *tally)
{
    uint64_t state = job + 1;
    for (uint64_t i = 0; i < 100 * maths_points; i++) {
        float x = float_of((uint32_t)random_bits(&state));
        try_pow_f32(test, tally, x, float_of((uint32_t)random_bits(&state)));
        x = fabsf(x);
        float y = (float)(random_between(&state, -105, 90) / log((double)x));
        try_pow_f32(test, tally, x, y);
        x = (float)random_between(&state, 0.5, 2);
        y = (float)(random_between(&state, -105, 90) / log((double)x));
        try_pow_f32(test, tally, x, y);
        x = (float)(1 + random_between(&state, -1, 1) * exp2(random_between(&state, -24, 0)));
        y = (float)(random_between(&state, -105, 90) / log((double)x));
        try_pow_f32(test, tally, x, y);
        x = (float)(int)random_between(&state, -100, 100);
        try_pow_f32(test, tally, x, (float)(int)random_between(&state, -60, 60));
    }
    size_t specials = 2 * COUNT(maths_special);
    for (size_t i = 0; job == 0 && i < specials * specials; i++)
        try_pow_f32(test, tally, (float)maths_special_signed(i % specials),
                    (float)maths_special_signed(i / specials));
}

static void run_pow_f64(const struct test *test, unsigned job, struct tally *tally)
{
    uint64_t state = job + 1;
    for (uint64_t i = 0; i < 25 * maths_points; i++) {
        double x = double_of(random_bits(&state));
        try_pow_f64(test, tally, x, double_of(random_bits(&state)));
        x = fabs(x);
        try_pow_f64(test, tally, x, random_between(&state, -746, 711) / log(x));
        x = random_between(&state, 0.5, 2);
        try_pow_f64(test, tally, x, random_between(&state, -746, 711) / log(x));
        x = 1 + random_between(&state, -1, 1) * exp2(random_between(&state, -53, 0));
        try_pow_f64(test, tally, x, random_between(&state, -746, 711) / log(x));
        x = (int)random_between(&state, -1000, 1000);
        try_pow_f64(test, tally, x, (int)random_between(&state, -300, 300));
    }
    size_t specials = 2 * COUNT(maths_special);
    for (size_t i = 0; job == 0 && i < specials * specials; i++)
        try_pow_f64(test, tally, maths_special_signed(i % specials),
                    maths_special_signed(i / specials));
}

static const struct {
    const char *name;
    float (*f32)(float, float);
    double (*f64)(double, double), (*wide)(double, double);
    long double (*widest)(long double, long double);
    maths_true2 judge;
} judged[] = {
    {"atan2", lw__atan2_f32, lw__atan2_f64, atan2, atan2l, mpfr_atan2},
    {"hypot", lw__hypot_f32, lw__hypot_f64, hypot, hypotl, mpfr_hypot},
};

static void try_judged(const struct test *test, struct tally *tally, double x, double y)
{
    const bool is_float = !strcmp(test->type, "f32");
    double got, error, margin = is_float ? MARGIN_F32 : MARGIN_F64;
    if (is_float) {
        x = (double)(float)x, y = (double)(float)y;
        got = (double)judged[test->row].f32((float)x, (float)y);
        error = ulps_f32((float)got, judged[test->row].wide(x, y));
    } else {
        got = judged[test->row].f64(x, y);
        error = ulps_f64(got, judged[test->row].widest((long double)x, (long double)y));
    }
    tally->count++;
    if (error > fmin(fmax(tally->worst, BELOW_INTEREST), test->bound) - margin) {
        tally->judged++;
        error =
            maths_judge2(judged[test->row].judge, x, y, got, is_float ? FORMAT_F32 : FORMAT_F64);
    }
    maths_enter(tally, test, error, x, y, NAN);
}

/* Pairs of any bits; of about the same size; one far below the other. */
static void run_judged(const struct test *test, unsigned job, struct tally *tally)
{
    uint64_t state = job + 1;
    const bool is_float = !strcmp(test->type, "f32");
    for (uint64_t i = 0; i < 25 * maths_points; i++) {
        double x = double_of(random_bits(&state)), y = double_of(random_bits(&state));
        if (is_float) {
            x = (double)float_of((uint32_t)random_bits(&state));
            y = (double)float_of((uint32_t)random_bits(&state));
        }
        try_judged(test, tally, x, y);
        try_judged(test, tally, x, x * random_between(&state, -3, 3));
        try_judged(test, tally, x * random_between(&state, -1, 1), x);
        y = random_between(&state, -1, 1) * exp2(random_between(&state, -30, 0));
        try_judged(test, tally, x * y, x);
        try_judged(test, tally, random_between(&state, -3, 3), random_between(&state, -3, 3));
    }
    size_t specials = 2 * COUNT(maths_special);
    for (size_t i = 0; job == 0 && i < specials * specials; i++)
        try_judged(test, tally, maths_special_signed(i % specials),
                   maths_special_signed(i / specials));
}

static const struct {
    const char *name;
    float (*f32)(float, float);
    double (*f64)(double, double);
    double (*exact)(double, double);
    float (*exact_f32)(float, float); /* NULL: of floats the other's result is a float */
} rows[] = {
    {"fmin", lw__fmin_f32, lw__fmin_f64, exact_fmin, NULL},
    {"fmax", lw__fmax_f32, lw__fmax_f64, exact_fmax, NULL},
    {"fmod", lw__fmod_f32, lw__fmod_f64, fmod, NULL},
    {"remainder", lw__remainder_f32, lw__remainder_f64, remainder, NULL},
    {"copysign", lw__copysign_f32, lw__copysign_f64, copysign, NULL},
    {"fdim", lw__fdim_f32, lw__fdim_f64, fdim, fdimf},
};

static void try_exact(const struct test *test, struct tally *tally, double x, double y)
{
    bool same;
    if (!strcmp(test->type, "f32")) {
        float a = (float)x, b = (float)y;
        float want = rows[test->row].exact_f32 ? rows[test->row].exact_f32(a, b)
                                               : (float)rows[test->row].exact((double)a, (double)b);
        same = same_f32(rows[test->row].f32(a, b), want);
    } else {
        same = same_f64(rows[test->row].f64(x, y), rows[test->row].exact(x, y));
    }
    tally->count++;
    maths_enter(tally, test, same ? 0 : (double)INFINITY, x, y, NAN);
}

static void run_exact(const struct test *test, unsigned job, struct tally *tally)
{
    uint64_t state = job + 1;
    for (uint64_t i = 0; i < 20 * maths_points; i++) {
        double x = double_of(random_bits(&state));
        try_exact(test, tally, x, x * random_between(&state, 0, 1));
        if (i % 4 == 1) /* halves, for remainder */
            try_exact(test, tally, x, x / ((double)(random_bits(&state) % 9) + 0.5));
        if (i % 4 == 0)
            try_exact(test, tally, x, double_of(random_bits(&state)));
        x = (double)float_of((uint32_t)random_bits(&state));
        try_exact(test, tally, x, (double)float_of((uint32_t)random_bits(&state)));
        try_exact(test, tally, x, x * random_between(&state, 0, 1));
    }
    size_t specials = 2 * COUNT(maths_special);
    for (size_t i = 0; job == 0 && i < specials * specials; i++)
        try_exact(test, tally, maths_special_signed(i % specials),
                  maths_special_signed(i / specials));
}

/* The residual of a square is where a rounded product would give 0. */
static void run_fma_f32(const struct test *test, unsigned job, struct tally *tally)
{
    uint64_t state = job + 1;
    for (uint64_t i = 0; i < 40 * maths_points; i++) {
        float x = float_of((uint32_t)random_bits(&state)), y = x;
        float z = float_of((uint32_t)random_bits(&state));
        if (i & 1)
            y = (float)random_between(&state, -4, 4);
        if (i & 2)
            z = -(x * y);
        bool same = same_f32(lw__fma_f32(x, y, z), fmaf(x, y, z));
        tally->count++;
        maths_enter(tally, test, same ? 0 : (double)INFINITY, (double)x, (double)y, (double)z);
    }
}

static void run_fma_f64(const struct test *test, unsigned job, struct tally *tally)
{
    uint64_t state = job + 1;
    for (uint64_t i = 0; i < 40 * maths_points; i++) {
        double x = double_of(random_bits(&state)), y = x, z = double_of(random_bits(&state));
        if (i & 1)
            y = random_between(&state, -4, 4);
        if (i & 2)
            z = -(x * y);
        bool same = same_f64(lw__fma_f64(x, y, z), fma(x, y, z));
        tally->count++;
        maths_enter(tally, test, same ? 0 : (double)INFINITY, x, y, z);
    }
}

size_t maths_pair_tests(struct test *list)
{
    size_t n = 0;
    list[n++] = (struct test){.name = "pow", .type = "f32", .bound = 2, .run = run_pow_f32};
    list[n++] = (struct test){.name = "pow", .type = "f64", .bound = 2, .run = run_pow_f64};
    for (size_t row = 0; row < COUNT(judged); row++)
        for (int wide = 0; wide < 2; wide++)
            list[n++] = (struct test){.name = judged[row].name,
                                      .type = wide ? "f64" : "f32",
                                      .bound = 2,
                                      .row = row,
                                      .run = run_judged};
    for (size_t row = 0; row < COUNT(rows); row++) {
        struct test test = {.name = rows[row].name, .row = row, .run = run_exact};
        test.type = "f32";
        list[n++] = test;
        test.type = "f64";
        list[n++] = test;
    }
    list[n++] = (struct test){.name = "fma", .type = "f32", .run = run_fma_f32};
    list[n++] = (struct test){.name = "fma", .type = "f64", .run = run_fma_f64};
    for (size_t i = 0; i < n; i++)
        list[i].jobs = JOBS;
    return n;
}
