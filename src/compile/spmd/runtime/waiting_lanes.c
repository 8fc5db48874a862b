/* waiting_lanes.c - threads that come to no block operation any more, but to a collective of the
 * warp in which others of their warp would meet them, who come there by a barrier:
 *
 *     for (int i = 0; i < 3; i++) {
 *         if (thread >= n)
 *             break;                     they wait in warp_sum
 *         barrier();
 *     }
 *     x = warp_sum(x);
 *
 * A barrier waits for them, and they wait for who is there: they are missing. Whole warps that
 * leave are not; so a warp's lanes at the barrier miss those of its lanes that await them.
 *
 * Only who has no choice left awaits others: what a thread may still decide is not held against it.
 */
#include "compile/spmd/runtime/runtime.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/collective/collective.h"
#include <stdlib.h>
#include <string.h>

/* ---- who awaits others ----------------------------------------------------------------------- */

void lw__spmd_wait_on_edge(struct lw__spmd *s, uint32_t to, uint32_t piece, LLVMValueRef gone)
{
    bool awaits = false;
    for (uint32_t b = to; s->waiting_mask && !awaits && b != UINT32_MAX; b = s->ipdom[b])
        awaits = s->is_wait_point[b];
    if (!awaits)
        return;
    LLVMValueRef old = LLVMBuildLoad2(s->builder, LLVMTypeOf(gone), s->waiting_mask[piece], "");
    LLVMBuildStore(s->builder, LLVMBuildOr(s->builder, old, gone, ""), s->waiting_mask[piece]);
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
