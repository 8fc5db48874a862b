/* waiting_lanes.c - exited threads that wait in a collective of the warp, a wait point. Others of
 * their warp take part in it, too, and reach it through a barrier:
 *
 *     for (int i = 0; i < 3; i++) {
 *         if (thread >= n)
 *             break;                     these wait in warp_sum
 *         barrier();
 *     }
 *     x = warp_sum(x);
 *
 * A barrier waits for the warp's other lanes, and they wait for the lanes at the barrier: an error.
 * Whole warps that leave the loop are none. So a barrier with some lanes of a warp reports the
 * lanes of that warp that wait for them.
 *
 * Only threads without a branch left to decide count as waiting.
 */
#include "compile/spmd/runtime/runtime.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/collective/collective.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the lanes that wait --------------------------------------------------------------------- */

void lw__spmd_wait_on_edge(struct lw__spmd *s, uint32_t to, uint32_t piece, LLVMValueRef exited)
{
    bool waits = false;
    assert(!s->waiting_mask || s->exited_mask);
    for (uint32_t b = to; s->waiting_mask && !waits && b != UINT32_MAX; b = s->facts->ipdom[b])
        waits = s->facts->is_wait_point[b];
    if (!waits)
        return;
    LLVMValueRef old = LLVMBuildLoad2(s->builder, LLVMTypeOf(exited), s->waiting_mask[piece], "");
    LLVMBuildStore(s->builder, LLVMBuildOr(s->builder, old, exited, ""), s->waiting_mask[piece]);
}

void lw__spmd_clear_waiting(struct lw__spmd *s, const LLVMValueRef *mask)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, s->i1);
    for (uint32_t p = s->first_piece; s->waiting_mask && p < s->end_piece; p++) {
        LLVMValueRef old = LLVMBuildLoad2(s->builder, type, s->waiting_mask[p], "");
        LLVMBuildStore(s->builder, lw__mask_and_not(s, old, lw__mask_vector(s, mask[p])),
                       s->waiting_mask[p]);
    }
}

void lw__spmd_add_waiting(struct lw__spmd *s, LLVMValueRef *live)
{
    assert(!s->waiting_mask || s->exited_mask);
    LLVMTypeRef type = lw__spmd_vector_type(s, s->i1);
    for (uint32_t w = 0; s->waiting_mask && w < lw__warps(s); w++) {
        LLVMValueRef some = LLVMBuildIsNotNull(s->builder, lw__warp_bits(s, live, w), "");
        const uint32_t first = lw__warp_first(s, w), end = first + lw__warp_pieces(s, w);
        for (uint32_t p = first; p < end; p++) {
            LLVMValueRef more = LLVMBuildLoad2(s->builder, type, s->waiting_mask[p], "");
            more = LLVMBuildSelect(s->builder, some, more, LLVMConstNull(type), "");
            live[p] = lw__mask_or(s, live[p], more);
        }
    }
}
