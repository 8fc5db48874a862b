/* rare_values.c - what a rarely executed block needs is computed there: of guarded code, and where
 * an edge clamps neighbours.
 *
 * A vector may be used by two blocks after its own: a rare one, where lanes may fail a check, and
 * another. LLVM sinks a value to its users' block only if there is one. So rare blocks get a copy,
 * and the value goes to the block that is left. The list of a compaction is such a case. Its
 * elements are stored all at once, and the vector of their places is for the rare block and for
 * lanes that leave gaps (with AVX2 it takes a sixth of the time).
 */
#include "compile/cpu/cpu.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"

enum { BLOCKS_MAX = 8, RARE = 100, DEPTH_MAX = 4 };

struct sinker {
    struct lw__cfg cfg;
    struct lw__loops loops;
    LLVMBuilderRef b;
};

/* True if the block has one edge to it, which is seldom taken, or from such a block. */
static bool is_rare(const struct sinker *s, LLVMBasicBlockRef block, unsigned depth)
{
    const uint32_t x = lw__cfg_index(&s->cfg, block);
    if (x == UINT32_MAX || s->cfg.pred_start[x + 1] - s->cfg.pred_start[x] != 1)
        return false;
    LLVMBasicBlockRef from = s->cfg.blocks[s->cfg.pred[s->cfg.pred_start[x]]];
    if (depth && is_rare(s, from, depth - 1))
        return true;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from), fields[3];
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)));
    LLVMValueRef node = LLVMGetMetadata(end, LLVMGetMDKindIDInContext(c, "prof", 4));
    if (!node || LLVMGetMDNodeNumOperands(node) != 3 || LLVMGetNumSuccessors(end) != 2)
        return false;
    LLVMGetMDNodeOperands(node, fields);
    if (!LLVMIsAConstantInt(fields[1]) || !LLVMIsAConstantInt(fields[2]))
        return false;
    const unsigned way = LLVMGetSuccessor(end, 0) == block ? 0 : 1;
    return LLVMConstIntGetZExtValue(fields[1 + way]) * RARE <=
           LLVMConstIntGetZExtValue(fields[2 - way]);
}

static bool is_same_loop(const struct sinker *s, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
    const uint32_t x = lw__cfg_index(&s->cfg, a), y = lw__cfg_index(&s->cfg, b);
    return x != UINT32_MAX && y != UINT32_MAX &&
           lw__loops_innermost(&s->loops, x) == lw__loops_innermost(&s->loops, y);
}

/* The blocks of the users, none of which is the value's own; 0: it stays. */
static unsigned users_of(const struct sinker *s, LLVMValueRef v, LLVMBasicBlockRef *blocks)
{
    LLVMBasicBlockRef own = LLVMGetInstructionParent(v);
    unsigned n = 0;
    EACH_USE(u, v) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
        unsigned k = 0;
        while (k < n && blocks[k] != block)
            k++;
        if (block == own || LLVMIsAPHINode(user) || !is_same_loop(s, own, block) ||
            (k == n && n == BLOCKS_MAX))
            return 0;
        if (k == n)
            blocks[n++] = block;
    }
    return n;
}

static void replace_in(LLVMValueRef v, LLVMBasicBlockRef block, LLVMValueRef by)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        if (LLVMGetInstructionParent(user) != block)
            continue;
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == v)
                LLVMSetOperand(user, (unsigned)k, by);
        next = LLVMGetFirstUse(v);
    }
}

static void sink(struct sinker *s, LLVMValueRef v)
{
    LLVMBasicBlockRef blocks[BLOCKS_MAX], left = NULL;
    const unsigned n = users_of(s, v, blocks);
    unsigned rare = 0, others = 0;
    for (unsigned k = 0; k < n; k++) {
        const bool is = is_rare(s, blocks[k], DEPTH_MAX);
        rare += is;
        others += !is;
        left = !is || !left ? blocks[k] : left;
    }
    if (!rare || others > 1)
        return;
    for (unsigned k = 0; k < n; k++) {
        if (blocks[k] == left)
            continue;
        LLVMValueRef copy = LLVMInstructionClone(v);
        LLVMPositionBuilderBefore(s->b, lw__ir_first_after_phis(blocks[k]));
        LLVMInsertIntoBuilder(s->b, copy);
        replace_in(v, blocks[k], copy);
    }
    LLVMPositionBuilderBefore(s->b, lw__ir_first_after_phis(left));
    lw__ir_move(v, s->b);
}

static bool is_pure_vector(LLVMValueRef i)
{
    return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind &&
           ((lw__ir_is_arith(i) && !lw__ir_may_trap(i)) || LLVMIsAGetElementPtrInst(i) ||
            LLVMIsAShuffleVectorInst(i) || LLVMIsAInsertElementInst(i) ||
            (LLVMIsACallInst(i) && lw__ir_is_speculatable(i)));
}

void lw__cpu_sink_to_rare(struct lw__arena *arena, LLVMValueRef function)
{
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    struct sinker s = {
        .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)))};
    lw__cfg_build(arena, function, &s.cfg);
    lw__loops_build(&s.cfg, &s.loops);
    for (size_t b = s.cfg.count; b-- > 0;)
        for (LLVMValueRef i = LLVMGetLastInstruction(s.cfg.blocks[b]), next; i; i = next) {
            next = LLVMGetPreviousInstruction(i);
            if (is_pure_vector(i))
                sink(&s, i);
        }
    LLVMDisposeBuilder(s.b);
    lw__arena_release(arena, mark);
}
