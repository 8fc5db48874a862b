/* remarks.c - what users are told about a kernel: what is refused, and what is slow. */
#include "compile/spmd/analysis/analysis.h"

bool lw__spmd_refuse(struct lw__spmd *s, LLVMValueRef instruction, const char *what)
{
    s->failed = true;
    lw__diags_error(&s->unit->diags, lw__loc_of(instruction),
                    "kernel '%s': device %s cannot do this yet: %s", s->kernel->name,
                    lw__is_for_cuda(s->unit) ? "cuda" : "cpu", what);
    return false;
}

void lw__spmd_remark(struct lw__spmd *s, LLVMValueRef instruction, const char *what,
                     const char *why)
{
    lw__diags_remark(&s->unit->diags, lw__loc_of(instruction), what, why);
}
