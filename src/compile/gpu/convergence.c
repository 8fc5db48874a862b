/* convergence.c - convergence: which lanes of the warp take part in each collective.
 *
 * Under uniform control flow all lanes take part, and the mask is a constant. Uniform means: the
 * same for the block, or for the warp if the operation is the warp's. Inside a divergent region
 * (analysis/regions.c) the hardware does not promise which lanes execute a collective together. So
 * lanes run freely up to the next sync point. A sync point is a block with a collective, or the
 * header of a loop that contains one. A lane that reaches a sync point, or leaves the region, waits
 * in the region's rendezvous. The sync point's number is in `at`. When all lanes of the warp are
 * there, the sync points are executed in program order; those of a loop again while lanes wait for
 * them:
 *
 *     rendezvous: all lanes are here; the next sync point follows the one executed last
 *     begin:      first of all, lanes run on from where they entered the region
 *     check k:    mask = ballot(at == k); if it is empty, check the next one
 *     held k:     all lanes of the warp execute the collective, for those in the mask; these then
 *                 run on, to the rendezvous, where the others wait
 *
 * Each edge between blocks of the region now leads through the rendezvous, except within such a
 * run. So the rendezvous is the header of one loop, whose iterations all lanes make together.
 *
 * Thus a mask is the value of a ballot that all lanes reach. The whole converged warp executes a
 * collective. A warp some of whose threads have returned still reaches barriers as one. Lanes at
 * one sync point may come from different iterations of a loop that they have left. Those of the
 * same iterations find each other by matching the iteration numbers in the instance. rendezvous.c
 * builds the code.
 */
#include "compile/gpu/convergence.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct lw__arena *arena_of(const struct convergence *m)
{
    return &m->x->unit->scratch;
}

/* ---- each collective in a block of its own --------------------------------------------------- */

/* The first iteration number in the instance, from operand *k on, that is no constant, or NULL. */
static LLVMValueRef next_iteration(LLVMOperandBundleRef instance, unsigned *k)
{
    LLVMValueRef iteration = NULL;
    for (; !iteration && *k < LLVMGetNumOperandBundleArgs(instance); *k += 2)
        if (!LLVMIsAConstant(LLVMGetOperandBundleArgAtIndex(instance, *k)))
            iteration = LLVMGetOperandBundleArgAtIndex(instance, *k);
    return iteration;
}

/* True if both collectives match the same iterations. After a loop, one may match the lanes of an
 * iteration, and the next all lanes that have left it. */
static bool is_of_same_iterations(LLVMValueRef call, LLVMValueRef other)
{
    LLVMOperandBundleRef a = lw__ir_instance(call), b = lw__ir_instance(other);
    unsigned i = 1, k = 1;
    LLVMValueRef iteration;
    bool same;
    do {
        iteration = next_iteration(a, &i);
        same = iteration == next_iteration(b, &k);
    } while (same && iteration);
    LLVMDisposeOperandBundle(a);
    LLVMDisposeOperandBundle(b);
    return same;
}

/* Collectives of one block that the same lanes reach form a group. */
static void add_to_group(struct convergence *m, LLVMBasicBlockRef own, LLVMValueRef call,
                         LLVMValueRef before)
{
    if (!before || !is_of_same_iterations(before, call)) {
        m->groups = lw__one_more(arena_of(m), m->groups, m->group_count, sizeof *m->groups);
        m->groups[m->group_count++] = (struct group){0};
    }
    struct group *g = &m->groups[m->group_count - 1];
    g->blocks = lw__one_more(arena_of(m), g->blocks, g->count, sizeof(LLVMBasicBlockRef));
    g->blocks[g->count++] = own;
}

static void split_collectives(struct convergence *m, LLVMBasicBlockRef block)
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
        add_to_group(m, own, i, before);
        before = i;
    }
}

static const struct group *group_at(const struct convergence *m, LLVMBasicBlockRef block)
{
    for (size_t g = 0; g < m->group_count; g++)
        if (m->groups[g].blocks[0] == block)
            return &m->groups[g];
    return NULL;
}

/* ---- rendezvous ------------------------------------------------------------------------------ */

static int outermost(const struct lw__facts *facts, uint32_t block)
{
    int r = facts->region_of[block];
    while (r >= 0 && facts->regions[r].parent >= 0)
        r = facts->regions[r].parent;
    return r;
}

/* The outermost region that holds the group; -1: all threads execute it, of the block or of a
 * warp. */
static int region_with(const struct lw__facts *facts, const struct group *g)
{
    const uint32_t block = lw__cfg_index(&facts->cfg, g->blocks[0]);
    return block == UINT32_MAX ? -1 : outermost(facts, block);
}

static bool is_in_rendezvous(const struct convergence *m, const struct group *g)
{
    for (size_t h = 0; h < m->rendezvous_count; h++)
        if (m->rendezvous[h].region == region_with(m->rendezvous[h].facts, g))
            return true;
    return false;
}

/* True if each iteration of the loop executes this block exactly once. */
static bool is_passed(const struct lw__facts *facts, const struct lw__loop *l, uint32_t block)
{
    const struct lw__cfg *g = &facts->cfg;
    for (size_t k = 0; k < facts->loops.count; k++)
        if (facts->loops.loops[k].body[block] && facts->loops.loops[k].size < l->size &&
            facts->exit_divergence[k] == LW_DIVERGENCE_PER_LANE)
            return false; /* in an inner loop whose trip count differs by lane */
    EACH_PREDECESSOR(from, g, l->header)
        if (l->body[from] && !lw__cfg_dominates(g, block, from))
            return false;
    return true;
}

/* True if the loop's header must be a sync point. Otherwise lanes could enter the next iteration
 * past those that wait at a collective. */
static bool needs_header(const struct convergence *m, const struct lw__facts *facts,
                         const struct lw__loop *l)
{
    bool has = false;
    for (size_t g = 0; g < m->group_count; g++) {
        uint32_t b = lw__cfg_index(&facts->cfg, m->groups[g].blocks[0]);
        if (b == UINT32_MAX || !l->body[b])
            continue;
        if (is_passed(facts, l, b))
            return false;
        has = true;
    }
    return has;
}

static void add_sync_point(struct convergence *m, struct rendezvous *h, uint32_t block,
                           const struct lw__loop *l)
{
    LLVMBasicBlockRef at = h->facts->cfg.blocks[block];
    const struct group *group = group_at(m, at);
    if (!group && !(l && needs_header(m, h->facts, l)))
        return;
    h->sync_points =
        lw__one_more(arena_of(m), h->sync_points, h->sync_point_count, sizeof *h->sync_points);
    h->sync_points[h->sync_point_count++] = (struct sync_point){at, group};
}

/* Open a rendezvous for the group's region in the analysis, if it is in one and has none yet. */
static void open_rendezvous(struct convergence *m, const struct lw__facts *facts,
                            const struct group *group)
{
    const int region = region_with(facts, group);
    if (region < 0 || is_in_rendezvous(m, group))
        return;
    const struct lw__region *r = &facts->regions[region];
    const LLVMBasicBlockRef *blocks = facts->cfg.blocks;
    m->rendezvous =
        lw__one_more(arena_of(m), m->rendezvous, m->rendezvous_count, sizeof *m->rendezvous);
    struct rendezvous *h = &m->rendezvous[m->rendezvous_count++];
    *h = (struct rendezvous){.facts = facts,
                             .region = region,
                             .first = r->first,
                             .head = blocks[r->head],
                             .join = r->join == UINT32_MAX ? NULL : blocks[r->join],
                             .is_loop = r->is_loop};
    /* List the sync points in the order of the region's schedule. Lanes that return converge
     * before the others converge with the block. */
    const struct lw__schedule *of = &h->facts->regions[h->region].schedule;
    uint32_t *before = lw__new(arena_of(m), of->count + 1, sizeof *before);
    for (uint32_t k = 0; k < of->count; k++) {
        add_sync_point(m, h, of->order[k], lw__spmd_loop_at(h->facts, of->order[k]));
        before[k + 1] = (uint32_t)h->sync_point_count;
    }
    assert(h->sync_point_count); /* the group's own is one */
    /* The ranges of sync points that loops repeat; before[k]: how many sync points precede block
     * k of the schedule. */
    for (uint32_t n = 0; n < of->loop_count; n++) {
        const uint32_t first = before[of->loops[n].first], end = before[of->loops[n].last + 1];
        if (first == end)
            continue;
        h->ranges = lw__one_more(arena_of(m), h->ranges, h->range_count, sizeof *h->ranges);
        h->ranges[h->range_count++] = (struct lw__loop_range){first, end - 1};
    }
    const struct lw__cfg *g = &h->facts->cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        if (!r->blocks[b])
            continue;
        h->inside =
            lw__one_more(arena_of(m), h->inside, h->inside_count, sizeof(LLVMBasicBlockRef));
        h->inside[h->inside_count++] = g->blocks[b];
    }
}

/* ---- iterations that differ ------------------------------------------------------------------ */

/* The lanes of mask that are in the same iterations as this lane. */
LLVMValueRef lw__gpu_same_iterations(struct convergence *m, LLVMValueRef call, LLVMValueRef mask)
{
    const struct differing *d = m->differing;
    while (d && d->call != call)
        d = d->next;
    if (!d || !d->count)
        return mask;
    LLVMOperandBundleRef bundle = lw__ir_instance(call);
    LLVMPositionBuilderBefore(m->x->b, call);
    for (unsigned k = 0; k < d->count; k++)
        mask = lw__gpu_call(
            m->x, "same_iteration",
            (LLVMValueRef[]){mask, LLVMGetOperandBundleArgAtIndex(bundle, d->operands[k])}, 2);
    LLVMDisposeOperandBundle(bundle);
    return mask;
}

/* In control-flow order: the end of a rendezvous may be the entry of another. */
static int by_place(const void *a, const void *b)
{
    const struct rendezvous *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The existing lanes of this warp, at the builder. */
LLVMValueRef lw__gpu_all_lanes(struct lw__gpu *x)
{
    const uint32_t rest = x->threads % LW_GPU_WARP;
    LLVMValueRef full = LLVMConstInt(x->i32, UINT32_MAX, 0);
    LLVMValueRef part = LLVMConstInt(x->i32, (UINT32_C(1) << rest) - 1, 0);
    if (!rest || x->warps == 1)
        return rest ? part : full;
    LLVMValueRef warp = lw__gpu_thread_index(x, "lw.warp_id");
    LLVMValueRef last =
        LLVMBuildICmp(x->b, LLVMIntEQ, warp, LLVMConstInt(x->i32, x->warps - 1, 0), "");
    return LLVMBuildSelect(x->b, last, part, full, "");
}

static bool has_block_op(const struct group *g)
{
    bool has = false;
    for (size_t k = 0; k < g->count; k++)
        has |= lw__op_table[lw__ir_collective(lw__ir_collective_in(g->blocks[k]), NULL)].block;
    return has;
}

/* Find all that must be known before the first edge is redirected. All warps that a block op waits
 * for go through its rendezvous; so do the warp ops in that region. */
static void plan(struct convergence *m)
{
    for (size_t g = 0; g < m->group_count; g++)
        for (size_t k = 0; k < m->groups[g].count; k++) {
            /* Recorded while the analysis still knows the values. */
            const LLVMValueRef call = lw__ir_collective_in(m->groups[g].blocks[k]);
            assert(call); /* split_collectives gave it the block */
            struct differing *d = lw__new(arena_of(m), 1, sizeof *d);
            *d = (struct differing){.call = call, .next = m->differing};
            const bool of_block = lw__op_table[lw__ir_collective(call, NULL)].block;
            d->count = lw__spmd_differing_iterations(of_block ? m->of_block : m->by_warp, call,
                                                     d->operands);
            m->differing = d;
        }
    for (size_t g = 0; g < m->group_count; g++)
        if (has_block_op(&m->groups[g]))
            open_rendezvous(m, m->of_block, &m->groups[g]);
    for (size_t g = 0; g < m->group_count; g++)
        open_rendezvous(m, m->by_warp, &m->groups[g]);
    for (size_t g = 0; g < m->group_count; g++)
        m->groups[g].all_come = !is_in_rendezvous(m, &m->groups[g]);
    lw__gpu_find_reconvergence(m);
}

static void converge(struct convergence *m)
{
    plan(m);
    if (m->rendezvous_count)
        qsort(m->rendezvous, m->rendezvous_count, sizeof *m->rendezvous, by_place);
    for (size_t h = m->rendezvous_count; h-- > 0;)
        lw__gpu_hoist(m, &m->rendezvous[h]); /* perhaps into an earlier one, and out of that */
    for (size_t h = 0; h < m->rendezvous_count; h++)
        lw__gpu_demote(m, &m->rendezvous[h]);
    for (size_t g = 0; g < m->group_count; g++)
        if (m->groups[g].all_come) {
            /* Lower collectives that all threads of the block reach. */
            for (size_t k = 0; k < m->groups[g].count; k++) {
                LLVMValueRef call = lw__ir_collective_in(m->groups[g].blocks[k]);
                LLVMPositionBuilderBefore(m->x->b, call);
                if (lw__gpu_may_diverge(m, m->groups[g].blocks[k]))
                    lw__gpu_syncwarp(m);
                lw__gpu_collective(m->x, call,
                                   lw__gpu_same_iterations(m, call, lw__gpu_all_lanes(m->x)), true);
            }
        }
    for (size_t h = 0; h < m->rendezvous_count; h++)
        lw__gpu_build_rendezvous(m, &m->rendezvous[h]);
}

/* Each iteration of a spin loop checks whether the launch shall stop. The count of iterations is
 * the loop's own. */
static void ask_in(struct convergence *m, const struct lw__loop *l)
{
    const struct lw__cfg *g = &m->of_block->cfg;
    struct lw__gpu *x = m->x;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(x->kernel->function);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(entry));
    LLVMValueRef iterations = LLVMBuildAlloca(x->b, x->i32, "iterations");
    EACH_PREDECESSOR(from, g, l->header) {
        if (l->body[from])
            continue;
        LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(g->blocks[from]));
        LLVMBuildStore(x->b, LLVMConstInt(x->i32, 0, 0), iterations);
    }
    LLVMPositionBuilderBefore(x->b, lw__ir_first_after_phis(g->blocks[l->header]));
    lw__ir_call(x->b, x->module, "lw.wait", x->none, &iterations, 1);
}

bool lw__gpu_find_lanes(struct lw__gpu *x, bool *waits)
{
    struct lw__gang_config config = lw__gang_config(x->unit, x->kernel);
    struct lw__facts of_block = {0}, by_warp = {0};
    const struct lw__arena_mark mark = lw__arena_mark(&x->unit->scratch);
    struct convergence m = {.x = x, .of_block = &of_block, .by_warp = &by_warp};
    if (!lw__llvm_passes(x->unit, LW_PASSES_converge))
        return false;
    EACH_BLOCK_SAFE(b, m.x->kernel->function)
        split_collectives(&m, b);
    bool ok = lw__facts_analyse(&of_block, &config);
    config.by_warp = true;
    ok = ok && lw__facts_analyse(&by_warp, &config);
    *waits = ok && of_block.has_spin_loops;
    if (*waits) {
        for (size_t l = 0; l < m.of_block->loops.count; l++)
            if (m.of_block->spin_access[m.of_block->loops.loops[l].header])
                ask_in(&m, &m.of_block->loops.loops[l]);
    }
    if (ok)
        converge(&m);
    lw__arena_release(&x->unit->scratch, mark);
    return ok || x->unit->diags.errors > 0;
}
