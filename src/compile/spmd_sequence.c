/* spmd_sequence.c - who waits for which class of a region.
 *
 * Lanes wait in slots, a mask for each class and piece, until their class has its turn. What code
 * is made for them follows from what constants tell about the mask: that it is one constant, or, as
 * where `thread_idx.x == 0` is one of two conditions, that most lanes can not be in it.
 */
#include "compile/spmd_copy.h"
#include <stdlib.h>

uint32_t lw__sequence_place(const struct lw__region *r, uint32_t block)
{
    for (uint32_t k = 0; k < r->head_count; k++)
        if (r->heads[k] == block)
            return k;
    return UINT32_MAX;
}

static LLVMBasicBlockRef new_block(struct lw__spmd *s, const char *name)
{
    return LLVMAppendBasicBlockInContext(s->context, s->function, name);
}

static LLVMValueRef empty_slot(struct lw__spmd *s, LLVMTypeRef type)
{
    LLVMValueRef slot = LLVMBuildAlloca(s->entry, type, "");
    LLVMBuildStore(s->b, LLVMConstNull(type), slot);
    return slot;
}

static void open_slots(struct lw__spmd *s, struct lw__sequence *q, uint32_t classes)
{
    LLVMTypeRef type = lw__mask_slot_type(s);
    q->waiting = lw__copy_memory(classes * s->pieces, sizeof *q->waiting);
    q->fixed = lw__copy_memory(classes * s->pieces, sizeof *q->fixed);
    q->may = lw__copy_memory(classes * s->pieces, sizeof *q->may);
    q->somebody = lw__copy_memory(classes, sizeof *q->somebody);
    q->perhaps = lw__copy_memory(classes, sizeof *q->perhaps);
    for (uint32_t k = 0; k < classes; k++) {
        q->somebody[k] = empty_slot(s, s->i1);
        for (uint32_t p = s->from; p < s->to; p++)
            q->waiting[k * s->pieces + p] = empty_slot(s, type);
    }
}

/* No phi of a class's head or of the join has a value yet. */
struct lw__sequence *lw__sequence_open(struct lw__spmd *s, int region, struct lw__copy *outer,
                                       bool joins)
{
    struct lw__sequence *q = lw__copy_memory(1, sizeof *q);
    const struct lw__region *r = &s->regions[region];
    q->region = region;
    q->outer = outer;
    open_slots(s, q, r->head_count);
    q->check = lw__copy_memory(r->head_count + 1, sizeof *q->check);
    q->next = lw__copy_memory(r->head_count, sizeof *q->next);
    for (uint32_t k = 0; k <= r->head_count; k++)
        q->check[k] = new_block(s, k < r->head_count ? "check" : "joined");
    for (uint32_t k = 0; k < r->head_count; k++) {
        if (!r->is_loop || r->heads[k] != r->head) /* the way in has written those */
            lw__phis_clear(s, r->heads[k]);
        q->next[k] = q->check[k + 1];
        for (uint32_t n = 0; n < r->repeat_count; n++)
            if (r->repeats[n].last == k) {
                q->next[k] = new_block(s, "repeat");
                break;
            }
    }
    if (joins)
        lw__phis_clear(s, r->join);
    return q;
}

void lw__sequence_close(struct lw__sequence *q)
{
    free(q->waiting);
    free(q->fixed);
    free(q->may);
    free(q->somebody);
    free(q->perhaps);
    free(q->check);
    free(q->next);
    free(q);
}

void lw__sequence_wait(struct lw__spmd *s, struct lw__sequence *q, uint32_t k,
                       const LLVMValueRef *mask)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, s->i1);
    bool sure = false;
    for (uint32_t p = 0; p < s->pieces; p++) {
        const uint32_t at = k * s->pieces + p;
        LLVMValueRef m = lw__mask_vector(s, mask[p]), *fixed = &q->fixed[at];
        bool constant = LLVMIsConstant(m) && (!*fixed || *fixed == m);
        *fixed = constant ? m : LLVMGetPoison(type);
        q->may[at] |= lw__mask_may(s, m);
        sure |= LLVMIsConstant(m) && !lw__mask_is_none(m);
        if (!lw__mask_is_none(m))
            lw__mask_add(s, q->waiting[at], m);
    }
    q->perhaps[k] |= !sure;
    LLVMBuildStore(s->b, LLVMConstInt(s->i1, 1, false), q->somebody[k]);
}

static bool repeats(const struct lw__spmd *s, const struct lw__sequence *q, uint32_t k)
{
    const struct lw__region *r = &s->regions[q->region];
    bool first = false;
    for (uint32_t n = 0; n < r->repeat_count; n++)
        first |= r->repeats[n].first == k;
    return first;
}

/* Does the mask tell, or is that somebody came enough? */
LLVMValueRef lw__sequence_somebody(struct lw__spmd *s, const struct lw__sequence *q, uint32_t k,
                                   const LLVMValueRef *mask)
{
    return q->perhaps[k] || repeats(s, q, k) ? lw__mask_any(s, mask)
                                             : LLVMBuildLoad2(s->b, s->i1, q->somebody[k], "");
}

void lw__sequence_read(struct lw__spmd *s, const struct lw__sequence *q, uint32_t k,
                       LLVMValueRef *mask)
{
    for (uint32_t p = 0; p < s->pieces; p++)
        mask[p] = p < s->from || p >= s->to ? LLVMConstNull(lw__spmd_vector_type(s, s->i1))
                                            : lw__mask_read(s, q->waiting[k * s->pieces + p]);
}

/* All that come are known by now, but to a class that repeats: lanes come back to it. */
void lw__sequence_take(struct lw__spmd *s, struct lw__sequence *q, uint32_t k, LLVMValueRef *mask)
{
    LLVMTypeRef type = lw__mask_slot_type(s);
    const bool again = repeats(s, q, k);
    LLVMBuildStore(s->b, LLVMConstNull(s->i1), q->somebody[k]);
    for (uint32_t p = s->from; p < s->to; p++) {
        const uint32_t at = k * s->pieces + p;
        LLVMBuildStore(s->b, LLVMConstNull(type), q->waiting[at]);
        if (again)
            continue;
        if (q->fixed[at] && !LLVMIsPoison(q->fixed[at]))
            mask[p] = q->fixed[at];
        else
            mask[p] = lw__mask_within(s, mask[p], q->may[at]);
    }
}
