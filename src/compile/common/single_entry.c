/* single_entry.c - a loop that is jumped into gets one entry.
 *
 * Such a loop has entries besides its header, where ir/loops.c counts iterations. All entries
 * become one new block before the header. A number tells where to go on from there:
 *
 *     outside, back -> header                outside, back -> enter -> header
 *     outside -> middle            becomes   outside -> enter -> middle
 *     header ... -> middle                   header ... -> middle
 *
 * Paths within an iteration stay as they are. So lanes that enter at the side are in the loop's
 * first iteration. Lanes that enter at the header reach the middle in that iteration as well.
 * (LLVM's fix-irreducible would lead the latter through its new block, too: an extra iteration.) No
 * thread's path changes except for the new block, so the iteration counters of instances.c stay
 * right.
 *
 * Loops are fixed from the outermost inwards. An edge from a new block into an inner loop is one of
 * that loop's entries.
 */
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"

/* The edges to block t from outside of the loop, or all of them, are redirected to `to`. They give
 * its phi `value`. */
static void redirect(const struct lw__cfg *g, const struct lw__loop *l, uint32_t t, bool all,
                     LLVMBasicBlockRef to, LLVMValueRef phi, LLVMValueRef value)
{
    EACH_PREDECESSOR(p, g, t) {
        LLVMBasicBlockRef from = g->blocks[p];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            if (LLVMGetSuccessor(end, k) != g->blocks[t] || (!all && l->body[p]))
                continue;
            LLVMSetSuccessor(end, k, to);
            if (phi)
                LLVMAddIncoming(phi, &value, &from, 1);
        }
    }
}

/* Fix one loop of the function; false: there is none. If `look` is set, only find it. */
static bool mend(struct lw__arena *arena, LLVMValueRef function, bool look)
{
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    struct lw__cfg g;
    lw__cfg_build(arena, function, &g);
    struct lw__loops loops;
    lw__loops_build_by_text(&g, &loops);
    const struct lw__loop *l = lw__loops_jumped_into(&g, &loops);
    if (l && !look) {
        /* All entries of the loop become one. There is no other phi: values are in memory. */
        LLVMBasicBlockRef header = g.blocks[l->header];
        LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(g.function));
        LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
        LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
        LLVMBasicBlockRef enter = LLVMInsertBasicBlockInContext(context, header, "enter");
        LLVMPositionBuilderAtEnd(b, enter);
        LLVMValueRef way = LLVMBuildPhi(b, i32, "way"), fork = LLVMBuildSwitch(b, way, header, 0);
        redirect(&g, l, l->header, true, enter, way, LLVMConstInt(i32, 0, 0));
        uint64_t number = 0;
        for (uint32_t t = 0; t < g.count; t++) {
            if (!lw__loops_is_side_entry(&g, l, t))
                continue;
            LLVMBasicBlockRef side = LLVMInsertBasicBlockInContext(context, enter, "side");
            LLVMValueRef its = LLVMConstInt(i32, ++number, 0);
            redirect(&g, l, t, false, side, NULL, NULL);
            LLVMPositionBuilderAtEnd(b, side);
            LLVMBuildBr(b, enter);
            LLVMAddIncoming(way, &its, &side, 1);
            LLVMAddCase(fork, its, g.blocks[t]);
        }
        LLVMDisposeBuilder(b);
    }
    lw__arena_release(arena, mark);
    return l != NULL;
}

/* lw__pass_enter - no loop has two entries.
 * needs INLINED   makes ENTERED   cost O(blocks * loops) for each loop that had several
 */
bool lw__pass_enter(struct lw__unit *unit)
{
    bool any = false;
    for (size_t i = 0; i < unit->kernels.count; i++)
        any |= mend(&unit->scratch, unit->kernels.rows[i].function, true);
    if (any && !lw__llvm_passes(unit, LW_PASSES_values_to_slots))
        return false;
    for (size_t i = 0; any && i < unit->kernels.count; i++)
        while (mend(&unit->scratch, unit->kernels.rows[i].function, false))
            ;
    return true;
}
