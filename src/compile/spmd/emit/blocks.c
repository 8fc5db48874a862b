/* blocks.c - a new block of the current function, and the builder at its end. */
#include "compile/spmd/emit/emit.h"

LLVMBasicBlockRef lw__builder_new_block(struct lw__spmd *s, const char *name)
{
    return LLVMAppendBasicBlockInContext(s->context, s->function, name);
}

void lw__builder_at_end(struct lw__spmd *s, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(s->builder, block);
    s->dominance_scope++;
}
