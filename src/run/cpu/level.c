/* level.c - which vector instructions kernels may use. The processor must have them, and the system
 * must save their registers; __builtin_cpu_supports checks both. A processor's name never counts.
 * On AArch64 they are the instructions that all processors have.
 */
#include "run/cpu/cpu.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the least to the best. */
#if defined(__aarch64__)
enum { NEON, LEVEL_COUNT };

static const struct lw__cpu_level levels[LEVEL_COUNT] = {
    [NEON] = {"aarch64", "cpu:aarch64", "NEON"}};
static const char words[] = "aarch64";

static int best_level(void)
{
    return NEON;
}
#else
enum { BASELINE, AVX2, AVX512, LEVEL_COUNT };

static const struct lw__cpu_level levels[LEVEL_COUNT] = {
    [BASELINE] = {"baseline", "cpu:baseline", "baseline x86-64"},
    [AVX2] = {"avx2", "cpu:avx2", "AVX2"},
    [AVX512] = {"avx512", "cpu:avx512", "AVX-512"},
};
static const char words[] = "avx512, avx2 or baseline";

/* The levels are the code generator's x86-64-v3 and -v4, which use all that these have. */
static int best_level(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v4")   ? AVX512
           : __builtin_cpu_supports("x86-64-v3") ? AVX2
                                                 : BASELINE;
}
#endif

/* ---- gangs of a size that was asked for ---- */

enum { GANG_COUNT = LW_CPU_THREADS_MAX / 32 };

static struct lw__cpu_level in_gangs[LEVEL_COUNT][GANG_COUNT];
static char targets[LEVEL_COUNT][GANG_COUNT][sizeof "cpu:baseline/1024"];

static void write_targets(void)
{
    for (int i = 0; i < LEVEL_COUNT; i++)
        for (int n = 0; n < GANG_COUNT; n++) {
            snprintf(targets[i][n], sizeof targets[i][n], "%s/%d", levels[i].target, 32 * (n + 1));
            in_gangs[i][n] = levels[i];
            in_gangs[i][n].target = targets[i][n];
        }
}

/* The same level, which is one of levels, in gangs of so many threads. */
static const struct lw__cpu_level *with_gang(const struct lw__cpu_level *level, size_t threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, write_targets);
    return &in_gangs[level - levels][threads / 32 - 1];
}

/* As LANEWISE_GANG says. */
static lw_status choose_gang(const struct lw__cpu_level **level)
{
    long threads;

    LW_TRY(lw__environment_number("LANEWISE_GANG", 32, LW_CPU_THREADS_MAX, &threads));
    if (threads)
        *level = with_gang(*level, (size_t)threads);
    return LW_OK;
}

static lw_status choose_level(const struct lw__cpu_level **level)
{
    const char *wanted = getenv("LANEWISE_CPU");
    int best = best_level();

    *level = &levels[best];
    if (!wanted)
        return LW_OK;
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (!strcmp(wanted, levels[i].word)) {
            if (i > best)
                return lw__fail(LW_E_DEVICE,
                                "LANEWISE_CPU is '%s', which this processor or its system lacks; "
                                "the most it has is '%s'",
                                wanted, levels[best].word);
            *level = &levels[i];
            return LW_OK;
        }
    return lw__fail(LW_E_ARG, "LANEWISE_CPU is '%s'; need %s", wanted, words);
}

lw_status lw__cpu_level_choose(const struct lw__cpu_level **level)
{
    LW_TRY(choose_level(level));
    return choose_gang(level);
}

const char *lw__cpu_spare_target(const struct lw__cpu_level *level)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++)
        if (level == &levels[i])
            return with_gang(level, 32)->target;
    return NULL;
}

/* A level in gangs of a size has the title of its level. */
int lw__cpu_level_suits(const struct lw__cpu_level *level, const char *target)
{
    int of_target = -1, own = -1;

    for (int i = 0; i < LEVEL_COUNT; i++) {
        if (!strcmp(target, levels[i].target))
            of_target = i;
        if (level->title == levels[i].title)
            own = i;
    }
    return of_target <= own ? of_target : -1;
}

/* ---- in words ---- */

static char descriptions[LEVEL_COUNT][64];

static void write_descriptions(void)
{
    size_t threads = lw__pool_size();

    for (int i = 0; i < LEVEL_COUNT; i++)
        snprintf(descriptions[i], sizeof descriptions[i], "%s, %zu thread%s", levels[i].title,
                 threads, threads == 1 ? "" : "s");
}

const char *lw__cpu_describe(const struct lw__cpu_level *level)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *wanted = getenv("LANEWISE_CPU");

    pthread_once(&once, write_descriptions);
    for (int i = 0; i <= best_level(); i++)
        if (level ? level->title == levels[i].title : wanted && !strcmp(wanted, levels[i].word))
            return descriptions[i];
    return descriptions[best_level()];
}
