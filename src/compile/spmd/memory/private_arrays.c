/* private_arrays.c - memory of a thread that does not fit into registers: an alloca with a variable
 * index or an address that is kept.
 *
 * Every thread's copy lies in one array of the worker's stack, or of its frame (base/cpu_abi.h).
 * Where all accesses are of one size e, element k of thread t is at (k * padded threads + t) * e,
 * so that lanes with the same index touch neighbours; offsets of addresses into it grow by that
 * factor. Otherwise the copies lie one after the other.
 */
#include "base/cpu_abi.h"
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <string.h>

/* Bytes of a block, and what they are aligned to; what does not fit there is in the frame. */
enum { STACK_MAX = 1 << 18, STACK_ALIGN = 64 };

/* The next address from `at` on that is so aligned. */
static LLVMValueRef round_up(struct lw__spmd *s, LLVMValueRef at, uint64_t align)
{
    LLVMValueRef number = LLVMBuildPtrToInt(s->builder, at, s->i64, "");
    LLVMValueRef low = lw__spmd_const64(s, (int64_t)(align - 1));
    return lw__spmd_bytes_on(
        s, at, LLVMBuildAnd(s->builder, LLVMBuildNeg(s->builder, number, ""), low, ""));
}

/* So many bytes of the frame, which is asked for at the start of the function. */
LLVMValueRef lw__spmd_in_frame(struct lw__spmd *s, uint64_t bytes, uint64_t align)
{
    LLVMBuilderRef here = s->builder;
    LLVMValueRef at = lw__spmd_const64(s, (int64_t)s->frame_bytes);
    s->builder = s->alloca_builder;
    if (!s->frame)
        s->frame = lw__spmd_frame(s);
    LLVMValueRef place = lw__spmd_bytes_on(s, s->frame, at);
    if (align > LW_CPU_ALIGN) {
        place = round_up(s, place, align);
        bytes += align - LW_CPU_ALIGN;
    }
    s->builder = here;
    s->frame_bytes += (bytes + LW_CPU_ALIGN - 1) / LW_CPU_ALIGN * LW_CPU_ALIGN;
    if (!s->gang || !s->gang->record) /* a coroutine's call is another, of gang/gangs.c */
        LLVMSetOperand(s->frame, 1, lw__spmd_const64(s, (int64_t)s->frame_bytes));
    return place;
}

bool lw__spmd_private(struct lw__spmd *s, LLVMValueRef variable)
{
    const struct lw__private_layout layout = lw__private_layout(s, variable);
    const uint64_t bytes = layout.bytes;
    const uint64_t align = layout.element ? layout.element /* nobody sees more of elements */
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
