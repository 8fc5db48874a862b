/* remarks.c - messages to the user about a kernel: what is refused, and what is slow. */
#include "compile/spmd/emit/emit.h"

bool lw__spmd_refuse(struct lw__spmd *s, LLVMValueRef instruction, const char *what)
{
    s->failed = true;
    lw__diags_error(&s->unit->diags, lw__loc_of(instruction),
                    "kernel '%s': device %s cannot do this yet: %s", s->config->kernel->name,
                    s->unit->target->route, what);
    return false;
}

void lw__spmd_remark(struct lw__spmd *s, LLVMValueRef instruction, enum lw__remark remark,
                     const char *why)
{
    lw__diags_remark(&s->unit->diags, lw__loc_of(instruction), remark, why);
}

bool lw__spmd_is_of_swap(const struct lw__spmd *s, LLVMValueRef instruction)
{
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(instruction);
    for (uint32_t b = 0; place && b < s->facts->cfg.count; b++)
        EACH_INSTRUCTION(i, s->facts->cfg.blocks[b])
            if (LLVMIsAAtomicCmpXchgInst(i) && i != instruction &&
                LLVMInstructionGetDebugLoc(i) == place)
                return true;
    return false;
}
