/* loop_exits.c - loops keep the paths to a return that leave them.
 *
 * Later barriers of a loop do not wait for threads that leave it to return. To know this in time,
 * the path to the return must belong to the iteration that it leaves. So it becomes a part of the
 * loop, though it does not lead back. The values computed on it stay valid from the first lanes
 * that leave to the last.
 */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <string.h>

void lw__spmd_find_block_ops(const struct lw__cfg *g, bool *operations)
{
    for (uint32_t b = 0; b < g->count; b++)
        EACH_INSTRUCTION(i, g->blocks[b])
            operations[b] |= lw__op_table[lw__ir_collective(i, NULL)].block;
}

/* ---- which blocks ---------------------------------------------------------------------------- */

/* Per block: is the return reachable from it without a block op? */
static bool *find_free_returns(const struct lw__facts *facts)
{
    bool *free_return = lw__new(&facts->config.unit->scratch, facts->cfg.count, 1), changed = true;
    while (changed) {
        changed = false;
        for (uint32_t b = (uint32_t)facts->cfg.count; b-- > 0;) {
            bool found = LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(facts->cfg.blocks[b]));
            EACH_SUCCESSOR(to, &facts->cfg, b)
                found |= free_return[to];
            if (found && !free_return[b] && !facts->has_block_op[b])
                changed = free_return[b] = true;
        }
    }
    return free_return;
}

/* True if the block leads only to the next iteration of a loop around l: no lane returns before
 * it. */
static bool leads_around(const struct lw__facts *facts, const struct lw__loop *l, uint32_t b)
{
    const struct lw__cfg *g = &facts->cfg;
    if (g->succ_start[b + 1] - g->succ_start[b] != 1)
        return false;
    uint32_t next = g->succ[g->succ_start[b]];
    return next < b && lw__cfg_dominates(g, next, l->header);
}

/* True if lanes that have left the loop in different iterations converge here. Then they wait for
 * each other. */
static bool has_block_op_across(const struct lw__facts *facts, const struct lw__loop *l, uint32_t b)
{
    EACH_INSTRUCTION(i, facts->cfg.blocks[b])
        if (lw__ir_collective(i, NULL) && !lw__spmd_instance_has_iteration(&facts->cfg, l, i))
            return true;
    return false;
}

/* True if the loop may keep the block, if only lanes that leave it get there. */
static bool may_keep(const struct lw__facts *facts, const struct lw__loop *l,
                     const bool *free_return, uint32_t b)
{
    return free_return[b] &&
           !LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(facts->cfg.blocks[b])) &&
           !leads_around(facts, l, b) && !has_block_op_across(facts, l, b);
}

/* True if only lanes that leave the loop reach the block, or the whole loop that begins there. */
static bool is_left_to(const struct lw__facts *facts, const struct lw__loop *l,
                       const bool *free_return, uint32_t b)
{
    const struct lw__loop *own = lw__spmd_loop_at(facts, b);
    bool inside =
        b && !l->body[b] && may_keep(facts, l, free_return, b); /* the entry has no predecessor */
    EACH_PREDECESSOR(from, &facts->cfg, b)
        inside &= l->body[from] || (own && own->body[from]);
    for (uint32_t k = 0; inside && own && k < facts->cfg.count; k++)
        inside = !own->body[k] || (!l->body[k] && may_keep(facts, l, free_return, k));
    return inside;
}

bool lw__spmd_loop_has_block_op(const struct lw__cfg *g, const bool *operations,
                                const struct lw__loop *l)
{
    bool has = false;
    for (uint32_t b = 0; b < g->count; b++)
        has |= l->body[b] && operations[b];
    return has;
}

/* If all lanes leave in one iteration, no other lanes are left for a barrier to wait for. */
bool lw__spmd_keep_returns(struct lw__facts *facts)
{
    const struct lw__arena_mark mark = lw__arena_mark(&facts->config.unit->scratch);
    bool *free_return = find_free_returns(facts), kept = false;
    for (size_t k = 0; k < facts->loops.count; k++) {
        struct lw__loop *l = &facts->loops.loops[k];
        bool changed = facts->exit_divergence[k] != LW_DIVERGENCE_NONE &&
                       lw__spmd_loop_has_block_op(&facts->cfg, facts->has_block_op, l);
        while (changed) {
            changed = false;
            for (uint32_t b = 0; b < facts->cfg.count; b++)
                if (is_left_to(facts, l, free_return, b)) {
                    lw__loops_grow(&facts->cfg, l, b);
                    kept = changed = l->keeps_returns = true;
                }
        }
    }
    lw__arena_release(&facts->config.unit->scratch, mark);
    return kept;
}

/* ---- values live across an exit -------------------------------------------------------------- */

/* True if a value of the loop is used after it. A phi on an edge out of the loop is no such use. A
 * condition's operands are used where the condition is. */
static bool is_used_behind(const struct lw__facts *facts, const struct lw__loop *l, LLVMValueRef v,
                           unsigned depth)
{
    EACH_USE(use, v) {
        LLVMValueRef user = LLVMGetUser(use);
        uint32_t at = lw__cfg_index(&facts->cfg, LLVMGetInstructionParent(user));
        if (at != UINT32_MAX && l->body[at] && depth < LW_CONDITION_DEPTH &&
            lw__control_is_condition(user) && is_used_behind(facts, l, user, depth + 1))
            return true;
        if (at == UINT32_MAX || l->body[at])
            continue;
        bool by_edge = LLVMIsAPHINode(user);
        for (unsigned k = 0; by_edge && k < LLVMCountIncoming(user); k++) {
            at = lw__cfg_index(&facts->cfg, LLVMGetIncomingBlock(user, k));
            by_edge = LLVMGetIncomingValue(user, k) != v || at == UINT32_MAX || l->body[at];
        }
        if (!by_edge)
            return true;
    }
    return false;
}

/* True if nothing that the loop changes affects the value, and all lanes compute it. Masked-off
 * lanes divide by 1 instead of by a value that differs. */
static bool is_same_in_iterations(const struct lw__facts *facts, const struct lw__loop *l,
                                  LLVMValueRef v, unsigned depth)
{
    const uint32_t home = LLVMIsAInstruction(v)
                              ? lw__cfg_index(&facts->cfg, LLVMGetInstructionParent(v))
                              : UINT32_MAX;
    if (home == UINT32_MAX || !l->body[home] || LLVMIsAAllocaInst(v) ||
        lw__ir_thread_index(lw__ir_callee(v), NULL))
        return true;
    bool same = depth < LW_CONDITION_DEPTH &&
                (LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) ||
                 LLVMIsAGetElementPtrInst(v) || LLVMIsASelectInst(v)) &&
                (!lw__ir_divides(v) || LLVMIsAConstantInt(LLVMGetOperand(v, 1)));
    for (int k = 0; same && k < LLVMGetNumOperands(v); k++)
        same = is_same_in_iterations(facts, l, LLVMGetOperand(v, (unsigned)k), depth + 1);
    return same;
}

/* The divergence of the iterations in which lanes leave a loop that keeps returns. */
static enum lw__divergence kept_by(const struct lw__facts *facts, size_t loop)
{
    return facts->loops.loops[loop].keeps_returns ? facts->exit_divergence[loop]
                                                  : LW_DIVERGENCE_NONE;
}

enum lw__divergence lw__spmd_return_divergence(const struct lw__facts *facts, uint32_t from,
                                               uint32_t to)
{
    enum lw__divergence apart = LW_DIVERGENCE_NONE;
    for (size_t k = 0; k < facts->loops.count; k++) {
        const bool *body = facts->loops.loops[k].body;
        if (kept_by(facts, k) > apart && body[from] && !body[to])
            apart = kept_by(facts, k);
    }
    return apart;
}

/* A loop that keeps returns ends where its lanes do, not where lcssa has put phis. Values used
 * after that must stay valid from the first lanes that leave to the last. */
enum lw__divergence lw__spmd_exit_divergence(const struct lw__facts *facts, LLVMValueRef v)
{
    const uint32_t home = lw__cfg_index(&facts->cfg, LLVMGetInstructionParent(v));
    enum lw__divergence apart = LW_DIVERGENCE_NONE;
    assert(home != UINT32_MAX);
    for (size_t k = 0; k < facts->loops.count; k++) {
        const struct lw__loop *l = &facts->loops.loops[k];
        if (kept_by(facts, k) > apart && l->body[home] && !is_same_in_iterations(facts, l, v, 0) &&
            is_used_behind(facts, l, v, 0))
            apart = kept_by(facts, k);
    }
    return apart;
}

bool lw__spmd_live_across_exit(const struct lw__facts *facts, LLVMValueRef v)
{
    return lw__spmd_exit_divergence(facts, v) != LW_DIVERGENCE_NONE;
}
