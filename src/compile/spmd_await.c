/* spmd_await.c - threads that come to no block operation any more, but to a collective of the warp
 * in which others of their warp would meet them, who come there by a barrier:
 *
 *     for (int i = 0; i < 3; i++) {
 *         if (thread >= n)
 *             break;                     they wait in warp_sum
 *         barrier();
 *     }
 *     x = warp_sum(x);
 *
 * A barrier waits for them, and they wait for who is there: they are missing. Whole warps that
 * leave are not; so a warp's lanes at the barrier miss those of its lanes that await them.
 *
 * Only who has no choice left awaits others: what a thread may still decide is not held against it.
 */
#include "compile/spmd_copy.h"
#include "compile/spmd_together.h"
#include <stdlib.h>
#include <string.h>

/* ---- in which collectives -------------------------------------------------------------------- */

/* The ways to a collective, per block: threads come from it to the collective without a block
 * operation; by one. */
struct ways {
    bool *at_once, *by_operation;
    /* per edge: of a divergent branch, and an operation of the block lies on it, before all whom
     * the branch parts are together again */
    bool *meets;
    /* per edge: into the next trip of a loop of which the instance holds the trip */
    bool *next_trip;
    bool *shut; /* per edge: that, or behind a block operation */
};

/* Does a thread that goes from the branch to this block come to an operation before the others? */
static bool meets_apart(const struct lw__spmd *s, uint32_t branch, uint32_t to, bool *seen)
{
    const struct lw__cfg *g = &s->cfg;
    const uint32_t join = s->ipdom[branch];
    memset(seen, 0, g->count);
    seen[to] = to != join;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < g->count; b++) {
            if (seen[b] && s->operations[b])
                return true;
            for (uint32_t e = g->succ_start[b]; seen[b] && e < g->succ_start[b + 1]; e++)
                if (g->succ[e] != join && !seen[g->succ[e]])
                    changed = seen[g->succ[e]] = true;
        }
    }
    return false;
}

/* Set for the edges into the next trip of each loop that the collective's instance parts. */
static void find_next_trips(const struct lw__spmd *s, LLVMValueRef call, bool *next_trip)
{
    const struct lw__cfg *g = &s->cfg;
    memset(next_trip, 0, g->succ_start[g->count]);
    for (size_t k = 0; k < s->loops.count; k++) {
        const struct lw__loop *l = &s->loops.loops[k];
        if (!lw__spmd_parts_trips(g, l, call))
            continue;
        for (uint32_t b = 0; b < g->count; b++)
            for (uint32_t e = g->succ_start[b]; l->body[b] && e < g->succ_start[b + 1]; e++)
                next_trip[e] |= g->succ[e] == l->header;
    }
}

static void find_ways(const struct lw__spmd *s, const struct ways *w, uint32_t block)
{
    const struct lw__cfg *g = &s->cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        w->at_once[b] = w->by_operation[b] = b == block;
        for (uint32_t e = g->succ_start[b]; e < g->succ_start[b + 1]; e++)
            w->shut[e] = w->next_trip[e] || s->operations[b];
    }
    lw__cfg_flow_back_past(g, w->at_once, w->shut);
    lw__cfg_flow_back_past(g, w->by_operation, w->next_trip);
    for (uint32_t b = 0; b < g->count; b++)
        w->by_operation[b] &= s->operations[b];
    lw__cfg_flow_back_past(g, w->by_operation, w->next_trip);
}

/* Does a branch here send some the one way, and others the other? */
static bool parts_ways(const struct lw__spmd *s, const struct ways *w, uint32_t b)
{
    const struct lw__cfg *g = &s->cfg;
    uint32_t at_once = 0, by_operation = 0, either = 0;
    for (uint32_t e = g->succ_start[b]; e < g->succ_start[b + 1]; e++) {
        const uint32_t to = g->succ[e];
        const bool first = !w->next_trip[e] && w->at_once[to],
                   second = !w->next_trip[e] && w->meets[e] && w->by_operation[to];
        at_once += first;
        by_operation += second;
        either += first || second;
    }
    return at_once && by_operation && either > 1;
}

static bool is_awaited(const struct lw__spmd *s, const struct ways *w, uint32_t block)
{
    LLVMValueRef call = lw__ir_collective_in(s->cfg.blocks[block]);
    bool is = false;
    if (!call)
        return false;
    find_next_trips(s, call, w->next_trip);
    find_ways(s, w, block);
    for (uint32_t b = 0; !is && b < s->cfg.count; b++)
        is = parts_ways(s, w, b);
    return is;
}

bool lw__spmd_find_awaited(struct lw__spmd *s, const bool *later)
{
    const size_t n = s->cfg.count;
    const uint32_t *start = s->cfg.succ_start, edges = start[n];
    bool *blocks = lw__copy_memory(2 * n + 3 * edges, 1), *of_edges = blocks + 2 * n, any = false;
    const struct ways w = {blocks, blocks + n, of_edges, of_edges + edges, of_edges + 2 * edges};
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t e = start[b]; lw__spmd_is_divergent(s, b) && e < start[b + 1]; e++)
            w.meets[e] = later[b] && meets_apart(s, b, s->cfg.succ[e], blocks);
    for (uint32_t b = 0; b < n; b++)
        any |= s->awaited[b] = !later[b] && is_awaited(s, &w, b);
    free(blocks);
    if (any)
        s->awaiting = calloc(s->pieces, sizeof *s->awaiting);
    return !any || s->awaiting || lw__defect("out of memory");
}

/* ---- who awaits others ----------------------------------------------------------------------- */

void lw__spmd_await_along(struct lw__spmd *s, uint32_t to, uint32_t piece, LLVMValueRef gone)
{
    bool awaits = false;
    for (uint32_t b = to; s->awaiting && !awaits && b != UINT32_MAX; b = s->ipdom[b])
        awaits = s->awaited[b];
    if (!awaits)
        return;
    LLVMValueRef old = LLVMBuildLoad2(s->b, LLVMTypeOf(gone), s->awaiting[piece], "");
    LLVMBuildStore(s->b, LLVMBuildOr(s->b, old, gone, ""), s->awaiting[piece]);
}

void lw__spmd_await_no_more(struct lw__spmd *s, const LLVMValueRef *mask)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, s->i1);
    for (uint32_t p = s->from; s->awaiting && p < s->to; p++) {
        LLVMValueRef old = LLVMBuildLoad2(s->b, type, s->awaiting[p], "");
        LLVMBuildStore(s->b, lw__mask_and_not(s, old, lw__mask_vector(s, mask[p])), s->awaiting[p]);
    }
}

void lw__spmd_add_awaiting(struct lw__spmd *s, LLVMValueRef *live)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, s->i1);
    for (uint32_t w = 0; s->awaiting && w < lw__warps(s); w++) {
        LLVMValueRef some = LLVMBuildIsNotNull(s->b, lw__warp_bits(s, live, w), "");
        const uint32_t first = lw__warp_first(s, w), end = first + lw__warp_pieces(s, w);
        for (uint32_t p = first; p < end; p++) {
            LLVMValueRef more = LLVMBuildLoad2(s->b, type, s->awaiting[p], "");
            more = LLVMBuildSelect(s->b, some, more, LLVMConstNull(type), "");
            live[p] = lw__mask_or(s, live[p], more);
        }
    }
}
