/* own_parameters.c - a struct that is passed by value and written becomes a private variable.
 *
 * clang passes a struct of more than 16 bytes as a pointer to a copy of the caller's. The copy that
 * the block's code gets is one for all its threads and blocks. A struct that is only read stays
 * there.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

static bool may_write(LLVMValueRef pointer);

static bool use_may_write(LLVMValueRef user, LLVMValueRef pointer)
{
    switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMUserOp1) {
    case LLVMLoad:
    case LLVMICmp: return false;
    case LLVMGetElementPtr: return may_write(user);
    case LLVMCall: /* a copy out of it */
        return !LLVMIsAMemIntrinsic(user) || LLVMGetOperand(user, 0) == pointer;
    default: return true;
    }
}

/* True if something is stored through the pointer, or may be. */
static bool may_write(LLVMValueRef pointer)
{
    EACH_USE(use, pointer)
        if (use_may_write(LLVMGetUser(use), pointer))
            return true;
    return false;
}

void lw__prepare_own_parameters(const struct lw__kernel *kernel)
{
    for (unsigned i = 0; i < kernel->param_count; i++) {
        LLVMValueRef pointer = LLVMGetParam(kernel->function, i);
        if (kernel->params[i].by_value &&
            LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind && may_write(pointer)) {
            LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pointer));
            LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
            const unsigned align = (unsigned)kernel->params[i].align;
            LLVMTypeRef bytes =
                LLVMArrayType2(LLVMInt8TypeInContext(context), kernel->params[i].size);
            LLVMValueRef size =
                LLVMConstInt(LLVMInt64TypeInContext(context), kernel->params[i].size, false);
            LLVMPositionBuilderBefore(
                b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel->function)));
            LLVMValueRef own = LLVMBuildAlloca(b, bytes, "");
            LLVMSetAlignment(own, align);
            LLVMReplaceAllUsesWith(pointer, own);
            LLVMBuildMemCpy(b, own, align, pointer, align, size);
            LLVMDisposeBuilder(b);
        }
    }
}
