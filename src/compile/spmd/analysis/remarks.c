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

void lw__spmd_remark(struct lw__spmd *s, LLVMValueRef instruction, enum lw__remark remark,
                     const char *why)
{
    lw__diags_remark(&s->unit->diags, lw__loc_of(instruction), remark, why);
}

/* True if the condition holds for at most one lane of each warp: a value that differs in all of
 * them is compared with one that is the same. */
static bool is_of_one_lane(const struct lw__spmd *s, LLVMValueRef c, unsigned depth)
{
    LLVMValueRef of[2];
    if (depth < LW_CONDITION_DEPTH && lw__ir_joined(c, false, of))
        return is_of_one_lane(s, of[0], depth + 1) || is_of_one_lane(s, of[1], depth + 1);
    if (!LLVMIsAICmpInst(c) || LLVMGetICmpPredicate(c) != LLVMIntEQ)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        const struct lw__value_shape x = lw__shape_of(s, LLVMGetOperand(c, k)),
                                     y = lw__shape_of(s, LLVMGetOperand(c, 1 - k));
        if (lw__shape_is_uniform(s, y) && lw__shape_differs_in_warps(s, x))
            return true;
    }
    return false;
}

bool lw__spmd_is_by_one_lane(const struct lw__spmd *s, LLVMValueRef instruction)
{
    const struct lw__cfg *g = &s->cfg;
    uint32_t b = lw__cfg_index(g, LLVMGetInstructionParent(instruction));
    for (; b != UINT32_MAX && b != g->idom[b]; b = g->idom[b]) {
        const uint32_t d = g->idom[b];
        LLVMValueRef c = lw__cfg_condition(g, d);
        const bool is_then =
            g->pred_start[b + 1] - g->pred_start[b] == 1 && c && g->succ[g->succ_start[d]] == b;
        if (is_then && is_of_one_lane(s, c, 0))
            return true;
    }
    return false;
}

bool lw__spmd_is_of_swap(const struct lw__spmd *s, LLVMValueRef instruction)
{
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(instruction);
    for (uint32_t b = 0; place && b < s->cfg.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAAtomicCmpXchgInst(i) && i != instruction &&
                LLVMInstructionGetDebugLoc(i) == place)
                return true;
    return false;
}
