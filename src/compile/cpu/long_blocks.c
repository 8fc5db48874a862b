/* long_blocks.c - cuts blocks of very many instructions.
 *
 * The code generator's time for a block grows faster than the block's size. So a long block is cut
 * by branches to another block that are never taken. Without those it would be merged again.
 */
#include "compile/cpu/cpu.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

enum { BLOCK_MAX = 1500 };

static unsigned length(LLVMBasicBlockRef block)
{
    unsigned n = 0;
    EACH_INSTRUCTION(i, block)
        n++;
    return n;
}

void lw__cpu_split_blocks(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef elsewhere = NULL, entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef never = NULL;
    for (LLVMBasicBlockRef k = LLVMGetNextBasicBlock(entry); k; k = LLVMGetNextBasicBlock(k))
        for (unsigned n = length(k); n > 2 * BLOCK_MAX; n = length(k)) {
            if (!elsewhere) {
                never = lw__cpu_opaque_zero(b, function, false);
                never = LLVMBuildTrunc(b, never, LLVMInt1TypeInContext(context), "");
                elsewhere = LLVMAppendBasicBlockInContext(context, function, "elsewhere");
                LLVMPositionBuilderAtEnd(b, elsewhere);
                LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
                if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
                    LLVMBuildRetVoid(b);
                else
                    LLVMBuildRet(b, LLVMConstNull(type));
            }
            /* Move the first instructions to a block of their own in front. */
            LLVMValueRef rest = LLVMGetFirstInstruction(k);
            for (unsigned i = 0; i < BLOCK_MAX || LLVMIsAPHINode(rest); i++)
                rest = LLVMGetNextInstruction(rest);
            LLVMBasicBlockRef front = lw__ir_split_before(rest);
            LLVMSetValueName2(LLVMBasicBlockAsValue(front), "part", 4);
            LLVMPositionBuilderAtEnd(b, front);
            LLVMSetCurrentDebugLocation2(b, NULL);
            LLVMBuildCondBr(b, never, elsewhere, k);
        }
    LLVMDisposeBuilder(b);
}
