/* context.c - LLVM's context, and LLVM's error messages in it.
 *
 * LLVM by default prints an error and ends the process with status 1. For the library that status
 * means that kernels do not compile. Here the message is kept, and the pass fails.
 */
#include "compile/llvm/llvm.h"
#include <string.h>

static void keep_error(LLVMDiagnosticInfoRef info, void *user)
{
    struct lw__text *said = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    lw__text_add(said, "%s%s", said->length ? "; " : "", text);
    LLVMDisposeMessage(text);
}

void lw__context_open(struct lw__unit *unit)
{
    unit->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(unit->context, keep_error, &unit->llvm_said);
}

void lw__context_close(struct lw__unit *unit)
{
    if (unit->module)
        LLVMDisposeModule(unit->module);
    if (unit->context)
        LLVMContextDispose(unit->context);
    unit->module = NULL;
    unit->context = NULL;
    unit->llvm_said.length = 0;
}

bool lw__context_is_well(struct lw__unit *unit)
{
    return !unit->llvm_said.length || lw__defect("LLVM: %s", unit->llvm_said.data);
}
