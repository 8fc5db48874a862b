/* spmd_region.c - the tree of regions: what each divergent branch decides.
 *
 * The region of a branch is all that lies between it and its immediate post-dominator, the join;
 * that of a branch that leaves a loop begins at the loop's header. Regions that overlap without one
 * lying inside the other, or that share their join, become one.
 */
#include "compile/spmd.h"
#include <stdlib.h>
#include <string.h>

/* Everything that is reached from `from` without passing the join. */
static bool fill(const struct lw__spmd *s, bool *in, uint32_t from, uint32_t join)
{
    const struct lw__cfg *g = &s->cfg;
    uint32_t *todo = malloc((g->succ_start[g->count] + 1) * sizeof *todo), n = 0;
    if (!todo)
        return lw__defect("out of memory");
    if (from != join)
        todo[n++] = from;
    while (n) {
        uint32_t b = todo[--n];
        if (in[b])
            continue;
        in[b] = true;
        for (uint32_t e = g->succ_start[b]; e < g->succ_start[b + 1]; e++)
            if (g->succ[e] != join && !in[g->succ[e]])
                todo[n++] = g->succ[e];
    }
    free(todo);
    return true;
}

static uint32_t common_dominator(const struct lw__cfg *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = g->idom[a];
        else
            b = g->idom[b];
    }
    return a;
}

/* The nearest block that both are sure to reach. */
static uint32_t common_join(const struct lw__spmd *s, uint32_t a, uint32_t b)
{
    for (uint32_t x = a; x != UINT32_MAX; x = s->ipdom[x])
        for (uint32_t y = b; y != UINT32_MAX; y = s->ipdom[y])
            if (x == y)
                return x;
    return UINT32_MAX;
}

/* The outermost loop around block b that does not hold the join; -1: none. */
static int loop_left(const struct lw__spmd *s, uint32_t b, uint32_t join)
{
    int best = -1;
    for (size_t k = 0; k < s->loops.count; k++) {
        const struct lw__loop *l = &s->loops.loops[k];
        if (l->body[b] && (join == UINT32_MAX || !l->body[join]) &&
            (best < 0 || l->size > s->loops.loops[best].size))
            best = (int)k;
    }
    return best;
}

/* Set r's head and blocks from a block that the lanes come through; widen until the head dominates
 * all of it and all leave to the join. */
static bool close_region(struct lw__spmd *s, struct lw__region *r, uint32_t head)
{
    size_t n = s->cfg.count;
    for (;;) {
        int loop = loop_left(s, head, r->join);
        r->is_loop = loop >= 0;
        r->head = r->is_loop ? s->loops.loops[loop].header : head;
        bool ok = true;
        if (r->is_loop)
            ok = fill(s, r->blocks, r->head, r->join);
        for (uint32_t e = s->cfg.succ_start[r->head];
             ok && !r->is_loop && e < s->cfg.succ_start[r->head + 1]; e++)
            ok = fill(s, r->blocks, s->cfg.succ[e], r->join);
        if (!ok)
            return false;
        uint32_t top = r->head;
        for (uint32_t b = 0; b < n; b++)
            if (r->blocks[b])
                top = common_dominator(&s->cfg, top, b);
        bool around = !r->is_loop && r->blocks[r->head];
        if (top == r->head && !around)
            return true;
        r->join = common_join(s, r->join, top);
        head = top;
    }
}

static bool add_region(struct lw__spmd *s, uint32_t branch)
{
    struct lw__region *more = realloc(s->regions, (s->region_count + 1) * sizeof *more);
    if (!more)
        return lw__defect("out of memory");
    s->regions = more;
    struct lw__region *r = &s->regions[s->region_count];
    *r = (struct lw__region){.join = s->ipdom[branch], .parent = -1};
    r->blocks = calloc(s->cfg.count, 1);
    if (!r->blocks)
        return lw__defect("out of memory");
    s->region_count++;
    return close_region(s, r, branch);
}

enum relation { APART, INSIDE, AROUND, MIXED };

/* How b lies to a: INSIDE: strictly in it, its head, if a branch, and its join too. */
static enum relation relate(const struct lw__spmd *s, const struct lw__region *a,
                            const struct lw__region *b)
{
    bool common = false, only_a = false, only_b = false;
    for (uint32_t k = 0; k < s->cfg.count; k++) {
        common |= a->blocks[k] && b->blocks[k];
        only_a |= a->blocks[k] && !b->blocks[k];
        only_b |= b->blocks[k] && !a->blocks[k];
    }
    if (!common)
        return a->head == b->head && !a->is_loop && !b->is_loop ? MIXED : APART;
    bool b_in_a = !only_b && only_a && b->join != UINT32_MAX && a->blocks[b->join] &&
                  a->blocks[b->head];
    bool a_in_b = !only_a && only_b && a->join != UINT32_MAX && b->blocks[a->join] &&
                  b->blocks[a->head];
    return b_in_a ? INSIDE : a_in_b ? AROUND : MIXED;
}

/* b becomes part of a. */
static bool unite(struct lw__spmd *s, size_t a, size_t b)
{
    struct lw__region *into = &s->regions[a], *from = &s->regions[b];
    uint32_t head = common_dominator(&s->cfg, into->head, from->head);
    into->join = common_join(s, into->join, from->join);
    for (uint32_t k = 0; k < s->cfg.count; k++)
        into->blocks[k] |= from->blocks[k];
    if (into->join != UINT32_MAX)
        into->blocks[into->join] = false;
    free(from->blocks);
    *from = s->regions[--s->region_count];
    return close_region(s, into, head);
}

static bool make_laminar(struct lw__spmd *s)
{
    for (size_t a = 0; a < s->region_count; a++)
        for (size_t b = a + 1; b < s->region_count; b++)
            if (relate(s, &s->regions[a], &s->regions[b]) == MIXED) {
                if (!unite(s, a, b))
                    return false;
                a = (size_t)-1; /* all over again */
                break;
            }
    return true;
}

static uint32_t size_of(const struct lw__spmd *s, const struct lw__region *r)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < s->cfg.count; b++)
        n += r->blocks[b];
    return n;
}

/* Outer before inner; parents; the innermost region of each block. */
static void nest(struct lw__spmd *s)
{
    for (size_t a = 1; a < s->region_count; a++)
        for (size_t b = a; b > 0; b--) {
            struct lw__region *x = &s->regions[b - 1], *y = &s->regions[b], t = *x;
            if (size_of(s, x) >= size_of(s, y))
                break;
            *x = *y;
            *y = t;
        }
    for (uint32_t b = 0; b < s->cfg.count; b++)
        s->region_of[b] = -1;
    for (size_t k = 0; k < s->region_count; k++) {
        struct lw__region *r = &s->regions[k];
        for (uint32_t b = 0; b < s->cfg.count; b++)
            if (r->blocks[b]) {
                r->parent = s->region_of[b];
                break;
            }
        for (uint32_t b = 0; b < s->cfg.count; b++)
            if (r->blocks[b])
                s->region_of[b] = (int)k;
    }
}

bool lw__spmd_regions(struct lw__spmd *s)
{
    for (uint32_t b = 0; b < s->cfg.count; b++)
        if (s->divergent[b] && !add_region(s, b))
            return false;
    if (!make_laminar(s))
        return false;
    nest(s);
    return lw__spmd_classes(s);
}

void lw__spmd_regions_free(struct lw__spmd *s)
{
    for (size_t k = 0; k < s->region_count; k++) {
        free(s->regions[k].blocks);
        free(s->regions[k].heads);
        free(s->regions[k].repeats);
    }
    free(s->regions);
}
