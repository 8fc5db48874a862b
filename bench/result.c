/* result.c - what results mean: floors, ratios, targets.
 */
#include "bench.h"
#include <string.h>

const struct measure *result_find(const struct result *result, const char *name)
{
    for (int i = 0; i < result->count; i++)
        if (strcmp(result->measures[i].name, name) == 0)
            return &result->measures[i];
    return NULL;
}

static double seconds_of(const struct result *result, const char *name)
{
    const struct measure *m = result_find(result, name);
    return m && !m->problem[0] && m->samples ? m->median : 0;
}

/* The limit of arithmetic does a fixed number of flops; the row has its own. */
static double limit_seconds(const struct result *result, int which)
{
    const struct row *row = &bench_rows[result->row];
    double seconds = seconds_of(result, which ? "limit 2" : "limit");
    if (row->limit[which] == HAND_PEAK)
        seconds *= row_flops(row, &result->shape) / HAND_PEAK_FLOPS;
    return seconds;
}

double result_floor(const struct result *result)
{
    double first = limit_seconds(result, 0), second = limit_seconds(result, 1);
    return first > second ? first : second;
}

double result_hand_share(const struct result *result)
{
    double hand = seconds_of(result, "hand");
    return hand > 0 ? result_floor(result) / hand : 0;
}

/* "ours at any block" is the slowest of these, and needs all of them. */
static double slowest_block(const struct result *result)
{
    double slowest = 0;
    for (int i = 0; i < result->count; i++) {
        const struct measure *m = &result->measures[i];
        if (strncmp(m->name, "ours ", 5) != 0)
            continue;
        if (m->problem[0] || !m->samples)
            return 0;
        slowest = m->median > slowest ? m->median : slowest;
    }
    return slowest;
}

double result_ratio(const struct result *result, const char *who, const char *against)
{
    double time =
        strcmp(who, "ours at any block") == 0 ? slowest_block(result) : seconds_of(result, who);
    double other =
        strcmp(against, "limit") == 0 ? result_floor(result) : seconds_of(result, against);
    return time > 0 ? other / time : 0;
}

bool target_applies(const struct result *result, const struct target *target)
{
    return target->who && (!target->level || strcmp(target->level, result->level) == 0) &&
           (!target->threads || target->threads == result->threads);
}

enum verdict result_judge(const struct result *result, const struct target *target, double *value)
{
    if (!target->against) {
        *value = seconds_of(result, target->who);
        return *value <= 0 ? NOT_MEASURED : *value <= target->seconds ? MET : MISSED;
    }
    *value = result_ratio(result, target->who, target->against);
    if (*value <= 0)
        return NOT_MEASURED;
    if (strcmp(target->against, "hand") == 0 &&
        result_hand_share(result) < bench_rows[result->row].hand_needs)
        return DOES_NOT_COUNT;
    return *value >= target->ratio ? MET : MISSED;
}
