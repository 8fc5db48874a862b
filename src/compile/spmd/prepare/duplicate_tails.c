/* duplicate_tails.c - code before a return, or a failed assert, is copied for each path to it.
 *
 *     for (int k = 0; k < 3; k++) {          unrolled, the three iterations share one
 *         if (mine == k) {                   `row[t] = k; return;`, after all of them
 *             row[t] = k;
 *             return;
 *         }
 *         barrier();
 *     }
 *
 * A tail is code from which a thread reaches only its end, and no block op. Edges may lead to it
 * from before and from after a barrier. Then threads of the first would wait for those of the
 * second. What they write would come too late for those at the barrier. So edges with a block op
 * between them get copies of their own, which analysis/schedule.c places.
 *
 * A failed assert is a tail as well, one per edge: in `assert(a && b)`, the lanes that fail a and
 * those that fail b need not reconverge.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/spmd/analysis/analysis.h"
#include <stdlib.h>
#include <string.h>

struct tails {
    struct lw__cfg cfg;
    bool *operations; /* per block: a block op is in it */
    bool *later;      /* per block: ..., or reachable from it */
    bool *tail;       /* per block: it is of the current tail */
    bool *behind;     /* per block: reachable through a block op from the queried edge */
    uint32_t *group;  /* per block: the group of its edge into the tail; 0: none */
    LLVMBasicBlockRef *copy;
};

/* ---- which edges ----------------------------------------------------------------------------- */

/* Find the tail that begins at the block: what follows it, except the return that all share. False:
 * it writes nothing, or has a collective. */
static bool find_tail(struct tails *t, uint32_t first)
{
    const struct lw__cfg *g = &t->cfg;
    bool any = false, has_collective = false;
    memset(t->tail, 0, g->count);
    t->tail[first] = true;
    lw__cfg_flow_on(g, t->tail);
    for (uint32_t b = 0; b < g->count; b++) {
        LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b]);
        t->tail[b] &= !LLVMIsAReturnInst(i);
        EACH_INSTRUCTION(i, g->blocks[b]) {
            any |= t->tail[b] && lw__ir_may_write(i);
            has_collective |= t->tail[b] && lw__ir_collective(i, NULL) != LW_OP_NONE;
        }
    }
    return any && !has_collective;
}

/* True if a thread may reach a block op after the end of block a, then the end of b. */
static bool is_behind(struct tails *t, uint32_t a, uint32_t b)
{
    const struct lw__cfg *g = &t->cfg;
    memset(t->behind, 0, g->count);
    EACH_SUCCESSOR(to, g, a)
        t->behind[to] = true;
    lw__cfg_flow_on(g, t->behind);
    for (uint32_t k = 0; k < g->count; k++)
        t->behind[k] &= t->operations[k];
    lw__cfg_flow_on(g, t->behind);
    return t->behind[b];
}

static bool is_apart(struct tails *t, uint32_t group, uint32_t way)
{
    for (uint32_t b = 0; b < t->cfg.count; b++)
        if (t->group[b] == group && (is_behind(t, b, way) || is_behind(t, way, b)))
            return true;
    return false;
}

/* Group the edges to block `first` from outside of the tail: no block op lies between those of a
 * group. Returns how many groups. */
static uint32_t group_edges(struct tails *t, uint32_t first)
{
    const struct lw__cfg *g = &t->cfg;
    uint32_t groups = 0;
    memset(t->group, 0, g->count * sizeof *t->group);
    EACH_PREDECESSOR(way, g, first) {
        uint32_t fits = 1;
        if (t->tail[way] || t->group[way])
            continue;
        while (fits <= groups && is_apart(t, fits, way))
            fits++;
        t->group[way] = fits;
        groups = fits > groups ? fits : groups;
    }
    return groups;
}

/* ---- copies ---------------------------------------------------------------------------------- */

struct pair {
    LLVMValueRef from, to;
};

/* A tail's instructions and their copies, sorted by address once complete. */
struct pairs {
    struct pair *pairs;
    size_t count;
};

static int compare_pairs(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct pair *)a)->from,
                    y = (uintptr_t)((const struct pair *)b)->from;
    return (x > y) - (x < y);
}

static LLVMValueRef copy_of(const struct pairs *p, LLVMValueRef v)
{
    struct pair key = {.from = v};
    struct pair *found = bsearch(&key, p->pairs, p->count, sizeof key, compare_pairs);
    return found ? found->to : v;
}

/* Give phi those incoming values of old that come from the tail, or along the group's edges. Group
 * 0: along none. p: phi is in a copy of the tail; NULL: it replaces old. */
static void fill_phi(const struct tails *t, const struct pairs *p, LLVMValueRef phi,
                     LLVMValueRef old, uint32_t group)
{
    for (unsigned k = 0; k < LLVMCountIncoming(old); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(old, k);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(old, k);
        const uint32_t b = lw__cfg_index(&t->cfg, from);
        if (p && t->tail[b]) {
            v = copy_of(p, v);
            from = t->copy[b];
        }
        if (t->tail[b] || (group && t->group[b] == group))
            LLVMAddIncoming(phi, &v, &from, 1);
    }
}

/* A copy of the tail for the group's edges. The return after it has no phi. */
static void copy_tail(struct tails *t, LLVMBuilderRef builder, uint32_t first, uint32_t group)
{
    const struct lw__cfg *g = &t->cfg;
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(g->function));
    struct pairs p = {0};
    for (uint32_t b = 0; b < g->count; b++)
        if (t->tail[b])
            t->copy[b] = LLVMInsertBasicBlockInContext(context, g->blocks[b], "");
    for (uint32_t b = 0; b < g->count; b++)
        if (t->tail[b]) {
            /* The instructions of block b, still with the original operands. */
            LLVMPositionBuilderAtEnd(builder, t->copy[b]);
            EACH_INSTRUCTION(i, t->cfg.blocks[b]) {
                p.pairs = lw__one_more(t->cfg.arena, p.pairs, p.count, sizeof *p.pairs);
                LLVMValueRef copy = LLVMIsAPHINode(i) ? LLVMBuildPhi(builder, LLVMTypeOf(i), "")
                                                      : LLVMInstructionClone(i);
                if (!LLVMIsAPHINode(i))
                    LLVMInsertIntoBuilder(builder, copy);
                LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(i));
                p.pairs[p.count++] = (struct pair){i, copy};
            }
        }
    qsort(p.pairs, p.count, sizeof *p.pairs, compare_pairs);
    for (size_t n = 0; n < p.count; n++) {
        LLVMValueRef old = p.pairs[n].from, copy = p.pairs[n].to;
        if (LLVMIsAPHINode(old)) {
            const bool begins = LLVMGetInstructionParent(old) == t->cfg.blocks[first];
            fill_phi(t, &p, copy, old, begins ? group : 0);
            continue;
        }
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(old); k++)
            if (LLVMIsAInstruction(LLVMGetOperand(old, k)))
                LLVMSetOperand(copy, k, copy_of(&p, LLVMGetOperand(old, k)));
        for (unsigned k = 0; LLVMIsATerminatorInst(old) && k < LLVMGetNumSuccessors(old); k++) {
            const uint32_t to = lw__cfg_index(&t->cfg, LLVMGetSuccessor(old, k));
            LLVMSetSuccessor(copy, k, t->tail[to] ? t->copy[to] : t->cfg.blocks[to]);
        }
    }
    for (uint32_t b = 0; b < g->count; b++)
        if (t->group[b] == group)
            lw__ir_redirect(g->blocks[b], g->blocks[first], t->copy[first]);
}

/* ---- both kinds ------------------------------------------------------------------------------ */

enum { DEAD_END_MAX = 16 }; /* instructions that are copied for each edge to them */

/* A failed assert, or its like: each edge to it is a group. */
static uint32_t group_failing(struct tails *t, uint32_t first)
{
    const struct lw__cfg *g = &t->cfg;
    uint32_t groups = 0;
    unsigned n = 0;
    if (!LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(g->blocks[first])))
        return 0;
    EACH_INSTRUCTION(i, g->blocks[first])
        if (lw__ir_collective(i, NULL) || ++n > DEAD_END_MAX)
            return 0;
    memset(t->tail, 0, g->count);
    t->tail[first] = true;
    memset(t->group, 0, g->count * sizeof *t->group);
    EACH_PREDECESSOR(from, g, first)
        if (!t->group[from])
            t->group[from] = ++groups;
    return groups;
}

static uint32_t group_returning(struct tails *t, uint32_t first)
{
    const struct lw__cfg *g = &t->cfg;
    bool early = false;
    EACH_PREDECESSOR(from, g, first)
        early |= t->later[from];
    return early && !t->later[first] && find_tail(t, first) ? group_edges(t, first) : 0;
}

/* Duplicate one tail; false: there is none. */
static bool duplicate(struct tails *t, LLVMBuilderRef builder, bool failing)
{
    lw__spmd_find_block_ops(&t->cfg, t->operations);
    memcpy(t->later, t->operations, t->cfg.count);
    lw__cfg_flow_back(&t->cfg, t->later);
    for (uint32_t b = 0; b < t->cfg.count; b++) {
        const uint32_t groups = failing ? group_failing(t, b) : group_returning(t, b);
        if (groups < 2)
            continue;
        for (uint32_t k = 2; k <= groups; k++)
            copy_tail(t, builder, b, k);
        /* The tail itself serves the first group. */
        EACH_PHI_SAFE(phi, t->cfg.blocks[b]) {
            LLVMPositionBuilderBefore(builder, phi);
            LLVMValueRef own = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
            fill_phi(t, NULL, own, phi, 1);
            LLVMReplaceAllUsesWith(phi, own);
            LLVMInstructionEraseFromParent(phi);
        }
        return true;
    }
    return false;
}

static void part_all(struct lw__arena *arena, LLVMValueRef function, bool failing)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    for (bool found = true; found;) {
        const struct lw__arena_mark mark = lw__arena_mark(arena);
        struct tails t;
        lw__cfg_build(arena, function, &t.cfg);
        const size_t n = t.cfg.count;
        t.operations = lw__new(arena, n, 1);
        t.later = lw__new(arena, n, 1);
        t.tail = lw__new(arena, n, 1);
        t.behind = lw__new(arena, n, 1);
        t.group = lw__new(arena, n, sizeof *t.group);
        t.copy = lw__new(arena, n, sizeof *t.copy);
        found = duplicate(&t, builder, failing);
        lw__arena_release(arena, mark);
    }
    LLVMDisposeBuilder(builder);
}

void lw__prepare_duplicate_returns(struct lw__arena *arena, LLVMValueRef function)
{
    part_all(arena, function, false);
}

void lw__prepare_duplicate_dead_ends(struct lw__arena *arena, LLVMValueRef function)
{
    LLVMBuilderRef b =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    EACH_BLOCK(k, function) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(k);
        if (LLVMGetNumSuccessors(end) != 1 ||
            !LLVMIsAUnreachableInst(LLVMGetFirstInstruction(LLVMGetSuccessor(end, 0))))
            continue;
        LLVMPositionBuilderBefore(b, end);
        LLVMBuildUnreachable(b);
        LLVMInstructionEraseFromParent(end);
    }
    LLVMDisposeBuilder(b);
    part_all(arena, function, true);
}
