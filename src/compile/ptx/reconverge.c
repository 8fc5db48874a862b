/* reconverge.c - lanes come together again behind loops in which they yield.
 *
 * In a loop with atomics, which may wait for other lanes, the driver's assembler (of CUDA 13.0) has
 * them yield: some go on behind it before the last have left. In front of a collective it then
 * looks whether all are there; but in some kernels it takes for granted that they are, and seven
 * lanes of a warp shuffled with each other (random kernel 1000500454). So all are told to come
 * together, by a mask that is no constant to the assembler: right behind an atomic operation that
 * becomes such a loop, for it also keeps what lanes share in registers of the warp, which those
 * that go on write; and where such a loop is in the text, in front of the first collective behind
 * it (who has left it may have to do what the others wait for), and in each hall. Not in front of
 * every one: scan_ahead of bench/cuda took 1.2 times as long.
 */
#include "compile/ptx/convergence.h"
#include <stdlib.h>

static bool has_instruction(LLVMAtomicRMWBinOp op, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return op == LLVMAtomicRMWBinOpFAdd && LLVMGetTypeKind(type) != LLVMHalfTypeKind &&
               LLVMGetTypeKind(type) != LLVMBFloatTypeKind;
    return LLVMGetIntTypeWidth(type) >= 32 && op != LLVMAtomicRMWBinOpNand;
}

/* Does an atomic operation become a loop? Compare-and-swap of 16 bits does not: lw__ptx_quirks. */
static bool becomes_loop(LLVMValueRef i)
{
    LLVMTypeRef type = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)
                           ? LLVMTypeOf(LLVMGetOperand(i, 1))
                           : NULL;
    if (type && LLVMIsAAtomicCmpXchgInst(i))
        return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 16;
    return type && !has_instruction(LLVMGetAtomicRMWBinOp(i), type);
}

static bool is_shared_access(LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
           (LLVMIsALoadInst(i) &&
            (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic));
}

/* The assembler believes, and leaves out, that all lanes shall come whose mask is a constant. */
static void surely_together(struct convergence *m)
{
    LLVMValueRef lanes = lw__ptx_all_lanes(m->x);
    lw__ptx_call(m->x, "lw_cuda_come_together", &lanes, 1);
}

static void mark(const struct lw__cfg *g, LLVMBasicBlockRef block, bool *marked)
{
    const uint32_t b = lw__cfg_index(g, block);
    if (b != UINT32_MAX) /* else nobody comes there */
        marked[b] = true;
}

/* Blocks that lanes come to by themselves: of regions that part warps, and of halls, which may be
 * regions that part the block alone. */
static void find_divergent(const struct convergence *m, bool *divergent)
{
    const struct lw__spmd *s = &m->by_warp;
    for (uint32_t b = 0; b < s->cfg.count; b++)
        divergent[b] = s->region_of[b] >= 0;
    for (size_t h = 0; h < m->rendezvous_count; h++)
        for (size_t k = 0; k < m->rendezvous[h].inside_count; k++)
            mark(&s->cfg, m->rendezvous[h].inside[k], divergent);
}

/* All lanes come together behind atomic operations that become loops and that all come by. Of each
 * block: do lanes yield in a loop that holds it, or in an operation of its own that only some come
 * by? */
static void find_loops(struct convergence *m, const bool *divergent, bool *must_reconverge)
{
    const struct lw__cfg *g = &m->by_warp.cfg;
    const struct lw__loops *loops = &m->by_warp.loops;
    for (uint32_t b = 0; b < g->count; b++) {
        bool shares = false;
        LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b]);
        for (LLVMValueRef next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            shares |= is_shared_access(i);
            must_reconverge[b] |= becomes_loop(i) && divergent[b];
            if (!becomes_loop(i) || divergent[b])
                continue;
            LLVMPositionBuilderBefore(m->x->b, next);
            surely_together(m);
        }
        for (size_t l = 0; shares && l < loops->count; l++)
            for (uint32_t k = 0; loops->loops[l].body[b] && k < g->count; k++)
                must_reconverge[k] |= loops->loops[l].body[k];
    }
}

/* A branch that lanes take apart, and that has to do with such a loop, leaves them apart behind its
 * region, too. */
static void find_regions(struct convergence *m, const bool *must_reconverge)
{
    const struct lw__spmd *s = &m->by_warp;
    for (size_t r = 0; r < s->region_count; r++) {
        bool some = false;
        for (uint32_t b = 0; b < s->cfg.count; b++)
            some |= s->regions[r].blocks[b] && must_reconverge[b];
        for (uint32_t b = 0; b < s->cfg.count; b++)
            m->may_diverge[b] |= some && s->regions[r].blocks[b];
    }
}

static bool comes_diverged(const struct convergence *m, uint32_t block, const bool *meets)
{
    const struct lw__cfg *g = &m->by_warp.cfg;
    for (uint32_t e = g->pred_start[block]; e < g->pred_start[block + 1]; e++)
        if (m->may_diverge[g->pred[e]] && !meets[g->pred[e]])
            return true;
    return false;
}

/* They stay apart up to a collective that all come to, which brings them together. */
static void follow(struct convergence *m, const bool *meets)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < m->by_warp.cfg.count; b++)
            if (!m->may_diverge[b] && comes_diverged(m, b, meets))
                more = m->may_diverge[b] = true;
    }
}

bool lw__ptx_find_reconvergence(struct convergence *m)
{
    const struct lw__cfg *g = &m->by_warp.cfg;
    bool *divergent = calloc(g->count + 1, 1), *must_reconverge = calloc(g->count + 1, 1);
    bool *meets = calloc(g->count + 1, 1);
    m->may_diverge = calloc(g->count + 1, 1);
    const bool ok =
        (divergent && must_reconverge && meets && m->may_diverge) || lw__defect("out of memory");
    if (ok) {
        find_divergent(m, divergent);
        find_loops(m, divergent, must_reconverge);
        for (uint32_t b = 0; b < g->count; b++)
            m->must_reconverge |= must_reconverge[b];
        for (size_t k = 0; k < m->group_count; k++)
            for (size_t i = 0; m->groups[k].all_come && i < m->groups[k].count; i++)
                mark(g, m->groups[k].blocks[i], meets);
        find_regions(m, must_reconverge);
        follow(m, meets);
    }
    free(divergent);
    free(must_reconverge);
    free(meets);
    return ok;
}

bool lw__ptx_may_diverge(const struct convergence *m, LLVMBasicBlockRef block)
{
    const uint32_t b = lw__cfg_index(&m->by_warp.cfg, block);
    return b != UINT32_MAX && m->may_diverge[b];
}

void lw__ptx_syncwarp(struct convergence *m)
{
    LLVMValueRef all = LLVMConstInt(m->x->i32, UINT32_MAX, 0);
    if (m->must_reconverge)
        surely_together(m);
    else
        lw__ptx_call(m->x, "lw_cuda_warp_sync", &all, 1);
}
