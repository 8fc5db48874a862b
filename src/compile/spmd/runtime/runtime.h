/* runtime.h - where code calls or yields to the library: printf, assert, barriers under divergence,
 * and gangs that wait for each other.
 *
 * For the cpu a barrier that not all threads reach is lowered here: runtime_calls.c in code for a
 * whole block, gang_barrier.c between gangs. For the GPU that is gpu/rendezvous.c.
 */
#ifndef LW_COMPILE_SPMD_RUNTIME_H
#define LW_COMPILE_SPMD_RUNTIME_H
#include "compile/spmd/spmd.h"

/* ---- waiting_lanes.c ------------------------------------------------------------------------- */

void lw__spmd_wait_on_edge(struct lw__spmd *s, uint32_t to, uint32_t piece, LLVMValueRef exited);
void lw__spmd_clear_waiting(struct lw__spmd *s, const LLVMValueRef *mask);
void lw__spmd_add_waiting(struct lw__spmd *s, LLVMValueRef *live);

/* ---- gang_frame.c ---------------------------------------------------------------------------- */

/* If s->gang is set: the value of lw.thread_idx.* or its like, of one piece or (p = UINT32_MAX) of
 * thread 0. */
LLVMValueRef lw__gang_thread_index(struct lw__spmd *s, const char *name, uint32_t p);
/* The gang's first thread, i32. */
LLVMValueRef lw__gang_first(struct lw__spmd *s);
/* Suspend in each iteration of a spin loop, in that state. lw__gang_count - one more in the gang's
 * field at the offset. */
void lw__gang_wait(struct lw__spmd *s, LLVMValueRef access, lw__mask mask, int state);
void lw__gang_count(struct lw__spmd *s, size_t offset);
/* Set the gang's field at the offset. */
void lw__gang_set(struct lw__spmd *s, size_t offset, LLVMValueRef value);
/* Yield in state ARRIVED or WAITS, and resume after it, at s->builder. */
void lw__gang_suspend(struct lw__spmd *s, int state, size_t site);
/* Store the lanes as bits of the gang's threads in an array of the exchange. */
void lw__gang_store_lanes(struct lw__spmd *s, lw__mask lanes, size_t offset);
/* The address of a piece's first thread in an array of the exchange, `bytes` an element. */
LLVMValueRef lw__gang_at(struct lw__spmd *s, size_t offset, uint64_t bytes, uint32_t piece);
/* The value of lw.block_idx.* or lw.grid_dim.*; NULL: another name. */
LLVMValueRef lw__spmd_block_index(const struct lw__spmd *s, const char *name);

/* ---- gang_barrier.c -------------------------------------------------------------------------- */

/* Emit a block op of a gang. */
void lw__gang_barrier(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, lw__mask mask);

/* ---- refused_lanes.c ------------------------------------------------------------------------- */

/* Which lanes of the pieces execute the accesses; then, of each call of LW_GUARD: if the access of
 * one of them is outside, the launch ends. */
void lw__spmd_refuse_under(struct lw__spmd *s, const LLVMValueRef *mask, uint32_t first,
                           uint32_t end);
void lw__spmd_refuse_lanes(struct lw__spmd *s, LLVMValueRef call, const LLVMValueRef *mask,
                           uint32_t first, uint32_t end);

/* ---- runtime_calls.c ------------------------------------------------------------------------- */

/* A failed assert ends s->builder's block; all live threads must be at a barrier. */
void lw__spmd_print(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
void lw__spmd_assert_fail(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
void lw__spmd_assert_that(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
void lw__spmd_check_barrier(struct lw__spmd *s, LLVMValueRef call, lw__mask mask);
/* The threads of each piece that have not exited. */
void lw__spmd_live(struct lw__spmd *s, LLVMValueRef *live);
/* Store one bit a lane, a word a warp, to an array. */
void lw__spmd_store_lanes(struct lw__spmd *s, lw__mask lanes, LLVMValueRef words);
#endif
