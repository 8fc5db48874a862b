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

/* Does the edge lead into the next trip of one of these loops? */
static bool is_next_trip(const struct lw__spmd *s, const bool *loops, uint32_t from, uint32_t to)
{
    bool is = false;
    for (size_t l = 0; !is && l < s->loops.count; l++)
        is = loops[l] && s->loops.loops[l].header == to && s->loops.loops[l].body[from];
    return is;
}

/* Set of each block that leads to one that is set, in the same trips of these loops; past block
 * operations, or not. */
static void flow_back(const struct lw__spmd *s, const bool *loops, bool past, bool *set)
{
    const struct lw__cfg *g = &s->cfg;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = (uint32_t)g->count; b-- > 0;)
            for (uint32_t e = g->succ_start[b]; !set[b] && e < g->succ_start[b + 1]; e++)
                if (set[g->succ[e]] && (past || !s->operations[b]) &&
                    !is_next_trip(s, loops, b, g->succ[e]))
                    changed = set[b] = true;
    }
}

/* The ways to a collective, per block: threads come from it to the collective without a block
 * operation; by one. */
struct ways {
    bool *at_once, *by_operation;
    bool *loops; /* those of which the instance holds the trip */
    bool *meets; /* per edge of a divergent branch: an operation of the block lies on it, before all
                    whom the branch parts are together again */
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

static void find_ways(const struct lw__spmd *s, const struct ways *w, uint32_t block)
{
    const size_t n = s->cfg.count;
    memset(w->at_once, 0, n);
    memset(w->by_operation, 0, n);
    w->at_once[block] = w->by_operation[block] = true;
    flow_back(s, w->loops, false, w->at_once);
    flow_back(s, w->loops, true, w->by_operation);
    for (uint32_t b = 0; b < n; b++)
        w->by_operation[b] &= s->operations[b];
    flow_back(s, w->loops, true, w->by_operation);
}

/* Does a branch here send some the one way, and others the other? */
static bool parts_ways(const struct lw__spmd *s, const struct ways *w, uint32_t b)
{
    const struct lw__cfg *g = &s->cfg;
    uint32_t at_once = 0, by_operation = 0, either = 0;
    for (uint32_t e = g->succ_start[b]; e < g->succ_start[b + 1]; e++) {
        const uint32_t to = g->succ[e];
        const bool stays = !is_next_trip(s, w->loops, b, to);
        at_once += stays && w->at_once[to];
        by_operation += stays && w->meets[e] && w->by_operation[to];
        either += stays && (w->at_once[to] || (w->meets[e] && w->by_operation[to]));
    }
    return at_once && by_operation && either > 1;
}

static bool is_awaited(const struct lw__spmd *s, const struct ways *w, uint32_t block)
{
    LLVMValueRef call = lw__ir_collective_in(s->cfg.blocks[block]);
    bool is = false;
    if (!call)
        return false;
    for (size_t l = 0; l < s->loops.count; l++)
        w->loops[l] = lw__spmd_parts_trips(&s->cfg, &s->loops.loops[l], call);
    find_ways(s, w, block);
    for (uint32_t b = 0; !is && b < s->cfg.count; b++)
        is = parts_ways(s, w, b);
    return is;
}

bool lw__spmd_find_awaited(struct lw__spmd *s, const bool *later)
{
    const size_t n = s->cfg.count;
    const uint32_t *start = s->cfg.succ_start;
    bool *at_once = lw__copy_memory(2 * n + s->loops.count + start[n], 1), any = false;
    const struct ways w = {at_once, at_once + n, at_once + 2 * n, at_once + 2 * n + s->loops.count};
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t e = start[b]; lw__spmd_is_divergent(s, b) && e < start[b + 1]; e++)
            w.meets[e] = later[b] && meets_apart(s, b, s->cfg.succ[e], at_once);
    for (uint32_t b = 0; b < n; b++)
        any |= s->awaited[b] = !later[b] && is_awaited(s, &w, b);
    free(at_once);
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
