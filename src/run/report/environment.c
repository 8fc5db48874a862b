/* environment.c - environment variables. An invalid value is an error, which names the variable,
 * the value and the valid ones. A misspelt value is never taken for the default.
 *
 * Some variables are checked where they are used:
 *     build/cache.c      the folder of the cache
 *     build/compiler.c   the compiler's path
 *     cpu/level.c        the vector level
 *     cuda/driver.c      the driver's library
 */
#include "run/report/report.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

lw_status lw__environment_number(const char *name, long step, long most, long *number)
{
    const char *text = getenv(name);

    *number = 0;
    if (!text)
        return LW_OK;
    char *end;
    if (*text >= '0' && *text <= '9') {
        errno = 0;
        *number = strtol(text, &end, 10);
        if (!*end && !errno && *number >= step && *number <= most && *number % step == 0)
            return LW_OK;
    }
    *number = 0;
    return step == 1 ? lw__fail(LW_E_ARG, "%s is '%s'; need a whole number from 1 to %ld", name,
                                text, most)
                     : lw__fail(LW_E_ARG, "%s is '%s'; need a multiple of %ld, at most %ld", name,
                                text, step, most);
}

lw_status lw__environment_threads(size_t *count)
{
    long number;
    lw_status status = lw__environment_number("LANEWISE_NUM_THREADS", 1, LW_WORKERS_MAX, &number);

    *count = (size_t)number;
    return status;
}

/* 0 or 1; need: what they mean. */
static lw_status read_switch(const char *name, const char *need, enum lw__wish *wish)
{
    const char *text = getenv(name);

    *wish = !text ? LW_WHERE_IT_PAYS : !strcmp(text, "1") ? LW_ALWAYS : LW_NEVER;
    if (!text || !strcmp(text, "0") || !strcmp(text, "1"))
        return LW_OK;
    return lw__fail(LW_E_ARG, "%s is '%s'; need %s", name, text, need);
}

lw_status lw__environment_screen(enum lw__wish *wish)
{
    return read_switch("LANEWISE_SCREEN", "0, never, or 1, every launch", wish);
}

lw_status lw__environment_bounds(enum lw__wish *wish)
{
    return read_switch("LANEWISE_BOUNDS", "0, accesses are not checked, or 1, all are", wish);
}

lw_status lw__environment_bounds_of(const struct lw__device_ops *ops, enum lw__wish *wish)
{
    lw_status status = LW_OK;

    *wish = LW_WHERE_IT_PAYS;
    if (ops->guarded)
        status = lw__environment_bounds(wish);
    if (*wish == LW_WHERE_IT_PAYS)
        *wish = (enum lw__wish)ops->info.bounds;
    if (*wish == LW_WHERE_IT_PAYS && !ops->guarded)
        *wish = LW_NEVER;
    return status;
}

lw_status lw__environment_cache(bool *wanted)
{
    enum lw__wish wish;
    const lw_status status = read_switch("LANEWISE_CACHE", "0, no cache, or 1, the default", &wish);

    *wanted = wish != LW_NEVER;
    return status;
}

/* The powers of two that the letter after a size stands for; -1: none. */
static int shift_of(const char *letter)
{
    static const char letters[] = "KMGT";
    const char *found = *letter ? strchr(letters, *letter) : NULL;

    if (!*letter)
        return 0;
    return found && !letter[1] ? 10 * (int)(found - letters + 1) : -1;
}

lw_status lw__environment_cache_limit(uint64_t *bytes)
{
    const char *text = getenv("LANEWISE_CACHE_LIMIT");
    unsigned long long number = 0;
    int shift = -1;

    *bytes = UINT64_C(1) << 30;
    if (!text)
        return LW_OK;
    errno = 0;
    char *end;
    if (*text >= '0' && *text <= '9') {
        number = strtoull(text, &end, 10);
        shift = shift_of(end);
    }
    if (shift < 0 || errno || number > UINT64_MAX >> shift)
        return lw__fail(LW_E_ARG,
                        "LANEWISE_CACHE_LIMIT is '%s'; need bytes, a whole number, or one with K, "
                        "M, G or T, as 500M; 0: no cache",
                        text);
    *bytes = (uint64_t)number << shift;
    return LW_OK;
}

lw_status lw__environment_include(void)
{
    const char *folder = getenv("LANEWISE_INCLUDE");
    char header[PATH_MAX];

    if (!folder)
        return LW_OK;
    int length = snprintf(header, sizeof header, "%s/lanewise/kernel.h", folder);
    if (length < (int)sizeof header && *folder && !access(header, R_OK))
        return LW_OK;
    return lw__fail(LW_E_ARG,
                    "LANEWISE_INCLUDE is '%s'; need a folder that holds lanewise/kernel.h", folder);
}
