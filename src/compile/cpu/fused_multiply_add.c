/* fused_multiply_add.c - fma() on processors without an instruction for it.
 *
 * LLVM makes a call of fmaf() or fma() for each lane, and takes the vectors apart around each: two
 * thirds of the code of kernels that are full of it. So a vector is passed to a function of the
 * module, which holds these calls once for its type.
 */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"
#include <stdio.h>

/* A function whose body is the intrinsic. */
static LLVMValueRef make(LLVMModuleRef module, LLVMValueRef intrinsic, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMGlobalGetValueType(intrinsic);
    LLVMValueRef f = LLVMAddFunction(module, name, type), args[3];
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    lw__llvm_attribute(f, "noinline", true);
    lw__llvm_attribute(f, "nounwind", true);
    for (unsigned k = 0; k < 3; k++)
        args[k] = LLVMGetParam(f, k);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, ""));
    LLVMBuildRet(b, LLVMBuildCall2(b, type, intrinsic, args, 3, ""));
    LLVMDisposeBuilder(b);
    return f;
}

/* lw.fma.v4f32 for llvm.fma.v4f32 */
static LLVMValueRef function_for(LLVMValueRef intrinsic)
{
    LLVMModuleRef module = LLVMGetGlobalParent(intrinsic);
    char name[64];
    size_t length;
    snprintf(name, sizeof name, "lw%s", LLVMGetValueName2(intrinsic, &length) + 4);
    LLVMValueRef there = LLVMGetNamedFunction(module, name);
    return there ? there : make(module, intrinsic, name);
}

void lw__cpu_share_fused(LLVMValueRef function)
{
    EACH_INSTRUCTION_OF(i, function)
        if (lw__ir_calls(i, LW_LLVM_fma) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
            LLVMSetOperand(i, 3, function_for(LLVMGetCalledValue(i)));
}
