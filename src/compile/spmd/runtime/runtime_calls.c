/* runtime_calls.c - calls from a kernel to the library (base/cpu_abi.h): printf, failed asserts,
 * and barriers that some threads do not reach.
 */
#include "base/manifest.h"
#include "base/cpu_abi.h"
#include "compile/spmd/runtime/runtime.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/collective/collective.h"
#include <stddef.h>
#include <string.h>

/* The number in the block of the gang's thread. */
static LLVMValueRef in_block(struct lw__spmd *s, LLVMValueRef thread)
{
    return s->gang ? LLVMBuildAdd(s->builder, lw__gang_first(s), thread, "") : thread;
}

/* The lowest of the gang's threads in a mask that is not empty. */
static LLVMValueRef first_thread(struct lw__spmd *s, lw__mask mask)
{
    LLVMTypeRef bits_type = LLVMIntTypeInContext(s->context, s->width);
    LLVMValueRef best = lw__spmd_const32(s, 0);
    for (uint32_t p = s->pieces; p-- > 0;) {
        if (lw__mask_is_none(mask[p]))
            continue;
        LLVMValueRef bits = lw__mask_bits(s, mask[p]);
        LLVMValueRef args[] = {bits, LLVMConstInt(s->i1, 0, 0)};
        LLVMValueRef lane =
            lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_cttz, &bits_type, args, 2);
        lane = LLVMBuildIntCast2(s->builder, lane, s->i32, 0, "");
        lane = LLVMBuildAdd(s->builder, lane, lw__spmd_const32(s, p * s->width), "");
        best = LLVMBuildSelect(s->builder, lw__mask_piece_any(s, mask[p]), lane, best, "");
    }
    return best;
}

void lw__spmd_assert_fail(struct lw__spmd *s, LLVMValueRef call, lw__mask mask)
{
    size_t site = lw__ir_site(s->unit, call, "assert");
    lw__spmd_call_out(
        s, offsetof(struct lw_cpu_calls, assert_fail), LLVMVoidTypeInContext(s->context),
        (LLVMTypeRef[]){s->ptr, s->i64, s->i32, s->ptr, s->i32},
        (LLVMValueRef[]){s->worker, s->block_linear, in_block(s, first_thread(s, mask)),
                         LLVMGetOperand(call, 0), lw__spmd_const32(s, (int64_t)site)},
        5);
    LLVMBuildBr(s->builder, s->stop);
}

void lw__spmd_store_lanes(struct lw__spmd *s, lw__mask lanes, LLVMValueRef words)
{
    for (uint32_t w = 0; w < lw__warps(s); w++) {
        LLVMValueRef at = lw__spmd_const64(s, w);
        LLVMBuildStore(s->builder, lw__warp_bits(s, lanes, w),
                       LLVMBuildGEP2(s->builder, s->i32, words, &at, 1, ""));
    }
}

/* The same, to an array on the stack. */
static LLVMValueRef lanes_on_stack(struct lw__spmd *s, lw__mask lanes)
{
    LLVMTypeRef type = LLVMArrayType2(s->i32, lw__warps(s));
    LLVMValueRef words = LLVMBuildAlloca(s->alloca_builder, type, "");
    lw__spmd_store_lanes(s, lanes, words);
    return words;
}

void lw__spmd_live(struct lw__spmd *s, LLVMValueRef *live)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, s->i1);
    for (uint32_t p = 0; p < s->pieces; p++) {
        live[p] = lw__mask_exists(s, p);
        if (s->exited_mask)
            live[p] = lw__mask_and_not(s, live[p],
                                       LLVMBuildLoad2(s->builder, type, s->exited_mask[p], ""));
    }
    lw__spmd_add_waiting(s, live);
}

void lw__spmd_check_barrier(struct lw__spmd *s, LLVMValueRef call, lw__mask mask)
{
    LLVMValueRef *live = lw__new(&s->unit->scratch, 3 * s->pieces, sizeof *live),
                 *missing = live + s->pieces, *there = missing + s->pieces;
    lw__spmd_live(s, live);
    memcpy(there, mask, s->pieces * sizeof *there);
    lw__spmd_first_instance(s, call, there);
    for (uint32_t p = 0; p < s->pieces; p++)
        missing[p] = lw__mask_and_not(s, live[p], lw__mask_vector(s, there[p]));
    LLVMBasicBlockRef bad = lw__builder_new_block(s, "missing"),
                      good = lw__builder_new_block(s, "met");
    LLVMBuildCondBr(s->builder, lw__mask_any(s, missing), bad, good);
    LLVMPositionBuilderAtEnd(s->builder, bad);
    size_t site = lw__ir_site(s->unit, call, lw__op_table[lw__ir_collective(call, NULL)].name);
    LLVMValueRef arrived = lanes_on_stack(s, there), alive = lanes_on_stack(s, live);
    lw__spmd_call_out(s, offsetof(struct lw_cpu_calls, diverged), LLVMVoidTypeInContext(s->context),
                      (LLVMTypeRef[]){s->ptr, s->i64, s->i32, s->ptr, s->ptr},
                      (LLVMValueRef[]){s->worker, s->block_linear,
                                       lw__spmd_const32(s, (int64_t)site), arrived, alive},
                      5);
    LLVMBuildBr(s->builder, s->stop);
    LLVMPositionBuilderAtEnd(s->builder, good);
}

/* ---- printf ---------------------------------------------------------------------------------- */

/* An argument as a 64-bit slot. */
static LLVMValueRef slot_bits(struct lw__spmd *s, LLVMValueRef vector)
{
    LLVMTypeRef wide = lw__spmd_vector_type(s, s->i64),
                type = LLVMGetElementType(LLVMTypeOf(vector));
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMBuildSExt(s->builder, vector, wide, "");
    case LLVMPointerTypeKind: return LLVMBuildPtrToInt(s->builder, vector, wide, "");
    default: return LLVMBuildBitCast(s->builder, vector, wide, "");
    }
}

/* The largest count of arguments of a printf or assert of the kernel. */
static unsigned most_arguments(const struct lw__spmd *s)
{
    unsigned most = 0;
    for (uint32_t b = 0; b < s->facts->cfg.count; b++)
        EACH_INSTRUCTION(i, s->facts->cfg.blocks[b])
            if (lw__ir_prints(i) && LLVMGetNumArgOperands(i) - 1 > most)
                most = LLVMGetNumArgOperands(i) - 1;
    return most;
}

/* args[k][thread], in one array for all printfs: a kernel may have hundreds, too many for the
 * stack. */
static void store_arguments(struct lw__spmd *s, LLVMValueRef call, unsigned count, lw__mask mask)
{
    uint32_t padded = s->pieces * s->width;
    if (!s->printed && count)
        s->printed = lw__spmd_in_frame(s, (uint64_t)padded * most_arguments(s) * 8, 8);
    for (unsigned k = 0; k < count; k++)
        for (uint32_t p = 0; p < s->pieces; p++) {
            if (lw__mask_is_none(mask[p]))
                continue;
            LLVMValueRef v = slot_bits(s, lw__spmd_vector(s, LLVMGetOperand(call, k + 1), p));
            LLVMValueRef at = lw__spmd_const64(s, (int64_t)k * padded + p * s->width);
            LLVMValueRef place = LLVMBuildGEP2(s->builder, s->i64, s->printed, &at, 1, "");
            LLVMSetAlignment(LLVMBuildStore(s->builder, v, place), 8);
        }
}

/* One thread's arguments, in an array on the stack for `room`. */
static LLVMValueRef own_arguments(struct lw__spmd *s, unsigned count, unsigned room,
                                  LLVMValueRef thread)
{
    LLVMTypeRef type = LLVMArrayType2(s->i64, room ? room : 1);
    LLVMValueRef own = LLVMBuildAlloca(s->alloca_builder, type, "");
    LLVMValueRef wide = LLVMBuildZExt(s->builder, thread, s->i64, "");
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef from = LLVMBuildAdd(
            s->builder, wide, lw__spmd_const64(s, (int64_t)k * s->pieces * s->width), "");
        LLVMValueRef to = lw__spmd_const64(s, k);
        LLVMValueRef v = LLVMBuildLoad2(
            s->builder, s->i64, LLVMBuildGEP2(s->builder, s->i64, s->printed, &from, 1, ""), "");
        LLVMBuildStore(s->builder, v, LLVMBuildGEP2(s->builder, s->i64, own, &to, 1, ""));
    }
    for (unsigned k = count; k < room; k++) {
        LLVMValueRef to = lw__spmd_const64(s, k);
        LLVMBuildStore(s->builder, lw__spmd_const64(s, 0),
                       LLVMBuildGEP2(s->builder, s->i64, own, &to, 1, ""));
    }
    return own;
}

void lw__spmd_print(struct lw__spmd *s, LLVMValueRef call, lw__mask mask)
{
    unsigned count = LLVMGetNumArgOperands(call) - 1;
    store_arguments(s, call, count, mask);
    LLVMValueRef bits = lanes_on_stack(s, mask);
    LLVMValueRef counter = LLVMBuildAlloca(s->alloca_builder, s->i32, "");
    const char *const names[] = {"print", "print.test", "print.one", "print.next", "printed"};
    LLVMBasicBlockRef bb[5];
    for (unsigned k = 0; k < 5; k++)
        bb[k] = lw__builder_new_block(s, names[k]);
    LLVMBuildStore(s->builder, lw__spmd_const32(s, 0), counter);
    LLVMBuildBr(s->builder, bb[0]);
    LLVMPositionBuilderAtEnd(s->builder, bb[0]);
    LLVMValueRef t = LLVMBuildLoad2(s->builder, s->i32, counter, "");
    LLVMBuildCondBr(s->builder,
                    LLVMBuildICmp(s->builder, LLVMIntULT, t, lw__spmd_const32(s, s->threads), ""),
                    bb[1], bb[4]);
    LLVMPositionBuilderAtEnd(s->builder, bb[1]);
    LLVMValueRef at = LLVMBuildZExt(
        s->builder, LLVMBuildLShr(s->builder, t, lw__spmd_const32(s, 5), ""), s->i64, "");
    LLVMValueRef word =
        LLVMBuildLoad2(s->builder, s->i32, LLVMBuildGEP2(s->builder, s->i32, bits, &at, 1, ""), "");
    word = LLVMBuildLShr(s->builder, word, LLVMBuildAnd(s->builder, t, lw__spmd_const32(s, 31), ""),
                         "");
    LLVMBuildCondBr(s->builder, LLVMBuildTrunc(s->builder, word, s->i1, ""), bb[2], bb[3]);
    LLVMPositionBuilderAtEnd(s->builder, bb[2]);
    LLVMValueRef own = own_arguments(s, count, count, t);
    lw__spmd_call_out(s, offsetof(struct lw_cpu_calls, print), LLVMVoidTypeInContext(s->context),
                      (LLVMTypeRef[]){s->ptr, s->i64, s->i32, s->ptr, s->i32, s->ptr},
                      (LLVMValueRef[]){s->worker, s->block_linear, in_block(s, t),
                                       LLVMGetOperand(call, 0), lw__spmd_const32(s, count), own},
                      6);
    LLVMBuildBr(s->builder, bb[3]);
    LLVMPositionBuilderAtEnd(s->builder, bb[3]);
    LLVMBuildStore(s->builder, LLVMBuildAdd(s->builder, t, lw__spmd_const32(s, 1), ""), counter);
    LLVMBuildBr(s->builder, bb[0]);
    LLVMPositionBuilderAtEnd(s->builder, bb[4]);
    for (uint32_t p = 0; p < s->pieces; p++)
        lw__spmd_set_vector(s, call, p, lw__spmd_splat(s, lw__spmd_const32(s, count)));
}

void lw__spmd_assert_that(struct lw__spmd *s, LLVMValueRef call, lw__mask mask)
{
    const unsigned count = LLVMGetNumArgOperands(call) - 1;
    const size_t site = lw__ir_site(s->unit, call, "assert");
    store_arguments(s, call, count, mask);
    LLVMValueRef thread = first_thread(s, mask), own = own_arguments(s, count, LW_SAID_MAX, thread);
    lw__spmd_call_out(
        s, offsetof(struct lw_cpu_calls, assert_that), LLVMVoidTypeInContext(s->context),
        (LLVMTypeRef[]){s->ptr, s->i64, s->i32, s->ptr, s->i32, s->ptr},
        (LLVMValueRef[]){s->worker, s->block_linear, in_block(s, thread), LLVMGetOperand(call, 0),
                         lw__spmd_const32(s, (int64_t)site), own},
        6);
    LLVMBuildBr(s->builder, s->stop);
}
