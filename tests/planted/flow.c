/* flow.c - the kernel as the list of what each thread does. Which way a thread takes depends on its
 * number alone; what depends on memory are waits and returns, which the oracle decides. */
#include "planted.h"
#include <stdlib.h>

static int half_of(const struct kernel *k, int i)
{
    int n = 1;
    while (n < k->block)
        n *= 2;
    return n >> (i + 1);
}

static int value_of(const struct kernel *k, const struct index *x, int block, int thread, int i)
{
    int n = (thread * x->a + i * x->c + x->d) ^ x->x;
    n = x->m ? n % x->m : n;
    n = x->q ? n / x->q : n;
    return n + block * x->b + i % 2 * x->flip + (x->has_half ? half_of(k, i) : 0) + x->e;
}

static bool is_true(const struct kernel *k, const struct condition *c, int block, int thread, int i)
{
    const int half = half_of(k, i);
    const bool of_threads = c->threads == IS        ? thread == c->k
                            : c->threads == BELOW   ? thread < c->k
                            : c->threads == FROM    ? thread >= c->k
                            : c->threads == EVEN    ? thread % 2 == 0
                            : c->threads == IN_TREE ? thread < half && thread + half < k->block
                                                    : true;
    return of_threads && (c->blocks == ANY || (block == c->block) == (c->blocks == BLOCK_IS));
}

static void add(struct acts *acts, struct act act)
{
    if (acts->count == acts->capacity) {
        acts->capacity = acts->capacity ? 2 * acts->capacity : 64;
        acts->act = realloc(acts->act, (size_t)acts->capacity * sizeof act);
        if (!acts->act)
            abort();
    }
    acts->act[acts->count++] = act;
}

static void add_access(const struct kernel *k, const struct step *s, int block, int thread, int i,
                       struct acts *acts)
{
    const struct array *a = &k->array[s->array];
    const int bytes = type_infos[a->type].bytes;
    const int column = value_of(k, &s->index, block, thread, i);
    const int row = a->rows ? value_of(k, &s->row, block, thread, i) : 0;
    const bool is_inside =
        column >= 0 && column < a->count && row >= 0 && row < (a->rows ? a->rows : 1);
    add(acts, (struct act){.step = s,
                           .first = is_inside ? (row * a->count + column) * bytes : -1,
                           .bytes = bytes,
                           .i = i});
}

/* The step behind the END of the one at `at`, or behind its ELSE. */
static int behind(const struct kernel *k, int at, bool or_else)
{
    int depth = 0;
    for (;; at++) {
        const enum op op = k->step[at].op;
        depth += (op == IF || op == LOOP) - (op == END);
        if (depth == 0 || (or_else && depth == 1 && op == ELSE))
            return at + 1;
    }
}

static void walk(const struct kernel *k, int from, int to, int block, int thread, int i,
                 struct acts *acts)
{
    enum { INSTANCES = 1000 };
    for (int at = from; at < to && !acts->has_returned; at++) {
        const struct step *s = &k->step[at];
        if (s->op == LOOP) {
            const int end = behind(k, at, false);
            for (int trip = 0; trip < s->count; trip++)
                walk(k, at + 1, end - 1, block, thread, trip, acts);
            at = end - 1;
        } else if (s->op == ELSE) { /* behind the first arm */
            int depth = 1;
            while (depth) {
                at++;
                depth += (k->step[at].op == IF || k->step[at].op == LOOP) - (k->step[at].op == END);
            }
        } else if (!is_true(k, &s->when, block, thread, i)) {
            if (s->op == IF)
                at = behind(k, at, true) - 1;
        } else if (s->op <= LAST) {
            add_access(k, s, block, thread, i, acts);
        } else if (s->op != IF && s->op != END) {
            add(acts, (struct act){.step = s, .instance = at * INSTANCES + i});
            acts->has_returned = s->op == RETURN;
        }
    }
}

void flow_of(const struct kernel *k, int block, int thread, struct acts *acts)
{
    *acts = (struct acts){0};
    walk(k, 0, k->steps, block, thread, 0, acts);
}
