/* blocks.c - a new block of the current function, and the builder at its end; how long the function
 * has become.
 */
#include "compile/spmd/emit/emit.h"

/* A block is worth so many instructions: LLVM's passes visit blocks more often. */
enum { BLOCK_WEIGHT = 20 };

/* Beyond the limit this attempt counts as failed. */
static void add_length(struct lw__spmd *s, uint64_t more)
{
    s->length += more;
    if (s->length_max && s->length > s->length_max && !s->failed)
        s->too_long = s->failed = true;
}

LLVMBasicBlockRef lw__builder_new_block(struct lw__spmd *s, const char *name)
{
    add_length(s, BLOCK_WEIGHT);
    return LLVMAppendBasicBlockInContext(s->context, s->function, name);
}

void lw__builder_step(struct lw__spmd *s)
{
    LLVMValueRef last = LLVMGetLastInstruction(LLVMGetInsertBlock(s->builder)), i = last;
    uint64_t more = 0;
    for (; i && i != s->last_counted; i = LLVMGetPreviousInstruction(i))
        more++;
    if (last)
        s->last_counted = last;
    add_length(s, more);
}

void lw__builder_at_end(struct lw__spmd *s, LLVMBasicBlockRef block)
{
    lw__builder_step(s);
    LLVMPositionBuilderAtEnd(s->builder, block);
    s->dominance_scope++;
}
