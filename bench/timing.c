/* timing.c - all variants in turns: what disturbs the machine disturbs all of them alike.
 */
#include "bench.h"
#include <time.h>

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A variant that has used more than its share of the time waits, after three samples. */
static bool has_turn(const struct variant *v, double used, double share)
{
    return !v->problem[0] && v->samples < SAMPLES_MAX && (v->samples < 3 || used < share);
}

/* The first run of each is not counted. Rounds begin at another variant each time, so that none is
 * always the one after a slow neighbour. */
void time_all(struct session *s, double budget)
{
    double used[VARIANTS_MAX] = {0}, seconds;
    for (int i = 0; i < s->count; i++)
        if (!s->variants[i].problem[0])
            run_once(s, &s->variants[i], NULL);
    bool any = true;
    for (int round = 0; any; round++) {
        any = false;
        for (int k = 0; k < s->count; k++) {
            int i = (k + round) % s->count;
            struct variant *v = &s->variants[i];
            if (!has_turn(v, used[i], budget / s->count) || !run_once(s, v, &seconds))
                continue;
            used[i] += seconds;
            v->seconds[v->samples++] = seconds / v->repeat;
            any = true;
        }
    }
}
