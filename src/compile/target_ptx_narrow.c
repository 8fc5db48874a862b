/* target_ptx_narrow.c - conversions of integers of less than 32 bits.
 *
 * LLVM 19 makes +1 of a signed i1 that becomes a float; it is -1: a choice, then.
 *
 * Floats become integers of less than 32 bits by way of 32. The hardware's conversion to 16 bits
 * leaves the upper half of the register as it was, and the driver's assembler (of CUDA 13.0) takes
 * it for zero where the number is extended behind it.
 */
#include "compile/target_ptx.h"

/* For each element of a vector. */
static LLVMValueRef constant(LLVMBuilderRef b, LLVMTypeRef type, int64_t value)
{
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef v = LLVMConstInt(i32, (uint64_t)value, 1), none = LLVMGetPoison(type);
    if (!is_vector)
        return v;
    LLVMValueRef first = LLVMBuildInsertElement(b, none, v, LLVMConstInt(i32, 0, 0), "");
    LLVMTypeRef lanes = LLVMVectorType(i32, LLVMGetVectorSize(type));
    return LLVMBuildShuffleVector(b, first, none, LLVMConstNull(lanes), "");
}

/* llvm.fptosi.sat or llvm.fptoui.sat; is_signed: the former. */
static LLVMValueRef convert_bounded(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef i,
                                    LLVMTypeRef wide, unsigned bits, bool is_signed)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    const int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    LLVMValueRef v = lw__llvm_intrinsic(b, module, "llvm.fptosi.sat",
                                        (LLVMTypeRef[]){wide, LLVMTypeOf(x)}, 2, &x, 1);
    v = lw__llvm_intrinsic(b, module, "llvm.smax", &wide, 1,
                           (LLVMValueRef[]){v, constant(b, wide, least)}, 2);
    return lw__llvm_intrinsic(b, module, "llvm.smin", &wide, 1,
                              (LLVMValueRef[]){v, constant(b, wide, most)}, 2);
}

static bool is_of_bool(LLVMValueRef i)
{
    LLVMTypeRef type = LLVMIsASIToFPInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : NULL;
    if (type && LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return type && LLVMGetIntTypeWidth(type) == 1;
}

static void choose(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef minus =
        LLVMBuildSIToFP(b, LLVMConstAllOnes(LLVMTypeOf(LLVMGetOperand(i, 0))), type, "");
    LLVMValueRef v = LLVMBuildSelect(b, LLVMGetOperand(i, 0), minus, LLVMConstNull(type), "");
    LLVMReplaceAllUsesWith(i, v);
    LLVMInstructionEraseFromParent(i);
}

static void convert(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef i)
{
    bool is_signed;
    if (is_of_bool(i)) {
        choose(b, i);
        return;
    }
    const bool saturates = lw__ir_saturates(i, &is_signed);
    if (!saturates && !LLVMIsAFPToSIInst(i) && !LLVMIsAFPToUIInst(i))
        return;
    LLVMTypeRef type = LLVMTypeOf(i), wide = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    const unsigned bits = LLVMGetIntTypeWidth(is_vector ? LLVMGetElementType(type) : type);
    if (bits >= 32)
        return;
    if (is_vector)
        wide = LLVMVectorType(wide, LLVMGetVectorSize(type));
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef v = saturates ? convert_bounded(module, b, i, wide, bits, is_signed)
                               : LLVMBuildFPToSI(b, LLVMGetOperand(i, 0), wide, "");
    LLVMReplaceAllUsesWith(i, LLVMBuildTrunc(b, v, type, ""));
    LLVMInstructionEraseFromParent(i);
}

void lw__ptx_narrow(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k; k = LLVMGetNextBasicBlock(k))
            for (LLVMValueRef i = LLVMGetFirstInstruction(k), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                convert(module, b, i);
            }
    LLVMDisposeBuilder(b);
}
