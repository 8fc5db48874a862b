/* private_joins.c - a join of its own for each branch that the thread index decides.
 *
 *     if (inside the grid) {
 *         tile[y][x] = ...;
 *         if (x == 0 && ...)
 *             tile[y][-1] = ...;
 *     }
 *
 * A region is what lies between a divergent branch and its join, and regions that share their join
 * become one. Then lanes diverged by `x == 0` would wait with those that the outer branch has
 * diverged. Their masks would no longer be constants. So the inner branch gets a join of its own.
 *
 * This is done only if constants decide, as they do where a thread index is compared with
 * constants. For any other branch it would cost one more unmasked copy per enclosing branch.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include <string.h>

enum { DEPTH_MAX = 8 };

static bool is_thread_index(LLVMValueRef v)
{
    return lw__ir_index_varies(lw__ir_thread_index(lw__ir_callee(v), NULL));
}

/* True if v is computed from thread indices and constants only; *by_index: from any index at
 * all. */
static bool is_known(LLVMValueRef v, unsigned depth, bool *by_index)
{
    if (LLVMIsAConstantInt(v))
        return true;
    if (!LLVMIsAInstruction(v) || depth > DEPTH_MAX)
        return false;
    if (LLVMIsACallInst(v))
        return (*by_index |= is_thread_index(v)) && is_thread_index(v);
    if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAICmpInst(v) &&
        !LLVMIsASelectInst(v) && !LLVMIsAFreezeInst(v))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (!is_known(LLVMGetOperand(v, k), depth + 1, by_index))
            return false;
    return true;
}

bool lw__is_thread_index_expr(LLVMValueRef v)
{
    bool by_index = false;
    return is_known(v, 0, &by_index) && by_index;
}

/* ---- which ----------------------------------------------------------------------------------- */

struct graph {
    struct lw__cfg cfg;
    struct lw__loops loops;
    uint32_t *ipdom;
    bool *in; /* per block: the current branch and what it decides, up to the join */
};

static bool leaves(const struct graph *g, uint32_t b, uint32_t join)
{
    EACH_SUCCESSOR(to, &g->cfg, b)
        if (!g->in[to] && to != join)
            return true;
    return false;
}

/* Find the blocks between the branch and the join. False: the branch is not the only entry, or the
 * join not the only exit; a loop's next iteration is an exit too. In reverse postorder, except for
 * back edges, a block follows its predecessors. */
static bool fill(struct graph *g, uint32_t branch, uint32_t join)
{
    const struct lw__cfg *c = &g->cfg;
    memset(g->in, 0, c->count);
    g->in[branch] = true;
    for (uint32_t b = branch + 1; b < c->count; b++)
        EACH_PREDECESSOR(from, c, b)
            g->in[b] |= b != join && g->in[from];
    for (uint32_t b = branch; b < c->count; b++)
        if (g->in[b] && (!lw__cfg_dominates(c, branch, b) || leaves(g, b, join)))
            return false;
    return true;
}

static bool is_of_same_loops(const struct graph *g, uint32_t branch, uint32_t join)
{
    for (size_t k = 0; k < g->loops.count; k++) {
        const struct lw__loop *l = &g->loops.loops[k];
        if (l->body[branch] != l->body[join] || l->header == join)
            return false;
    }
    return true;
}

/* True if a condition depends on the edge to the join. control/exited_lanes.c follows such. */
bool lw__prepare_decides_by_edge(LLVMBasicBlockRef join)
{
    EACH_PHI(phi, join) {
        LLVMTypeRef type = LLVMTypeOf(phi);
        if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1)
            return true;
    }
    return false;
}

static bool wants_join(struct graph *g, uint32_t branch)
{
    const struct lw__cfg *c = &g->cfg;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(c->blocks[branch]);
    const uint32_t join = g->ipdom[branch];
    if (LLVMGetNumSuccessors(end) != 2 || join == UINT32_MAX ||
        !lw__is_thread_index_expr(LLVMGetCondition(end)) || !is_of_same_loops(g, branch, join) ||
        lw__prepare_decides_by_edge(c->blocks[join]) || !fill(g, branch, join))
        return false;
    EACH_PREDECESSOR(from, c, join)
        if (!g->in[from])
            return true;
    return false;
}

/* ---- code ------------------------------------------------------------------------------------ */

static bool comes_from_in(const struct graph *g, LLVMValueRef phi, unsigned k)
{
    const uint32_t from = lw__cfg_index(&g->cfg, LLVMGetIncomingBlock(phi, k));
    return from != UINT32_MAX && g->in[from];
}

/* The incoming values of the phi, those from inside or the others, in a new phi at b. */
static LLVMValueRef member_of_phi(const struct graph *g, LLVMBuilderRef b, LLVMValueRef phi,
                                  bool inside)
{
    LLVMValueRef part = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        if (comes_from_in(g, phi, k) == inside)
            LLVMAddIncoming(part, &v, &from, 1);
    }
    return part;
}

static void add_join(struct graph *g, uint32_t branch)
{
    const struct lw__cfg *c = &g->cfg;
    LLVMBasicBlockRef join = c->blocks[g->ipdom[branch]];
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(c->function));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef own = LLVMInsertBasicBlockInContext(context, join, "join");
    LLVMPositionBuilderAtEnd(b, own);
    LLVMBuildBr(b, join);
    LLVMValueRef first = LLVMGetBasicBlockTerminator(own);
    EACH_PHI_SAFE(phi, join) {
        LLVMPositionBuilderBefore(b, first);
        LLVMValueRef inside = member_of_phi(g, b, phi, true);
        LLVMPositionBuilderBefore(b, phi);
        LLVMValueRef all = member_of_phi(g, b, phi, false);
        LLVMAddIncoming(all, &inside, &own, 1);
        LLVMReplaceAllUsesWith(phi, all);
        LLVMInstructionEraseFromParent(phi);
    }
    for (uint32_t k = 0; k < c->count; k++)
        if (g->in[k])
            lw__ir_redirect(c->blocks[k], join, own);
    LLVMDisposeBuilder(b);
}

/* lw__prepare_split_joins - inner branches first: their joins precede those of the branches
 * around. */
void lw__prepare_split_joins(struct lw__arena *arena, LLVMValueRef function)
{
    for (bool found = true; found;) {
        const struct lw__arena_mark mark = lw__arena_mark(arena);
        struct graph g;
        lw__cfg_build(arena, function, &g.cfg);
        lw__loops_build(&g.cfg, &g.loops);
        g.ipdom = lw__cfg_post_dominators(&g.cfg);
        g.in = lw__new(arena, g.cfg.count, sizeof *g.in);
        found = false;
        for (uint32_t b = (uint32_t)g.cfg.count; !found && b-- > 0;)
            if (wants_join(&g, b)) {
                add_join(&g, b);
                found = true;
            }
        lw__arena_release(arena, mark);
    }
}
