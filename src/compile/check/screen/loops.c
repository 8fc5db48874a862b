/* loops.c - a screen ends: what may wait for ever, or runs very long, is for the exact check.
 *
 * The exact check can be stopped at any time, and tells of deadlocks; a block of a screen cannot.
 * So the thread counts iterations. Short loops of constant length need none.
 */
#include "compile/check/screen/screen.h"
#include "compile/llvm/llvm.h"

enum { ITERATIONS_MAX = 1 << 26 };

static bool is_inside(const struct lw__cfg *g, const struct lw__loop *loop, LLVMBasicBlockRef block)
{
    const uint32_t b = lw__cfg_index(g, block);
    return b != UINT32_MAX && loop->body[b];
}

/* A small constant. */
static bool is_small(LLVMValueRef v)
{
    enum { MOST = 1 << 12 };
    const int64_t n = LLVMIsAConstantInt(v) ? LLVMConstIntGetSExtValue(v) : MOST;
    return n > -MOST && n < MOST;
}

/* A small constant from which it starts; then each iteration adds one. */
static bool counts(LLVMValueRef phi, LLVMValueRef next, bool inside)
{
    const LLVMOpcode op = LLVMIsABinaryOperator(next) ? LLVMGetInstructionOpcode(next) : 0;
    if (!inside)
        return is_small(next);
    return (op == LLVMAdd || op == LLVMSub) && LLVMGetOperand(next, 0) == phi &&
           is_small(LLVMGetOperand(next, 1)) && !LLVMIsNull(LLVMGetOperand(next, 1));
}

/* A phi of the header that counts by constants. */
static bool is_counter(const struct lw__cfg *g, const struct lw__loop *loop, LLVMValueRef v)
{
    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v))
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsAPHINode(v) || LLVMGetInstructionParent(v) != g->blocks[loop->header])
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
        if (!counts(v, LLVMGetIncomingValue(v, i), is_inside(g, loop, LLVMGetIncomingBlock(v, i))))
            return false;
    return true;
}

static bool is_short(const struct lw__cfg *g, const struct lw__loop *loop)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[loop->header]);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
        (is_inside(g, loop, LLVMGetSuccessor(end, 0)) &&
         is_inside(g, loop, LLVMGetSuccessor(end, 1))))
        return false;
    LLVMValueRef ok = LLVMGetCondition(end);
    return LLVMIsAICmpInst(ok) && lw__ir_is_order(LLVMGetICmpPredicate(ok)) &&
           is_counter(g, loop, LLVMGetOperand(ok, 0)) && is_small(LLVMGetOperand(ok, 1));
}

static void count(struct lw__screen *s, LLVMValueRef variable, LLVMBasicBlockRef header)
{
    lw__screen_set_at(s, lw__ir_first_after_phis(header));
    LLVMValueRef n = LLVMBuildLoad2(s->b, s->i32, variable, "");
    n = LLVMBuildAdd(s->b, n, LLVMConstInt(s->i32, 1, 0), "");
    LLVMBuildStore(s->b, n, variable);
    LLVMValueRef most = LLVMConstInt(s->i32, ITERATIONS_MAX, 0);
    lw__screen_require(s, LLVMBuildICmp(s->b, LLVMIntULT, n, most, ""));
}

static LLVMValueRef add_variable(struct lw__screen *s)
{
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->function));
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    lw__screen_set_at(s, at);
    LLVMValueRef variable = LLVMBuildAlloca(s->b, s->i32, "");
    LLVMBuildStore(s->b, LLVMConstNull(s->i32), variable);
    return variable;
}

void lw__screen_end_loops(struct lw__screen *s)
{
    struct lw__cfg g;
    lw__cfg_build(&s->unit->scratch, s->function, &g);
    struct lw__loops loops;
    lw__loops_build(&g, &loops);
    LLVMValueRef variable = NULL;
    for (size_t i = 0; i < loops.count; i++) {
        if (is_short(&g, &loops.loops[i]))
            continue;
        variable = variable ? variable : add_variable(s);
        count(s, variable, g.blocks[loops.loops[i].header]);
    }
}
