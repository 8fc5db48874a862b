/* reconverge.c - reconvergence after loops in which lanes yield.
 *
 * A GPU may make lanes yield in a loop with atomics, which may wait for other lanes. Some lanes
 * then continue after the loop before the last have left it. Before a collective NVIDIA's assembler
 * (of CUDA 13.0) usually checks that all lanes are there. In some kernels it assumes so, and seven
 * lanes of a warp shuffled among themselves (random kernel 1000500454). So all lanes are told to
 * reconverge, with a mask that the assembler cannot see as a constant:
 *
 *     - after an atomic operation that becomes such a loop. The assembler also keeps what lanes
 *       share in registers of the warp, which lanes that go on overwrite.
 *     - before the first collective after such a loop of the source. A lane that has left the loop
 *       may have to do what the others wait for.
 *     - in each rendezvous.
 *
 * Not before each collective: scan_ahead of bench/cuda took 1.2 times as long.
 */
#include "compile/gpu/convergence.h"

static bool is_atomic(LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

/* The assembler omits a sync whose mask is a constant, and assumes that all lanes are there. */
static void reconverge_now(struct convergence *m)
{
    LLVMValueRef lanes = lw__gpu_all_lanes(m->x);
    lw__gpu_call(m->x, "come_together", &lanes, 1);
}

static void mark(const struct lw__cfg *g, LLVMBasicBlockRef block, bool *marked)
{
    const uint32_t b = lw__cfg_index(g, block);
    if (b != UINT32_MAX) /* else it is unreachable */
        marked[b] = true;
}

/* Reconverge all lanes after atomic operations that become loops and that all lanes execute.
 * must_reconverge[b]: lanes yield in a loop that holds block b, or in an operation of b that only
 * some execute. */
static void find_loops(struct convergence *m, const bool *divergent, bool *must_reconverge)
{
    const struct lw__cfg *g = &m->by_warp->cfg;
    const struct lw__loops *loops = &m->by_warp->loops;
    for (uint32_t b = 0; b < g->count; b++) {
        bool shares = false;
        LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b]);
        for (LLVMValueRef next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            shares |= is_atomic(i) ||
                      (LLVMIsALoadInst(i) &&
                       (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic));
            const bool loops_here = is_atomic(i) && m->x->target->becomes_loop(i);
            must_reconverge[b] |= loops_here && divergent[b];
            if (!loops_here || divergent[b])
                continue;
            LLVMPositionBuilderBefore(m->x->b, next);
            reconverge_now(m);
        }
        for (size_t l = 0; shares && l < loops->count; l++)
            for (uint32_t k = 0; loops->loops[l].body[b] && k < g->count; k++)
                must_reconverge[k] |= loops->loops[l].body[k];
    }
}

static bool comes_diverged(const struct convergence *m, uint32_t block, const bool *converges)
{
    const struct lw__cfg *g = &m->by_warp->cfg;
    EACH_PREDECESSOR(from, g, block)
        if (m->may_diverge[from] && !converges[from])
            return true;
    return false;
}

void lw__gpu_find_reconvergence(struct convergence *m)
{
    const struct lw__cfg *g = &m->by_warp->cfg;
    struct lw__arena *arena = &m->x->unit->scratch;
    bool *divergent = lw__new(arena, g->count + 1, 1);
    bool *must_reconverge = lw__new(arena, g->count + 1, 1);
    bool *converges = lw__new(arena, g->count + 1, 1);
    m->may_diverge = lw__new(arena, g->count + 1, 1);
    if (lw__works_around(m->x->unit, LW_AROUND_yielding_loop)) {
        /* Blocks that lanes may reach alone: of regions that diverge in a warp, and of
         * rendezvous. The latter may be regions that diverge in the block only. */
        const struct lw__facts *facts = m->by_warp;
        for (uint32_t b = 0; b < facts->cfg.count; b++)
            divergent[b] = facts->region_of[b] >= 0;
        for (size_t h = 0; h < m->rendezvous_count; h++)
            for (size_t k = 0; k < m->rendezvous[h].inside_count; k++)
                mark(&facts->cfg, m->rendezvous[h].inside[k], divergent);
        find_loops(m, divergent, must_reconverge);
        for (uint32_t b = 0; b < g->count; b++)
            m->must_reconverge |= must_reconverge[b];
        for (size_t k = 0; k < m->group_count; k++)
            for (size_t i = 0; m->groups[k].all_come && i < m->groups[k].count; i++)
                mark(g, m->groups[k].blocks[i], converges);
        /* A divergent branch whose region has such a loop leaves lanes diverged after the region,
         * too. */
        for (size_t r = 0; r < facts->region_count; r++) {
            bool some = false;
            for (uint32_t b = 0; b < facts->cfg.count; b++)
                some |= facts->regions[r].blocks[b] && must_reconverge[b];
            for (uint32_t b = 0; b < facts->cfg.count; b++)
                m->may_diverge[b] |= some && facts->regions[r].blocks[b];
        }
        /* They stay diverged up to a collective that all lanes execute, which reconverges
         * them. */
        for (bool more = true; more;) {
            more = false;
            for (uint32_t b = 0; b < m->by_warp->cfg.count; b++)
                if (!m->may_diverge[b] && comes_diverged(m, b, converges))
                    more = m->may_diverge[b] = true;
        }
    }
}

bool lw__gpu_may_diverge(const struct convergence *m, LLVMBasicBlockRef block)
{
    const uint32_t b = lw__cfg_index(&m->by_warp->cfg, block);
    return b != UINT32_MAX && m->may_diverge[b];
}

void lw__gpu_syncwarp(struct convergence *m)
{
    LLVMValueRef all = LLVMConstInt(m->x->i32, UINT32_MAX, 0);
    if (m->must_reconverge)
        reconverge_now(m);
    else
        lw__gpu_call(m->x, "warp_sync", &all, 1);
}
