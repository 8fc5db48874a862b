/* one_lane.c - blocks that only one lane executes, such as `if (thread_idx.x == 0)`.
 *
 * Conditions of dominating branches hold in a block. Those known for each thread exclude threads. A
 * condition x == y, with y the same for all lanes, groups the threads by their value of x. At most
 * one of these groups is active. So one lane is left if no two threads of a warp are in one group.
 */
#include "compile/spmd/analysis/analysis.h"

enum { THREADS_MAX = 1024, WARP = 32, OUT = UINT16_MAX };

/* Per thread of the gang: the first thread of its group, or OUT. */
struct groups {
    const struct lw__facts *facts;
    uint16_t of[THREADS_MAX];
};

/* A thread's value, relative to what all lanes have in common. Pieces may have any base of a PIECE
 * value; their lanes run separately anyway. */
static int64_t value_at(struct lw__value_shape shape, uint32_t t)
{
    return shape.kind == LW_SHAPE_PIECE ? (int64_t)t : lw__shape_offset_at(shape, t);
}

/* The condition holds, or (value false) does not. */
static void take(struct groups *g, LLVMValueRef c, bool value, unsigned depth)
{
    const struct lw__value_shape shape = lw__shape_of(g->facts, c);
    LLVMValueRef both[2];
    if (depth > LW_CONDITION_DEPTH)
        return;
    if (shape.kind == LW_SHAPE_OFFSET && shape.known) {
        for (uint32_t t = 0; t < g->facts->config.threads; t++)
            if ((shape.lanes && shape.lanes[t]) != value)
                g->of[t] = OUT;
    } else if (LLVMIsAICmpInst(c)) {
        if (LLVMGetICmpPredicate(c) == (value ? LLVMIntEQ : LLVMIntNE)) {
            /* x == y holds. */
            struct lw__value_shape a = lw__shape_of(g->facts, LLVMGetOperand(c, 0)),
                                   b = lw__shape_of(g->facts, LLVMGetOperand(c, 1));
            if (lw__shape_is_uniform(g->facts, a)) {
                const struct lw__value_shape swapped = a;
                a = b;
                b = swapped;
            }
            const bool is_row = a.kind == LW_SHAPE_OFFSET || (a.kind == LW_SHAPE_PIECE && a.stride);
            if (is_row && lw__shape_is_uniform(g->facts, b)) {
                uint16_t split[WARP];
                for (uint32_t warp = 0; warp < g->facts->config.threads; warp += WARP) {
                    const uint32_t end = warp + WARP < g->facts->config.threads
                                             ? warp + WARP
                                             : g->facts->config.threads;
                    for (uint32_t t = warp; t < end; t++) {
                        uint32_t u = warp;
                        while (u < t && (g->of[u] != g->of[t] || value_at(a, u) != value_at(a, t)))
                            u++;
                        split[t - warp] = g->of[t] == OUT ? OUT : (uint16_t)u;
                    }
                    memcpy(g->of + warp, split, (end - warp) * sizeof *split);
                }
            }
        }
    } else if (lw__ir_negated(c)) {
        take(g, lw__ir_negated(c), !value, depth + 1);
    } else if (lw__ir_joined(c, !value, both)) {
        take(g, both[0], value, depth + 1);
        take(g, both[1], value, depth + 1);
    }
}

/* The condition of a dominating block's branch; none, if both of its edges lead here. */
static void take_branch(struct groups *g, uint32_t from, uint32_t here)
{
    const struct lw__cfg *cfg = &g->facts->cfg;
    LLVMValueRef condition = lw__cfg_condition(cfg, from);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[from]);
    if (!condition || !LLVMIsABranchInst(end) ||
        LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
        return;
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t to = lw__cfg_index(cfg, LLVMGetSuccessor(end, k));
        if (cfg->pred_start[to + 1] - cfg->pred_start[to] == 1 && lw__cfg_dominates(cfg, to, here))
            take(g, condition, k == 0, 0);
    }
}

bool lw__spmd_is_by_one_lane(const struct lw__facts *facts, LLVMValueRef instruction)
{
    const struct lw__cfg *cfg = &facts->cfg;
    const uint32_t here = lw__cfg_index(cfg, LLVMGetInstructionParent(instruction));
    struct groups groups = {.facts = facts};
    if (here == UINT32_MAX || facts->config.threads > THREADS_MAX)
        return false;
    for (uint32_t b = here; b != cfg->idom[b]; b = cfg->idom[b])
        take_branch(&groups, cfg->idom[b], here);
    for (uint32_t t = 0; t < groups.facts->config.threads; t++)
        for (uint32_t u = t - t % WARP; u < t; u++)
            if (groups.of[t] != OUT && groups.of[u] == groups.of[t])
                return false;
    return true;
}
