/* guards.c - checks of guarded code (LW_GUARD), for all lanes of a block.
 *
 * A check costs what shows that no lane fails. Numbers of known lanes are compared here. If the
 * numbers are linear over the gang, or in each piece, they are within where the lowest is, and so
 * far below the bound as the lanes are apart: one comparison of scalars. All others are compared as
 * vectors, some pieces at a time, and one branch tests all of them.
 *
 * Where a lane may fail, code that is seldom executed looks at each lane (runtime/refused_lanes.c).
 */
#include "compile/spmd/control/control.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/runtime/runtime.h"
#include <string.h>

static LLVMValueRef truth(const struct lw__spmd *s, bool value)
{
    return LLVMConstInt(s->i1, value, 0);
}

/* Of a condition whose lanes are known: does it hold for a lane that may execute it? */
static bool holds_for_some(const struct lw__spmd *s, struct lw__value_shape shape,
                           const LLVMValueRef *mask)
{
    for (uint32_t t = 0; t < s->threads; t++)
        if (shape.lanes[t] && (lw__mask_may(s, mask[t / s->width]) >> t % s->width & 1))
            return true;
    return false;
}

/* ---- linear numbers -------------------------------------------------------------------------- */

/* The comparison number + 0 ... more >= bound, which says that a check may fail. */
struct comparison {
    LLVMValueRef number, bound;
    uint64_t more;
    bool equal; /* else number > bound */
};

static bool is_varying(const struct lw__spmd *s, LLVMValueRef v)
{
    return lw__shape_of(s->facts, v).kind == LW_SHAPE_VARYING;
}

/* A place in a list is often a linear number and a count of bits, which is small. */
static void look_through_sum(const struct lw__spmd *s, struct comparison *c)
{
    LLVMValueRef sum = c->number;
    if (!LLVMIsABinaryOperator(sum) || LLVMGetInstructionOpcode(sum) != LLVMAdd)
        return;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef count = LLVMGetOperand(sum, k), other = LLVMGetOperand(sum, 1 - k);
        count = LLVMIsAZExtInst(count) ? LLVMGetOperand(count, 0) : count;
        if (lw__ir_calls(count, LW_LLVM_ctpop) && is_varying(s, count) && !is_varying(s, other)) {
            c->number = other;
            c->more = LLVMGetIntTypeWidth(LLVMTypeOf(count));
            return;
        }
    }
}

static bool compares(const struct lw__spmd *s, LLVMValueRef fails, struct comparison *c)
{
    if (!LLVMIsAICmpInst(fails))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(fails);
    *c = (struct comparison){.number = LLVMGetOperand(fails, 0), .bound = LLVMGetOperand(fails, 1)};
    if (p == LLVMIntULT || p == LLVMIntULE) {
        *c = (struct comparison){.number = c->bound, .bound = c->number};
        p = lw__ir_swapped(p);
    }
    c->equal = p == LLVMIntUGE;
    if (is_varying(s, c->number))
        look_through_sum(s, c);
    return (p == LLVMIntUGE || p == LLVMIntUGT) && lw__is_uniform(s->facts, c->bound);
}

/* The lanes of some pieces that may execute it: their least and greatest distance from lane 0 of
 * the first of the pieces. False: there is none. */
static bool span_of(const struct lw__spmd *s, struct lw__value_shape shape,
                    const LLVMValueRef *mask, uint32_t first, uint32_t end, int64_t ends[2])
{
    bool any = false;
    for (uint32_t p = first; p < end; p++) {
        const uint64_t lanes = lw__mask_is_none(mask[p]) ? 0 : lw__mask_may(s, mask[p]);
        for (uint32_t l = 0; l < s->width && p * s->width + l < s->threads; l++) {
            int64_t o = shape.kind == LW_SHAPE_PIECE ? (int64_t)((uint64_t)shape.stride * l)
                                                     : lw__shape_offset_at(shape, p * s->width + l);
            if (!(lanes >> l & 1))
                continue;
            ends[0] = !any || o < ends[0] ? o : ends[0];
            ends[1] = !any || o > ends[1] ? o : ends[1];
            any = true;
        }
    }
    return any;
}

/* May number + ends[0] ... number + ends[1] not all be below the bound? If the lowest is so far
 * below the bound, no number in between wraps around. Under a mask the number may be that of a
 * thread that is not there. */
static LLVMValueRef ends_fail(struct lw__spmd *s, const struct comparison *c, LLVMValueRef number,
                              const int64_t ends[2])
{
    LLVMTypeRef type = LLVMTypeOf(number);
    LLVMValueRef bound = lw__spmd_uniform(s, c->bound), fails;
    LLVMValueRef apart = LLVMConstInt(type, (uint64_t)ends[1] - (uint64_t)ends[0] + c->more, 0);
    LLVMValueRef low =
        LLVMBuildAdd(s->builder, number, LLVMConstInt(type, (uint64_t)ends[0], 1), "");
    if (c->equal) {
        LLVMValueRef args[] = {bound, apart};
        bound = lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_usub_sat, &type, args, 2);
        fails = LLVMBuildICmp(s->builder, LLVMIntUGE, low, bound, "");
    } else {
        LLVMValueRef near = LLVMBuildICmp(s->builder, LLVMIntULT, bound, apart, "");
        bound = LLVMBuildSub(s->builder, bound, apart, "");
        fails = LLVMBuildICmp(s->builder, LLVMIntUGT, low, bound, "");
        fails = LLVMBuildOr(s->builder, near, fails, "");
    }
    return s->mask ? LLVMBuildFreeze(s->builder, fails, "") : fails;
}

/* Lanes of the pieces may fail; NULL: their numbers are not linear. */
static LLVMValueRef linear_fails(struct lw__spmd *s, LLVMValueRef fails, const LLVMValueRef *mask,
                                 uint32_t first, uint32_t end)
{
    int64_t ends[2];
    struct comparison c;
    if (!compares(s, fails, &c) || LLVMGetIntTypeWidth(LLVMTypeOf(c.number)) < 32)
        return NULL;
    const struct lw__value_shape shape = lw__shape_of(s->facts, c.number);
    if (shape.kind == LW_SHAPE_VARYING)
        return NULL;
    if (shape.kind == LW_SHAPE_OFFSET)
        return span_of(s, shape, mask, first, end, ends)
                   ? ends_fail(s, &c, lw__spmd_base(s, c.number, 0), ends)
                   : truth(s, false);
    LLVMValueRef any = truth(s, false);
    for (uint32_t p = first; p < end; p++)
        if (span_of(s, shape, mask, p, p + 1, ends))
            any = LLVMBuildOr(s->builder, any,
                              ends_fail(s, &c, lw__spmd_base(s, c.number, p), ends), "");
    return any;
}

/* True if scalars that all pieces share decide it. */
static bool is_shared(const struct lw__spmd *s, LLVMValueRef fails)
{
    struct comparison c;
    return lw__is_uniform(s->facts, fails) ||
           (compares(s, fails, &c) && lw__shape_of(s->facts, c.number).kind == LW_SHAPE_OFFSET);
}

bool lw__guard_vote(struct lw__spmd *s, LLVMValueRef call, const LLVMValueRef *mask,
                    LLVMValueRef *fails)
{
    LLVMValueRef condition = LLVMGetOperand(call, LW_GUARD_FAILS);
    const struct lw__value_shape shape = lw__shape_of(s->facts, condition);
    *fails = NULL;
    if (shape.known && shape.lanes)
        *fails = truth(s, holds_for_some(s, shape, mask));
    else if (lw__is_uniform(s->facts, condition))
        *fails = lw__spmd_uniform(s, condition);
    else if (is_shared(s, condition))
        *fails = linear_fails(s, condition, mask, s->first_piece, s->end_piece);
    return !*fails || !lw__ir_is_truth(*fails, false);
}

bool lw__guard_is_shared(const struct lw__spmd *s, LLVMValueRef call)
{
    for (unsigned k = LW_GUARD_NUMBER; k < LW_GUARD_OPERANDS; k++)
        if (lw__shape_of(s->facts, LLVMGetOperand(call, k)).kind != LW_SHAPE_OFFSET)
            return false;
    return true;
}

/* ---- branches -------------------------------------------------------------------------------- */

void lw__guard_pieces(struct lw__spmd *s, const struct lw__guarded *guards, size_t count,
                      const LLVMValueRef *mask, uint32_t first, uint32_t end)
{
    /* lanes that may fail; what scalars find */
    LLVMValueRef none = LLVMConstNull(lw__spmd_vector_type(s, s->i1)), lanes = none,
                 fails = truth(s, false);
    for (size_t k = 0; k < count; k++) {
        LLVMValueRef condition = LLVMGetOperand(guards[k].call, LW_GUARD_FAILS);
        LLVMValueRef by_scalars =
            guards[k].fails ? guards[k].fails : linear_fails(s, condition, mask, first, end);
        if (by_scalars) {
            fails = LLVMBuildOr(s->builder, fails, by_scalars, "");
            continue;
        }
        for (uint32_t p = first; p < end; p++)
            if (!lw__mask_is_none(mask[p]))
                lanes = lw__mask_or(s, lanes,
                                    lw__mask_and(s, mask[p], lw__spmd_vector(s, condition, p)));
    }
    if (lanes != none)
        fails = LLVMBuildOr(s->builder, lw__mask_piece_any(s, lanes), fails, "");
    if (lw__ir_is_truth(fails, false))
        return;
    LLVMBasicBlockRef seldom = lw__builder_new_block(s, "rare"),
                      on = lw__builder_new_block(s, "within");
    lw__ir_set_rare(LLVMBuildCondBr(s->builder, fails, seldom, on));
    lw__builder_at_end(s, seldom);
    lw__spmd_refuse_under(s, mask, first, end);
    for (size_t k = 0; k < count; k++) {
        LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(guards[k].call));
        lw__spmd_refuse_lanes(s, guards[k].call, mask, first, end);
    }
    LLVMBuildBr(s->builder, on);
    lw__builder_at_end(s, on);
}
