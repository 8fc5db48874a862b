/* finding.c - lists of findings, of the oracle and of the checker, and how two are compared. */
#include "planted.h"
#include <stdlib.h>

const char *const class_names[] = {
    [RACE_WARP] = "race-warp", [RACE_SHARED] = "race-shared",       [RACE_GLOBAL] = "race-global",
    [BENIGN] = "benign-write", [DIVERGENCE] = "barrier-divergence", [BOUNDS] = "out-of-bounds",
    [STUCK] = "deadlock",      [UNINITIALISED] = "uninitialised",   [OTHER] = "other"};

/* Of threads that wait apart one place is compared, for there may be more than two groups; of those
 * that wait for ever none. */
static bool is_same_wait(const struct finding *a, const struct finding *b)
{
    return a->class == b->class && (a->class == STUCK || a->class == DIVERGENCE) &&
           (a->class == STUCK || a->line == b->line || a->line == b->other || a->other == b->line);
}

bool has_finding(const struct findings *f, struct finding one)
{
    for (size_t i = 0; i < f->count; i++)
        if (is_same_wait(&f->row[i], &one) ||
            (f->row[i].class == one.class && f->row[i].line == one.line &&
             f->row[i].other == one.other))
            return true;
    return false;
}

void add_finding(struct findings *f, struct finding one)
{
    if (one.other && one.other < one.line) {
        const int line = one.line;
        one.line = one.other;
        one.other = line;
    }
    if (has_finding(f, one))
        return;
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 8;
        f->row = realloc(f->row, f->capacity * sizeof one);
        if (!f->row)
            abort();
    }
    f->row[f->count++] = one;
}

void print_findings(const struct findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        printf("    %s, line %d, other %d\n", class_names[f->row[i].class], f->row[i].line,
               f->row[i].other);
    if (!f->count)
        printf("    nothing\n");
}

bool has_error(const struct findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->row[i].class != BENIGN)
            return true;
    return false;
}

unsigned kinds_of(const struct findings *f)
{
    static const enum kinds kinds[] = {[RACE_WARP] = A_RACE,      [RACE_SHARED] = A_RACE,
                                       [RACE_GLOBAL] = A_RACE,    [DIVERGENCE] = A_DIVERGENCE,
                                       [BOUNDS] = AN_INDEX,       [STUCK] = A_WAIT,
                                       [UNINITIALISED] = A_VALUE, [OTHER] = 0};
    unsigned all = 0;
    for (size_t i = 0; i < f->count; i++)
        all |= kinds[f->row[i].class];
    return all;
}
