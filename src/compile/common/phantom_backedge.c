/* phantom_backedge.c - a back edge for loops that only threads that jump into them repeat.
 *
 *     for (;;) {
 *         if (warp_sum(1) == 32)   // a thread that enters at the top is in iteration 0
 *             leave();
 *         break;
 *     inside:;                     // a thread that jumps here reaches the top in iteration 1
 *     }
 *
 * The statement is a loop, but its blocks are none: no path leads from the top to the end of the
 * body. Iteration numbers keep lanes apart there, and only loops of the graph have them. So the
 * pass adds an edge that is never taken. LLVM cannot know that: a grid has blocks.
 *
 *     ... -> top            becomes    ... -> top: no blocks in the grid? -> back, else -> body
 *     last -> top                      last -> back -> top
 */
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include <stdio.h>
#include <string.h>

/* True if the source has a back edge whose origin cannot be reached from its loop's beginning. */
static bool find(const struct lw__cfg *g, uint32_t *top, uint32_t *last)
{
    bool *behind = lw__new(g->arena, g->count + 1, 1);
    for (uint32_t b = 0; b < g->count; b++) {
        if (!lw__text_begins_loop(g->blocks[b]))
            continue;
        memset(behind, 0, g->count);
        behind[b] = true;
        lw__cfg_flow_on(g, behind);
        EACH_PREDECESSOR(from, g, b) {
            *top = b;
            *last = from;
            if (g->layout[*last] > g->layout[b] && !behind[*last])
                return true;
        }
    }
    return false;
}

/* A condition that is never true: no grid has no blocks. */
static LLVMValueRef build_never(LLVMBuilderRef b, LLVMModuleRef module)
{
    static const char name[] = "lw.grid_dim.x";
    static const char *const facts[] = {"nounwind", "willreturn", "memory"}; /* memory(none): 0 */
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context), type = LLVMFunctionType(i32, NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f) {
        f = LLVMAddFunction(module, name, type);
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
            lw__llvm_attribute(f, facts[i], true);
    }
    LLVMValueRef blocks = LLVMBuildCall2(b, type, f, NULL, 0, "");
    return LLVMBuildICmp(b, LLVMIntEQ, blocks, LLVMConstNull(i32), "");
}

void lw__phantom_backedges(struct lw__arena *arena, LLVMValueRef function)
{
    bool found;
    do {
        const struct lw__arena_mark mark = lw__arena_mark(arena);
        struct lw__cfg g;
        lw__cfg_build(arena, function, &g);
        uint32_t top, last;
        found = find(&g, &top, &last);
        if (found) {
            /* Values that live across iterations are in memory, so `top` has no phis. Within an
             * iteration `last` may use what earlier blocks have computed; so it gets no other
             * predecessor. */
            LLVMModuleRef module = LLVMGetGlobalParent(g.function);
            LLVMContextRef context = LLVMGetModuleContext(module);
            LLVMBasicBlockRef body = g.blocks[top], end = g.blocks[last],
                              front = LLVMInsertBasicBlockInContext(context, body, ""),
                              back = LLVMInsertBasicBlockInContext(context, end, "");
            LLVMMoveBasicBlockAfter(back, end);
            char name[64]; /* clang's prefix, "for.cond" and its like, identifies the statement */
            snprintf(name, sizeof name, "%s", LLVMGetBasicBlockName(body));
            LLVMSetValueName2(LLVMBasicBlockAsValue(body), "body.", 5);
            LLVMSetValueName2(LLVMBasicBlockAsValue(front), name, strlen(name));
            lw__ir_redirect(end, body, back);
            EACH_PREDECESSOR(from, &g, top)
                lw__ir_redirect(g.blocks[from], body, front);
            LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderAtEnd(b, front);
            LLVMBuildCondBr(b, build_never(b, module), back, body);
            LLVMPositionBuilderAtEnd(b, back);
            LLVMBuildBr(b, front);
            LLVMDisposeBuilder(b);
        }
        lw__arena_release(arena, mark);
    } while (found);
}
