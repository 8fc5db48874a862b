/* masked_schedule.c - a region's classes under masks: which lanes wait for each, and where the code
 * continues.
 *
 * Lanes wait for a class in slots, one mask a piece. `check` tests whether any do, `body` is the
 * class's code, `next` is where its lanes go. After the last class of a loop, lanes may wait at the
 * header again. If only that class leads back there, its own check has decided that already:
 *
 *     check 0 -> body 0 -> check 1 -> body 1 -> repeat -> check 2
 *                  ^          \         |                   ^
 *                  |           \________|__________________/   no lanes: nor at the header
 *                  \____________________/   all lanes go to the header
 *
 * So a loop that lanes leave one by one tests once an iteration whether any are left. The other
 * code depends on what constants tell about the mask. It may be one constant. Or, if `thread_idx.x
 * == 0` is one of two conditions, most lanes can not be in it.
 */
#include "compile/spmd/control/control.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>

uint32_t lw__masked_schedule_index(const struct lw__region *r, uint32_t block)
{
    for (uint32_t k = 0; k < r->head_count; k++)
        if (r->heads[k] == block)
            return k;
    return UINT32_MAX;
}

/* ---- slots and labels ------------------------------------------------------------------------ */

static LLVMTypeRef mask_type(const struct lw__spmd *s)
{
    return lw__spmd_vector_type(s, s->i1);
}

static LLVMValueRef empty_slot(struct lw__spmd *s, LLVMTypeRef type)
{
    LLVMValueRef slot = LLVMBuildAlloca(s->alloca_builder, type, "");
    LLVMBuildStore(s->builder, LLVMConstNull(type), slot);
    return slot;
}

static bool ends_loop(const struct lw__region *r, uint32_t k)
{
    for (uint32_t n = 0; n < r->repeat_count; n++)
        if (r->repeats[n].last == k)
            return true;
    return false;
}

/* No phi of a class's first block or of the join has a value yet. */
struct lw__masked_schedule *lw__masked_schedule_open(struct lw__spmd *s, int region,
                                                     struct lw__emission *outer, bool joins)
{
    struct lw__masked_schedule *q = lw__new(&s->unit->scratch, 1, sizeof *q);
    const struct lw__region *r = &s->facts->regions[region];
    assert(!joins || r->join != UINT32_MAX);
    assert(r->head_count);
    q->region = region;
    q->outer = outer;
    q->waiting = lw__new(&s->unit->scratch, r->head_count * s->pieces, sizeof *q->waiting);
    q->fixed = lw__new(&s->unit->scratch, r->head_count * s->pieces, sizeof *q->fixed);
    q->may = lw__new(&s->unit->scratch, r->head_count * s->pieces, sizeof *q->may);
    q->somebody = lw__new(&s->unit->scratch, r->head_count, sizeof *q->somebody);
    q->perhaps = lw__new(&s->unit->scratch, r->head_count, sizeof *q->perhaps);
    for (uint32_t k = 0; k < r->head_count; k++) {
        q->somebody[k] = empty_slot(s, s->i1);
        for (uint32_t p = s->first_piece; p < s->end_piece; p++)
            q->waiting[k * s->pieces + p] = empty_slot(s, mask_type(s));
    }
    q->check = lw__new(&s->unit->scratch, r->head_count + 1, sizeof *q->check);
    q->body = lw__new(&s->unit->scratch, r->head_count, sizeof *q->body);
    q->next = lw__new(&s->unit->scratch, r->head_count, sizeof *q->next);
    for (uint32_t k = 0; k <= r->head_count; k++)
        q->check[k] = lw__builder_new_block(s, k < r->head_count ? "check" : "joined");
    for (uint32_t k = 0; k < r->head_count; k++) {
        if (!r->is_loop || r->heads[k] != r->head) /* the loop's entry has stored those */
            lw__phis_clear(s, r->heads[k]);
        q->body[k] = lw__builder_new_block(s, "class");
        q->next[k] = ends_loop(r, k) ? lw__builder_new_block(s, "repeat") : q->check[k + 1];
    }
    if (joins)
        lw__phis_clear(s, r->join);
    return q;
}

/* ---- waiting lanes --------------------------------------------------------------------------- */

void lw__masked_schedule_wait(struct lw__spmd *s, struct lw__masked_schedule *q, uint32_t k,
                              const LLVMValueRef *mask)
{
    bool sure = false;
    assert(k < s->facts->regions[q->region].head_count);
    for (uint32_t p = 0; p < s->pieces; p++) {
        const uint32_t at = k * s->pieces + p;
        LLVMValueRef m = lw__mask_vector(s, mask[p]), *fixed = &q->fixed[at];
        bool constant = LLVMIsConstant(m) && (!*fixed || *fixed == m);
        *fixed = constant ? m : LLVMGetPoison(mask_type(s));
        q->may[at] |= lw__mask_may(s, m);
        sure |= LLVMIsConstant(m) && !lw__mask_is_none(m);
        if (lw__mask_is_none(m))
            continue;
        assert(p >= s->first_piece && p < s->end_piece);
        LLVMValueRef old = LLVMBuildLoad2(s->builder, mask_type(s), q->waiting[at], "");
        LLVMBuildStore(s->builder, LLVMBuildOr(s->builder, old, m, ""), q->waiting[at]);
    }
    q->perhaps[k] |= !sure;
    LLVMBuildStore(s->builder, LLVMConstInt(s->i1, 1, false), q->somebody[k]);
}

static void read_waiting(struct lw__spmd *s, const struct lw__masked_schedule *q, uint32_t k,
                         LLVMValueRef *mask)
{
    LLVMTypeRef type = mask_type(s);
    for (uint32_t p = 0; p < s->pieces; p++)
        mask[p] = p < s->first_piece || p >= s->end_piece
                      ? LLVMConstNull(type)
                      : LLVMBuildLoad2(s->builder, type, q->waiting[k * s->pieces + p], "");
}

/* True if lanes return to class k, a loop's header: then not all that arrive are known at its
 * check. */
static bool repeats(const struct lw__spmd *s, const struct lw__masked_schedule *q, uint32_t k)
{
    const struct lw__region *r = &s->facts->regions[q->region];
    bool first = false;
    for (uint32_t n = 0; n < r->repeat_count; n++)
        first |= r->repeats[n].first == k;
    return first;
}

/* i1: does a lane wait for class k? If the mask need not tell, it is enough that some were sent. */
static LLVMValueRef somebody_waits(struct lw__spmd *s, const struct lw__masked_schedule *q,
                                   uint32_t k)
{
    if (!q->perhaps[k] && !repeats(s, q, k))
        return LLVMBuildLoad2(s->builder, s->i1, q->somebody[k], "");
    LLVMValueRef *mask = lw__new(&s->unit->scratch, s->pieces, sizeof *mask);
    read_waiting(s, q, k, mask);
    LLVMValueRef any = lw__mask_any(s, mask);
    return any;
}

/* ---- one class after the other --------------------------------------------------------------- */

/* True if lanes return to a loop's header, class `header`, from class k only. */
static bool only_leads_back(const struct lw__spmd *s, const struct lw__masked_schedule *q,
                            uint32_t k, uint32_t header)
{
    const struct lw__region *r = &s->facts->regions[q->region];
    const uint32_t h = r->heads[header];
    EACH_PREDECESSOR(p, &s->facts->cfg, h) {
        if (p >= h && (s->facts->region_of[p] != q->region || s->facts->class_of[p] != r->heads[k]))
            return false;
    }
    return true;
}

static const struct lw__loop_range *next_repeat(const struct lw__region *r, uint32_t k, uint32_t *n)
{
    while (*n < r->repeat_count)
        if (r->repeats[(*n)++].last == k)
            return &r->repeats[*n - 1];
    return NULL;
}

LLVMBasicBlockRef lw__masked_schedule_repeat(struct lw__spmd *s,
                                             const struct lw__masked_schedule *q, uint32_t k)
{
    const struct lw__region *r = &s->facts->regions[q->region];
    LLVMBasicBlockRef at = q->next[k], skip = at;
    uint32_t n = 0;
    bool skips = true;
    for (const struct lw__loop_range *i = next_repeat(r, k, &n), *more; i; i = more) {
        more = next_repeat(r, k, &n);
        assert(i->first <= k);
        LLVMBasicBlockRef then = more ? lw__builder_new_block(s, "repeat") : q->check[k + 1];
        lw__builder_at_end(s, at);
        LLVMBuildCondBr(s->builder, somebody_waits(s, q, i->first), q->body[i->first], then);
        at = then;
        skips &= only_leads_back(s, q, k, i->first);
        skip = skips ? at : skip;
    }
    return skip;
}

void lw__masked_schedule_enter(struct lw__spmd *s, const struct lw__masked_schedule *q, uint32_t k,
                               LLVMBasicBlockRef skip, LLVMValueRef *mask)
{
    lw__builder_at_end(s, q->check[k]);
    LLVMBuildCondBr(s->builder, somebody_waits(s, q, k), q->body[k], skip);
    LLVMMoveBasicBlockAfter(q->body[k], LLVMGetLastBasicBlock(s->function));
    lw__builder_at_end(s, q->body[k]);
    /* All arriving lanes are known by now, except for a class that repeats. */
    const bool again = repeats(s, q, k);
    read_waiting(s, q, k, mask);
    LLVMBuildStore(s->builder, LLVMConstNull(s->i1), q->somebody[k]);
    for (uint32_t p = s->first_piece; p < s->end_piece; p++) {
        const uint32_t at = k * s->pieces + p;
        LLVMBuildStore(s->builder, LLVMConstNull(mask_type(s)), q->waiting[at]);
        if (again)
            continue;
        if (q->fixed[at] && !LLVMIsPoison(q->fixed[at]))
            mask[p] = q->fixed[at];
        else
            mask[p] = lw__mask_within(s, mask[p], q->may[at]);
    }
}

LLVMBasicBlockRef lw__masked_schedule_after(const struct lw__spmd *s, const struct lw__emission *c,
                                            uint32_t to)
{
    const struct lw__masked_schedule *q = c->schedule;
    assert(c->masked && c->region == q->region);
    const struct lw__region *r = &s->facts->regions[q->region];
    uint32_t n = 0;
    const struct lw__loop_range *inner = next_repeat(r, c->order, &n);
    return inner && r->heads[inner->first] == to ? q->body[inner->first] : q->next[c->order];
}
