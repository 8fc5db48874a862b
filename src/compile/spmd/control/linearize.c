/* linearize.c - control flow: the kernel's blocks in copies, unmasked and masked.
 *
 * A copy is one emission of some blocks. The outermost copy, and that of a region which all lanes
 * have entered, have no mask: their control flow is the kernel's own. At a divergent branch such a
 * copy has three cases: all lanes to one side, all to the other, or both. The last case enters the
 * region's masked schedule: its classes in order, each a copy under the mask of the lanes that wait
 * for it. Values are in slots that all copies share, so a jump leads from an unmasked copy into the
 * schedule.
 * source   Moll & Hack, "Partial Control-Flow Linearization", PLDI 2018 (uniform branches stay)
 */
#include "compile/spmd/control/control.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/runtime/runtime.h"
#include <assert.h>
#include <string.h>

static bool is_uniform_branch(const struct lw__spmd *s, LLVMValueRef end)
{
    return lw__is_uniform(s->facts, LLVMGetCondition(end));
}

/* True if block b is a dead end that the branch before it emits itself. */
static bool is_emitted_before(const struct lw__spmd *s, uint32_t b)
{
    if (s->facts->cfg.pred_start[b + 1] - s->facts->cfg.pred_start[b] != 1)
        return false;
    uint32_t p = s->facts->cfg.pred[s->facts->cfg.pred_start[b]];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(s->facts->cfg.blocks[p]);
    int dead = s->facts->entered_at[p] < 0 ? lw__spmd_dead_end(s->facts, p) : -1;
    return dead >= 0 && s->facts->cfg.succ[s->facts->cfg.succ_start[p] + (uint32_t)dead] == b &&
           !is_uniform_branch(s, end);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static struct lw__emission *new_emission(struct lw__spmd *s, struct lw__emission *parent,
                                         int region, bool masked)
{
    struct lw__emission *c = lw__new(&s->unit->scratch, 1, sizeof *c);
    c->parent = parent;
    c->region = region;
    c->masked = masked;
    c->bb = lw__new(&s->unit->scratch, s->facts->cfg.count, sizeof *c->bb);
    c->mask = lw__new(&s->unit->scratch, s->pieces, sizeof *c->mask);
    for (uint32_t p = 0; !masked && p < s->pieces; p++)
        c->mask[p] = lw__mask_exists(s, p);
    return c;
}

/* The region, a loop, that the copy enters at block t; -1: none. */
static int loop_entered(const struct lw__spmd *s, const struct lw__emission *c, uint32_t t)
{
    int k = s->facts->looped_at[t];
    const struct lw__region *r = k < 0 ? NULL : &s->facts->regions[k];
    return r && r->parent == c->region && (!c->masked || r->entered_from == c->class) ? k : -1;
}

/* The copy's code of block t, or its entry to the loop that begins there; NULL: it is elsewhere. */
static LLVMBasicBlockRef place_of(struct lw__spmd *s, struct lw__emission *c, uint32_t t)
{
    if (!c->bb[t] && loop_entered(s, c, t) >= 0)
        c->bb[t] = lw__builder_new_block(s, "enter");
    return c->bb[t];
}

static void wrong_edge(struct lw__spmd *s, uint32_t from, uint32_t to)
{
    s->failed = !lw__defect("spmd: no way from block %u to block %u", from, to);
    LLVMBuildUnreachable(s->builder);
}

/* Lanes that will reach no block op any more are counted as returned: barriers do not wait for
 * them. */
static void note_exited(struct lw__spmd *s, uint32_t from, uint32_t to, const LLVMValueRef *mask)
{
    for (uint32_t p = s->first_piece; s->exited_mask && p < s->end_piece; p++) {
        LLVMValueRef m = lw__spmd_exited_on_edge(s, from, to, p, lw__mask_vector(s, mask[p]));
        if (!m)
            return;
        LLVMValueRef old = LLVMBuildLoad2(s->builder, LLVMTypeOf(m), s->exited_mask[p], "");
        LLVMBuildStore(s->builder, LLVMBuildOr(s->builder, old, m, ""), s->exited_mask[p]);
        lw__spmd_wait_on_edge(s, to, p, m);
    }
}

static bool is_nobody(const struct lw__spmd *s, const LLVMValueRef *mask)
{
    for (uint32_t p = 0; p < s->pieces; p++)
        if (!lw__mask_is_none(mask[p]))
            return false;
    return true;
}

/* Some lanes branch from -> to, which is another class of the region or its join: they wait. No
 * others wait at a loop's header while lanes of the loop run, so its phis need no blend. But an
 * inner loop may hold the end of the iteration. Then lanes that continue in the inner loop have yet
 * to read them. */
static void send(struct lw__spmd *s, struct lw__masked_schedule *q, uint32_t from, uint32_t to,
                 LLVMValueRef const *read, const LLVMValueRef *mask)
{
    const struct lw__region *r = &s->facts->regions[q->region];
    uint32_t k = lw__masked_schedule_index(r, to);
    if (k == UINT32_MAX && to != r->join) {
        s->failed = !lw__defect("spmd: lanes leave region %d at block %u", q->region, to);
        return;
    }
    if (is_nobody(s, mask))
        return;
    /* class k runs before the lanes' current block in the same iteration */
    bool back = k != UINT32_MAX && (s->facts->region_of[from] == q->region &&
                                    k <= lw__masked_schedule_index(&s->facts->regions[q->region],
                                                                   s->facts->class_of[from]));
    note_exited(s, from, to, mask);
    const bool alone = back && lw__spmd_return_divergence(s->facts, from, to) == LW_DIVERGENCE_NONE;
    lw__phis_store(s, to, read, alone ? NULL : mask);
    if (k != UINT32_MAX)
        lw__masked_schedule_wait(s, q, k, mask);
}

/* All lanes of the copy branch from -> to. */
static void go(struct lw__spmd *s, struct lw__emission *c, uint32_t from, uint32_t to)
{
    LLVMBasicBlockRef target = place_of(s, c, to);
    LLVMValueRef *read = lw__phis_read(s, from, to);
    if (!target && c->masked) {
        send(s, c->schedule, from, to, read, c->mask);
        LLVMBuildBr(s->builder, lw__masked_schedule_after(s, c, to));
        return;
    }
    if (!target && c->parent && to == s->facts->regions[c->region].join)
        target = place_of(s, c->parent, to);
    lw__phis_store(s, to, read, c->masked && lw__phis_last(s, to) ? c->mask : NULL);
    if (target)
        LLVMBuildBr(s->builder, target);
    else
        wrong_edge(s, from, to);
}

static struct lw__masked_schedule *open_masked(struct lw__spmd *s, struct lw__emission *outer,
                                               int region)
{
    const uint32_t join = s->facts->regions[region].join;
    const bool joins = join != UINT32_MAX && (!outer->masked || place_of(s, outer, join));
    return lw__masked_schedule_open(s, region, outer, joins);
}

/* ---- regions --------------------------------------------------------------------------------- */

static void emit_blocks(struct lw__spmd *s, struct lw__emission *c);

/* The join of a region is a separate class in the outer region, since other lanes reach it, too. So
 * the lanes wait for it. */
static void go_on_waiting(struct lw__spmd *s, const struct lw__emission *outer,
                          const struct lw__region *r)
{
    struct lw__masked_schedule *q = outer->schedule;
    assert(r->join != UINT32_MAX);
    uint32_t k = outer->masked ? lw__masked_schedule_index(&s->facts->regions[q->region], r->join)
                               : UINT32_MAX;
    if (k != UINT32_MAX) {
        lw__masked_schedule_wait(s, q, k, outer->mask);
        LLVMBuildBr(s->builder, q->next[outer->order]);
    } else if (!s->failed) {
        wrong_edge(s, r->head, r->join);
    }
}

/* Emit the classes under masks, one after the other, and again where lanes wait at a loop's
 * header. */
static void emit_masked(struct lw__spmd *s, struct lw__masked_schedule *q)
{
    const struct lw__region *r = &s->facts->regions[q->region];
    assert(q->outer->region == r->parent);
    for (uint32_t k = 0; k < r->head_count && !s->failed; k++) {
        const struct lw__arena_mark mark = lw__arena_mark(&s->unit->scratch);
        struct lw__emission *c = new_emission(s, q->outer, q->region, true);
        c->schedule = q;
        c->order = k;
        c->class = s->facts->regions[q->region].heads[k];
        lw__masked_schedule_enter(s, q, k, lw__masked_schedule_repeat(s, q, k), c->mask);
        for (uint32_t b = 0; b < s->facts->cfg.count; b++)
            if (s->facts->region_of[b] == q->region && s->facts->class_of[b] == c->class &&
                !is_emitted_before(s, b))
                c->bb[b] = lw__builder_new_block(s, "");
        LLVMBasicBlockRef first = place_of(s, c, c->class);
        assert(first);
        LLVMBuildBr(s->builder, first);
        emit_blocks(s, c);
        lw__arena_release(&s->unit->scratch, mark);
    }
    lw__builder_at_end(s, q->check[r->head_count]);
    LLVMBasicBlockRef join = r->join == UINT32_MAX ? s->stop : place_of(s, q->outer, r->join);
    if (join)
        LLVMBuildBr(s->builder, join);
    else
        go_on_waiting(s, q->outer, r);
}

/* Open the unmasked copy of a region that all lanes of `outer` enter together. */
static struct lw__emission *open_unmasked(struct lw__spmd *s, struct lw__emission *outer,
                                          int region, struct lw__masked_schedule *q)
{
    struct lw__emission *c = new_emission(s, outer, region, false);
    c->schedule = q;
    for (uint32_t b = 0; b < s->facts->cfg.count; b++)
        if (s->facts->region_of[b] == region && !is_emitted_before(s, b))
            c->bb[b] = lw__builder_new_block(s, "");
    return c;
}

/* Lanes diverge at a branch: some to each side. `next` is where the schedule continues. */
static void diverge(struct lw__spmd *s, struct lw__masked_schedule *q, uint32_t d,
                    const LLVMValueRef *mask, LLVMBasicBlockRef next)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(s->facts->cfg.blocks[d]);
    LLVMValueRef condition = LLVMGetCondition(end), same = lw__control_same(s, condition, mask);
    assert(LLVMGetNumSuccessors(end) == 2);
    if (same) {
        /* all lanes of the mask branch to the same side: to the first if `same` is true */
        LLVMBasicBlockRef side[2] = {lw__builder_new_block(s, "together"),
                                     lw__builder_new_block(s, "together")};
        LLVMBuildCondBr(s->builder, same, side[0], side[1]);
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t to = s->facts->cfg.succ[s->facts->cfg.succ_start[d] + k];
            lw__builder_at_end(s, side[k]);
            if (!LLVMIsAConstantInt(same) || LLVMConstIntGetZExtValue(same) == !k)
                send(s, q, d, to, lw__phis_read(s, d, to), mask);
            LLVMBuildBr(s->builder, next);
        }
        return;
    }
    LLVMValueRef *left = lw__new(&s->unit->scratch, 2 * s->pieces, sizeof *left),
                 *right = left + s->pieces;
    for (uint32_t p = 0; p < s->pieces; p++) {
        if (lw__mask_is_none(mask[p])) {
            left[p] = right[p] = mask[p];
            continue;
        }
        LLVMValueRef c = lw__spmd_vector(s, condition, p);
        left[p] = lw__mask_and(s, mask[p], c);
        right[p] = lw__mask_without(s, mask[p], left[p]);
    }
    uint32_t first = s->facts->cfg.succ_start[d];
    LLVMValueRef *to_left = lw__phis_read(s, d, s->facts->cfg.succ[first]),
                 *to_right = lw__phis_read(s, d, s->facts->cfg.succ[first + 1]);
    send(s, q, d, s->facts->cfg.succ[first], to_left, left);
    send(s, q, d, s->facts->cfg.succ[first + 1], to_right, right);
    LLVMBuildBr(s->builder, next);
}

/* In an unmasked copy: all lanes to one side, all to the other, or into the schedule. `in` is the
 * copy that has the sides; `next` is where the schedule continues. The side that stays in the
 * region is tested first: a loop repeats more often than it is left. */
static void branch_by_vote(struct lw__spmd *s, struct lw__emission *in,
                           struct lw__masked_schedule *q, uint32_t d, LLVMBasicBlockRef next)
{
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(s->facts->cfg.blocks[d]));
    const uint32_t *sides = &s->facts->cfg.succ[s->facts->cfg.succ_start[d]];
    const bool *stays = s->facts->regions[q->region].blocks;
    const unsigned first = !stays[sides[0]] && stays[sides[1]];
    assert(stays[sides[0]] || stays[sides[1]]);
    LLVMBasicBlockRef some = lw__builder_new_block(s, "some"),
                      mixed = lw__builder_new_block(s, "mixed"),
                      to[] = {lw__builder_new_block(s, "all"), lw__builder_new_block(s, "none")};
    LLVMValueRef agree[2];
    lw__control_vote(s, condition, &agree[0], &agree[1]);
    LLVMBuildCondBr(s->builder, agree[first], to[first], some);
    lw__builder_at_end(s, some);
    LLVMBuildCondBr(s->builder, agree[!first], to[!first], mixed);
    for (unsigned k = 0; k < 2; k++) {
        lw__builder_at_end(s, to[k]);
        go(s, in, d, sides[k]);
    }
    lw__builder_at_end(s, mixed);
    struct lw__emission *whole = new_emission(s, NULL, -1, false);
    diverge(s, q, d, whole->mask, next);
}

/* Remark on a loop that lanes leave in different iterations, unless they are the last of a
 * range. */
static void remark_loop(struct lw__spmd *s, const struct lw__region *r)
{
    for (uint32_t b = r->first; b <= r->last; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(s->facts->cfg.blocks[b]);
        if (r->blocks[b] && lw__spmd_is_divergent(s->facts, b) &&
            s->facts->reconverges_at[b] == r->join &&
            !lw__control_is_linear(s->facts, LLVMGetCondition(end), 0) &&
            !lw__spmd_is_of_swap(s, end) && !lw__spmd_is_by_one_lane(s->facts, end)) {
            lw__spmd_remark(s, LLVMGetCondition(end), LW_REMARK_MASKED_LOOP,
                            "lanes leave it in different iterations");
            return;
        }
    }
}

/* ---- a loop by groups of pieces -------------------------------------------------------------- */

/* If nothing makes lanes converge in a loop, groups of pieces execute it in turn, each to its end.
 * Each leaves to the region's join; all but the last instead to where the next group begins. */
struct groups {
    uint32_t first, end, size; /* pieces: of all groups, of one */
    uint32_t header, exit;
    LLVMValueRef *kept; /* the header's phis as the loop begins; NULL: there is one group */
    LLVMBasicBlockRef leave, next;
};

/* The builder is where the loop is entered. */
static void open_groups(struct lw__spmd *s, struct lw__emission *c, int region, uint32_t header,
                        struct groups *g)
{
    const uint32_t all = s->end_piece - s->first_piece, join = s->facts->regions[region].join;
    uint32_t size = all;
    assert(s->first_piece < s->end_piece && s->end_piece <= s->pieces);
    if (!c->masked && all == s->pieces && join != UINT32_MAX && place_of(s, c, join))
        size = lw__spmd_group(s, region);
    *g = (struct groups){s->first_piece, s->end_piece, size < all ? size : all, header, join, NULL,
                         NULL,           NULL};
    s->end_piece = s->first_piece;
    if (g->size == all)
        return;
    g->kept = lw__phis_keep(s, header);
    g->leave = c->bb[join];
}

/* The builder is where the next group begins; false: there is none. */
static bool next_group(struct lw__spmd *s, struct lw__emission *c, struct groups *g)
{
    if (s->failed || s->end_piece == g->end) {
        s->first_piece = g->first, s->end_piece = g->end;
        return false;
    }
    if (s->end_piece > g->first)
        lw__builder_at_end(s, g->next);
    s->first_piece = s->end_piece;
    s->end_piece = s->first_piece + g->size < g->end ? s->first_piece + g->size : g->end;
    if (g->kept) {
        g->next = s->end_piece < g->end ? lw__builder_new_block(s, "group") : NULL;
        c->bb[g->exit] = g->next ? g->next : g->leave;
        lw__phis_restore(s, g->header, g->kept);
    }
    return true;
}

/* The copy enters a region that is a loop. */
static void enter_by_header(struct lw__spmd *s, struct lw__emission *c, uint32_t header, int region)
{
    assert(region >= 0 && s->facts->regions[region].head == header);
    lw__builder_at_end(s, c->bb[header]);
    remark_loop(s, &s->facts->regions[region]);
    struct groups g;
    for (open_groups(s, c, region, header, &g); next_group(s, c, &g);) {
        const struct lw__arena_mark mark = lw__arena_mark(&s->unit->scratch);
        struct lw__masked_schedule *q = open_masked(s, c, region);
        if (c->masked || s->config->masked_only) {
            struct lw__emission *all = c->masked ? c : new_emission(s, NULL, -1, false);
            lw__masked_schedule_wait(s, q,
                                     lw__masked_schedule_index(&s->facts->regions[region], header),
                                     all->mask); /* of the group's pieces */
            LLVMBuildBr(s->builder, q->check[0]);
        } else {
            struct lw__emission *whole = open_unmasked(s, c, region, q);
            LLVMBuildBr(s->builder, whole->bb[header]);
            emit_blocks(s, whole);
        }
        emit_masked(s, q);
        lw__arena_release(&s->unit->scratch, mark);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* A divergent branch inside its region: its sides are classes of the region, or the join. */
static void branch_divergently(struct lw__spmd *s, struct lw__emission *c, uint32_t b)
{
    struct lw__masked_schedule *q = c->schedule;
    assert(q && q->region == c->region);
    if (c->masked) {
        diverge(s, q, b, c->mask, q->next[c->order]);
    } else {
        uint32_t k =
            lw__masked_schedule_index(&s->facts->regions[q->region], s->facts->class_of[b]);
        assert(k != UINT32_MAX);
        branch_by_vote(s, c, q, b, q->next[k]);
    }
}

/* True if lanes fail an assert: then nothing else follows. */
static void branch_to_dead_end(struct lw__spmd *s, struct lw__emission *c, uint32_t b, int dead)
{
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(s->facts->cfg.blocks[b]));
    uint32_t first = s->facts->cfg.succ_start[b];
    LLVMBasicBlockRef fail = lw__builder_new_block(s, "fail"),
                      pass = lw__builder_new_block(s, "pass");
    struct lw__emission failing = *c;
    failing.masked = true;
    failing.mask = lw__new(&s->unit->scratch, s->pieces, sizeof *failing.mask);
    for (uint32_t p = 0; p < s->pieces; p++) {
        if (lw__mask_is_none(c->mask[p])) {
            failing.mask[p] = c->mask[p];
            continue;
        }
        LLVMValueRef v = lw__spmd_vector(s, condition, p);
        failing.mask[p] =
            dead ? lw__mask_and_not(s, c->mask[p], v) : lw__mask_and(s, c->mask[p], v);
    }
    LLVMBuildCondBr(s->builder, lw__mask_any(s, failing.mask), fail, pass);
    lw__builder_at_end(s, fail);
    lw__spmd_emit(s, &failing, s->facts->cfg.succ[first + (uint32_t)dead]);
    if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(s->builder)))
        LLVMBuildUnreachable(s->builder);
    lw__builder_at_end(s, pass);
    go(s, c, b, s->facts->cfg.succ[first + !dead]);
}

static void emit_end(struct lw__spmd *s, struct lw__emission *c, uint32_t b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(s->facts->cfg.blocks[b]);
    int region = s->facts->entered_at[b];
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(end));
    if (LLVMIsAReturnInst(end))
        LLVMBuildBr(s->builder, s->done);
    else if (LLVMIsAUnreachableInst(end))
        LLVMBuildUnreachable(s->builder);
    else if (LLVMGetNumSuccessors(end) == 1)
        go(s, c, b, s->facts->cfg.succ[s->facts->cfg.succ_start[b]]);
    else if (region < 0 && !is_uniform_branch(s, end) && lw__spmd_dead_end(s->facts, b) >= 0)
        branch_to_dead_end(s, c, b, lw__spmd_dead_end(s->facts, b));
    else if (region >= 0) {
        /* At the end of block b, copy c enters a region. */
        assert(s->facts->regions[region].parent == c->region);
        struct lw__masked_schedule *q = open_masked(s, c, region);
        if (c->masked || s->config->masked_only || lw__spmd_never_agrees(s->facts, b)) {
            diverge(s, q, b, c->mask, q->check[0]);
        } else {
            struct lw__emission *whole = open_unmasked(s, c, region, q);
            branch_by_vote(s, whole, q, b, q->check[0]);
            emit_blocks(s, whole);
        }
        emit_masked(s, q);
    } else if (lw__spmd_is_divergent(s->facts, b)) {
        branch_divergently(s, c, b);
    } else {
        uint32_t first = s->facts->cfg.succ_start[b];
        LLVMBasicBlockRef then = lw__builder_new_block(s, ""),
                          otherwise = lw__builder_new_block(s, "");
        LLVMBuildCondBr(s->builder, lw__spmd_uniform(s, LLVMGetCondition(end)), then, otherwise);
        lw__builder_at_end(s, then);
        go(s, c, b, s->facts->cfg.succ[first]);
        lw__builder_at_end(s, otherwise);
        go(s, c, b, s->facts->cfg.succ[first + 1]);
    }
}

/* Enter the inner loops that the copy's edges have led to; entering one may lead to the next. */
static bool enter_loops(struct lw__spmd *s, struct lw__emission *c, bool *entered)
{
    bool more = false;
    for (uint32_t b = 0; b < s->facts->cfg.count && !s->failed; b++) {
        if (!c->bb[b] || entered[b] || s->facts->region_of[b] == c->region)
            continue;
        entered[b] = more = true;
        enter_by_header(s, c, b, loop_entered(s, c, b));
    }
    return more;
}

static void emit_blocks(struct lw__spmd *s, struct lw__emission *c)
{
    bool *entered = lw__new(&s->unit->scratch, s->facts->cfg.count, 1);
    for (uint32_t b = 0; b < s->facts->cfg.count && !s->failed; b++)
        if (c->bb[b] && s->facts->region_of[b] == c->region) {
            const struct lw__arena_mark mark = lw__arena_mark(&s->unit->scratch);
            s->emission_id++;
            assert(!c->masked || s->facts->class_of[b] == c->class);
            lw__builder_at_end(s, c->bb[b]);
            lw__spmd_emit(s, c, b);
            if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(s->builder)))
                emit_end(s, c, b); /* else a failed assert has left */
            lw__arena_release(&s->unit->scratch, mark);
        }
    while (!s->failed && enter_loops(s, c, entered))
        ;
}

void lw__spmd_control(struct lw__spmd *s)
{
    struct lw__emission *whole = new_emission(s, NULL, -1, false);
    for (uint32_t b = 0; b < s->facts->cfg.count; b++)
        if (s->facts->region_of[b] < 0 && !is_emitted_before(s, b))
            whole->bb[b] = lw__builder_new_block(s, "");
    assert(whole->bb[0]);
    LLVMBuildBr(s->builder, whole->bb[0]);
    emit_blocks(s, whole);
    assert(s->failed || (s->first_piece == 0 && s->end_piece == s->pieces));
}
