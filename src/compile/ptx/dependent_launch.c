/* dependent_launch.c - programmatic dependent launch, from sm_90 on. A launch may start while the
 * previous one of its stream still ends. Each thread first waits for that end, and for what the
 * previous launch has written. So consecutive launches cost less.
 * source   PTX ISA 7.8, griddepcontrol
 */
#include "compile/ptx/ptx.h"

static LLVMValueRef behind_variables(LLVMBasicBlockRef entry)
{
    LLVMValueRef i = LLVMGetFirstInstruction(entry);
    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* Memory that is read-only here (ld.global.nc) may be written by the previous launch: no load comes
 * before the wait. */
void lw__ptx_follow(LLVMContextRef context, LLVMValueRef entry)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(b, behind_variables(LLVMGetEntryBasicBlock(entry)));
    lw__llvm_asm(b, type, "griddepcontrol.wait;", "~{memory}", true, NULL, 0);
    LLVMDisposeBuilder(b);
}
