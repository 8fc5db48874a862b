/* branch_votes.c - does a condition hold for all threads of the block, or for none?
 *
 * A comparison of a linear value with a uniform one is decided by its two ends. One or two scalar
 * comparisons replace those of all lanes, so the unmasked copies are cheap to enter. If the value
 * is linear only within pieces, such as a warp's own range, each piece's ends are compared.
 */
#include "compile/spmd/control/control.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <string.h>

struct vote {
    LLVMValueRef all, none;
};

static LLVMValueRef truth(const struct lw__spmd *s, bool value)
{
    return LLVMConstInt(s->i1, value, 0);
}

static bool is_signed(LLVMIntPredicate p)
{
    return p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
}

static bool is_less(LLVMIntPredicate p)
{
    return p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
}

/* thread 0's value and a thread's offset, both as the value is kept */
static LLVMValueRef thread_value(struct lw__spmd *s, LLVMValueRef v, int64_t offset)
{
    LLVMValueRef first = lw__spmd_base(s, v, 0);
    return LLVMBuildAdd(s->builder, first, LLVMConstInt(LLVMTypeOf(first), (uint64_t)offset, 1),
                        "");
}

/* x `predicate` y, x linear over the gang, y uniform. The lanes in between may wrap around; they do
 * not if the ends are in order. */
static struct vote compare_ends(struct lw__spmd *s, LLVMValueRef x, LLVMValueRef y,
                                LLVMIntPredicate predicate)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, x);
    int64_t least = 0, most = 0;
    for (uint32_t t = 0; t < s->threads; t++) {
        int64_t o = (int64_t)((uint64_t)shape.lanes[t] - (uint64_t)shape.lanes[0]);
        least = o < least ? o : least;
        most = o > most ? o : most;
    }
    LLVMValueRef low = thread_value(s, x, least), high = thread_value(s, x, most);
    LLVMValueRef bound = lw__spmd_uniform(s, y);
    struct vote a = {
        LLVMBuildICmp(s->builder, predicate, is_less(predicate) ? high : low, bound, ""),
        LLVMBuildNot(
            s->builder,
            LLVMBuildICmp(s->builder, predicate, is_less(predicate) ? low : high, bound, ""), "")};
    if (is_signed(predicate) ? shape.nsw : shape.nuw)
        return a;
    LLVMIntPredicate order = is_signed(predicate) ? LLVMIntSLE : LLVMIntULE;
    LLVMValueRef ordered = LLVMBuildICmp(s->builder, order, low, high, "");
    a.all = LLVMBuildAnd(s->builder, a.all, ordered, "");
    a.none = LLVMBuildAnd(s->builder, a.none, ordered, "");
    return a;
}

/* ---- piece by piece -------------------------------------------------------------------------- */

/* The same, at the two ends of each piece. */
static struct vote compare_pieces(struct lw__spmd *s, LLVMValueRef x, LLVMValueRef y,
                                  LLVMIntPredicate predicate)
{
    const LLVMIntPredicate order = is_signed(predicate) ? LLVMIntSLE : LLVMIntULE;
    struct vote a = {truth(s, true), truth(s, true)};
    for (uint32_t p = s->first_piece; p < s->end_piece; p++) {
        const uint32_t left = s->threads - p * s->width;
        int64_t stride;
        lw__shape_piece_stride(s->facts, lw__shape_of(s->facts, x), p, &stride);
        stride *= (left < s->width ? left : s->width) - 1;
        LLVMValueRef first = lw__spmd_base(s, x, p), bound = lw__spmd_base(s, y, p);
        LLVMValueRef by = LLVMConstInt(LLVMTypeOf(first), (uint64_t)stride, true);
        LLVMValueRef last = LLVMBuildAdd(s->builder, first, by, "");
        LLVMValueRef low = stride < 0 ? last : first, high = stride < 0 ? first : last;
        LLVMValueRef ordered = LLVMBuildICmp(s->builder, order, low, high, "");
        LLVMValueRef yes = LLVMBuildICmp(s->builder, predicate, is_less(predicate) ? high : low,
                                         bound, ""),
                     may = LLVMBuildICmp(s->builder, predicate, is_less(predicate) ? low : high,
                                         bound, "");
        a.all = LLVMBuildAnd(s->builder, a.all, LLVMBuildAnd(s->builder, yes, ordered, ""), "");
        a.none = LLVMBuildAnd(
            s->builder, a.none,
            LLVMBuildAnd(s->builder, LLVMBuildNot(s->builder, may, ""), ordered, ""), "");
    }
    return a;
}

/* ---- any condition --------------------------------------------------------------------------- */

/* In pairs, so that no piece waits for more than a few others. */
static LLVMValueRef join_all(struct lw__spmd *s, LLVMOpcode op, LLVMValueRef *v, uint32_t count)
{
    for (; count > 1; count = (count + 1) / 2)
        for (uint32_t k = 0; k < (count + 1) / 2; k++)
            v[k] = 2 * k + 1 < count ? LLVMBuildBinOp(s->builder, op, v[2 * k], v[2 * k + 1], "")
                                     : v[2 * k];
    LLVMTypeRef bits = LLVMIntTypeInContext(s->context, s->width);
    return LLVMBuildBitCast(s->builder, v[0], bits, "");
}

/* Lane by lane. Threads that do not exist follow the others, and their value may be poison. If the
 * value of other lanes may be poison too, it is ignored; but poison would spread to other lanes. */
static struct vote vote(struct lw__spmd *s, LLVMValueRef condition, bool poison)
{
    LLVMValueRef yes = lw__spmd_splat(s, truth(s, true)), no = lw__spmd_splat(s, truth(s, false));
    LLVMValueRef all[LW_SPMD_PIECES_MAX], any[LW_SPMD_PIECES_MAX];
    uint32_t count = 0;
    for (uint32_t p = s->first_piece; p < s->end_piece; p++, count++) {
        LLVMValueRef v = lw__spmd_vector(s, condition, p), exists = lw__mask_exists(s, p);
        v = poison ? LLVMBuildFreeze(s->builder, v, "") : v;
        all[count] = exists ? LLVMBuildSelect(s->builder, exists, v, yes, "") : v;
        any[count] = exists ? LLVMBuildSelect(s->builder, exists, v, no, "") : v;
    }
    LLVMValueRef all_bits = join_all(s, LLVMAnd, all, count),
                 any_bits = join_all(s, LLVMOr, any, count);
    LLVMTypeRef bits = LLVMTypeOf(all_bits);
    return (struct vote){LLVMBuildICmp(s->builder, LLVMIntEQ, all_bits, LLVMConstAllOnes(bits), ""),
                         LLVMBuildICmp(s->builder, LLVMIntEQ, any_bits, LLVMConstNull(bits), "")};
}

static bool is_linear(const struct lw__spmd *s, LLVMValueRef v)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, v);
    return shape.kind == LW_SHAPE_OFFSET && shape.lanes && !lw__shape_is_uniform(s->facts, shape) &&
           LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind;
}

static struct vote agree(struct lw__spmd *s, LLVMValueRef c, unsigned depth, bool poison);

/* a && b, a || b, as operations or as selects. False: it is neither. */
static bool agree_logically(struct lw__spmd *s, LLVMValueRef c, unsigned depth, bool poison,
                            struct vote *r)
{
    LLVMValueRef of[2];
    const bool select = LLVMIsASelectInst(c), both = lw__ir_joined(c, false, of);
    if (depth > LW_CONDITION_DEPTH || (!both && !lw__ir_joined(c, true, of)))
        return false;
    struct vote x = agree(s, of[0], depth + 1, poison),
                y = agree(s, of[1], depth + 1, poison || select); /* only where the first has
                                                                   * decided */
    if (select) {
        y.all = LLVMBuildFreeze(s->builder, y.all, "");
        y.none = LLVMBuildFreeze(s->builder, y.none, "");
    }
    r->all = both ? LLVMBuildAnd(s->builder, x.all, y.all, "")
                  : LLVMBuildOr(s->builder, x.all, y.all, "");
    r->none = both ? LLVMBuildOr(s->builder, x.none, y.none, "")
                   : LLVMBuildAnd(s->builder, x.none, y.none, "");
    return true;
}

static struct vote agree(struct lw__spmd *s, LLVMValueRef c, unsigned depth, bool poison)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, c);
    if (lw__shape_is_uniform(s->facts, shape)) {
        LLVMValueRef v = lw__spmd_uniform(s, c);
        return (struct vote){v, LLVMBuildNot(s->builder, v, "")};
    }
    if (shape.known && shape.lanes) /* and not uniform */
        return (struct vote){truth(s, false), truth(s, false)};
    if (!LLVMIsAInstruction(c))
        return vote(s, c, poison);
    if (LLVMIsAICmpInst(c) && lw__ir_is_order(LLVMGetICmpPredicate(c))) {
        LLVMValueRef x = LLVMGetOperand(c, 0), y = LLVMGetOperand(c, 1);
        LLVMIntPredicate p = LLVMGetICmpPredicate(c);
        if (is_linear(s, x) && lw__is_uniform(s->facts, y))
            return compare_ends(s, x, y, p);
        if (is_linear(s, y) && lw__is_uniform(s->facts, x))
            return compare_ends(s, y, x, lw__ir_swapped(p));
        if (lw__spmd_is_linear_in_pieces(s->facts, x, y))
            return compare_pieces(s, x, y, p);
        if (lw__spmd_is_linear_in_pieces(s->facts, y, x))
            return compare_pieces(s, y, x, lw__ir_swapped(p));
    }
    LLVMValueRef not_c = lw__ir_negated(c);
    struct vote r;
    if (not_c) {
        r = agree(s, not_c, depth + 1, poison);
        return (struct vote){r.none, r.all};
    }
    return agree_logically(s, c, depth, poison, &r) ? r : vote(s, c, poison);
}

void lw__control_vote(struct lw__spmd *s, LLVMValueRef condition, LLVMValueRef *all,
                      LLVMValueRef *none)
{
    struct vote a = agree(s, condition, 0, false);
    *all = a.all;
    *none = a.none;
}

/* ---- for the lanes of a mask ----------------------------------------------------------------- */

/* The threads of a constant mask, in the gang. */
struct threads {
    uint32_t count, first;
    bool there[LW_SPMD_PIECES_MAX * 16];
};

static bool note_threads(struct lw__spmd *s, const LLVMValueRef *mask, struct threads *set)
{
    memset(set, 0, sizeof *set);
    for (uint32_t p = 0; p < s->pieces; p++) {
        if (mask[p] && !LLVMIsConstant(mask[p]))
            return false;
        const uint64_t lanes = lw__mask_may(s, mask[p]);
        for (uint32_t l = 0, t = p * s->width; l < s->width && t < s->threads; l++, t++) {
            set->there[t] = lanes >> l & 1;
            if (set->there[t] && !set->count++)
                set->first = t;
        }
    }
    return set->count;
}

/* True if all of them have the same number; *offset: its distance from thread 0's. */
static bool is_same(const struct lw__spmd *s, LLVMValueRef v, const struct threads *set,
                    int64_t *offset)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, v);
    *offset = 0;
    if (lw__shape_is_uniform(s->facts, shape))
        return true;
    if (shape.kind != LW_SHAPE_OFFSET || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return false;
    for (uint32_t t = set->first; t < s->threads; t++)
        if (set->there[t] && shape.lanes[t] != shape.lanes[set->first])
            return false;
    *offset = (int64_t)((uint64_t)shape.lanes[set->first] - (uint64_t)shape.lanes[0]);
    return true;
}

LLVMValueRef lw__control_again(struct lw__spmd *s, LLVMValueRef v, const LLVMValueRef *operands)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMICmp)
        return LLVMBuildICmp(s->builder, LLVMGetICmpPredicate(v), operands[0], operands[1], "");
    return op == LLVMSelect ? LLVMBuildSelect(s->builder, operands[0], operands[1], operands[2], "")
                            : LLVMBuildBinOp(s->builder, op, operands[0], operands[1], "");
}

static LLVMValueRef same_value(struct lw__spmd *s, LLVMValueRef v, const struct threads *set,
                               unsigned depth)
{
    int64_t offset;
    if (is_same(s, v, set, &offset))
        return offset ? thread_value(s, v, offset) : lw__spmd_base(s, v, 0);
    LLVMValueRef x[3] = {NULL};
    if (depth > LW_CONDITION_DEPTH || !lw__control_is_condition(v))
        return NULL;
    depth = LLVMIsAICmpInst(v) ? LW_CONDITION_DEPTH : depth;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (!(x[k] = same_value(s, LLVMGetOperand(v, k), set, depth + 1)))
            return NULL;
    return lw__control_again(s, v, x);
}

LLVMValueRef lw__control_same(struct lw__spmd *s, LLVMValueRef condition, const LLVMValueRef *mask)
{
    struct threads set;
    return note_threads(s, mask, &set) ? same_value(s, condition, &set, 0) : NULL;
}
