/* devlib_cost.c - what a maths function costs: nanoseconds a result, in a loop over an array that
 * lies in the first-level cache. docs/maths.md quotes it.
 *
 * The device library is compiled into this file; the compiler's flags decide whether the loops are
 * SIMD. Arguments are those of the usual path: 0.1 to 10, for pow with exponents from -3 to 3; the
 * rows sin_huge, cos_huge and tan_huge are of 2^40 times as much. scripts/test-maths --cost runs
 * it once for each set of flags.
 */
#include "devlib/devlib.c"

#include "devlib_ulp.h"
#include <stdio.h>
#include <time.h>

#define N 1024
#define MAKES 15 /* the least of this many measurements counts */

static float x32[N], y32[N], r32[N];
static double x64[N], y64[N], r64[N];

#define LOOP1(name)                                                                                \
    static void name##_f32_loop(void)                                                              \
    {                                                                                              \
        for (int i = 0; i < N; i++)                                                                \
            r32[i] = lw__##name##_f32(x32[i]);                                                     \
    }                                                                                              \
    static void name##_f64_loop(void)                                                              \
    {                                                                                              \
        for (int i = 0; i < N; i++)                                                                \
            r64[i] = lw__##name##_f64(x64[i]);                                                     \
    }
#define LOOP2(name)                                                                                \
    static void name##_f32_loop(void)                                                              \
    {                                                                                              \
        for (int i = 0; i < N; i++)                                                                \
            r32[i] = lw__##name##_f32(x32[i], y32[i]);                                             \
    }                                                                                              \
    static void name##_f64_loop(void)                                                              \
    {                                                                                              \
        for (int i = 0; i < N; i++)                                                                \
            r64[i] = lw__##name##_f64(x64[i], y64[i]);                                             \
    }
LW_MATHS_UNARY(LOOP1)
LW_MATHS_BINARY(LOOP2)

/* sin without the branch to the reduction of huge arguments, which keeps a plain loop from SIMD:
 * what it costs where no lane needs that. */
static inline float lw__sin_near_f32(float x)
{
    int n;
    float low;
    float r = reduce_near_f32(x, &low, &n);
    return turn_f32(r, low, n);
}

static inline double lw__sin_near_f64(double x)
{
    int n;
    double low;
    double r = reduce_near_f64(x, &low, &n);
    return turn_f64(r, low, n);
}
LOOP1(sin_near)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double cost(void (*loop)(void))
{
    double best = INFINITY;
    for (int i = 0; i < MAKES; i++) {
        double start = now();
        for (int repeat = 0; repeat < 50; repeat++) {
            loop();
            __asm__ volatile("" ::"r"(x32), "r"(y32), "r"(x64), "r"(y64), "r"(r32), "r"(r64)
                             : "memory");
        }
        best = fmin(best, (now() - start) / (50 * N));
    }
    return best;
}

static void fill(double factor)
{
    uint64_t state = 1;
    for (int i = 0; i < N; i++) {
        x64[i] = factor * random_between(&state, 0.1, 10);
        y64[i] = random_between(&state, -3, 3);
        x32[i] = (float)x64[i];
        y32[i] = (float)y64[i];
    }
}

int main(void)
{
#define PRINT(name) printf("%s %.2f %.2f\n", #name, cost(name##_f32_loop), cost(name##_f64_loop));
#define PRINT_HUGE(name)                                                                           \
    printf("%s_huge %.2f %.2f\n", #name, cost(name##_f32_loop), cost(name##_f64_loop));
    fill(1);
    LW_MATHS_UNARY(PRINT)
    LW_MATHS_BINARY(PRINT)
    PRINT(sin_near)
    fill(0x1p40);
    PRINT_HUGE(sin)
    PRINT_HUGE(cos)
    PRINT_HUGE(tan)
    return 0;
}
