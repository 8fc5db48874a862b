/* lockstep.c - CUDA below sm_70: the lanes of a warp go step by step.
 *
 * Programs of that time leave out __syncwarp() between accesses to shared memory. So one stands
 * after each access to shared memory that is seen to be such, and after each volatile one. The
 * checker has the program as it is: there the races are what is looked for, and are warnings.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { FIRST_ARCH_WITHOUT = 70 };

static bool is_shared(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAConstantExpr(pointer) ||
           LLVMIsACastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAGlobalVariable(pointer) &&
           (lw__ir_in_section(pointer, "lw.shared") || lw__ir_in_section(pointer, "lw.dynshared"));
}

bool lw__front_has_lockstep(const struct lw__unit *unit)
{
    return lw__ir_is_cuda(unit->module) && unit->options->cuda_arch < FIRST_ARCH_WITHOUT;
}

/* Variables of the thread are nobody else's, volatile or not. */
static bool is_step(LLVMValueRef i)
{
    if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
        return false;
    LLVMValueRef pointer = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
    return is_shared(pointer) || (LLVMGetVolatile(i) && !LLVMIsAAllocaInst(pointer));
}

void lw__front_lockstep(struct lw__unit *unit)
{
    if (!lw__front_has_lockstep(unit) || lw__has(unit, LW_IS_OBSERVED))
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    EACH_FUNCTION(f, unit->module)
        EACH_INSTRUCTION_OF_SAFE(i, f) {
            if (!is_step(i))
                continue;
            LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(i));
            LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
            LLVMValueRef call = lw__ir_call(b, unit->module, "lw.warp_sync",
                                            LLVMVoidTypeInContext(unit->context), NULL, 0);
            lw__llvm_attribute(LLVMGetCalledValue(call), "convergent", true);
            lw__llvm_attribute(LLVMGetCalledValue(call), "nounwind", true);
        }
    LLVMDisposeBuilder(b);
}
