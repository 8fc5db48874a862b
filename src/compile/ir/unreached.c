/* unreached.c - a thread that comes to a place which the program says is never reached ends there.
 *
 * LLVM removes what leads to `unreachable`, where that changes nothing else. What is left after the
 * clean-up is after stores or at the end of a kernel that always comes there. Code for it would
 * run on into whatever follows. So the place becomes a way to the kernel's return. After a failed
 * assert `unreachable` stays: targets lower the assert.
 */
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

/* True if a failed assert is the last that the block does. */
static bool ends_by_assert(LLVMBasicBlockRef block)
{
    LLVMValueRef last = LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(block));
    return last && lw__ir_fails(last);
}

/* The block of the kernel's return, which has nothing else. */
static LLVMBasicBlockRef return_block(LLVMBuilderRef b, LLVMValueRef f)
{
    LLVMBasicBlockRef end =
        LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(f)), f, "end");
    EACH_BLOCK(k, f) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(k);
        if (!last || !LLVMIsAReturnInst(last))
            continue;
        LLVMPositionBuilderBefore(b, last);
        LLVMBuildBr(b, end);
        LLVMInstructionEraseFromParent(last);
    }
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRetVoid(b);
    return end;
}

/* The block that goes to the return instead of being unreachable; NULL: only asserts lead here. */
static LLVMBasicBlockRef ending(LLVMValueRef f, LLVMBasicBlockRef block)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    if (ends_by_assert(block))
        return NULL;
    if (lw__ir_first_after_phis(block) == last && block != LLVMGetEntryBasicBlock(f)) {
        /* Nothing uses them. */
        for (LLVMValueRef i; (i = LLVMGetFirstInstruction(block)) && LLVMIsAPHINode(i);) {
            LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
            LLVMInstructionEraseFromParent(i);
        }
        /* The edges to `from` that no failed assert takes go to a block of their own; NULL:
         * none. */
        LLVMBasicBlockRef own = NULL;
        EACH_BLOCK(k, f) {
            LLVMValueRef last = LLVMGetBasicBlockTerminator(k);
            if (!last || ends_by_assert(k))
                continue;
            for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++) {
                if (LLVMGetSuccessor(last, s) != block)
                    continue;
                if (!own)
                    own =
                        LLVMInsertBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(f)), block, "");
                LLVMSetSuccessor(last, s, own);
            }
        }
        return own;
    }
    LLVMInstructionEraseFromParent(last);
    return block;
}

void lw__ir_end_unreached(LLVMValueRef f)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(f)));
    LLVMBasicBlockRef end = NULL;
    EACH_BLOCK_SAFE(k, f) {
        LLVMBasicBlockRef ends =
            LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(k)) ? ending(f, k) : NULL;
        if (!ends)
            continue;
        if (!end)
            end = return_block(b, f);
        LLVMPositionBuilderAtEnd(b, ends);
        LLVMSetCurrentDebugLocation2(b, NULL);
        LLVMBuildBr(b, end);
        if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(k)) && k != LLVMGetEntryBasicBlock(f) &&
            ends != k)
            LLVMDeleteBasicBlock(k);
    }
    LLVMDisposeBuilder(b);
}
