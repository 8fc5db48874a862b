/* lane_loop.c - one lane after the other, in a loop over the set bits of a mask.
 *
 * For accesses without a vector instruction: atomic and some volatile ones, atomic operations
 * (atomics.c), calls of LLVM's memory functions.
 */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>
#include <string.h>

/* ---- the loop -------------------------------------------------------------------------------- */

/* A new block after the builder's. */
static LLVMBasicBlockRef block_behind(struct lw__spmd *s, LLVMBasicBlockRef before,
                                      const char *name)
{
    LLVMBasicBlockRef block = lw__builder_new_block(s, name);
    LLVMMoveBasicBlockAfter(block, before);
    return block;
}

void lw__lane_loop_open(struct lw__spmd *s, LLVMValueRef mask, LLVMValueRef carry0,
                        LLVMValueRef carry1, struct lw__lane_loop *loop)
{
    LLVMValueRef bits = LLVMBuildZExt(s->builder, lw__mask_bits(s, mask), s->i64, "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(s->builder);
    LLVMValueRef start[2] = {carry0, carry1};
    assert(carry0 || !carry1);
    loop->head = block_behind(s, from, "lanes");
    LLVMBasicBlockRef body = block_behind(s, loop->head, "lane");
    loop->done = block_behind(s, body, "lanes.done");
    LLVMBuildBr(s->builder, loop->head);

    LLVMPositionBuilderAtEnd(s->builder, loop->head);
    loop->rest = LLVMBuildPhi(s->builder, s->i64, "");
    LLVMAddIncoming(loop->rest, &bits, &from, 1);
    for (int c = 0; c < 2; c++) {
        loop->carry[c] = start[c] ? LLVMBuildPhi(s->builder, LLVMTypeOf(start[c]), "") : NULL;
        if (start[c])
            LLVMAddIncoming(loop->carry[c], &start[c], &from, 1);
    }
    LLVMValueRef more =
        LLVMBuildICmp(s->builder, LLVMIntNE, loop->rest, lw__spmd_const64(s, 0), "");
    LLVMBuildCondBr(s->builder, more, body, loop->done);

    LLVMPositionBuilderAtEnd(s->builder, body);
    LLVMValueRef args[2] = {loop->rest, LLVMConstInt(s->i1, 1, false)};
    LLVMValueRef lane = lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_cttz, &s->i64, args, 2);
    loop->lane = LLVMBuildTrunc(s->builder, lane, s->i32, "");
}

void lw__lane_loop_close(struct lw__spmd *s, struct lw__lane_loop *loop, LLVMValueRef carry0,
                         LLVMValueRef carry1)
{
    assert(!carry0 == !loop->carry[0] && !carry1 == !loop->carry[1]);
    LLVMValueRef less = LLVMBuildSub(s->builder, loop->rest, lw__spmd_const64(s, 1), "");
    LLVMValueRef rest = LLVMBuildAnd(s->builder, loop->rest, less, ""), next[2] = {carry0, carry1};
    LLVMBasicBlockRef from = LLVMGetInsertBlock(s->builder);
    LLVMAddIncoming(loop->rest, &rest, &from, 1);
    for (int c = 0; c < 2; c++)
        if (next[c])
            LLVMAddIncoming(loop->carry[c], &next[c], &from, 1);
    LLVMBuildBr(s->builder, loop->head);
    LLVMPositionBuilderAtEnd(s->builder, loop->done);
}

struct lw__lane_operand lw__lane_operand(struct lw__spmd *s, LLVMValueRef v, uint32_t p)
{
    struct lw__lane_operand operand = {.same = true};
    int64_t stride;
    if (lw__is_uniform(s->facts, v)) {
        operand.value = lw__spmd_uniform(s, v);
    } else if (lw__shape_piece_stride(s->facts, lw__shape_of(s->facts, v), p, &stride) && !stride) {
        operand.value = lw__spmd_base(s, v, p);
    } else {
        operand.value = lw__spmd_vector(s, v, p);
        operand.same = false;
    }
    return operand;
}

void lw__lane_keep(struct lw__spmd *s, struct lw__lane_operand *operand, unsigned slot)
{
    enum { BYTES = 128 };
    LLVMTypeRef type = LLVMTypeOf(operand->value);
    assert(slot < LW_LANE_OPERANDS);
    if (operand->same || LLVMGetElementType(type) == s->i1 ||
        LLVMABISizeOfType(s->data, type) > BYTES)
        return;
    if (!s->lane_operands[slot]) {
        s->lane_operands[slot] =
            LLVMBuildAlloca(s->alloca_builder, LLVMArrayType2(s->i8, BYTES), "lanes");
        LLVMSetAlignment(s->lane_operands[slot], 64);
    }
    operand->memory = s->lane_operands[slot];
    LLVMSetAlignment(LLVMBuildStore(s->builder, operand->value, operand->memory), 64);
}

LLVMValueRef lw__lane_pick(struct lw__spmd *s, struct lw__lane_operand operand,
                           const struct lw__lane_loop *loop)
{
    if (operand.same)
        return operand.value;
    if (operand.memory) {
        LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(operand.value));
        LLVMValueRef lane = LLVMBuildZExt(s->builder, loop->lane, s->i64, "");
        return LLVMBuildLoad2(s->builder, type,
                              LLVMBuildGEP2(s->builder, type, operand.memory, &lane, 1, ""), "");
    }
    return LLVMBuildExtractElement(s->builder, operand.value, loop->lane, "");
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static void remark_access(struct lw__spmd *s, const struct lw__access *a)
{
    bool atomic = a->ordering != LLVMAtomicOrderingNotAtomic;
    if (a->count == 1 || lw__spmd_is_by_one_lane(s->facts, a->instruction) ||
        lw__spmd_is_of_swap(s, a->instruction))
        return;
    lw__spmd_remark(s, a->instruction,
                    atomic ? LW_REMARK_SERIAL_ATOMIC_ACCESS : LW_REMARK_SERIAL_VOLATILE,
                    atomic ? "an atomic access, one lane after the other"
                           : "a volatile access, one lane after the other");
}

LLVMValueRef lw__serial_load(struct lw__spmd *s, const struct lw__access *a)
{
    struct lw__lane_operand address = lw__lane_operand(s, a->address, a->piece);
    LLVMTypeRef vector = lw__spmd_vector_type(s, a->moved);
    remark_access(s, a);
    struct lw__lane_loop loop;
    lw__lane_keep(s, &address, 0);
    lw__lane_loop_open(s, lw__access_mask(s, a), LLVMConstNull(vector), NULL, &loop);
    LLVMValueRef value = lw__access_load(s, a, lw__lane_pick(s, address, &loop));
    value = LLVMBuildInsertElement(s->builder, loop.carry[0], value, loop.lane, "");
    lw__lane_loop_close(s, &loop, value, NULL);
    return loop.carry[0];
}

void lw__serial_store(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef v)
{
    struct lw__lane_operand address = lw__lane_operand(s, a->address, a->piece);
    struct lw__lane_operand value = lw__lane_operand(s, v, a->piece);
    value.value = lw__access_moved(s, a, value.value);
    remark_access(s, a);
    struct lw__lane_loop loop;
    lw__lane_keep(s, &address, 0);
    lw__lane_keep(s, &value, 1);
    lw__lane_loop_open(s, lw__access_mask(s, a), NULL, NULL, &loop);
    lw__access_store(s, a, lw__lane_pick(s, value, &loop), lw__lane_pick(s, address, &loop));
    lw__lane_loop_close(s, &loop, NULL, NULL);
}

/* ---- memcpy, memmove, memset ----------------------------------------------------------------- */

enum { MEMORY_ARGS = 4 }; /* to, from or byte, length, volatile: all three functions */

static void call_like(struct lw__spmd *s, LLVMValueRef call, LLVMValueRef *args)
{
    LLVMValueRef copy = LLVMInstructionClone(call); /* keeps the operands' alignments */
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(s->builder);
    LLVMInsertIntoBuilder(s->builder, copy);
    for (unsigned n = 0; n < MEMORY_ARGS; n++)
        LLVMSetOperand(copy, n, args[n]);
    static const char *const dropped[] = {"tbaa", "tbaa.struct", "noalias", "alias.scope"};
    for (size_t n = 0; n < sizeof dropped / sizeof *dropped; n++) {
        unsigned kind =
            LLVMGetMDKindIDInContext(s->context, dropped[n], (unsigned)strlen(dropped[n]));
        LLVMSetMetadata(copy, kind, NULL);
    }
    LLVMInstructionSetDebugLoc(copy, location);
}

static void call_in_piece(struct lw__spmd *s, LLVMValueRef call, uint32_t p, LLVMValueRef mask)
{
    struct lw__access a = {.instruction = call};
    struct lw__lane_operand operands[MEMORY_ARGS];
    LLVMValueRef args[MEMORY_ARGS];
    lw__access_lanes(s, LLVMGetOperand(call, 0), p, mask, &a);
    if (!a.count)
        return;
    for (unsigned n = 0; n < MEMORY_ARGS; n++)
        operands[n] = lw__lane_operand(s, LLVMGetOperand(call, n), p);
    struct lw__lane_loop loop;
    lw__lane_loop_open(s, lw__access_mask(s, &a), NULL, NULL, &loop);
    for (unsigned n = 0; n < MEMORY_ARGS; n++)
        args[n] = lw__lane_pick(s, operands[n], &loop);
    call_like(s, call, args);
    lw__lane_loop_close(s, &loop, NULL, NULL);
}

/* lw__spmd_memory_intrinsic - llvm.memcpy, memmove or memset. Each lane makes its own call; or one
 * call is made, if all lanes' are the same. Emitted where at least one lane is active. */
bool lw__spmd_memory_intrinsic(struct lw__spmd *s, LLVMValueRef call, lw__mask mask)
{
    LLVMValueRef args[MEMORY_ARGS];
    bool same = true;
    assert(LLVMGetNumArgOperands(call) == MEMORY_ARGS);
    for (unsigned n = 0; n < MEMORY_ARGS; n++)
        same &= lw__is_uniform(s->facts, LLVMGetOperand(call, n));
    if (same) {
        for (unsigned n = 0; n < MEMORY_ARGS; n++)
            args[n] = lw__spmd_uniform(s, LLVMGetOperand(call, n));
        call_like(s, call, args);
        return true;
    }
    lw__spmd_remark(s, call, LW_REMARK_SERIAL_COPY,
                    "a copy or fill of memory, one lane after the other");
    for (uint32_t p = 0; p < s->pieces; p++)
        call_in_piece(s, call, p, mask[p]);
    return true;
}
