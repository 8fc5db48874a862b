/* plain.c - the checks that clang's text has go again: code that runs where nothing needs checking.
 *
 * All devices have clang check indices, so that all start from one module. What is left without
 * the checks is the module of a clang that makes none.
 */
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"

/* What only the check has computed: arithmetic that nothing uses, and what only that used. */
static void remove_unused(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || LLVMGetFirstUse(v) || !lw__ir_is_arith(v))
        return;
    LLVMValueRef operands[3]; /* a select has most */
    const unsigned count = (unsigned)LLVMGetNumOperands(v);
    for (unsigned k = 0; k < count; k++)
        operands[k] = LLVMGetOperand(v, k);
    LLVMInstructionEraseFromParent(v);
    for (unsigned k = 0; k < count; k++)
        remove_unused(operands[k]);
}

static void remove_checks(LLVMModuleRef module, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    EACH_CALL(call, f) {
        LLVMValueRef holds = LLVMGetOperand(call, 0);
        LLVMInstructionEraseFromParent(call);
        remove_unused(holds);
    }
    if (f)
        LLVMDeleteFunction(f);
}

/* lw__pass_plain - no lw.index, lw.within and lw.promise is left.
 * needs RAW
 */
bool lw__pass_plain(struct lw__unit *unit)
{
    remove_checks(unit->module, "lw.index");
    remove_checks(unit->module, LW_PROMISE);
    /* An index is what it is. */
    LLVMValueRef f = LLVMGetNamedFunction(unit->module, "lw.within");
    EACH_CALL(call, f) {
        LLVMValueRef extent = LLVMGetOperand(call, 1);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
        remove_unused(extent);
    }
    if (f)
        LLVMDeleteFunction(f);
    return true;
}
