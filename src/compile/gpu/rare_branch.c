/* rare_branch.c - lw.rarely: a branch around what few threads need.
 *
 *         br rare, seldom, on !prof          a select would have all compute `other`; the
 *     seldom:                                hardware jumps over the block where no lane of
 *         other, and what only that uses     a warp needs it
 *         br on
 *     on:
 *         phi [usual], [other, seldom]
 */
#include "compile/gpu/gpu.h"
#include <assert.h>
#include <string.h>

/* True if all uses of v are in the block, or in phis on an edge from it. */
static bool only_wanted_in(LLVMValueRef v, LLVMBasicBlockRef block)
{
    EACH_USE(use, v) {
        LLVMValueRef user = LLVMGetUser(use);
        const unsigned incoming = LLVMIsAPHINode(user) ? LLVMCountIncoming(user) : 0;
        for (unsigned k = 0; k < incoming; k++)
            if (LLVMGetIncomingValue(user, k) == v && LLVMGetIncomingBlock(user, k) != block)
                return false;
        if (!incoming && LLVMGetInstructionParent(user) != block)
            return false;
    }
    return LLVMGetFirstUse(v);
}

/* The weights keep LLVM from turning it into a select again. The phi has a block of its own,
 * because the call's block may have debug records at that point. */
void lw__gpu_rarely(struct lw__gpu *x, LLVMValueRef call)
{
    LLVMValueRef usual = LLVMGetOperand(call, 0), other = LLVMGetOperand(call, 1);
    assert(LLVMTypeOf(usual) == LLVMTypeOf(call) && LLVMTypeOf(other) == LLVMTypeOf(call));
    LLVMBasicBlockRef rest = LLVMGetInstructionParent(call), head = lw__ir_split_before(call),
                      seldom = LLVMInsertBasicBlockInContext(x->context, rest, "rare"),
                      on = LLVMInsertBasicBlockInContext(x->context, rest, "usual");
    LLVMBasicBlockRef from[] = {head, seldom};
    LLVMPositionBuilderAtEnd(x->b, head);
    lw__ir_set_rare(LLVMBuildCondBr(x->b, LLVMGetOperand(call, 2), seldom, on));
    LLVMPositionBuilderAtEnd(x->b, seldom);
    LLVMBuildBr(x->b, on);
    LLVMPositionBuilderAtEnd(x->b, on);
    LLVMValueRef phi = LLVMBuildPhi(x->b, LLVMTypeOf(call), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){usual, other}, from, 2);
    LLVMBuildBr(x->b, rest);
    LLVMReplaceAllUsesWith(call, phi);
    LLVMInstructionEraseFromParent(call);
    LLVMValueRef before;
    for (LLVMValueRef i = LLVMGetBasicBlockTerminator(head); i; i = before) {
        before = LLVMGetPreviousInstruction(i);
        if (!(lw__ir_is_arith(i) || lw__ir_calls(i, LW_LLVM_sqrt) || lw__ir_calls(i, LW_LLVM_fma) ||
              lw__ir_calls(i, LW_LLVM_fabs)) ||
            !only_wanted_in(i, seldom))
            continue;
        LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(seldom));
        lw__ir_move(i, x->b);
    }
}
