/* traces.c - trace(name, value) is for `lanewise picture` alone.
 *
 * For all devices but its own, the calls go once they are checked, with the loads of what they were
 * given. So code and bits are those of the kernel without them.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <string.h>

/* The value, and what only it was computed from, as long as nothing else happens there. */
static void drop_unused(LLVMValueRef value)
{
    while (LLVMIsAInstruction(value) && !LLVMGetFirstUse(value)) {
        const bool is_plain_load = LLVMIsALoadInst(value) && !LLVMGetVolatile(value) &&
                                   LLVMGetOrdering(value) == LLVMAtomicOrderingNotAtomic;
        if (!is_plain_load && !LLVMIsACastInst(value) && !LLVMIsAGetElementPtrInst(value))
            return;
        LLVMValueRef from = LLVMGetOperand(value, 0);
        LLVMInstructionEraseFromParent(value);
        value = from;
    }
}

void lw__front_drop_traces(LLVMModuleRef module)
{
    EACH_FUNCTION_SAFE(f, module) {
        size_t length;
        if (strncmp(LLVMGetValueName2(f, &length), "\1lw.trace.", 10) &&
            strncmp(LLVMGetValueName2(f, &length), "lw.trace.", 9))
            continue;
        EACH_CALL(call, f) {
            LLVMValueRef value = LLVMGetOperand(call, 1);
            LLVMInstructionEraseFromParent(call);
            drop_unused(value);
        }
        LLVMDeleteFunction(f);
    }
}
