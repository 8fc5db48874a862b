/* context.c - LLVM's context, and what LLVM says of modules in it.
 *
 * LLVM's own way with an error is to print it and to end the process with status 1, which to the
 * library is that of kernels that do not compile. Here it is kept, and the pass has failed.
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
    lw__text_free(&unit->llvm_said);
}

bool lw__context_is_well(struct lw__unit *unit)
{
    return !unit->llvm_said.length || lw__defect("LLVM: %s", unit->llvm_said.data);
}
