/* dependent_launch.c - a launch may be brought to the processors while the one in front of it in
 * its stream still ends (programmatic dependent launch): every thread waits for that end first, and
 * for what it has written. So launches that follow each other cost less; from sm_90 on.
 * source   PTX ISA 7.8, griddepcontrol
 */
#include "compile/ptx/ptx.h"
#include "compile/llvm/llvm.h"

static LLVMValueRef behind_variables(LLVMBasicBlockRef entry)
{
    LLVMValueRef i = LLVMGetFirstInstruction(entry);
    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* What is read only (ld.global.nc) was not so for the launch in front: no load comes before. */
void lw__ptx_follow(LLVMContextRef context, LLVMValueRef entry)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(b, behind_variables(LLVMGetEntryBasicBlock(entry)));
    lw__llvm_asm(b, type, "griddepcontrol.wait;", "~{memory}", true, NULL, 0);
    LLVMDisposeBuilder(b);
}
