/* term_limits.c - the term of a value, limited by conditions that hold where it is used.
 *
 * A condition holds if the branch that tests it dominates the place. Neither the value nor what it
 * is compared with has another instance in between: SSA values that dominate a place are the latest
 * there.
 */
#include "compile/proof/proof.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { STEPS_MAX = 3, BITS_MAX = 64 };

static bool is_add(LLVMValueRef v)
{
    return lw__term_is_sum(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1));
}

static uint32_t step(struct lw__terms *t, LLVMValueRef v, uint32_t term)
{
    const unsigned bits = lw__term_bits(v);
    if (!is_add(v))
        return lw__term_resized(t, LLVMIsASExtInst(v) ? LW_TERM_SEXT : LW_TERM_ZEXT, bits, term);
    const int64_t number = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
    return lw__term_of_two(t, LW_TERM_ADD, bits, term, lw__term_constant(t, bits, number));
}

static uint32_t step_back(struct lw__terms *t, LLVMValueRef v, uint32_t term)
{
    const unsigned bits = lw__term_bits(LLVMGetOperand(v, 0));
    if (!is_add(v))
        return lw__term_resized(t, LW_TERM_TRUNC, bits, term);
    const int64_t number = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
    return lw__term_of_two(t, LW_TERM_SUBTRACT, bits, term, lw__term_constant(t, bits, number));
}

/* True if integers are compared. Addresses are no offsets. */
static bool is_comparison(LLVMValueRef condition)
{
    if (!LLVMIsAICmpInst(condition))
        return false;
    LLVMValueRef left = LLVMGetOperand(condition, 0);
    return LLVMGetTypeKind(LLVMTypeOf(left)) == LLVMIntegerTypeKind && lw__term_bits(left);
}

/* The value's term, limited by a comparison of `side` with `other`; side is the value, or a few
 * steps from it. */
static uint32_t by_comparison(struct lw__terms *t, uint32_t term, LLVMValueRef v, LLVMValueRef side,
                              LLVMIntPredicate p, LLVMValueRef other, struct lw__term_place at,
                              int limits)
{
    LLVMValueRef steps[STEPS_MAX];
    int count = 0;
    for (; side != v; side = LLVMGetOperand(side, 0)) {
        /* A step from the operand to a value that tells the operand. */
        if (count == STEPS_MAX || !(LLVMIsASExtInst(side) || LLVMIsAZExtInst(side) || is_add(side)))
            return term;
        steps[count++] = side;
    }
    for (int k = count; k-- > 0;)
        term = step(t, steps[k], term);
    const uint32_t bound = lw__term_at(t, other, at, limits ? limits - 1 : 0);
    term = lw__term_limited(t, term, p, bound, lw__term_bits(other));
    for (int k = 0; k < count; k++)
        term = step_back(t, steps[k], term);
    return term;
}

/* Of a - b, where both are compared: how far a is from b. They may be extended as they are
 * compared. */
static uint32_t by_order(struct lw__terms *t, uint32_t term, LLVMValueRef v, LLVMIntPredicate p,
                         LLVMValueRef left, LLVMValueRef right, struct lw__term_place at,
                         int limits)
{
    if (!LLVMIsABinaryOperator(v) || LLVMGetInstructionOpcode(v) != LLVMSub)
        return term;
    const bool is_signed = p >= LLVMIntSGT;
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    if (is_signed ? LLVMIsASExtInst(a) && LLVMIsASExtInst(b)
                  : LLVMIsAZExtInst(a) && LLVMIsAZExtInst(b)) {
        a = LLVMGetOperand(a, 0);
        b = LLVMGetOperand(b, 0);
    }
    if (a == right && b == left)
        p = lw__ir_swapped(p);
    else if (a != left || b != right)
        return term;
    if (p != LLVMIntUGT && p != LLVMIntUGE && p != LLVMIntSGT && p != LLVMIntSGE)
        return term;
    const unsigned bits = lw__term_bits(v);
    const int less = limits ? limits - 1 : 0;
    const uint32_t far =
        lw__term_distance(t, bits, lw__term_at(t, LLVMGetOperand(v, 0), at, less),
                          lw__term_at(t, LLVMGetOperand(v, 1), at, less), is_signed);
    term = lw__term_limited(t, term, LLVMIntEQ, far, bits);
    return p == LLVMIntUGT || p == LLVMIntSGT
               ? lw__term_limited(t, term, LLVMIntNE, lw__term_constant(t, bits, 0), bits)
               : term;
}

/* Of `a && b`: only one edge brings such a value to the phi, so control came along that edge. An
 * edge back to the header of a loop tells of the iteration before. */
static uint32_t by_phi(struct lw__terms *t, uint32_t term, LLVMValueRef v, LLVMValueRef phi,
                       bool is_true, int limits)
{
    const uint32_t block = lw__cfg_index(&t->g, LLVMGetInstructionParent(phi));
    LLVMValueRef found = NULL;
    struct lw__term_place edge = {UINT32_MAX, block};
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        if (lw__ir_is_truth(value, !is_true))
            continue;
        if (found)
            return term;
        found = value;
        edge.block = lw__cfg_index(&t->g, LLVMGetIncomingBlock(phi, k));
    }
    if (edge.block == UINT32_MAX || block == UINT32_MAX ||
        lw__cfg_dominates(&t->g, block, edge.block))
        return term;
    term = lw__term_by_condition(t, term, v, found, is_true, edge, limits);
    return lw__term_by_place(t, term, v, edge, limits);
}

uint32_t lw__term_by_condition(struct lw__terms *t, uint32_t term, LLVMValueRef v,
                               LLVMValueRef condition, bool is_true, struct lw__term_place at,
                               int limits)
{
    LLVMValueRef of[2], inner = lw__ir_negated(condition);
    if (inner)
        return lw__term_by_condition(t, term, v, inner, !is_true, at, limits);
    if (lw__ir_joined(condition, !is_true, of)) {
        term = lw__term_by_condition(t, term, v, of[0], is_true, at, limits);
        return lw__term_by_condition(t, term, v, of[1], is_true, at, limits);
    }
    if (LLVMIsAPHINode(condition))
        return by_phi(t, term, v, condition, is_true, limits);
    if (!is_comparison(condition))
        return term;
    LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    if (!is_true)
        p = lw__ir_inverse(p);
    LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
    term = by_comparison(t, term, v, left, p, right, at, limits);
    term = by_comparison(t, term, v, right, lw__ir_swapped(p), left, at, limits);
    return by_order(t, term, v, p, left, right, at, limits);
}

/* True if the loop of this header is left by the edge. */
static bool leaves(const struct lw__terms *t, uint32_t header, uint32_t to)
{
    for (size_t i = 0; i < t->loops.count; i++)
        if (t->loops.loops[i].header == header)
            return !t->loops.loops[i].body[to];
    return false;
}

/* True if v, unsigned, is not less than a number that is not negative. LLVM bounds a loop from 1 to
 * n by the greater of n and 1. */
static bool is_at_least(LLVMValueRef v, int64_t least)
{
    if (!least)
        return true;
    const char *name = lw__ir_callee(v);
    if (strncmp(name, "llvm.smax.", 10) != 0 && strncmp(name, "llvm.umax.", 10) != 0)
        return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) >= least;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef of = LLVMGetOperand(v, k);
        if (LLVMIsAConstantInt(of) && LLVMConstIntGetSExtValue(of) >= least)
            return true;
    }
    return false;
}

/* A loop that counts its iterations from a number, and ends at the beginning of one where the
 * counter equals a fixed one that is not less: until then it is less. */
static uint32_t by_end(struct lw__terms *t, uint32_t term, LLVMValueRef v, LLVMValueRef condition,
                       uint32_t from, uint32_t to, struct lw__term_place at, int limits)
{
    const uint32_t *succ = t->g.succ + t->g.succ_start[from];
    /* The first of the blocks that lead to this one by a single edge each. */
    uint32_t block = from;
    while (t->g.pred_start[block + 1] - t->g.pred_start[block] == 1) {
        const uint32_t pred = t->g.pred[t->g.pred_start[block]];
        if (t->g.succ_start[pred + 1] - t->g.succ_start[pred] != 1)
            break;
        block = pred;
    }
    const uint32_t header = block;
    int64_t start = 0;
    if (!LLVMIsAPHINode(v) || !is_comparison(condition) || LLVMGetOperand(condition, 0) != v ||
        lw__cfg_index(&t->g, LLVMGetInstructionParent(v)) != header ||
        !lw__term_counts(t, v, header, &start) ||
        !is_at_least(LLVMGetOperand(condition, 1), start) ||
        !lw__term_is_invariant(t, LLVMGetOperand(condition, 1), header))
        return term;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(t->g.blocks[from]);
    const bool is_true = LLVMGetSuccessor(end, 0) == t->g.blocks[to];
    if (LLVMGetICmpPredicate(condition) != (is_true ? LLVMIntNE : LLVMIntEQ) ||
        !leaves(t, header, succ[succ[0] == to]) || leaves(t, header, to))
        return term;
    const uint32_t bound =
        lw__term_at(t, LLVMGetOperand(condition, 1), at, limits ? limits - 1 : 0);
    return lw__term_limited(t, term, LLVMIntULT, bound, lw__term_bits(v));
}

/* On the edge between two blocks. */
static uint32_t by_edge(struct lw__terms *t, uint32_t term, LLVMValueRef v, uint32_t from,
                        uint32_t to, struct lw__term_place at, int limits)
{
    LLVMValueRef condition = lw__cfg_condition(&t->g, from);
    const uint32_t *succ = t->g.succ + t->g.succ_start[from];
    if (!condition || succ[0] == succ[1])
        return term;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(t->g.blocks[from]);
    const bool is_true = LLVMGetSuccessor(end, 0) == t->g.blocks[to];
    term = by_end(t, term, v, condition, from, to, at, limits);
    return lw__term_by_condition(t, term, v, condition, is_true, at, limits);
}

uint32_t lw__term_by_place(struct lw__terms *t, uint32_t term, LLVMValueRef v,
                           struct lw__term_place at, int limits)
{
    const struct lw__cfg *g = &t->g;
    if (at.to != UINT32_MAX)
        term = by_edge(t, term, v, at.block, at.to, at, limits);
    for (uint32_t b = at.block; b; b = g->idom[b])
        if (g->pred_start[b + 1] - g->pred_start[b] == 1)
            term = by_edge(t, term, v, g->pred[g->pred_start[b]], b, at, limits);
    return term;
}

uint32_t lw__term_witness(struct lw__terms *t, LLVMValueRef condition, bool is_true,
                          struct lw__term_place at, int limits)
{
    LLVMValueRef of[2], inner = lw__ir_negated(condition);
    if (inner)
        return lw__term_witness(t, inner, !is_true, at, limits);
    for (int by_or = 0; by_or < 2; by_or++)
        if (lw__ir_joined(condition, by_or, of))
            return lw__term_of_two(t, by_or == is_true ? LW_TERM_EITHER : LW_TERM_WHERE, BITS_MAX,
                                   lw__term_witness(t, of[0], is_true, at, limits),
                                   lw__term_witness(t, of[1], is_true, at, limits));
    if (!is_comparison(condition))
        return lw__term_any(t, BITS_MAX);
    LLVMValueRef left = LLVMGetOperand(condition, 0);
    const LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    const uint32_t right = lw__term_at(t, LLVMGetOperand(condition, 1), at, limits);
    return lw__term_limited(t, lw__term_at(t, left, at, limits), is_true ? p : lw__ir_inverse(p),
                            right, lw__term_bits(left));
}

/* ---- what the launch decides ----------------------------------------------------------------- */

/* True if the launch gives the term one number, the same in all threads. */
static bool is_of_launch(const struct lw__terms *t, uint32_t term, int depth)
{
    const struct lw_term *row = &t->rows[term];
    switch (row->kind) {
    case LW_TERM_CONSTANT:
    case LW_TERM_ARGUMENT:
    case LW_TERM_START:
    case LW_TERM_SIZE: return true;
    case LW_TERM_PLACE:
        return (row->number >= LW_PLACE_BLOCK_DIM && row->number < LW_PLACE_LANE) ||
               row->number == LW_PLACE_DYNAMIC_BYTES;
    case LW_TERM_SEXT:
    case LW_TERM_ZEXT:
    case LW_TERM_TRUNC: return depth && is_of_launch(t, row->a, depth - 1);
    case LW_TERM_ANY:
    case LW_TERM_COUNTER:
    case LW_TERM_COUNTED: return false;
    default:
        return depth && is_of_launch(t, row->a, depth - 1) && is_of_launch(t, row->b, depth - 1);
    }
}

/* Of an edge: the term where its condition holds, if the launch decides that. */
static uint32_t where_taken(struct lw__terms *t, uint32_t term, uint32_t from, uint32_t to)
{
    enum { DEPTH = 6 };
    LLVMValueRef condition = lw__cfg_condition(&t->g, from), inner;
    const uint32_t *succ = t->g.succ + t->g.succ_start[from];
    if (!condition || succ[0] == succ[1])
        return term;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(t->g.blocks[from]);
    bool is_true = LLVMGetSuccessor(end, 0) == t->g.blocks[to];
    for (; (inner = lw__ir_negated(condition)); condition = inner)
        is_true = !is_true;
    if (!is_comparison(condition))
        return term;
    const uint32_t witness =
        lw__term_witness(t, condition, is_true, (struct lw__term_place){from, UINT32_MAX}, 0);
    return is_of_launch(t, witness, DEPTH)
               ? lw__term_of_two(t, LW_TERM_WHERE, t->rows[term].bits, term, witness)
               : term;
}

uint32_t lw__term_where_reached(struct lw__terms *t, uint32_t term, struct lw__term_place at)
{
    const struct lw__cfg *g = &t->g;
    if (at.to != UINT32_MAX)
        term = where_taken(t, term, at.block, at.to);
    for (uint32_t b = at.block; b; b = g->idom[b])
        if (g->pred_start[b + 1] - g->pred_start[b] == 1)
            term = where_taken(t, term, g->pred[g->pred_start[b]], b);
    return term;
}
