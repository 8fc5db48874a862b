/* branches.c - which branches are divergent, and which lead to dead ends. */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>

int lw__spmd_dead_end(const struct lw__facts *facts, uint32_t branch)
{
    const struct lw__cfg *g = &facts->cfg;
    uint32_t first = g->succ_start[branch];
    for (int k = 0; g->succ_start[branch + 1] - first == 2 && k < 2; k++) {
        uint32_t x = g->succ[first + (uint32_t)k];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[x]);
        if (g->pred_start[x + 1] - g->pred_start[x] != 1 || !LLVMIsAUnreachableInst(end))
            continue;
        bool plain = true;
        EACH_INSTRUCTION(i, g->blocks[x])
            plain &= !LLVMIsAPHINode(i) && !lw__ir_collective(i, NULL);
        if (plain)
            return k;
    }
    return -1;
}

bool lw__spmd_is_divergent(const struct lw__facts *facts, uint32_t block)
{
    assert(block < facts->cfg.count);
    return facts->divergence_of[block] == LW_DIVERGENCE_PER_LANE;
}
