/* refused_lanes.c - the first lane whose access is outside of its object, of those that may be.
 *
 * This code is seldom executed, so it is small: a loop over the pieces, each of which is compared
 * as a vector. What differs between lanes is stored to arrays first.
 */
#include "base/bounds_abi.h"
#include "base/cpu_abi.h"
#include "compile/spmd/runtime/runtime.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/memory/memory.h"
#include <stddef.h>

/* An operand of the check: one value, or an array of the threads' values. */
struct operand {
    LLVMTypeRef type;
    LLVMValueRef one, array;
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

static struct operand take(struct lw__spmd *s, LLVMValueRef call, unsigned k,
                           const LLVMValueRef *mask, uint32_t first, uint32_t end)
{
    LLVMValueRef v = LLVMGetOperand(call, k);
    struct operand o = {.type = LLVMTypeOf(v)};
    if (lw__shape_is_uniform(s->facts, lw__shape_of(s->facts, v))) {
        o.one = lw__spmd_uniform(s, v);
        return o;
    }
    o.array = array_of(s, k);
    for (uint32_t p = first; p < end; p++) {
        LLVMValueRef at = lw__spmd_const64(s, (int64_t)p * s->width);
        if (!lw__mask_is_none(mask[p]))
            LLVMSetAlignment(LLVMBuildStore(s->builder, lw__spmd_vector(s, v, p),
                                            element(s, o.type, o.array, at)),
                             4);
    }
    return o;
}

/* The operand of a piece, whose first thread that is. */
static LLVMValueRef of_piece(struct lw__spmd *s, const struct operand *o, LLVMValueRef thread)
{
    if (o->one)
        return lw__spmd_splat(s, o->one);
    LLVMValueRef v = LLVMBuildLoad2(s->builder, lw__spmd_vector_type(s, o->type),
                                    element(s, o->type, o->array, thread), "");
    LLVMSetAlignment(v, 4);
    return v;
}

static LLVMValueRef of_thread(struct lw__spmd *s, const struct operand *o, LLVMValueRef thread)
{
    return o->one ? o->one
                  : LLVMBuildLoad2(s->builder, o->type, element(s, o->type, o->array, thread), "");
}

/* START + SCALE * NUMBER, of values or of vectors. */
static LLVMValueRef offset_of(struct lw__spmd *s, LLVMValueRef call, LLVMValueRef number,
                              LLVMValueRef start)
{
    LLVMTypeRef type = LLVMTypeOf(start);
    const bool is_signed = !lw__ir_is_truth(LLVMGetOperand(call, LW_GUARD_SIGNED), false);
    LLVMValueRef scale = LLVMGetOperand(call, LW_GUARD_SCALE);
    scale = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? lw__spmd_splat(s, scale) : scale;
    number = LLVMBuildIntCast2(s->builder, number, type, is_signed, "");
    return LLVMBuildAdd(s->builder, start, LLVMBuildMul(s->builder, number, scale, ""), "");
}

static void store_masks(struct lw__spmd *s, const LLVMValueRef *mask, uint32_t first, uint32_t end,
                        LLVMValueRef array)
{
    for (uint32_t p = first; p < end; p++) {
        LLVMValueRef bits = LLVMBuildZExt(s->builder, lw__mask_bits(s, mask[p]), s->i32, "");
        LLVMBuildStore(s->builder, bits, element(s, s->i32, array, lw__spmd_const64(s, p)));
    }
}

/* Tell of the lane, and stop. */
static void refuse(struct lw__spmd *s, LLVMValueRef call, const struct operand *operands,
                   LLVMValueRef thread)
{
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
        LLVMValueRef word =
            k == LW_REFUSED_OFFSET
                ? offset_of(s, call, of_thread(s, &operands[LW_GUARD_NUMBER], thread),
                            of_thread(s, &operands[LW_GUARD_START], thread))
                : of_thread(s, &operands[words[k]], thread);
        LLVMBuildStore(s->builder, word,
                       element(s, s->i64, s->refused_words, lw__spmd_const64(s, k)));
    }
    LLVMValueRef number = LLVMBuildTrunc(s->builder, thread, s->i32, "");
    if (s->gang)
        number = LLVMBuildAdd(s->builder, lw__gang_first(s), number, "");
    lw__spmd_call_out(s, offsetof(struct lw_cpu_calls, refused), LLVMVoidTypeInContext(s->context),
                      (LLVMTypeRef[]){s->ptr, s->i64, s->i32, s->i32, s->ptr},
                      (LLVMValueRef[]){s->worker, s->block_linear, number,
                                       lw__spmd_const32(s, (int64_t)site), s->refused_words},
                      5);
    LLVMBuildBr(s->builder, s->stop);
}

/* The lanes of a piece, whose first thread that is, that are outside; as bits. */
static LLVMValueRef outside_of_piece(struct lw__spmd *s, LLVMValueRef call,
                                     const struct operand *operands, LLVMValueRef piece,
                                     LLVMValueRef thread)
{
    LLVMTypeRef bits_type = LLVMIntTypeInContext(s->context, s->width);
    LLVMValueRef offset = offset_of(s, call, of_piece(s, &operands[LW_GUARD_NUMBER], thread),
                                    of_piece(s, &operands[LW_GUARD_START], thread));
    LLVMValueRef outside = LLVMBuildICmp(s->builder, LLVMIntUGE, offset,
                                         of_piece(s, &operands[LW_GUARD_LIMIT], thread), "");
    LLVMValueRef mask = LLVMBuildLoad2(
        s->builder, s->i32, element(s, s->i32, operands[LW_GUARD_FAILS].array, piece), "");
    mask = LLVMBuildBitCast(s->builder, LLVMBuildTrunc(s->builder, mask, bits_type, ""),
                            lw__spmd_vector_type(s, s->i1), "");
    return lw__mask_bits(s, lw__mask_and(s, mask, outside));
}

void lw__spmd_refuse_lanes(struct lw__spmd *s, LLVMValueRef call, const LLVMValueRef *mask,
                           uint32_t first, uint32_t end)
{
    struct operand operands[LW_GUARD_OPERANDS] = {{0}};
    LLVMTypeRef bits_type = LLVMIntTypeInContext(s->context, s->width);
    LLVMBasicBlockRef head,
        loop = lw__builder_new_block(s, "look"), bad = lw__builder_new_block(s, "outside"),
        next = lw__builder_new_block(s, "next"), done = lw__builder_new_block(s, "looked");
    for (unsigned k = LW_GUARD_NUMBER; k < LW_GUARD_OPERANDS; k++)
        operands[k] = take(s, call, k, mask, first, end);
    operands[LW_GUARD_FAILS].array = array_of(s, LW_GUARD_FAILS);
    store_masks(s, mask, first, end, operands[LW_GUARD_FAILS].array);
    head = LLVMGetInsertBlock(s->builder);
    LLVMBuildBr(s->builder, loop);
    LLVMPositionBuilderAtEnd(s->builder, loop);
    LLVMValueRef piece = LLVMBuildPhi(s->builder, s->i64, "");
    LLVMValueRef thread = LLVMBuildMul(s->builder, piece, lw__spmd_const64(s, s->width), "");
    LLVMValueRef bits = outside_of_piece(s, call, operands, piece, thread);
    LLVMBuildCondBr(s->builder,
                    LLVMBuildICmp(s->builder, LLVMIntNE, bits, LLVMConstNull(bits_type), ""), bad,
                    next);
    LLVMPositionBuilderAtEnd(s->builder, bad);
    LLVMValueRef args[] = {bits, LLVMConstInt(s->i1, 0, 0)};
    LLVMValueRef lane =
        lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_cttz, &bits_type, args, 2);
    lane = LLVMBuildIntCast2(s->builder, lane, s->i64, 0, "");
    refuse(s, call, operands, LLVMBuildAdd(s->builder, thread, lane, ""));
    LLVMPositionBuilderAtEnd(s->builder, next);
    LLVMValueRef more = LLVMBuildAdd(s->builder, piece, lw__spmd_const64(s, 1), "");
    LLVMValueRef is_last = LLVMBuildICmp(s->builder, LLVMIntEQ, more, lw__spmd_const64(s, end), "");
    LLVMBuildCondBr(s->builder, is_last, done, loop);
    LLVMAddIncoming(piece, (LLVMValueRef[]){lw__spmd_const64(s, first), more},
                    (LLVMBasicBlockRef[]){head, next}, 2);
    LLVMPositionBuilderAtEnd(s->builder, done);
}
