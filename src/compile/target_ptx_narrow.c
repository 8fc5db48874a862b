/* target_ptx_narrow.c - floats become integers of less than 32 bits by way of 32.
 *
 * The hardware's conversion to 16 bits leaves the upper half of the register as it was, and the
 * driver's assembler (of CUDA 13.0) takes it for zero where the number is extended behind it.
 */
#include "compile/target_ptx.h"
#include <string.h>

enum { WIDE = 32 };

static LLVMTypeRef with_element(LLVMTypeRef like, LLVMTypeRef element)
{
    return LLVMGetTypeKind(like) == LLVMVectorTypeKind
               ? LLVMVectorType(element, LLVMGetVectorSize(like))
               : element;
}

static LLVMValueRef constant(LLVMTypeRef type, int64_t value)
{
    LLVMValueRef lanes[64];
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, (uint64_t)value, 1);
    const unsigned count = LLVMGetVectorSize(type);
    for (unsigned k = 0; k < count; k++)
        lanes[k] = LLVMConstInt(LLVMGetElementType(type), (uint64_t)value, 1);
    return LLVMConstVector(lanes, count);
}

static LLVMValueRef intrinsic(LLVMModuleRef module, LLVMBuilderRef b, const char *name,
                              LLVMTypeRef *types, unsigned type_count, LLVMValueRef *args,
                              unsigned count)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, id, types, type_count);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, count, "");
}

/* llvm.fptosi.sat or llvm.fptoui.sat; is_signed: the former. */
static LLVMValueRef convert_bounded(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef i,
                                    LLVMTypeRef wide, unsigned bits, bool is_signed)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    const int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    LLVMValueRef v =
        intrinsic(module, b, "llvm.fptosi.sat", (LLVMTypeRef[]){wide, LLVMTypeOf(x)}, 2, &x, 1);
    v = intrinsic(module, b, "llvm.smax", &wide, 1, (LLVMValueRef[]){v, constant(wide, least)}, 2);
    return intrinsic(module, b, "llvm.smin", &wide, 1, (LLVMValueRef[]){v, constant(wide, most)},
                     2);
}

static void convert(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    const bool to_signed = !strncmp(name, "llvm.fptosi.sat.", 16),
               to_unsigned = !strncmp(name, "llvm.fptoui.sat.", 16);
    if (!LLVMIsAFPToSIInst(i) && !LLVMIsAFPToUIInst(i) && !to_signed && !to_unsigned)
        return;
    LLVMTypeRef type = LLVMTypeOf(i), element = type;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        element = LLVMGetElementType(type);
    const unsigned bits = LLVMGetIntTypeWidth(element);
    if (bits >= WIDE)
        return;
    LLVMTypeRef wide = with_element(type, LLVMIntTypeInContext(LLVMGetTypeContext(type), WIDE));
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef v = to_signed || to_unsigned ? convert_bounded(module, b, i, wide, bits, to_signed)
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
