/* ir_way.c - where can a thread come to, that has decided something?
 *
 * What it has decided stays decided: it goes the same way wherever it branches on that condition
 * once more, until that is computed anew. A phi of constants is decided by the edge that it comes
 * by.
 */
#include "compile/compile.h"

LLVMValueRef lw__cfg_condition(const struct lw__cfg *g, uint32_t b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
    return LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
}

/* The only successor, as 0 or 1, of a block for a thread that comes by an edge from `from`; -1: it
 * may be any. */
static int decided(const struct lw__way *w, uint32_t from, uint32_t block)
{
    LLVMValueRef c = lw__cfg_condition(w->g, block);
    if (c && c == w->condition)
        return w->value ? 0 : 1;
    if (!c || from == UINT32_MAX || !LLVMIsAPHINode(c) ||
        LLVMGetInstructionParent(c) != w->g->blocks[block])
        return -1;
    LLVMValueRef v = lw__ir_incoming(c, w->g->blocks[from]);
    return v && LLVMIsAConstantInt(v) ? !LLVMConstIntGetZExtValue(v) : -1;
}

static bool defines(const struct lw__way *w, uint32_t block)
{
    return w->condition && LLVMIsAInstruction(w->condition) &&
           LLVMGetInstructionParent(w->condition) == w->g->blocks[block];
}

static bool leads_on(struct lw__way *w, uint32_t from, uint32_t block)
{
    const uint32_t first = w->g->succ_start[block];
    const int only = decided(w, from, block);
    for (uint32_t e = first; e < w->g->succ_start[block + 1]; e++)
        if ((only < 0 || e == first + (uint32_t)only) && lw__way_leads_along(w, block, e))
            return true;
    return false;
}

bool lw__way_leads_along(struct lw__way *w, uint32_t from, uint32_t edge)
{
    const uint32_t block = w->g->succ[edge];
    if (w->seen[edge] || (w->shut && w->shut[edge]) || !w->later[block])
        return false;
    w->seen[edge] = true;
    return w->ends[block] || defines(w, block) || leads_on(w, from, block);
}

bool lw__way_leads(struct lw__way *w, uint32_t block)
{
    return leads_on(w, UINT32_MAX, block);
}
