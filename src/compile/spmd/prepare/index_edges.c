/* index_edges.c - threads that the index sends to a short block get a copy of it.
 *
 *     if (x == 31 || column == n - 1)        if (x == 31)
 *         tile[y][x + 1] = ...;                  tile[y][x + 1] = ...;
 *                                            else if (column == n - 1)
 *                                                tile[y][x + 1] = ...;
 *
 * A tile's halo is loaded so. The lanes of the first condition are constants: one lane of some
 * pieces. The second mostly holds for no lane, and its copy is jumped over. In one block their
 * masks would be mixed, and each piece would execute it.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

enum { LENGTH_MAX = 24 };

struct block {
    LLVMBasicBlockRef of;
    LLVMValueRef from[LENGTH_MAX], to[LENGTH_MAX]; /* its instructions; those of the copy */
    unsigned count;
};

static bool may_copy(LLVMValueRef i)
{
    return !LLVMIsAPHINode(i) && !LLVMIsAAllocaInst(i) && !lw__ir_collective(i, NULL) &&
           (!LLVMIsACallInst(i) || lw__ir_guards(i) || lw__ir_is_speculatable(i));
}

static bool is_used_elsewhere(LLVMValueRef i)
{
    EACH_USE(u, i)
        if (LLVMGetInstructionParent(LLVMGetUser(u)) != LLVMGetInstructionParent(i))
            return true;
    return false;
}

/* True if the block is short, and all that it leaves is in memory. */
static bool find(LLVMBasicBlockRef block, struct block *b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    bool writes = false;
    *b = (struct block){.of = block};
    if (!LLVMIsABranchInst(end) || LLVMIsConditional(end) || LLVMGetSuccessor(end, 0) == block)
        return false;
    EACH_INSTRUCTION(i, block) {
        if (b->count == LENGTH_MAX || !may_copy(i) || is_used_elsewhere(i))
            return false;
        b->from[b->count++] = i;
        writes |= LLVMIsAStoreInst(i) != NULL;
    }
    return writes;
}

static bool is_by_index(LLVMBasicBlockRef from)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    return LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
           LLVMGetSuccessor(end, 0) != LLVMGetSuccessor(end, 1) &&
           lw__is_thread_index_expr(LLVMGetCondition(end));
}

static LLVMBasicBlockRef copy(struct block *b, LLVMBuilderRef builder)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(b->of)));
    LLVMBasicBlockRef made = LLVMInsertBasicBlockInContext(context, b->of, "by.index");
    LLVMPositionBuilderAtEnd(builder, made);
    for (unsigned k = 0; k < b->count; k++) {
        b->to[k] = LLVMInstructionClone(b->from[k]);
        LLVMInsertIntoBuilder(builder, b->to[k]);
        LLVMInstructionSetDebugLoc(b->to[k], LLVMInstructionGetDebugLoc(b->from[k]));
        for (unsigned n = 0; n < (unsigned)LLVMGetNumOperands(b->to[k]); n++)
            for (unsigned j = 0; j < k; j++)
                if (LLVMGetOperand(b->to[k], n) == b->from[j])
                    LLVMSetOperand(b->to[k], n, b->to[j]);
    }
    EACH_PHI(phi, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(b->of), 0)) {
        LLVMValueRef v = lw__ir_incoming(phi, b->of);
        LLVMAddIncoming(phi, &v, &made, 1);
    }
    return made;
}

/* If both kinds of edges lead to the block, those of the index lead to a copy. */
static void part(const struct lw__cfg *g, uint32_t k, LLVMBuilderRef builder)
{
    struct block b;
    unsigned by_index = 0, others = 0;
    EACH_PREDECESSOR(from, g, k) {
        if (lw__cfg_dominates(g, k, from))
            return; /* a loop */
        if (is_by_index(g->blocks[from]))
            by_index++;
        else
            others++;
    }
    if (!by_index || !others || !find(g->blocks[k], &b))
        return;
    LLVMBasicBlockRef made = copy(&b, builder);
    EACH_PREDECESSOR(from, g, k)
        if (is_by_index(g->blocks[from]))
            lw__ir_redirect(g->blocks[from], g->blocks[k], made);
}

/* `a || b` around the block, of which the index decides one, becomes two branches: the one of the
 * index leads to the copy. */
static void part_choice(LLVMBasicBlockRef from, LLVMBuilderRef builder)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from), of[2];
    struct block b;
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
        !lw__ir_joined(LLVMGetCondition(end), true, of) ||
        lw__is_thread_index_expr(of[0]) == lw__is_thread_index_expr(of[1]))
        return;
    LLVMBasicBlockRef block = LLVMGetSuccessor(end, 0), after = LLVMGetSuccessor(end, 1);
    if (block == after || !find(block, &b) ||
        LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0) != after ||
        LLVMIsAPHINode(LLVMGetFirstInstruction(after)))
        return;
    const bool second = lw__is_thread_index_expr(of[1]);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)));
    LLVMBasicBlockRef other = LLVMInsertBasicBlockInContext(context, block, "by.data"),
                      made = copy(&b, builder);
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(end);
    LLVMPositionBuilderAtEnd(builder, other);
    LLVMInstructionSetDebugLoc(LLVMBuildCondBr(builder, of[!second], block, after), location);
    LLVMPositionBuilderBefore(builder, end);
    LLVMInstructionSetDebugLoc(LLVMBuildCondBr(builder, of[second], made, other), location);
    LLVMInstructionEraseFromParent(end);
}

void lw__prepare_index_edges(struct lw__arena *scratch, LLVMValueRef function)
{
    const struct lw__arena_mark mark = lw__arena_mark(scratch);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    struct lw__cfg g;
    lw__cfg_build(scratch, function, &g);
    for (uint32_t k = 0; k < g.count; k++)
        part(&g, k, builder);
    for (uint32_t k = 0; k < g.count; k++)
        if (g.pred_start[k + 1] - g.pred_start[k] == 1)
            part_choice(g.blocks[g.pred[g.pred_start[k]]], builder);
    lw__arena_release(scratch, mark);
    LLVMDisposeBuilder(builder);
}
