/* private_arrays.c - private memory of a thread that registers cannot hold: an alloca with a
 * variable index, or whose address is stored.
 *
 * All threads' copies are in one array on the worker's stack, or in its frame (base/cpu_abi.h). If
 * all accesses have one size e, element k of thread t is at (k * padded threads + t) * e. So lanes
 * with the same index access adjacent memory, and offsets of addresses into it grow by that factor.
 * Otherwise each copy is contiguous.
 */
#include "base/cpu_abi.h"
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>
#include <string.h>

/* Bytes of a block on the stack, and their alignment; the rest is in the frame. */
enum { STACK_MAX = 1 << 18, STACK_ALIGN = 64 };

/* That many bytes of the frame, which is requested at the start of the function. */
LLVMValueRef lw__spmd_in_frame(struct lw__spmd *s, uint64_t bytes, uint64_t align)
{
    LLVMBuilderRef here = s->builder;
    assert(bytes && align && !(align & (align - 1)));
    assert(s->frame_bytes % LW_CPU_ALIGN == 0);
    LLVMValueRef at = lw__spmd_const64(s, (int64_t)s->frame_bytes);
    s->builder = s->alloca_builder;
    if (!s->frame)
        s->frame = lw__spmd_frame(s);
    LLVMValueRef place = lw__spmd_bytes_on(s, s->frame, at);
    if (align > LW_CPU_ALIGN) {
        /* the lowest address from there on with that alignment */
        LLVMValueRef number = LLVMBuildPtrToInt(s->builder, place, s->i64, "");
        LLVMValueRef low = lw__spmd_const64(s, (int64_t)(align - 1));
        place = lw__spmd_bytes_on(
            s, place, LLVMBuildAnd(s->builder, LLVMBuildNeg(s->builder, number, ""), low, ""));
        bytes += align - LW_CPU_ALIGN;
    }
    s->builder = here;
    s->frame_bytes += (bytes + LW_CPU_ALIGN - 1) / LW_CPU_ALIGN * LW_CPU_ALIGN;
    if (!s->gang || !s->gang->record) /* a coroutine's call is made in gang/gangs.c */
        LLVMSetOperand(s->frame, 1, lw__spmd_const64(s, (int64_t)s->frame_bytes));
    return place;
}

bool lw__spmd_private(struct lw__spmd *s, LLVMValueRef variable)
{
    const struct lw__private_layout layout = lw__private_layout(s->facts, variable);
    const uint64_t bytes = layout.bytes;
    const uint64_t align = layout.element ? layout.element /* accesses need no more */
                                          : LLVMGetAlignment(variable);
    if (align > STACK_ALIGN || s->private_bytes + bytes > STACK_MAX) {
        lw__spmd_set_uniform(s, variable, lw__spmd_in_frame(s, bytes, align));
        return true;
    }
    s->private_bytes += bytes;
    LLVMTypeRef type = LLVMArrayType2(s->i8, bytes);
    LLVMValueRef memory = LLVMBuildAlloca(s->alloca_builder, type, "private");
    LLVMSetAlignment(memory, STACK_ALIGN);
    lw__spmd_set_uniform(s, variable, memory);
    return true;
}
