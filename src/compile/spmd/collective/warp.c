/* warp.c - the collectives of a warp, for all warps of the gang at once.
 *
 * Lanes run in lockstep, so the participating lanes are a mask, and no operation waits. The memory
 * order that docs/kernel-language.md requires follows from program order.
 */
#include "compile/spmd/collective/collective.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>

/* The same scalar for all lanes of a warp. */
static void set_warp(struct lw__spmd *s, LLVMValueRef call, uint32_t warp, LLVMValueRef result)
{
    for (uint32_t g = 0; g < lw__warp_pieces(s, warp); g++)
        lw__spmd_set_base(s, call, lw__warp_first(s, warp) + g, result);
}

static bool reduce(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                   lw__mask mask)
{
    LLVMValueRef x[LW_SPMD_PIECES_MAX], results[LW_WARPS_MAX];
    lw__vectors(s, LLVMGetOperand(call, 0), x);
    lw__tree(s, op, type, lw__spmd_is_number(LLVMGetOperand(call, 0)), x, mask, results);
    for (uint32_t w = 0; w < lw__warps(s); w++)
        set_warp(s, call, w, results[w]);
    return true;
}

/* ballot: lanes whose predicate is true; any: there is one; all: there is none with false. */
static void vote(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, lw__mask mask,
                 uint32_t warp)
{
    LLVMValueRef votes[LW_SPMD_PIECES_MAX];
    LLVMValueRef nobody = LLVMConstNull(lw__spmd_vector_type(s, s->i1));
    const uint32_t first = lw__warp_first(s, warp), end = first + lw__warp_pieces(s, warp);
    for (uint32_t p = first; p < end; p++) {
        votes[p] = lw__spmd_vector(s, LLVMGetOperand(call, 0), p);
        if (op == LW_OP_warp_all)
            votes[p] = LLVMBuildNot(s->builder, votes[p], "");
        if (mask[p])
            votes[p] = LLVMBuildSelect(s->builder, mask[p], votes[p], nobody, "");
    }
    LLVMValueRef bits = lw__warp_bits(s, votes, warp);
    if (op != LW_OP_ballot) {
        LLVMIntPredicate is = op == LW_OP_warp_any ? LLVMIntNE : LLVMIntEQ;
        bits = LLVMBuildICmp(s->builder, is, bits, lw__spmd_const32(s, 0), "");
        bits = LLVMBuildZExt(s->builder, bits, s->i32, "");
    }
    set_warp(s, call, warp, bits);
}

/* Moves and votes. */
static bool goes_by_warp(enum lw__op op)
{
    const enum lw__op_kind kind = lw__op_table[op].kind;
    return kind == LW_KIND_MOVE || kind == LW_KIND_PARTNER || kind == LW_KIND_VOTE;
}

bool lw__spmd_is_warps_own(const struct lw__spmd *s, LLVMValueRef call)
{
    const enum lw__op op = lw__ir_collective(call, NULL);
    return !lw__op_table[op].block && goes_by_warp(op) &&
           lw__shape_of(s->facts, call).kind > LW_SHAPE_OFFSET &&
           !lw__spmd_iterations_differ(s->facts, call);
}

void lw__spmd_one_warp(struct lw__spmd *s, LLVMValueRef call, lw__mask mask, uint32_t warp)
{
    const enum lw__op op = lw__ir_collective(call, NULL);
    assert(goes_by_warp(op) && warp < lw__warps(s));
    if (lw__op_table[op].kind == LW_KIND_VOTE)
        vote(s, call, op, mask, warp);
    else
        lw__move_warp(s, call, op, mask, warp);
}

bool lw__spmd_warp(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                   lw__mask mask)
{
    assert(!lw__op_table[op].block);
    if (goes_by_warp(op)) {
        for (uint32_t w = 0; w < lw__warps(s); w++)
            lw__spmd_one_warp(s, call, mask, w);
        return true;
    }
    switch (lw__op_table[op].kind) {
    case LW_KIND_REDUCE: return reduce(s, call, op, type, mask);
    case LW_KIND_SCAN: lw__scan(s, call, op, mask); return true;
    case LW_KIND_SYNC: return true;
    default: return lw__spmd_refuse(s, call, "this operation");
    }
}
