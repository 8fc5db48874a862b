/* level.c - which vector instructions kernels may use. The processor must have them, and the system
 * must save their registers; __builtin_cpu_supports checks both. A processor's name never counts.
 * On AArch64 they are the instructions that all processors have.
 */
#include "run/cpu/cpu.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- gangs of a size that was asked for ---- */

enum { GANG_COUNT = LW_CPU_THREADS_MAX / 32, TARGET_MAX = 32 };

static struct lw__level in_gangs[LW_LEVEL_COUNT][GANG_COUNT];
static char targets[LW_LEVEL_COUNT][GANG_COUNT][TARGET_MAX];

static void write_targets(void)
{
    for (size_t i = 0; i < LW_LEVEL_COUNT; i++)
        for (int n = 0; n < GANG_COUNT; n++) {
            snprintf(targets[i][n], sizeof targets[i][n], "%s/%d", lw__levels[i].target,
                     32 * (n + 1));
            in_gangs[i][n] = lw__levels[i];
            in_gangs[i][n].target = targets[i][n];
        }
}

/* The same level, which is one of levels, in gangs of so many threads. */
static const struct lw__level *with_gang(const struct lw__level *level, size_t threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    assert(threads && threads % 32 == 0 && threads <= LW_CPU_THREADS_MAX);
    assert(level >= lw__levels && level < lw__levels + LW_LEVEL_COUNT);
    pthread_once(&once, write_targets);
    return &in_gangs[level - lw__levels][threads / 32 - 1];
}

static lw_status choose_level(const struct lw__level **level)
{
    const char *wanted = getenv("LANEWISE_CPU");
    const size_t best = lw__level_best();

    *level = &lw__levels[best];
    if (!wanted)
        return LW_OK;
    for (size_t i = 0; i < LW_LEVEL_COUNT; i++)
        if (lw__levels[i].is_native && !strcmp(wanted, lw__levels[i].word)) {
            if (i > best)
                return lw__fail(LW_E_DEVICE,
                                "LANEWISE_CPU is '%s', which this processor or its system lacks; "
                                "the most it has is '%s'",
                                wanted, lw__levels[best].word);
            *level = &lw__levels[i];
            return LW_OK;
        }
    struct lw__text known = {0}; /* "avx512, avx2 or baseline": those of this architecture */
    const char *next = NULL;
    for (size_t i = LW_LEVEL_COUNT; i-- > 0;)
        if (lw__levels[i].is_native) {
            if (next)
                lw__text_add(&known, "%s%s", known.length ? ", " : "", next);
            next = lw__levels[i].word;
        }
    lw__fail(LW_E_ARG, "LANEWISE_CPU is '%s'; need %s%s%s", wanted, known.data ? known.data : "",
             known.length ? " or " : "", next);
    lw__text_free(&known);
    return LW_E_ARG;
}

lw_status lw__cpu_level_choose(const struct lw__level **level)
{
    LW_TRY(choose_level(level));
    long threads;
    LW_TRY(lw__environment_number("LANEWISE_GANG", 32, LW_CPU_THREADS_MAX, &threads));
    if (threads)
        *level = with_gang(*level, (size_t)threads);
    return LW_OK;
}

const char *lw__cpu_spare_target(const struct lw__level *level)
{
    for (size_t i = 0; i < LW_LEVEL_COUNT; i++)
        if (level == &lw__levels[i])
            return with_gang(level, 32)->target;
    return NULL;
}

/* A level in gangs of a size has the title of its level. */
int lw__cpu_level_suits(const struct lw__level *level, const char *target)
{
    int of_target = -1, own = -1;

    for (size_t i = 0; i < LW_LEVEL_COUNT; i++) {
        if (!strcmp(target, lw__levels[i].target))
            of_target = i;
        if (level->title == lw__levels[i].title)
            own = i;
    }
    return of_target <= own ? of_target : -1;
}

/* ---- in words ---- */

static char descriptions[LW_LEVEL_COUNT][64];

static void write_descriptions(void)
{
    size_t threads = lw__pool_size();

    for (size_t i = 0; i < LW_LEVEL_COUNT; i++)
        snprintf(descriptions[i], sizeof descriptions[i], "%s, %zu thread%s", lw__levels[i].title,
                 threads, threads == 1 ? "" : "s");
}

const char *lw__cpu_describe(const struct lw__level *level)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *wanted = getenv("LANEWISE_CPU");
    const size_t best = lw__level_best();

    pthread_once(&once, write_descriptions);
    for (size_t i = 0; i <= best; i++)
        if (level ? level->title == lw__levels[i].title
                  : wanted && !strcmp(wanted, lw__levels[i].word))
            return descriptions[i];
    return descriptions[best];
}
