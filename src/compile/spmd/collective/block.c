/* block.c - the collectives of the block: all its threads are the gang.
 *
 * A barrier needs no instruction: each lane has executed all code before it. The caller checks that
 * all live threads are there.
 */
#include "compile/spmd/collective/collective.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>

static bool reduce(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                   lw__mask mask)
{
    LLVMValueRef x[LW_SPMD_PIECES_MAX], result;
    lw__vectors(s, LLVMGetOperand(call, 0), x);
    lw__tree(s, op, type, lw__spmd_is_number(LLVMGetOperand(call, 0)), x, mask, &result);
    lw__spmd_set_uniform(s, call, result);
    return true;
}

/* The sum of the predicates as ints. */
static bool count(struct lw__spmd *s, LLVMValueRef call, lw__mask mask)
{
    LLVMValueRef x[LW_SPMD_PIECES_MAX], result;
    LLVMTypeRef ints = lw__spmd_vector_type(s, s->i32);
    lw__vectors(s, LLVMGetOperand(call, 0), x);
    for (uint32_t p = 0; p < s->pieces; p++)
        x[p] = LLVMBuildZExt(s->builder, x[p], ints, "");
    lw__tree(s, LW_OP_block_sum, "i32", false, x, mask, &result);
    lw__spmd_set_uniform(s, call, result);
    return true;
}

/* any: an active thread's predicate is true; all: no active thread's is false. */
static bool vote(struct lw__spmd *s, LLVMValueRef call, bool all, lw__mask mask)
{
    LLVMValueRef nobody = LLVMConstNull(lw__spmd_vector_type(s, s->i1)), votes = nobody;
    for (uint32_t p = 0; p < s->pieces; p++) {
        LLVMValueRef vote = lw__spmd_vector(s, LLVMGetOperand(call, 0), p);
        if (all)
            vote = LLVMBuildNot(s->builder, vote, "");
        if (mask[p])
            vote = LLVMBuildSelect(s->builder, mask[p], vote, nobody, "");
        votes = LLVMBuildOr(s->builder, votes, vote, "");
    }
    LLVMValueRef bits = lw__mask_bits(s, votes);
    LLVMValueRef result = LLVMBuildICmp(s->builder, all ? LLVMIntEQ : LLVMIntNE, bits,
                                        LLVMConstNull(LLVMTypeOf(bits)), "");
    lw__spmd_set_uniform(s, call, LLVMBuildZExt(s->builder, result, s->i32, ""));
    return true;
}

bool lw__spmd_block(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, const char *type,
                    lw__mask mask)
{
    assert(lw__op_table[op].block && !s->gang);
    switch (lw__op_table[op].kind) {
    case LW_KIND_SYNC: return true;
    case LW_KIND_REDUCE: return reduce(s, call, op, type, mask);
    case LW_KIND_SCAN: lw__scan(s, call, op, mask); return true;
    case LW_KIND_MOVE: lw__move_block(s, call, mask); return true;
    case LW_KIND_PARTNER: lw__partner_block(s, call, mask); return true;
    case LW_KIND_VOTE:
        return op == LW_OP_block_count ? count(s, call, mask)
                                       : vote(s, call, op == LW_OP_block_all, mask);
    default: return lw__spmd_refuse(s, call, "this operation");
    }
}
