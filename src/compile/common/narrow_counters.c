/* narrow_counters.c - a loop counter that the source has as an int is one again.
 *
 *     for (int e = begin[v]; e < begin[v + 1]; e++)
 *         ... edge[e] ...
 *
 * LLVM counts in 64 bits here, which saves a scalar the extension of each index. But where each
 * lane begins at a place of its own, a counter is a vector. Then 64 bits take twice the registers
 * and twice the comparisons, and a gather has two halves.
 *
 * What is compared says that no number is lost: the counter starts as an extended int, and grows by
 * one only where it is below another. Only counters that start from memory are changed. Others may
 * be linear over the lanes, and are kept as scalars.
 */
#include "compile/common/common.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

struct counter {
    LLVMValueRef phi, next, compare;
    LLVMValueRef start, bound; /* of 32 bits */
    LLVMBasicBlockRef before, latch;
};

/* The int that v extends; NULL: it does not. */
static LLVMValueRef narrow_of(LLVMValueRef v)
{
    if (!LLVMIsASExtInst(v) && !(LLVMIsAZExtInst(v) && LLVMGetNNeg(v)))
        return NULL;
    LLVMValueRef from = LLVMGetOperand(v, 0);
    return LLVMGetIntTypeWidth(LLVMTypeOf(from)) == 32 ? from : NULL;
}

/* True if the data of a buffer are in the number. */
static bool is_of_memory(LLVMValueRef v, unsigned depth)
{
    if (LLVMIsALoadInst(v))
        return true;
    bool found = false;
    if (depth && lw__ir_is_arith(v))
        for (int k = 0; k < LLVMGetNumOperands(v) && !found; k++)
            found = is_of_memory(LLVMGetOperand(v, (unsigned)k), depth - 1);
    return found;
}

/* True if the block's branch goes on in the loop where phi < bound, and only there. */
static bool is_bounded(const struct lw__cfg *g, const struct lw__loop *loop, struct counter *c)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[loop->header]);
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
        return false;
    c->compare = LLVMGetCondition(branch);
    if (!LLVMIsAICmpInst(c->compare))
        return false;
    const uint32_t on = lw__cfg_index(g, LLVMGetSuccessor(branch, 0)),
                   off = lw__cfg_index(g, LLVMGetSuccessor(branch, 1));
    LLVMIntPredicate p = LLVMGetICmpPredicate(c->compare);
    LLVMValueRef bound = LLVMGetOperand(c->compare, 1);
    if (bound == c->phi) {
        p = lw__ir_swapped(p);
        bound = LLVMGetOperand(c->compare, 0);
    } else if (LLVMGetOperand(c->compare, 0) != c->phi) {
        return false;
    }
    if (!loop->body[on] && loop->body[off])
        p = lw__ir_inverse(p);
    c->bound = narrow_of(bound);
    return loop->body[on] != loop->body[off] && p == LLVMIntSLT && c->bound;
}

static bool find(const struct lw__cfg *g, const struct lw__loop *loop, LLVMValueRef phi,
                 struct counter *c)
{
    *c = (struct counter){.phi = phi};
    if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(phi)) != 64 || LLVMCountIncoming(phi) != 2)
        return false;
    LLVMBasicBlockRef first = LLVMGetIncomingBlock(phi, 0);
    const bool swapped = loop->body[lw__cfg_index(g, first)];
    c->before = LLVMGetIncomingBlock(phi, swapped);
    c->latch = LLVMGetIncomingBlock(phi, !swapped);
    if (loop->body[lw__cfg_index(g, c->before)] || !loop->body[lw__cfg_index(g, c->latch)])
        return false;
    c->start = narrow_of(lw__ir_incoming(phi, c->before));
    c->next = lw__ir_incoming(phi, c->latch);
    /* In the header it would be computed before it is compared. */
    if (!c->start || !LLVMIsABinaryOperator(c->next) ||
        LLVMGetInstructionParent(c->next) == LLVMGetInstructionParent(phi) ||
        LLVMGetInstructionOpcode(c->next) != LLVMAdd || LLVMGetOperand(c->next, 0) != phi)
        return false;
    LLVMValueRef step = LLVMGetOperand(c->next, 1);
    return LLVMIsAConstantInt(step) && LLVMConstIntGetZExtValue(step) == 1 &&
           is_bounded(g, loop, c) && is_of_memory(c->start, 4);
}

/* Replace v by the int `low`, which is extended where it is used. Else both widths would go from
 * block to block, and a gather not see that its index is extended. The result: what phis have. */
static LLVMValueRef replace(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef low, LLVMBuilderRef home)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    EACH_USE_SAFE(u, v) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsATruncInst(user) && LLVMTypeOf(user) == LLVMTypeOf(low)) {
            LLVMReplaceAllUsesWith(user, low);
        } else if (!LLVMIsAPHINode(user)) {
            LLVMPositionBuilderBefore(b, user);
            LLVMValueRef wide = LLVMBuildSExt(b, low, type, "");
            for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++)
                if (LLVMGetOperand(user, k) == v)
                    LLVMSetOperand(user, k, wide);
        }
    }
    if (!LLVMGetFirstUse(v))
        return NULL;
    LLVMValueRef wide = LLVMBuildSExt(home, low, type, "");
    LLVMReplaceAllUsesWith(v, wide);
    return wide;
}

static void narrow(LLVMBuilderRef b, const struct counter *c)
{
    LLVMTypeRef i32 = LLVMTypeOf(c->start);
    LLVMPositionBuilderBefore(b, c->phi);
    LLVMValueRef phi = LLVMBuildPhi(b, i32, "");
    LLVMPositionBuilderBefore(b, c->next);
    LLVMValueRef next = LLVMBuildNSWAdd(b, phi, LLVMConstInt(i32, 1, false), "");
    LLVMInstructionSetDebugLoc(next, LLVMInstructionGetDebugLoc(c->next));
    LLVMAddIncoming(phi, (LLVMValueRef[]){c->start, next},
                    (LLVMBasicBlockRef[]){c->before, c->latch}, 2);
    LLVMPositionBuilderBefore(b, c->compare);
    const bool is_first = LLVMGetOperand(c->compare, 0) == c->phi;
    LLVMValueRef compare = LLVMBuildICmp(b, LLVMGetICmpPredicate(c->compare),
                                         is_first ? phi : c->bound, is_first ? c->bound : phi, "");
    LLVMInstructionSetDebugLoc(compare, LLVMInstructionGetDebugLoc(c->compare));
    LLVMReplaceAllUsesWith(c->compare, compare);
    LLVMInstructionEraseFromParent(c->compare);
    LLVMBuilderRef home = LLVMCreateBuilderInContext(LLVMGetTypeContext(i32));
    LLVMPositionBuilderBefore(home, c->next);
    LLVMValueRef of_phi = replace(b, c->next, next, home);
    LLVMInstructionEraseFromParent(c->next);
    LLVMPositionBuilderBefore(home, lw__ir_first_after_phis(LLVMGetInstructionParent(phi)));
    replace(b, c->phi, phi, home);
    LLVMInstructionEraseFromParent(c->phi);
    if (of_phi && !LLVMGetFirstUse(of_phi))
        LLVMInstructionEraseFromParent(of_phi);
    LLVMDisposeBuilder(home);
}

static void narrow_in(struct lw__arena *arena, LLVMValueRef function, LLVMBuilderRef b)
{
    struct lw__cfg g;
    struct lw__loops loops;
    struct counter c;
    lw__cfg_build(arena, function, &g);
    lw__loops_build(&g, &loops);
    for (size_t n = 0; n < loops.count; n++) {
        LLVMValueRef i = LLVMGetFirstInstruction(g.blocks[loops.loops[n].header]), next;
        for (; LLVMIsAPHINode(i); i = next) {
            next = LLVMGetNextInstruction(i);
            if (find(&g, &loops.loops[n], i, &c))
                narrow(b, &c);
        }
    }
}

void lw__narrow_counters(struct lw__unit *unit)
{
    if (lw__has(unit, LW_HAS_THREADS) || lw__has(unit, LW_IS_CHECKED))
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    const struct lw__arena_mark mark = lw__arena_mark(&unit->scratch);
    for (size_t k = 0; k < unit->kernels.count; k++)
        narrow_in(&unit->scratch, unit->kernels.rows[k].function, b);
    lw__arena_release(&unit->scratch, mark);
    LLVMDisposeBuilder(b);
}
