/* gang_frame.c - the record of a running gang: its threads, its state, where it resumes. */
#include "base/cpu_abi.h"
#include "compile/spmd/runtime/runtime.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(struct lw_cpu_gang, name)

static LLVMValueRef at(struct lw__spmd *s, LLVMValueRef record, size_t offset)
{
    LLVMValueRef index = lw__spmd_const64(s, (int64_t)offset);
    return LLVMBuildGEP2(s->builder, s->i8, record, &index, 1, "");
}

void lw__gang_set(struct lw__spmd *s, size_t offset, LLVMValueRef value)
{
    LLVMBuildStore(s->builder, value, at(s, s->gang->record, offset));
}

LLVMValueRef lw__gang_first(struct lw__spmd *s)
{
    return s->gang->first;
}

void lw__gang_suspend(struct lw__spmd *s, int state, size_t site)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(s->builder),
                      next = lw__builder_new_block(s, "resumed");
    assert(s->gang->record);
    lw__gang_set(s, FIELD(state), lw__spmd_const32(s, state));
    lw__gang_set(s, FIELD(site), lw__spmd_const32(s, (int64_t)site));
    lw__coroutine_suspend(&s->gang->co, here, next);
    LLVMPositionBuilderAtEnd(s->builder, next);
}

LLVMValueRef lw__gang_at(struct lw__spmd *s, size_t offset, uint64_t bytes, uint32_t piece)
{
    assert(piece < s->pieces && s->gang->exchange);
    LLVMValueRef thread = LLVMBuildZExt(s->builder, s->gang->first, s->i64, "");
    thread = LLVMBuildAdd(s->builder, thread, lw__spmd_const64(s, (int64_t)piece * s->width), "");
    LLVMValueRef byte = LLVMBuildMul(s->builder, thread, lw__spmd_const64(s, (int64_t)bytes), "");
    return LLVMBuildGEP2(s->builder, s->i8, at(s, s->gang->exchange, offset), &byte, 1, "");
}

void lw__gang_store_lanes(struct lw__spmd *s, lw__mask lanes, size_t offset)
{
    assert(s->config->gang_threads % 32 == 0);
    LLVMValueRef warp = LLVMBuildLShr(s->builder, s->gang->first, lw__spmd_const32(s, 5), "");
    warp = LLVMBuildZExt(s->builder, warp, s->i64, "");
    LLVMValueRef words = at(s, s->gang->exchange, offset);
    lw__spmd_store_lanes(s, lanes, LLVMBuildGEP2(s->builder, s->i32, words, &warp, 1, ""));
}

void lw__gang_wait(struct lw__spmd *s, LLVMValueRef access, lw__mask mask, int state)
{
    lw__gang_store_lanes(s, mask, offsetof(struct lw_cpu_exchange, arrived));
    lw__gang_suspend(s, state, lw__ir_site(s->unit, access, "loop"));
}

void lw__gang_count(struct lw__spmd *s, size_t offset)
{
    LLVMValueRef before = lw__spmd_field(s, s->i32, s->gang->record, offset);
    lw__gang_set(s, offset, LLVMBuildAdd(s->builder, before, lw__spmd_const32(s, 1), ""));
}

static LLVMValueRef like(struct lw__spmd *s, LLVMValueRef v, int64_t number)
{
    LLVMValueRef scalar = lw__spmd_const32(s, number);
    return LLVMTypeOf(v) == s->i32 ? scalar : lw__spmd_splat(s, scalar);
}

LLVMValueRef lw__gang_thread_index(struct lw__spmd *s, const char *name, uint32_t p)
{
    LLVMValueRef threads = s->gang->first;
    if (p != UINT32_MAX) {
        int64_t lanes[64];
        for (uint32_t l = 0; l < s->width; l++)
            lanes[l] = (int64_t)p * s->width + l;
        threads = LLVMBuildAdd(s->builder, lw__spmd_splat(s, threads),
                               lw__spmd_const_lanes(s, s->i32, lanes), "");
    }
    /* A thread index, from the threads' numbers in the block. */
    LLVMBuilderRef b = s->builder;
    unsigned axis;
    const enum lw__thread_index index = lw__ir_thread_index(name, &axis);
    if (index == LW_INDEX_warp_id)
        return LLVMBuildLShr(b, threads, like(s, threads, 5), "");
    if (index == LW_INDEX_lane_id) /* in rounds of less than a warp */
        return LLVMBuildAnd(b, threads, like(s, threads, 31), "");
    LLVMValueRef dim[2] = {like(s, threads, s->config->dim[0]),
                           like(s, threads, s->config->dim[1])};
    if (axis == 0)
        return s->config->dim[1] * s->config->dim[2] > 1 ? LLVMBuildURem(b, threads, dim[0], "")
                                                         : threads;
    LLVMValueRef row = LLVMBuildUDiv(b, threads, dim[0], "");
    if (axis == 1)
        return s->config->dim[2] > 1 ? LLVMBuildURem(b, row, dim[1], "") : row;
    return LLVMBuildUDiv(b, row, dim[1], "");
}

LLVMValueRef lw__spmd_block_index(const struct lw__spmd *s, const char *name)
{
    unsigned axis;
    switch ((int)lw__ir_thread_index(name, &axis)) {
    case LW_INDEX_block_idx: return s->block_idx[axis];
    case LW_INDEX_grid_dim: return s->grid_dim[axis];
    default: return NULL;
    }
}
