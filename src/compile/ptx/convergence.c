/* convergence.c - who meets in a collective: for each the lanes of the warp that take part.
 *
 * Where control flow is the same for all threads of the block, or, for an operation of the warp, of
 * each warp, all lanes meet, and the mask is a constant. Inside of the regions that divergent
 * branches decide (analysis/regions.c), it is not left to the hardware who happens to be there
 * together, which nothing promises. There lanes run freely, each its own way, up to the next
 * meeting: a block with a collective, or the header of a loop that has one in it. Whoever comes
 * there waits in the region's hall, with the meeting's number in `at`, and so do those that leave
 * the region. When all lanes of the warp are in the hall, the meetings are held in the order of the
 * program, those of a loop again while lanes wait for them:
 *
 *     hall:     all lanes are here; the next meeting is the one behind that which was held last
 *     begin:    first of all, lanes run on from where they came into the region
 *     check k:  mask = ballot(at == k); nobody: the next one
 *     held k:   the collective, run by all lanes of the warp, for those in the mask; these then run
 *               on, to the hall; the others are there
 *
 * Every way from block to block in the region now leads through the hall but within one run, so it
 * is the header of one loop, whose trips all lanes make together.
 *
 * So a mask travels as a value, from a ballot that all lanes reach; a collective is executed by the
 * whole warp, converged; and a warp of which some threads have returned still comes to barriers as
 * one. Lanes of one meeting may come from different trips of a loop that they have left: those in
 * the same trips find each other by a match of the trip numbers that the instance holds.
 * rendezvous.c builds it.
 */
#include "compile/ptx/convergence.h"
#include <stdlib.h>
#include <string.h>

static bool grow(void *list, size_t count, size_t size)
{
    void **at = list;
    if (count & (count - 1)) /* it doubles at each power of two */
        return true;
    void *more = realloc(*at, (count ? 2 * count : 1) * size);
    if (!more)
        return lw__defect("out of memory");
    *at = more;
    return true;
}

/* ---- each collective a block of its own ------------------------------------------------------ */

/* The first trip in the instance, from operand *k on, that is no constant; NULL: there is none. */
static LLVMValueRef next_trip(LLVMOperandBundleRef instance, unsigned *k)
{
    LLVMValueRef trip = NULL;
    for (; !trip && *k < LLVMGetNumOperandBundleArgs(instance); *k += 2)
        if (!LLVMIsAConstant(LLVMGetOperandBundleArgAtIndex(instance, *k)))
            trip = LLVMGetOperandBundleArgAtIndex(instance, *k);
    return trip;
}

/* Do those meet in both who have made the same trips? Behind a loop those of a trip may meet, and
 * then all who have left it. */
static bool is_of_same_trips(LLVMValueRef call, LLVMValueRef other)
{
    LLVMOperandBundleRef a = lw__ir_instance(call), b = lw__ir_instance(other);
    unsigned i = 1, k = 1;
    LLVMValueRef trip;
    bool same;
    do {
        trip = next_trip(a, &i);
        same = trip == next_trip(b, &k);
    } while (same && trip);
    LLVMDisposeOperandBundle(a);
    LLVMDisposeOperandBundle(b);
    return same;
}

/* Collectives of one block that the same lanes come to are a group. */
static bool add_to_group(struct convergence *m, LLVMBasicBlockRef own, LLVMValueRef call,
                         LLVMValueRef before)
{
    if (!before || !is_of_same_trips(before, call)) {
        if (!grow(&m->groups, m->group_count, sizeof *m->groups))
            return false;
        m->groups[m->group_count++] = (struct group){0};
    }
    struct group *g = &m->groups[m->group_count - 1];
    if (!grow(&g->blocks, g->count, sizeof *g->blocks))
        return false;
    g->blocks[g->count++] = own;
    return true;
}

static bool split_collectives(struct convergence *m, LLVMBasicBlockRef block)
{
    LLVMValueRef before = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!lw__ir_collective(i, NULL))
            continue;
        LLVMBuilderRef b = m->x->b;
        LLVMPositionBuilderAtEnd(b, lw__ir_split_before(i));
        LLVMBuildBr(b, block);
        LLVMBasicBlockRef own = lw__ir_split_before(next);
        LLVMPositionBuilderAtEnd(b, own);
        LLVMBuildBr(b, block);
        if (!add_to_group(m, own, i, before))
            return false;
        before = i;
    }
    return true;
}

static bool split_blocks(struct convergence *m)
{
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m->x->kernel->function), next;
    for (; b; b = next) {
        next = LLVMGetNextBasicBlock(b);
        if (!split_collectives(m, b))
            return false;
    }
    return true;
}

static const struct group *group_at(const struct convergence *m, LLVMBasicBlockRef block)
{
    for (size_t g = 0; g < m->group_count; g++)
        if (m->groups[g].blocks[0] == block)
            return &m->groups[g];
    return NULL;
}

/* ---- halls ----------------------------------------------------------------------------------- */

static int outermost(const struct lw__spmd *s, uint32_t block)
{
    int r = s->region_of[block];
    while (r >= 0 && s->regions[r].parent >= 0)
        r = s->regions[r].parent;
    return r;
}

/* The outermost region that holds the group; -1: all threads run it, of the block or of a warp. */
static int region_with(const struct lw__spmd *s, const struct group *g)
{
    const uint32_t block = lw__cfg_index(&s->cfg, g->blocks[0]);
    return block == UINT32_MAX ? -1 : outermost(s, block);
}

static bool is_in_rendezvous(const struct convergence *m, const struct group *g)
{
    for (size_t h = 0; h < m->rendezvous_count; h++)
        if (m->rendezvous[h].region == region_with(m->rendezvous[h].s, g))
            return true;
    return false;
}

/* Does every trip of the loop come through this block, once? */
static bool is_passed(const struct lw__spmd *s, const struct lw__loop *l, uint32_t block)
{
    const struct lw__cfg *g = &s->cfg;
    for (size_t k = 0; k < s->loops.count; k++)
        if (s->loops.loops[k].body[block] && s->loops.loops[k].size < l->size &&
            s->exit_divergence[k] == LW_DIVERGENCE_PER_LANE)
            return false; /* it is in a loop inside, of more trips for some than for others */
    for (uint32_t e = g->pred_start[l->header]; e < g->pred_start[l->header + 1]; e++)
        if (l->body[g->pred[e]] && !lw__cfg_dominates(g, block, g->pred[e]))
            return false;
    return true;
}

/* Lanes must not come from one trip into the next past those that meet: is the header of this loop
 * to be a meeting? */
static bool needs_header(const struct convergence *m, const struct lw__spmd *s,
                         const struct lw__loop *l)
{
    bool meets = false;
    for (size_t g = 0; g < m->group_count; g++) {
        uint32_t b = lw__cfg_index(&s->cfg, m->groups[g].blocks[0]);
        if (b == UINT32_MAX || !l->body[b])
            continue;
        if (is_passed(s, l, b))
            return false;
        meets = true;
    }
    return meets;
}

static bool add_sync_point(struct convergence *m, struct rendezvous *h, uint32_t block,
                           const struct lw__loop *l)
{
    LLVMBasicBlockRef at = h->s->cfg.blocks[block];
    const struct group *group = group_at(m, at);
    if (!group && !(l && needs_header(m, h->s, l)))
        return true;
    if (!grow(&h->sync_points, h->sync_point_count, sizeof *h->sync_points))
        return false;
    h->sync_points[h->sync_point_count++] = (struct sync_point){at, group};
    return true;
}

/* The meetings among blocks first .. end - 1 of the region's order, in which each loop is one
 * piece, and who returns meets before the others meet the block. */
static bool list_sync_points(struct convergence *m, struct rendezvous *h, uint32_t first,
                             uint32_t end)
{
    const struct lw__region *r = &h->s->regions[h->region];
    for (uint32_t k = first, next; k < end; k = next) {
        const struct lw__loop *l = lw__spmd_loop_at(h->s, r->order[k]);
        const uint32_t sync_point = (uint32_t)h->sync_point_count;
        if (!add_sync_point(m, h, r->order[k], l))
            return false;
        for (next = k + 1; l && next < end && l->body[r->order[next]];)
            next++;
        if (l && !list_sync_points(m, h, k + 1, next))
            return false;
        if (!l || h->sync_point_count == sync_point)
            continue;
        if (!grow(&h->ranges, h->range_count, sizeof *h->ranges))
            return false;
        h->ranges[h->range_count++] =
            (struct lw__loop_range){sync_point, (uint32_t)h->sync_point_count - 1};
    }
    return true;
}

static bool list_blocks(struct rendezvous *h)
{
    const struct lw__region *r = &h->s->regions[h->region];
    const struct lw__cfg *g = &h->s->cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        if (!r->blocks[b])
            continue;
        if (!grow(&h->inside, h->inside_count, sizeof *h->inside))
            return false;
        h->inside[h->inside_count++] = g->blocks[b];
    }
    return true;
}

/* For the group's region in the analysis, if it is in one and not in a hall yet. */
static bool open_rendezvous(struct convergence *m, const struct lw__spmd *s,
                            const struct group *group)
{
    const int region = region_with(s, group);
    if (region < 0 || is_in_rendezvous(m, group))
        return true;
    const struct lw__region *r = &s->regions[region];
    const LLVMBasicBlockRef *blocks = s->cfg.blocks;
    if (!grow(&m->rendezvous, m->rendezvous_count, sizeof *m->rendezvous))
        return false;
    struct rendezvous *h = &m->rendezvous[m->rendezvous_count++];
    *h = (struct rendezvous){.s = s,
                             .region = region,
                             .first = r->first,
                             .head = blocks[r->head],
                             .join = r->join == UINT32_MAX ? NULL : blocks[r->join],
                             .is_loop = r->is_loop};
    return list_sync_points(m, h, 0, r->order_count) && list_blocks(h);
}

/* ---- trips that differ ----------------------------------------------------------------------- */

/* As long as the analysis knows the values. */
static bool note_differing(struct convergence *m, LLVMValueRef call)
{
    struct differing *d = malloc(sizeof *d);
    if (!d)
        return lw__defect("out of memory");
    *d = (struct differing){.call = call, .next = m->differing};
    const bool of_block = lw__op_table[lw__ir_collective(call, NULL)].block;
    d->count = lw__spmd_differing_trips(of_block ? &m->s : &m->by_warp, call, d->operands);
    m->differing = d;
    return true;
}

/* The lanes of mask that are in the same trips as this one. */
LLVMValueRef lw__ptx_same_trips(struct convergence *m, LLVMValueRef call, LLVMValueRef mask)
{
    const struct differing *d = m->differing;
    while (d && d->call != call)
        d = d->next;
    if (!d || !d->count)
        return mask;
    LLVMOperandBundleRef bundle = lw__ir_instance(call);
    LLVMPositionBuilderBefore(m->x->b, call);
    for (unsigned k = 0; k < d->count; k++)
        mask = lw__ptx_call(
            m->x, "lw_cuda_same_trip",
            (LLVMValueRef[]){mask, LLVMGetOperandBundleArgAtIndex(bundle, d->operands[k])}, 2);
    LLVMDisposeOperandBundle(bundle);
    return mask;
}

/* A hall's end may be the entry of another: those come first that lie in front. */
static int by_place(const void *a, const void *b)
{
    const struct rendezvous *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The lanes that there are in this warp; at the builder. */
LLVMValueRef lw__ptx_all_lanes(struct lw__ptx *x)
{
    const uint32_t rest = x->threads % LW_PTX_WARP;
    LLVMValueRef full = LLVMConstInt(x->i32, UINT32_MAX, 0);
    LLVMValueRef part = LLVMConstInt(x->i32, (UINT32_C(1) << rest) - 1, 0);
    if (!rest || x->warps == 1)
        return rest ? part : full;
    LLVMValueRef warp = lw__ptx_thread_index(x, "lw.warp_id");
    LLVMValueRef last =
        LLVMBuildICmp(x->b, LLVMIntEQ, warp, LLVMConstInt(x->i32, x->warps - 1, 0), "");
    return LLVMBuildSelect(x->b, last, part, full, "");
}

/* Collectives that all threads of the block come to. */
static bool hold_uniform(struct convergence *m, const struct group *g)
{
    for (size_t k = 0; k < g->count; k++) {
        LLVMValueRef call = lw__ir_collective_in(g->blocks[k]);
        LLVMPositionBuilderBefore(m->x->b, call);
        if (lw__ptx_may_diverge(m, g->blocks[k]))
            lw__ptx_syncwarp(m);
        if (!lw__ptx_collective(m->x, call, lw__ptx_same_trips(m, call, lw__ptx_all_lanes(m->x)),
                                true))
            return false;
    }
    return true;
}

static bool meets_block(const struct group *g)
{
    bool meets = false;
    for (size_t k = 0; k < g->count; k++)
        meets |= lw__op_table[lw__ir_collective(lw__ir_collective_in(g->blocks[k]), NULL)].block;
    return meets;
}

/* All that must be known, before the first edge is bent. Warps that a block operation waits for
 * all go through its hall, and what is of the warp in there with them. */
static bool plan(struct convergence *m)
{
    bool ok = true;
    for (size_t g = 0; ok && g < m->group_count; g++)
        for (size_t k = 0; ok && k < m->groups[g].count; k++)
            ok = note_differing(m, lw__ir_collective_in(m->groups[g].blocks[k]));
    for (size_t g = 0; ok && g < m->group_count; g++)
        ok = !meets_block(&m->groups[g]) || open_rendezvous(m, &m->s, &m->groups[g]);
    for (size_t g = 0; ok && g < m->group_count; g++)
        ok = open_rendezvous(m, &m->by_warp, &m->groups[g]);
    for (size_t g = 0; ok && g < m->group_count; g++)
        m->groups[g].all_come = !is_in_rendezvous(m, &m->groups[g]);
    return ok && lw__ptx_find_reconvergence(m);
}

static bool converge(struct convergence *m)
{
    bool ok = plan(m);
    if (ok && m->rendezvous_count)
        qsort(m->rendezvous, m->rendezvous_count, sizeof *m->rendezvous, by_place);
    for (size_t h = m->rendezvous_count; ok && h-- > 0;)
        lw__ptx_hoist(m, &m->rendezvous[h]); /* perhaps into one in front, and out of that */
    for (size_t h = 0; ok && h < m->rendezvous_count; h++)
        lw__ptx_demote(m, &m->rendezvous[h]);
    for (size_t g = 0; ok && g < m->group_count; g++)
        ok = !m->groups[g].all_come || hold_uniform(m, &m->groups[g]);
    for (size_t h = 0; ok && h < m->rendezvous_count; h++)
        ok = lw__ptx_build_rendezvous(m, &m->rendezvous[h]);
    return ok;
}

static void release(struct convergence *m)
{
    for (size_t g = 0; g < m->group_count; g++)
        free(m->groups[g].blocks);
    for (size_t h = 0; h < m->rendezvous_count; h++) {
        free(m->rendezvous[h].inside);
        free(m->rendezvous[h].sync_points);
        free(m->rendezvous[h].ranges);
    }
    for (struct differing *d = m->differing, *next; d; d = next) {
        next = d->next;
        free(d);
    }
    free(m->groups);
    free(m->rendezvous);
    free(m->may_diverge);
}

/* Each trip asks whether the launch is to stop; its number lives in the loop alone. */
static void ask_in(struct convergence *m, const struct lw__loop *l)
{
    const struct lw__cfg *g = &m->s.cfg;
    struct lw__ptx *x = m->x;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(x->kernel->function);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(entry));
    LLVMValueRef trips = LLVMBuildAlloca(x->b, x->i32, "trips");
    for (uint32_t e = g->pred_start[l->header]; e < g->pred_start[l->header + 1]; e++) {
        if (l->body[g->pred[e]])
            continue;
        LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(g->blocks[g->pred[e]]));
        LLVMBuildStore(x->b, LLVMConstInt(x->i32, 0, 0), trips);
    }
    LLVMPositionBuilderBefore(x->b, lw__ir_first_after_phis(g->blocks[l->header]));
    lw__ptx_wait(x, trips);
}

static void ask_in_waits(struct convergence *m)
{
    for (size_t l = 0; l < m->s.loops.count; l++)
        if (m->s.spin_access[m->s.loops.loops[l].header])
            ask_in(m, &m->s.loops.loops[l]);
}

bool lw__ptx_converge(struct lw__ptx *x, bool *waits)
{
    struct convergence m = {.x = x};
    if (!lw__llvm_passes(x->module, x->unit->machine, "function(break-crit-edges,lcssa)") ||
        !split_blocks(&m)) {
        release(&m);
        return false;
    }
    bool ok = lw__spmd_open(&m.s, x->unit, x->kernel) && lw__spmd_analyse(&m.s) &&
              lw__spmd_open(&m.by_warp, x->unit, x->kernel);
    m.by_warp.by_warp = true;
    ok = ok && lw__spmd_analyse(&m.by_warp);
    *waits = ok && m.s.has_spin_loops;
    if (*waits)
        ask_in_waits(&m);
    ok = ok ? converge(&m) : x->unit->diags.errors > 0;
    lw__spmd_close(&m.s);
    lw__spmd_close(&m.by_warp);
    release(&m);
    return ok;
}
