/* regions.c - the tree of regions: what each divergent branch decides.
 *
 * The region of a branch is all blocks between it and its immediate post-dominator, the join. If a
 * branch leaves a loop, its region begins at the loop's header. Regions that overlap without one
 * being inside the other, or that share their join, become one.
 */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Add all that is reachable from `from` without passing the join. */
static void fill(const struct lw__facts *facts, bool *in, uint32_t from, uint32_t join)
{
    const struct lw__cfg *g = &facts->cfg;
    const struct lw__arena_mark mark = lw__arena_mark(g->arena);
    uint32_t *todo = lw__new(g->arena, g->succ_start[g->count] + 1, sizeof *todo), n = 0;
    if (from != join)
        todo[n++] = from;
    while (n) {
        uint32_t b = todo[--n];
        if (in[b])
            continue;
        in[b] = true;
        EACH_SUCCESSOR(to, g, b)
            if (to != join && !in[to])
                todo[n++] = to;
    }
    lw__arena_release(g->arena, mark);
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
static uint32_t common_join(const struct lw__facts *facts, uint32_t a, uint32_t b)
{
    for (uint32_t x = a; x != UINT32_MAX; x = facts->ipdom[x])
        for (uint32_t y = b; y != UINT32_MAX; y = facts->ipdom[y])
            if (x == y)
                return x;
    return UINT32_MAX;
}

/* True if edges enter from outside other than the head's. The head dominates all, so such edges
 * come from after the join, out of dead ends. */
static bool is_entered_elsewhere(const struct lw__facts *facts, const struct lw__region *r)
{
    const struct lw__cfg *g = &facts->cfg;
    if (r->join == UINT32_MAX)
        return false;
    for (uint32_t b = 0; b < g->count; b++) {
        if (!r->blocks[b] || (r->is_loop && b == r->head))
            continue;
        EACH_PREDECESSOR(from, g, b)
            if (!r->blocks[from] && (r->is_loop || from != r->head))
                return true;
    }
    return false;
}

/* The first join after the innermost loop around the block. */
static uint32_t join_behind(const struct lw__facts *facts, uint32_t join, uint32_t block)
{
    const struct lw__loop *best = NULL;
    for (size_t k = 0; k < facts->loops.count; k++) {
        const struct lw__loop *l = &facts->loops.loops[k];
        if (l->body[block] && join != UINT32_MAX && l->body[join] &&
            (!best || l->size < best->size))
            best = l;
    }
    do
        join = join == UINT32_MAX ? join : facts->ipdom[join];
    while (best && join != UINT32_MAX && best->body[join]);
    return join;
}

/* Set r's head and blocks from a block that the lanes pass. Widen it until the head dominates all
 * of it and all blocks leave to the join. */
static void close_region(struct lw__facts *facts, struct lw__region *r, uint32_t head)
{
    size_t n = facts->cfg.count;
    for (;;) {
        /* The outermost loop around the head that does not hold the join; -1: none. */
        int loop = -1;
        for (size_t k = 0; k < facts->loops.count; k++) {
            const struct lw__loop *l = &facts->loops.loops[k];
            if (l->body[head] && (r->join == UINT32_MAX || !l->body[r->join]) &&
                (loop < 0 || l->size > facts->loops.loops[loop].size))
                loop = (int)k;
        }
        r->is_loop = loop >= 0;
        r->head = r->is_loop ? facts->loops.loops[loop].header : head;
        memset(r->blocks, 0, n);
        if (r->is_loop)
            fill(facts, r->blocks, r->head, r->join);
        EACH_SUCCESSOR(to, &facts->cfg, r->head)
            if (!r->is_loop)
                fill(facts, r->blocks, to, r->join);
        uint32_t top = r->head;
        for (uint32_t b = 0; b < n; b++)
            if (r->blocks[b])
                top = common_dominator(&facts->cfg, top, b);
        bool around = !r->is_loop && (r->blocks[r->head] || r->blocks[top]);
        if (around) { /* then take in the whole loop */
            head = r->blocks[r->head] ? r->head : top;
            r->join = join_behind(facts, r->join, head);
        } else if (top != r->head) {
            r->join = common_join(facts, r->join,
                                  facts->ipdom[top]); /* top itself is an iteration away */
            head = top;
        } else if (is_entered_elsewhere(facts, r)) {
            r->join = facts->ipdom[r->join];
        } else {
            return;
        }
    }
}

/* If block b only branches to another, that one. */
static uint32_t leads_to(const struct lw__facts *facts, uint32_t b)
{
    LLVMValueRef i = lw__ir_first_after_phis(facts->cfg.blocks[b]);
    return LLVMIsABranchInst(i) && LLVMGetNumSuccessors(i) == 1
               ? facts->cfg.succ[facts->cfg.succ_start[b]]
               : UINT32_MAX;
}

/* True if an outer branch of lanes that may agree joins there, in the same iterations. */
static bool joins_around(const struct lw__facts *facts, uint32_t branch, uint32_t join)
{
    for (size_t k = 0; k < facts->loops.count; k++)
        if (facts->loops.loops[k].body[branch] != facts->loops.loops[k].body[join])
            return false;
    for (uint32_t b = facts->cfg.idom[branch], inner = branch; b != inner; b = facts->cfg.idom[b]) {
        if (lw__spmd_is_divergent(facts, b) && facts->reconverges_at[b] == join)
            return !lw__spmd_never_agrees(facts, b);
        inner = b;
    }
    return false;
}

/* A join of its own helps a branch that constants decide (prepare/private_joins.c). Code for
 * several gangs may not have those constants. Then the branch's lanes wait for those of the
 * branches around it: each nested region would be one more copy of its blocks. */
static uint32_t join_of(const struct lw__facts *facts, uint32_t branch)
{
    assert(lw__spmd_is_divergent(facts, branch));
    uint32_t join = facts->reconverges_at[branch], next;
    if (lw__spmd_never_agrees(facts, branch))
        return join;
    while (join != UINT32_MAX && (next = leads_to(facts, join)) != UINT32_MAX &&
           joins_around(facts, branch, next))
        join = next;
    return join;
}

enum relation { APART, INSIDE, AROUND, MIXED };

/* Its blocks are among first .. last: most regions of a large kernel are far apart. */
static void find_extent(const struct lw__facts *facts, struct lw__region *r)
{
    r->first = (uint32_t)facts->cfg.count;
    r->last = r->size = 0;
    for (uint32_t b = 0; b < facts->cfg.count; b++) {
        if (!r->blocks[b])
            continue;
        r->first = b < r->first ? b : r->first;
        r->last = b;
        r->size++;
    }
}

static bool is_strictly_in(const struct lw__region *a, const struct lw__region *b)
{
    return b->join != UINT32_MAX && a->blocks[b->join] && a->blocks[b->head];
}

/* The relation of b to a. INSIDE: strictly in it, with its head, if that is a branch, and its
 * join. */
static enum relation relate(const struct lw__region *a, const struct lw__region *b)
{
    uint32_t from = a->first < b->first ? b->first : a->first,
             to = a->last < b->last ? a->last : b->last, common = 0;
    for (uint32_t k = from; k <= to && k >= from; k++)
        common += a->blocks[k] && b->blocks[k];
    if (a->head == b->head && a->is_loop == b->is_loop) /* they have one entry */
        return MIXED;
    if (!common)
        return APART;
    bool b_in_a = common == b->size && b->size < a->size && is_strictly_in(a, b);
    bool a_in_b = common == a->size && a->size < b->size && is_strictly_in(b, a);
    return b_in_a ? INSIDE : a_in_b ? AROUND : MIXED;
}

static int by_size(const void *x, const void *y)
{
    const struct lw__region *a = x, *b = y;
    return a->size != b->size ? (a->size < b->size ? 1 : -1)
                              : (a->first > b->first) - (a->first < b->first);
}

void lw__spmd_regions(struct lw__facts *facts)
{
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        if (lw__spmd_is_divergent(facts, b)) {
            struct lw__arena *arena = &facts->config.unit->scratch;
            facts->regions =
                lw__one_more(arena, facts->regions, facts->region_count, sizeof *facts->regions);
            struct lw__region *r = &facts->regions[facts->region_count++];
            *r = (struct lw__region){.join = join_of(facts, b),
                                     .parent = -1,
                                     .blocks = lw__new(arena, facts->cfg.count, 1)};
            close_region(facts, r, b);
        }
    /* A region that has grown is compared with all others once more. */
    for (size_t a = 0; a < facts->region_count; a++)
        find_extent(facts, &facts->regions[a]);
    for (size_t a = 0; a < facts->region_count; a++)
        for (size_t b = 0; b < facts->region_count; b++)
            if (a != b && relate(&facts->regions[a], &facts->regions[b]) == MIXED) {
                size_t low = a < b ? a : b, high = a < b ? b : a;
                /* Merge b into a. */
                struct lw__region *into = &facts->regions[low], *from = &facts->regions[high];
                uint32_t head = common_dominator(&facts->cfg, into->head, from->head);
                into->join = common_join(facts, into->join, from->join);
                for (uint32_t k = 0; k < facts->cfg.count; k++)
                    into->blocks[k] |= from->blocks[k];
                if (into->join != UINT32_MAX)
                    into->blocks[into->join] = false;
                *from = facts->regions[--facts->region_count];
                close_region(facts, into, head);
                find_extent(facts, into);
                a = low;
                b = (size_t)-1;
            }
    /* Sort outer before inner; find parents, and the innermost region of each block. */
    if (facts->region_count)
        qsort(facts->regions, facts->region_count, sizeof *facts->regions, by_size);
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        facts->region_of[b] = facts->entered_at[b] = facts->looped_at[b] = -1;
    for (size_t k = 0; k < facts->region_count; k++) {
        struct lw__region *r = &facts->regions[k];
        assert(r->size && r->first <= r->last);
        assert(r->is_loop == r->blocks[r->head]);
        assert(r->join == UINT32_MAX || !r->blocks[r->join]);
        *(r->is_loop ? &facts->looped_at[r->head] : &facts->entered_at[r->head]) = (int)k;
        r->parent = facts->region_of[r->first];
        assert(r->parent < (int)k);
        assert(r->parent < 0 || facts->regions[r->parent].size > r->size);
        for (uint32_t b = r->first; b <= r->last; b++)
            if (r->blocks[b])
                facts->region_of[b] = (int)k;
    }
    lw__spmd_classes(facts);
}
