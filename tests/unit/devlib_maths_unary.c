/* devlib_maths_unary.c - functions of one argument: every float, doubles by octaves.
 *
 * The device library is compiled into this file, so that its loops become SIMD.
 */
#include "devlib/devlib.c"

#include "devlib_maths_long.h"
#include <string.h>

#define BLOCK 1024 /* results compared together */
#define exactly NULL

#define LOOP(name, bound, wide, widest, judge)                                                     \
    static void loop_##name##_f32(const float *x, float *y)                                        \
    {                                                                                              \
        for (int i = 0; i < BLOCK; i++)                                                            \
            y[i] = lw__##name##_f32(x[i]);                                                         \
    }                                                                                              \
    static void loop_##name##_f64(const double *x, double *y)                                      \
    {                                                                                              \
        for (int i = 0; i < BLOCK; i++)                                                            \
            y[i] = lw__##name##_f64(x[i]);                                                         \
    }                                                                                              \
    static void wide_##name##_f32(const float *x, double *y)                                       \
    {                                                                                              \
        for (int i = 0; i < BLOCK; i++)                                                            \
            y[i] = wide((double)x[i]);                                                             \
    }
MATHS_UNARY(LOOP)
#undef LOOP

static const struct {
    const char *name;
    void (*f32)(const float *, float *);
    void (*wide)(const float *, double *);
    void (*f64)(const double *, double *);
    long double (*widest)(long double);
    maths_true1 judge;
    double bound;
} rows[] = {
#define ROW(name, bound, wide, widest, judge)                                                      \
    {#name, loop_##name##_f32, wide_##name##_f32, loop_##name##_f64, widest, judge, bound},
    MATHS_UNARY(ROW)
#undef ROW
};

/* Errors up to here need no MPFR. */
static double clear_error(const struct test *test, const struct tally *tally, double margin)
{
    if (!rows[test->row].judge)
        return test->bound;
    return fmin(fmax(tally->worst, BELOW_INTEREST), test->bound) - margin;
}

/* Errors up to here change nothing. */
static double dull_error(const struct test *test, const struct tally *tally, double margin)
{
    return fmin(clear_error(test, tally, margin), tally->worst);
}

/* Enter got for x, whose error by the wider type is given. MPFR is asked where that may matter,
 * and where check is set. */
static void enter(const struct test *test, struct tally *tally, double x, double got, double error,
                  bool check, enum maths_format format)
{
    maths_true1 judge = rows[test->row].judge;
    double margin = format == FORMAT_F32 ? MARGIN_F32 : MARGIN_F64;
    if (judge && (check || error > clear_error(test, tally, margin))) {
        double exact = maths_judge1(judge, x, got, format);
        tally->judged++;
        tally->misled += exact != error && !(fabs(exact - error) <= margin);
        error = exact;
    }
    maths_enter(tally, test, error, x, NAN, NAN);
}

static void try_f32(const struct test *test, struct tally *tally, const float *x)
{
    float got[BLOCK];
    double want[BLOCK], error[BLOCK], largest = 0;
    rows[test->row].f32(x, got);
    rows[test->row].wide(x, want);
    for (int i = 0; i < BLOCK; i++) {
        error[i] = ulps_f32(got[i], want[i]);
        largest = error[i] > largest ? error[i] : largest;
    }
    bool check = tally->count % (64 * BLOCK) == 0;
    tally->count += BLOCK;
    if (!check && largest <= dull_error(test, tally, MARGIN_F32))
        return;
    for (int i = 0; i < BLOCK; i++) {
        bool sample = check && i == 0;
        if (sample || error[i] > dull_error(test, tally, MARGIN_F32))
            enter(test, tally, (double)x[i], (double)got[i], error[i], sample, FORMAT_F32);
    }
}

/* 2^24 bit patterns a job; what is left of the last block is filled with the last one. */
static void run_f32(const struct test *test, unsigned job, struct tally *tally)
{
    uint64_t bits = (uint64_t)job << 24, end = bits + (1 << 24);
    bits = (bits + maths_stride - 1) / maths_stride * maths_stride;
    while (bits < end) {
        float x[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            x[i] = float_of((uint32_t)bits);
            bits += bits + maths_stride < end || i == BLOCK - 1 ? maths_stride : 0;
        }
        try_f32(test, tally, x);
    }
}

static void try_f64(const struct test *test, struct tally *tally, const double *x)
{
    double got[BLOCK];
    rows[test->row].f64(x, got);
    bool check = tally->count % (4 * BLOCK) == 0;
    tally->count += BLOCK;
    for (int i = 0; i < BLOCK; i++) {
        double error = ulps_f64(got[i], rows[test->row].widest((long double)x[i]));
        bool sample = check && i == 0;
        if (sample || error > dull_error(test, tally, MARGIN_F64))
            enter(test, tally, x[i], got[i], error, sample, FORMAT_F64);
    }
}

/* A list of any length, the last block filled with the last one. */
static void try_list(const struct test *test, struct tally *tally, const double *x, size_t count)
{
    for (size_t first = 0; first < count; first += BLOCK) {
        double block[BLOCK];
        for (size_t i = 0; i < BLOCK; i++)
            block[i] = x[first + i < count ? first + i : count - 1];
        try_f64(test, tally, block);
    }
}

/* The octave of exponent field e, both signs: its ends and random significands. */
static void try_octave(const struct test *test, struct tally *tally, uint64_t e, uint64_t points)
{
    uint64_t state = e * 64 + test->row + 1;
    for (uint64_t first = 0; first < 2 * points; first += BLOCK) {
        double x[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            uint64_t bits = random_bits(&state);
            x[i] = double_of((bits & ~(UINT64_C(0x7ff) << 52)) | e << 52);
        }
        if (first == 0)
            for (uint64_t i = 0; i < 16; i++) /* 0 to 3 and -1 to -4, both signs */
                x[i] = double_of(((i & 8 ? -1 - (i & 3) : i & 3) & ~(UINT64_C(0xfff) << 52)) |
                                 e << 52 | (i & 4) << 61);
        try_f64(test, tally, x);
    }
}

/* Special values and their neighbours, the worst cases of the literature, and for each exponent
 * the arguments closest to multiples of pi/4. */
static void try_hard(const struct test *test, struct tally *tally)
{
    double x[2048];
    size_t n = 0;
    for (size_t i = 0; i < 2 * COUNT(maths_special); i++)
        for (uint64_t step = 0; step < 7; step++)
            x[n++] = double_of(bits_of(maths_special_signed(i)) + step - 3);
    for (size_t i = 0; i < 2 * COUNT(maths_hard); i++)
        x[n++] = i & 1 ? -maths_hard[i / 2] : maths_hard[i / 2];
    try_list(test, tally, x, n);
    n = 0;
    for (int e = -80; e <= 971; e++) {
        double near[64];
        size_t found = maths_near_pio4(e, near);
        for (size_t i = 0; i < found; i++) {
            x[n++] = near[i];
            x[n++] = -near[i];
        }
        if (n > COUNT(x) - 2 * COUNT(near) || e == 971) {
            try_list(test, tally, x, n);
            n = 0;
        }
    }
}

#define FIRST_BUSY (1023 - 40) /* octaves where the functions live: ten times the points */
#define LAST_BUSY (1023 + 12)
#define OCTAVES_A_JOB 32

static void run_f64(const struct test *test, unsigned job, struct tally *tally)
{
    if (job == 0)
        try_hard(test, tally);
    for (uint64_t e = (uint64_t)job * OCTAVES_A_JOB; e < (job + 1) * OCTAVES_A_JOB; e++) {
        bool busy = e >= FIRST_BUSY && e <= LAST_BUSY;
        try_octave(test, tally, e, busy ? 10 * maths_points : maths_points);
    }
}

size_t maths_unary_tests(struct test *list)
{
    size_t n = 0;
    for (size_t row = 0; row < COUNT(rows); row++) {
        struct test test = {.name = rows[row].name, .bound = rows[row].bound, .row = row};
        test.type = "f32";
        test.jobs = 256;
        test.run = run_f32;
        list[n++] = test;
        test.type = "f64";
        test.jobs = 2048 / OCTAVES_A_JOB;
        test.run = run_f64;
        list[n++] = test;
    }
    return n;
}
