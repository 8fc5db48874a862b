/* refused_lanes.c - the first lane whose access is outside of its object, of those that may be.
 *
 * This code is seldom executed, so it is small: a loop over the lanes. What differs between them is
 * stored to arrays first. A check of several groups of pieces has a loop for each, and one end: it
 * tells of the lane, and stops.
 */
#include "base/bounds_abi.h"
#include "base/cpu_abi.h"
#include "compile/spmd/runtime/runtime.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/memory/memory.h"
#include <assert.h>
#include <stddef.h>
#include <string.h>

/* An operand of the check. `one`: that of thread 0; thread t is t * stride further. NULL: an array
 * of the threads' values; by_piece: of the pieces' first, and lane l is l * stride further. */
struct operand {
    LLVMTypeRef type;
    LLVMValueRef one, array;
    bool by_piece;
    int64_t stride;
};

/* Where a check's lanes that are outside lead to: phis of the thread and of the operands that are
 * one value. */
struct lw__refusal {
    LLVMValueRef call;
    LLVMBasicBlockRef block;
    LLVMValueRef thread, one[LW_GUARD_OPERANDS];
};

static LLVMValueRef element(struct lw__spmd *s, LLVMTypeRef type, LLVMValueRef array,
                            LLVMValueRef index)
{
    return LLVMBuildGEP2(s->builder, type, array, &index, 1, "");
}

/* For element `slot` of s->refused: memory for eight bytes a thread. */
static LLVMValueRef array_of(struct lw__spmd *s, unsigned slot)
{
    if (!s->refused[slot])
        s->refused[slot] = lw__spmd_in_frame(s, (uint64_t)s->pieces * s->width * 8, 8);
    return s->refused[slot];
}

/* Is it t * stride further in each thread t than in thread 0? */
static bool is_linear(const struct lw__spmd *s, struct lw__value_shape shape, int64_t *stride)
{
    if (shape.kind != LW_SHAPE_OFFSET)
        return false;
    uint64_t each = 0;
    for (uint32_t t = 1; shape.lanes && t < s->threads; t++) {
        const uint64_t all = (uint64_t)shape.lanes[t] - (uint64_t)shape.lanes[0];
        each = t == 1 ? all : each;
        if (all != t * each)
            return false;
    }
    *stride = (int64_t)each;
    return true;
}

static struct operand take(struct lw__spmd *s, LLVMValueRef call, unsigned k,
                           const LLVMValueRef *mask, uint32_t first, uint32_t end)
{
    LLVMValueRef v = LLVMGetOperand(call, k);
    const struct lw__value_shape shape = lw__shape_of(s->facts, v);
    struct operand o = {.type = LLVMTypeOf(v)};
    if (is_linear(s, shape, &o.stride)) {
        o.one = lw__spmd_base(s, v, 0);
        return o;
    }
    o.array = array_of(s, k);
    o.by_piece = lw__shape_as_piece(s->facts, shape, &o.stride);
    for (uint32_t p = first; p < end; p++) {
        LLVMValueRef at = lw__spmd_const64(s, (int64_t)p * (o.by_piece ? 1 : s->width));
        if (lw__mask_is_none(mask[p]))
            continue;
        LLVMValueRef own = o.by_piece ? lw__spmd_base(s, v, p) : lw__spmd_vector(s, v, p);
        LLVMSetAlignment(LLVMBuildStore(s->builder, own, element(s, o.type, o.array, at)), 4);
    }
    return o;
}

static LLVMValueRef piece_of(struct lw__spmd *s, LLVMValueRef thread)
{
    return LLVMBuildUDiv(s->builder, thread, lw__spmd_const64(s, s->width), "");
}

static LLVMValueRef lane_of(struct lw__spmd *s, LLVMValueRef thread)
{
    return LLVMBuildURem(s->builder, thread, lw__spmd_const64(s, s->width), "");
}

static LLVMValueRef further(struct lw__spmd *s, const struct operand *o, LLVMValueRef from,
                            LLVMValueRef count)
{
    LLVMValueRef stride = LLVMConstInt(o->type, (uint64_t)o->stride, 1);
    count = LLVMBuildIntCast2(s->builder, count, o->type, 0, "");
    return LLVMBuildAdd(s->builder, from, LLVMBuildMul(s->builder, count, stride, ""), "");
}

static LLVMValueRef of_thread(struct lw__spmd *s, const struct operand *o, LLVMValueRef thread)
{
    if (o->one)
        return o->stride ? further(s, o, o->one, thread) : o->one;
    LLVMValueRef index = o->by_piece ? piece_of(s, thread) : thread;
    LLVMValueRef v = LLVMBuildLoad2(s->builder, o->type, element(s, o->type, o->array, index), "");
    return o->by_piece ? further(s, o, v, lane_of(s, thread)) : v;
}

/* START + SCALE * NUMBER. */
static LLVMValueRef offset_of(struct lw__spmd *s, LLVMValueRef call, const struct operand *operands,
                              LLVMValueRef thread)
{
    const bool is_signed = !lw__ir_is_truth(LLVMGetOperand(call, LW_GUARD_SIGNED), false);
    LLVMValueRef number = of_thread(s, &operands[LW_GUARD_NUMBER], thread),
                 start = of_thread(s, &operands[LW_GUARD_START], thread),
                 scale = LLVMGetOperand(call, LW_GUARD_SCALE);
    number = LLVMBuildIntCast2(s->builder, number, s->i64, is_signed, "");
    return LLVMBuildAdd(s->builder, start, LLVMBuildMul(s->builder, number, scale, ""), "");
}

void lw__spmd_refuse_under(struct lw__spmd *s, const LLVMValueRef *mask, uint32_t first,
                           uint32_t end)
{
    LLVMValueRef array = array_of(s, LW_GUARD_FAILS);
    assert(s->width < 32 && first < end && end <= s->pieces);
    for (uint32_t p = first; p < end; p++) {
        LLVMValueRef bits = LLVMBuildZExt(s->builder, lw__mask_bits(s, mask[p]), s->i32, "");
        LLVMBuildStore(s->builder, bits, element(s, s->i32, array, lw__spmd_const64(s, p)));
    }
}

/* Tell of the lane, and stop. The values of the operands come by phis, but for constants. */
static struct lw__refusal begin_refusal(struct lw__spmd *s, LLVMValueRef call,
                                        const struct operand *operands)
{
    struct operand own[LW_GUARD_OPERANDS];
    struct lw__refusal r = {.call = call, .block = lw__builder_new_block(s, "outside")};
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->builder);
    LLVMPositionBuilderAtEnd(s->builder, r.block);
    r.thread = LLVMBuildPhi(s->builder, s->i64, "");
    memcpy(own, operands, sizeof own);
    for (unsigned k = 0; k < LW_GUARD_OPERANDS; k++)
        if (own[k].one && !LLVMIsConstant(LLVMGetOperand(call, k)))
            own[k].one = r.one[k] = LLVMBuildPhi(s->builder, own[k].type, "");
    static const uint8_t words[LW_REFUSED_WORDS] = {[LW_REFUSED_KIND] = LW_GUARD_KIND,
                                                    [LW_REFUSED_OBJECT] = LW_GUARD_OBJECT,
                                                    [LW_REFUSED_BYTES] = LW_GUARD_BYTES,
                                                    [LW_REFUSED_SIZE] = LW_GUARD_SIZE,
                                                    [LW_REFUSED_BASE] = LW_GUARD_BASE};
    const size_t site = lw__ir_site(s->unit, call, "access");
    LLVMTypeRef type = LLVMArrayType2(s->i64, LW_REFUSED_WORDS);
    if (!s->refused_words)
        s->refused_words = LLVMBuildAlloca(s->alloca_builder, type, "");
    for (unsigned k = 0; k < LW_REFUSED_WORDS; k++) {
        LLVMValueRef word = k == LW_REFUSED_OFFSET ? offset_of(s, call, own, r.thread)
                                                   : of_thread(s, &own[words[k]], r.thread);
        LLVMBuildStore(s->builder, word,
                       element(s, s->i64, s->refused_words, lw__spmd_const64(s, k)));
    }
    LLVMValueRef number = LLVMBuildTrunc(s->builder, r.thread, s->i32, "");
    if (s->gang)
        number = LLVMBuildAdd(s->builder, lw__gang_first(s), number, "");
    lw__spmd_call_out(s, offsetof(struct lw_cpu_calls, refused), LLVMVoidTypeInContext(s->context),
                      (LLVMTypeRef[]){s->ptr, s->i64, s->i32, s->i32, s->ptr},
                      (LLVMValueRef[]){s->worker, s->block_linear, number,
                                       lw__spmd_const32(s, (int64_t)site), s->refused_words},
                      5);
    LLVMBuildBr(s->builder, s->stop);
    LLVMPositionBuilderAtEnd(s->builder, before);
    return r;
}

/* The end of this check, with an edge from the builder's block. */
static LLVMBasicBlockRef refuse(struct lw__spmd *s, LLVMValueRef call,
                                const struct operand *operands, LLVMValueRef thread)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(s->builder);
    size_t n = 0;
    while (n < s->refusal_count && s->refusals[n].call != call)
        n++;
    if (n == s->refusal_count) {
        s->refusals =
            lw__one_more(&s->unit->arena, s->refusals, s->refusal_count, sizeof *s->refusals);
        s->refusals[s->refusal_count++] = begin_refusal(s, call, operands);
    }
    struct lw__refusal *r = &s->refusals[n];
    LLVMAddIncoming(r->thread, &thread, &from, 1);
    for (unsigned k = 0; k < LW_GUARD_OPERANDS; k++)
        if (r->one[k])
            LLVMAddIncoming(r->one[k], &(LLVMValueRef){operands[k].one}, &from, 1);
    return r->block;
}

/* The thread executes the access, and is outside. */
static LLVMValueRef is_outside(struct lw__spmd *s, LLVMValueRef call,
                               const struct operand *operands, LLVMValueRef thread)
{
    LLVMValueRef mask =
        LLVMBuildLoad2(s->builder, s->i32,
                       element(s, s->i32, array_of(s, LW_GUARD_FAILS), piece_of(s, thread)), "");
    LLVMValueRef lane = LLVMBuildTrunc(s->builder, lane_of(s, thread), s->i32, "");
    LLVMValueRef is_in =
        LLVMBuildTrunc(s->builder, LLVMBuildLShr(s->builder, mask, lane, ""), s->i1, "");
    LLVMValueRef outside =
        LLVMBuildICmp(s->builder, LLVMIntUGE, offset_of(s, call, operands, thread),
                      of_thread(s, &operands[LW_GUARD_LIMIT], thread), "");
    return LLVMBuildAnd(s->builder, is_in, outside, "");
}

void lw__spmd_refuse_lanes(struct lw__spmd *s, LLVMValueRef call, const LLVMValueRef *mask,
                           uint32_t first, uint32_t end)
{
    struct operand operands[LW_GUARD_OPERANDS] = {{0}};
    assert(first < end && end <= s->pieces);
    assert(LLVMGetNumArgOperands(call) == LW_GUARD_OPERANDS);
    LLVMBasicBlockRef head, loop = lw__builder_new_block(s, "look"),
                            next = lw__builder_new_block(s, "next"),
                            done = lw__builder_new_block(s, "looked");
    for (unsigned k = LW_GUARD_NUMBER; k < LW_GUARD_OPERANDS; k++)
        operands[k] = take(s, call, k, mask, first, end);
    head = LLVMGetInsertBlock(s->builder);
    LLVMBuildBr(s->builder, loop);
    LLVMPositionBuilderAtEnd(s->builder, loop);
    LLVMValueRef thread = LLVMBuildPhi(s->builder, s->i64, "");
    LLVMValueRef outside = is_outside(s, call, operands, thread);
    LLVMBuildCondBr(s->builder, outside, refuse(s, call, operands, thread), next);
    LLVMPositionBuilderAtEnd(s->builder, next);
    LLVMValueRef more = LLVMBuildAdd(s->builder, thread, lw__spmd_const64(s, 1), "");
    LLVMValueRef is_last = LLVMBuildICmp(s->builder, LLVMIntEQ, more,
                                         lw__spmd_const64(s, (int64_t)end * s->width), "");
    LLVMBuildCondBr(s->builder, is_last, done, loop);
    LLVMAddIncoming(thread, (LLVMValueRef[]){lw__spmd_const64(s, (int64_t)first * s->width), more},
                    (LLVMBasicBlockRef[]){head, next}, 2);
    LLVMPositionBuilderAtEnd(s->builder, done);
}
