/* pipelines.c - LLVM's passes by the names of their lists, which are in pipelines.def. */
#include "compile/llvm/llvm.h"
#include <llvm-c/Transforms/PassBuilder.h>

static const struct {
    const char *name, *passes;
} lists[] = {
#define LW_PIPELINE(name, passes) {#name, passes},
#include "compile/llvm/pipelines.def"
};

bool lw__llvm_passes(struct lw__unit *unit, enum lw__pipeline row)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(unit->module, lists[row].passes, unit->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *why = LLVMGetErrorMessage(error);
    lw__defect("LLVM's passes %s, '%s', failed: %s", lists[row].name, lists[row].passes, why);
    LLVMDisposeErrorMessage(why);
    return false;
}
