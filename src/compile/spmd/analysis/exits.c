/* exits.c - which threads a barrier does not wait for. They reach no further barrier. Or they wait
 * in a collective of their warp for others, which reach it by a barrier.
 *
 * control/exited_lanes.c makes code for the first, runtime/waiting_lanes.c for the second.
 */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <string.h>

/* Not needed if all block ops are outside of regions. */
bool lw__spmd_find_exits(struct lw__facts *facts)
{
    const struct lw__cfg *g = &facts->cfg;
    bool in_region = false;
    for (uint32_t b = 0; b < g->count; b++)
        in_region |= facts->has_block_op[b] && facts->region_of[b] >= 0;
    if (!in_region)
        return true;
    memcpy(facts->reaches_block_op, facts->has_block_op, g->count);
    lw__cfg_flow_back(g, facts->reaches_block_op);
    assert(facts->reaches_block_op[0]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = (uint32_t)g->count; b-- > 0;) {
            bool end = !facts->reaches_block_op[b];
            EACH_SUCCESSOR(to, g, b)
                end |= facts->may_exit[to];
            if (end && !facts->may_exit[b] && !facts->has_block_op[b])
                changed = facts->may_exit[b] = true;
        }
    }
    facts->has_exits = true;
    lw__spmd_find_wait_points(facts, facts->reaches_block_op);
    return true;
}

/* Paths to a collective. Per block: threads reach it from there without a block op; with one. */
struct paths {
    bool *at_once, *by_operation;
    /* per edge: of a divergent branch, and a block op lies on it before the lanes reconverge */
    bool *by_block_op;
    /* per edge: into the next iteration of a loop whose iteration the instance holds */
    bool *next_iteration;
    bool *shut; /* per edge: such an edge, or from a block with a block op */
};

/* True if a thread that branches to this block reaches a block op before the branch's join. */
static bool operates_before_join(const struct lw__facts *facts, uint32_t branch, uint32_t to,
                                 bool *seen)
{
    const struct lw__cfg *g = &facts->cfg;
    const uint32_t join = facts->ipdom[branch];
    memset(seen, 0, g->count);
    seen[to] = to != join;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < g->count; b++) {
            if (seen[b] && facts->has_block_op[b])
                return true;
            EACH_SUCCESSOR(next, g, b)
                if (seen[b] && next != join && !seen[next])
                    changed = seen[next] = true;
        }
    }
    return false;
}

static bool is_wait_point(const struct lw__facts *facts, const struct paths *w, uint32_t block)
{
    const struct lw__cfg *g = &facts->cfg;
    LLVMValueRef call = lw__ir_collective_in(g->blocks[block]);
    if (!call)
        return false;
    memset(w->next_iteration, 0, g->succ_start[g->count]);
    for (size_t k = 0; k < facts->loops.count; k++) {
        const struct lw__loop *l = &facts->loops.loops[k];
        if (!lw__spmd_instance_has_iteration(g, l, call))
            continue;
        for (uint32_t b = 0; b < g->count; b++)
            EACH_EDGE(e, g, b)
                w->next_iteration[e] |= l->body[b] && g->succ[e] == l->header;
    }
    for (uint32_t b = 0; b < g->count; b++) {
        w->at_once[b] = w->by_operation[b] = b == block;
        EACH_EDGE(e, g, b)
            w->shut[e] = w->next_iteration[e] || facts->has_block_op[b];
    }
    lw__cfg_flow_back_past(g, w->at_once, w->shut);
    lw__cfg_flow_back_past(g, w->by_operation, w->next_iteration);
    for (uint32_t b = 0; b < g->count; b++)
        w->by_operation[b] &= facts->has_block_op[b];
    lw__cfg_flow_back_past(g, w->by_operation, w->next_iteration);
    /* a branch sends some lanes along a path with a block op, and others along one without */
    for (uint32_t b = 0; b < g->count; b++) {
        uint32_t at_once = 0, by_operation = 0, either = 0;
        EACH_EDGE(e, g, b) {
            const uint32_t to = g->succ[e];
            const bool first = !w->next_iteration[e] && w->at_once[to],
                       second = !w->next_iteration[e] && w->by_block_op[e] && w->by_operation[to];
            at_once += first;
            by_operation += second;
            either += first || second;
        }
        if (at_once && by_operation && either > 1)
            return true;
    }
    return false;
}

void lw__spmd_find_wait_points(struct lw__facts *facts, const bool *later)
{
    const size_t n = facts->cfg.count;
    const uint32_t *start = facts->cfg.succ_start, edges = start[n];
    struct lw__arena *arena = &facts->config.unit->scratch;
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    bool *blocks = lw__new(arena, 2 * n + 3 * edges, 1), *of_edges = blocks + 2 * n, any = false;
    const struct paths w = {blocks, blocks + n, of_edges, of_edges + edges, of_edges + 2 * edges};
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t e = start[b]; lw__spmd_is_divergent(facts, b) && e < start[b + 1]; e++)
            w.by_block_op[e] =
                later[b] && operates_before_join(facts, b, facts->cfg.succ[e], blocks);
    for (uint32_t b = 0; b < n; b++)
        any |= facts->is_wait_point[b] = !later[b] && is_wait_point(facts, &w, b);
    lw__arena_release(arena, mark);
    facts->has_wait_points = any;
}
