/* chunks.c - rows of 16 bytes, a lane each, transposed in registers. transpose.c and interleave.c
 * say for which accesses. */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>
#include <string.h>

/* Vectors a and b of 16-byte chunks: interleave, in each chunk, the lower or the upper halves of
 * both. */
static LLVMValueRef interleave(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b, uint32_t side,
                               bool upper)
{
    int indices[LW_LANES_MAX];
    for (uint32_t l = 0; l < s->width; l++) {
        const uint32_t chunk = l / side * side, e = l % side / 2 + (upper ? side / 2 : 0);
        indices[l] = (int)(chunk + e + (l % 2 ? s->width : 0));
    }
    return lw__spmd_shuffle(s, a, b, indices, s->width);
}

void lw__chunks_transpose(struct lw__spmd *s, LLVMValueRef *v, uint32_t side)
{
    LLVMValueRef next[LW_CHUNK];
    for (uint32_t round = 1; round < side; round *= 2) {
        for (uint32_t k = 0; k < side / 2; k++) {
            next[2 * k] = interleave(s, v[k], v[k + side / 2], side, false);
            next[2 * k + 1] = interleave(s, v[k], v[k + side / 2], side, true);
        }
        memcpy(v, next, side * sizeof *v);
    }
}

/* Chunk `which` of a row followed by that of b. */
static LLVMValueRef chunks(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b, uint32_t which,
                           uint32_t chunk)
{
    const uint32_t row = LLVMGetVectorSize(LLVMTypeOf(a));
    int indices[LW_LANES_MAX];
    for (uint32_t e = 0; e < 2 * chunk; e++)
        indices[e] = (int)(which * chunk + e % chunk + e / chunk * row);
    return lw__spmd_shuffle(s, a, b, indices, 2 * chunk);
}

void lw__chunks_load(struct lw__spmd *s, const struct lw__access *a, const LLVMValueRef *rows,
                     uint32_t side, LLVMValueRef *v)
{
    const uint32_t chunk = LW_CHUNK / a->size, count = s->width / chunk;
    LLVMTypeRef type = LLVMVectorType(a->moved, side);
    assert(side % chunk == 0 && (side == chunk || count > 1));
    for (uint32_t l = 0; l < chunk; l++) {
        /* Of rows l, l + chunk, l + 2 chunk, ...: first chunks in one vector, second in another. */
        LLVMValueRef loaded[LW_LANES_MAX], parts[LW_LANES_MAX];
        for (uint32_t k = 0; k < count; k++) {
            loaded[k] = LLVMBuildLoad2(s->builder, type, rows[l + k * chunk], "");
            LLVMSetAlignment(loaded[k], a->size);
        }
        for (uint32_t at = 0; at < side / chunk; at++) {
            parts[0] = loaded[0];
            for (uint32_t k = 0; k < count / 2; k++)
                parts[k] = chunks(s, loaded[2 * k], loaded[2 * k + 1], at, chunk);
            for (uint32_t n = 2 * chunk, left = count / 2; left > 1; n *= 2, left /= 2)
                for (uint32_t k = 0; k < left / 2; k++)
                    parts[k] = chunks(s, parts[2 * k], parts[2 * k + 1], 0, n);
            v[at * chunk + l] = parts[0];
        }
    }
    for (uint32_t at = 0; at < side; at += chunk)
        lw__chunks_transpose(s, v + at, chunk);
}
