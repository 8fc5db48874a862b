/* guards.c - lw.guard: a thread whose access may be outside of its object branches off.
 *
 *         br %fails, outside, on, !prof
 *     outside:                               seldom: here it is compared exactly
 *         br start + scale * number >= limit, refused, on
 *     refused:                               tells, and exits (lower.c)
 *         br on
 *     on:
 *
 * The passes before have seen a call. So control flow, and with it the lanes of each collective,
 * are those of the kernel without checks.
 */
#include "base/bounds_abi.h"
#include "compile/gpu/gpu.h"
#include <assert.h>

/* Hidden, or a loop would have a register that advances for it. */
static LLVMValueRef offset_of(struct lw__gpu *x, LLVMValueRef call)
{
    const bool is_signed = !lw__ir_is_truth(LLVMGetOperand(call, LW_GUARD_SIGNED), false);
    LLVMValueRef number = x->target->hide(x->b, LLVMGetOperand(call, LW_GUARD_NUMBER));
    number = LLVMBuildIntCast2(x->b, number, x->i64, is_signed, "");
    number = LLVMBuildMul(x->b, number, LLVMGetOperand(call, LW_GUARD_SCALE), "");
    return LLVMBuildAdd(x->b, LLVMGetOperand(call, LW_GUARD_START), number, "");
}

void lw__gpu_guard(struct lw__gpu *x, LLVMValueRef call, LLVMValueRef *words)
{
    assert(LLVMGetNumArgOperands(call) == LW_GUARD_OPERANDS);
    LLVMBasicBlockRef on = LLVMGetInstructionParent(call), head = lw__ir_split_before(call),
                      outside = LLVMInsertBasicBlockInContext(x->context, on, "outside"),
                      refused = LLVMInsertBasicBlockInContext(x->context, on, "refused");
    LLVMPositionBuilderAtEnd(x->b, head);
    lw__ir_set_rare(LLVMBuildCondBr(x->b, LLVMGetOperand(call, LW_GUARD_FAILS), outside, on));
    LLVMPositionBuilderAtEnd(x->b, outside);
    words[LW_REFUSED_KIND] = LLVMGetOperand(call, LW_GUARD_KIND);
    words[LW_REFUSED_OBJECT] = LLVMGetOperand(call, LW_GUARD_OBJECT);
    words[LW_REFUSED_OFFSET] = offset_of(x, call);
    words[LW_REFUSED_BYTES] = LLVMGetOperand(call, LW_GUARD_BYTES);
    words[LW_REFUSED_SIZE] = LLVMGetOperand(call, LW_GUARD_SIZE);
    words[LW_REFUSED_BASE] = LLVMGetOperand(call, LW_GUARD_BASE);
    LLVMValueRef is_outside = LLVMBuildICmp(x->b, LLVMIntUGE, words[LW_REFUSED_OFFSET],
                                            LLVMGetOperand(call, LW_GUARD_LIMIT), "");
    LLVMBuildCondBr(x->b, is_outside, refused, on);
    LLVMPositionBuilderAtEnd(x->b, refused);
    LLVMPositionBuilderBefore(x->b, LLVMBuildBr(x->b, on));
}
