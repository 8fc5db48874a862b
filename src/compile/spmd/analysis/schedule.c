/* schedule.c - a region's blocks by the lanes that run them, and the order in which they run.
 *
 * If all predecessors of a block are of one class, and branch uniformly, the block is of that
 * class, too. The join of an inner region is of the class that entered it. Every other block begins
 * a class: lanes reach it from several places, and wait in its mask until its turn. The classes run
 * in topological order, those of a loop together, and again while lanes wait at its header.
 */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <string.h>

#define NO_CLASS UINT32_MAX    /* not known yet */
#define SPLIT (UINT32_MAX - 1) /* only some of the class's lanes take the edge */

/* The child region of `outer` (-1: the kernel) that holds block b; -1: none. */
static int child_with(const struct lw__facts *facts, int outer, uint32_t b)
{
    int r = facts->region_of[b], child = -1;
    while (r != outer && r >= 0) {
        child = r;
        r = facts->regions[r].parent;
    }
    return r == outer ? child : -1;
}

static bool is_inside(const struct lw__facts *facts, int outer, uint32_t b)
{
    return outer < 0 || facts->regions[outer].blocks[b];
}

/* True if lanes leave a loop that holds p, but not b, in different iterations. Then b waits for the
 * last of them: values it computes for the first must not be overwritten. After a failed assert
 * nothing uses them. */
static bool is_left_diverged(const struct lw__facts *facts, uint32_t p, uint32_t b)
{
    if (LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(facts->cfg.blocks[b])))
        return false;
    return lw__spmd_edge_divergence(facts, p, p, b) == LW_DIVERGENCE_PER_LANE;
}

/* The class whose lanes take the edge from p to b, as far as it is known; SPLIT: only some do. */
static uint32_t class_along(const struct lw__facts *facts, int outer, uint32_t p, uint32_t b)
{
    if (!is_inside(facts, outer, p))
        return SPLIT;
    int child = child_with(facts, outer, p);
    if (child >= 0)
        return facts->regions[child].entered_from;
    if ((lw__spmd_is_divergent(facts, p) && facts->entered_at[p] < 0) ||
        is_left_diverged(facts, p, b))
        return SPLIT;
    return facts->class_of[p];
}

/* The class of a block from its predecessors, except those in `skip`. */
static uint32_t class_from(const struct lw__facts *facts, int outer, uint32_t b, const bool *skip)
{
    const struct lw__cfg *g = &facts->cfg;
    uint32_t found = NO_CLASS;
    EACH_PREDECESSOR(from, g, b) {
        if (skip && skip[from])
            continue;
        uint32_t c = class_along(facts, outer, from, b);
        if (c == NO_CLASS)
            continue;
        if (c == SPLIT || (found != NO_CLASS && c != found))
            return b;
        found = c;
    }
    return found;
}

/* The class of block b of `outer`, or of the lanes that enter the inner loop whose header b is. */
static bool assign_block(struct lw__facts *facts, int outer, uint32_t b, bool *is_head)
{
    struct lw__region *child = NULL;
    if (facts->region_of[b] != outer) {
        int k = facts->looped_at[b];
        if (k < 0 || facts->regions[k].parent != outer)
            return false;
        child = &facts->regions[k];
    }
    uint32_t *slot = child ? &child->entered_from : &facts->class_of[b];
    uint32_t v = is_head[b] ? b : class_from(facts, outer, b, child ? child->blocks : NULL);
    bool changed = *slot != v;
    *slot = v;
    is_head[b] |= v == b;
    if (!child && facts->entered_at[b] >= 0) {
        uint32_t *entered = &facts->regions[facts->entered_at[b]].entered_from;
        changed |= *entered != v;
        *entered = v;
    }
    return changed;
}

/* ---- the order ------------------------------------------------------------------------------- */

struct order {
    struct lw__facts *facts;
    struct lw__region *r;
    int region;
    const bool *is_head;
    bool *scheduled;
};

const struct lw__loop *lw__spmd_loop_at(const struct lw__facts *facts, uint32_t header)
{
    const struct lw__loop *best = NULL;
    for (size_t k = 0; k < facts->loops.count; k++)
        if (facts->loops.loops[k].header == header &&
            (!best || facts->loops.loops[k].size > best->size))
            best = &facts->loops.loops[k];
    return best;
}

/* True if a block op is in block b, or in the loop or the class that it heads. */
static bool has_block_op(const struct order *o, uint32_t b)
{
    const struct lw__facts *facts = o->facts;
    const struct lw__loop *l = lw__spmd_loop_at(facts, b);
    bool has = facts->has_block_op[b];
    for (uint32_t k = o->r->first; !has && k <= o->r->last; k++) {
        if (!facts->has_block_op[k] || !o->r->blocks[k])
            continue;
        int child = child_with(facts, o->region, k);
        uint32_t class = child < 0 ? facts->class_of[k] : facts->regions[child].entered_from;
        has = (l && l->body[k]) || (o->is_head[b] && class == b);
    }
    return has;
}

static void place(struct order *o, const bool *only);

/* Place one block, or the whole loop that it heads. */
static void schedule_block(struct order *o, uint32_t b)
{
    const struct lw__loop *l = lw__spmd_loop_at(o->facts, b);
    struct lw__schedule *to = &o->r->schedule;
    const uint32_t first = to->count;
    o->scheduled[b] = true;
    to->order[to->count++] = b;
    if (l) {
        place(o, l->body);
        to->loops[to->loop_count++] = (struct lw__loop_range){first, to->count - 1};
    }
}

static bool is_next(const struct order *o, const bool *only, uint32_t b)
{
    return o->r->blocks[b] && (!only || only[b]) && !o->scheduled[b];
}

/* True if all predecessors of the block are placed. */
static bool may_begin(const struct order *o, uint32_t b)
{
    const struct lw__cfg *g = &o->facts->cfg;
    bool may = true;
    EACH_PREDECESSOR(from, g, b)
        may &= from >= b || !is_next(o, NULL, from);
    return may;
}

/* Place the blocks among `only` (NULL: all) in reverse postorder, but each loop contiguously. */
static void place(struct order *o, const bool *only)
{
    for (uint32_t b = o->r->first; b <= o->r->last; b++)
        if (is_next(o, only, b)) {
            if (has_block_op(o, b)) {
                /* Threads that reach block b converge with those that have not returned. So what
                 * the others do until they return is placed first: blocks that b does not lead
                 * to, and that lead to no block op. */
                const struct lw__cfg *g = &o->facts->cfg;
                const struct lw__arena_mark mark = lw__arena_mark(g->arena);
                bool *behind = lw__new(g->arena, 2 * g->count + 2, sizeof *behind);
                bool *leads_to_block_op = behind + g->count + 1;
                behind[b] = true;
                for (uint32_t k = b; k < g->count; k++)
                    EACH_SUCCESSOR(to, g, k)
                        behind[to] |= behind[k] && to > k;
                for (uint32_t k = (uint32_t)g->count; k-- > b;) {
                    leads_to_block_op[k] = o->facts->has_block_op[k];
                    EACH_SUCCESSOR(to, g, k)
                        leads_to_block_op[k] |= to > k && leads_to_block_op[to];
                }
                for (uint32_t k = b + 1; k <= o->r->last; k++)
                    if (!behind[k] && !leads_to_block_op[k] && is_next(o, only, k) &&
                        may_begin(o, k))
                        schedule_block(o, k);
                lw__arena_release(g->arena, mark);
            }
            schedule_block(o, b);
        }
}

static void order_region(struct lw__facts *facts, int region, const bool *is_head)
{
    struct lw__arena *arena = &facts->config.unit->scratch;
    struct lw__region *r = &facts->regions[region];
    struct order o = {.facts = facts, .r = r, .region = region, .is_head = is_head};
    const size_t n = r->size + 1;
    r->schedule.order = lw__new(arena, n, sizeof *r->schedule.order);
    r->schedule.loops = lw__new(arena, n, sizeof *r->schedule.loops);
    r->heads = lw__new(arena, n, sizeof *r->heads);
    r->repeats = lw__new(arena, n, sizeof *r->repeats);
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    uint32_t *heads_before = lw__new(arena, n, sizeof *heads_before);
    o.scheduled = lw__new(arena, facts->cfg.count, 1);
    place(&o, NULL);
    /* The classes in the order of their first blocks. A loop that a class heads is repeated. */
    const struct lw__schedule *of = &r->schedule;
    for (uint32_t k = 0; k < of->count; k++) {
        heads_before[k] = r->head_count;
        if (o.is_head[of->order[k]])
            r->heads[r->head_count++] = of->order[k];
    }
    heads_before[of->count] = r->head_count;
    assert(of->count == r->size && r->head_count);
    for (uint32_t n = 0; n < of->loop_count; n++) {
        const struct lw__loop_range *l = &of->loops[n];
        const uint32_t header = of->order[l->first];
        assert(l->first <= l->last && l->last < of->count);
        if (facts->region_of[header] != o.region || !o.is_head[header])
            continue;
        assert(heads_before[l->first] < heads_before[l->last + 1]);
        r->repeats[r->repeat_count++] =
            (struct lw__loop_range){heads_before[l->first], heads_before[l->last + 1] - 1};
    }
    lw__arena_release(arena, mark);
}

void lw__spmd_classes(struct lw__facts *facts)
{
    bool *is_head = lw__new(&facts->config.unit->scratch, facts->cfg.count + 1, 1);
    for (int r = -1; r < (int)facts->region_count; r++) {
        uint32_t first = r < 0 ? 0 : facts->regions[r].first,
                 end = r < 0 ? (uint32_t)facts->cfg.count : facts->regions[r].last + 1;
        memset(is_head + first, 0, end - first);
        if (r < 0)
            is_head[0] = true;
        size_t heads = 0, before;
        do {
            bool changed = true;
            before = heads;
            for (uint32_t b = first; b < end; b++) {
                /* A new head may invalidate classes that were assigned before it: start over. */
                if (facts->region_of[b] == r)
                    facts->class_of[b] = NO_CLASS;
                if (facts->region_of[b] == r && facts->entered_at[b] >= 0)
                    facts->regions[facts->entered_at[b]].entered_from = NO_CLASS;
                if (facts->looped_at[b] >= 0 && facts->regions[facts->looped_at[b]].parent == r)
                    facts->regions[facts->looped_at[b]].entered_from = NO_CLASS;
            }
            while (changed) {
                changed = false;
                for (uint32_t b = first; b < end; b++)
                    changed |= is_inside(facts, r, b) && assign_block(facts, r, b, is_head);
            }
            heads = 0;
            for (uint32_t b = first; b < end; b++)
                heads += is_head[b];
        } while (heads != before);
        if (r >= 0)
            order_region(facts, r, is_head);
    }
}
