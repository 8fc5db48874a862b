/* rendezvous.c - the code of a rendezvous, where the lanes of a warp wait for each other. The head
 * of convergence.c describes its purpose.
 *
 * Values that live across blocks of the region are first moved to memory. Then edges can be
 * redirected without phis. SROA brings them back.
 */
#include "compile/gpu/convergence.h"
#include <assert.h>

static bool is_inside(const struct rendezvous *h, LLVMBasicBlockRef block)
{
    for (size_t k = 0; k < h->inside_count; k++)
        if (h->inside[k] == block)
            return true;
    return false;
}

/* ---- values to memory ------------------------------------------------------------------------ */

static LLVMValueRef slot_for(struct convergence *m, LLVMValueRef v)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(m->x->kernel->function);
    LLVMPositionBuilderBefore(m->x->b, LLVMGetFirstInstruction(entry));
    return LLVMBuildAlloca(m->x->b, LLVMTypeOf(v), "");
}

/* A phi reads what each predecessor has stored; no edge is critical. */
static void demote_phi(struct convergence *m, LLVMValueRef phi)
{
    LLVMBuilderRef b = m->x->b;
    LLVMValueRef slot = slot_for(m, phi);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k)));
        LLVMBuildStore(b, LLVMGetIncomingValue(phi, k), slot);
    }
    LLVMPositionBuilderBefore(b, lw__ir_first_after_phis(LLVMGetInstructionParent(phi)));
    LLVMReplaceAllUsesWith(phi, LLVMBuildLoad2(b, LLVMTypeOf(phi), slot, ""));
    LLVMInstructionEraseFromParent(phi);
}

/* A use in another block loads the value there; a use in a phi, at the end of the incoming
 * block. */
static void demote_value(struct convergence *m, LLVMValueRef v)
{
    LLVMBuilderRef b = m->x->b;
    LLVMBasicBlockRef home = LLVMGetInstructionParent(v);
    LLVMValueRef slot = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        if (LLVMGetInstructionParent(user) == home && !LLVMIsAPHINode(user))
            continue;
        slot = slot ? slot : slot_for(m, v);
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++) {
            if (LLVMGetOperand(user, k) != v)
                continue;
            LLVMPositionBuilderBefore(
                b, LLVMIsAPHINode(user) ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, k))
                                        : user);
            LLVMSetOperand(user, k, LLVMBuildLoad2(b, LLVMTypeOf(v), slot, ""));
        }
        next = LLVMGetFirstUse(v); /* the list has changed */
    }
    if (!slot)
        return;
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(v));
    LLVMBuildStore(b, v, slot);
}

/* True if lanes that do not need the instruction may execute it earlier. */
static bool is_free(LLVMValueRef i)
{
    if (LLVMIsACallInst(i))
        return lw__ir_thread_index(lw__ir_callee(i), NULL) || lw__ir_is_speculatable(i);
    return !LLVMIsAPHINode(i) && !LLVMIsATerminatorInst(i) && !LLVMIsALoadInst(i) &&
           !LLVMIsAStoreInst(i) && !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) &&
           !LLVMIsAFenceInst(i) && !LLVMIsAAllocaInst(i) && !lw__ir_may_trap(i);
}

static bool is_made_outside(const struct rendezvous *h, LLVMValueRef i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, k);
        if (LLVMIsAInstruction(v) && is_inside(h, LLVMGetInstructionParent(v)))
            return false;
    }
    return true;
}

void lw__gpu_hoist(struct convergence *m, const struct rendezvous *h)
{
    const struct lw__cfg *g = &h->facts->cfg;
    LLVMBasicBlockRef before = h->is_loop ? g->blocks[g->idom[lw__cfg_index(g, h->head)]] : h->head;
    for (size_t k = 0; k < h->inside_count; k++)
        EACH_INSTRUCTION_SAFE(i, h->inside[k]) {
            if (!is_free(i) || !is_made_outside(h, i))
                continue;
            LLVMPositionBuilderBefore(m->x->b, LLVMGetBasicBlockTerminator(before));
            lw__ir_move(i, m->x->b);
        }
}

static void demote_phis(struct convergence *m, LLVMBasicBlockRef block)
{
    EACH_PHI_SAFE(i, block) {
        demote_phi(m, i);
    }
}

void lw__gpu_demote(struct convergence *m, const struct rendezvous *h)
{
    for (size_t k = 0; k < h->inside_count; k++)
        demote_phis(m, h->inside[k]);
    if (h->join)
        demote_phis(m, h->join);
    for (size_t k = 0; k < h->inside_count; k++)
        EACH_INSTRUCTION_SAFE(i, h->inside[k]) {
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                demote_value(m, i);
        }
}

/* ---- the code -------------------------------------------------------------------------------- */

enum { NOBODY = -1, NOT_BEGUN = -2, NONE_HELD = -1 };

/* A rendezvous under construction. Numbers of sync points are i32. */
struct plan {
    struct convergence *m;
    struct rendezvous *h;
    LLVMBuilderRef b;
    LLVMValueRef at;              /* slot per lane: the sync point it waits for, or NOBODY */
    LLVMValueRef held;            /* slot per warp: the last one executed; NOT_BEGUN, NONE_HELD */
    LLVMBasicBlockRef rendezvous; /* all lanes arrive here */
    LLVMBasicBlockRef begin;      /* and then go here, once */
    LLVMBasicBlockRef *check;     /* per sync point; then the end */
    LLVMBasicBlockRef *after;     /* per sync point: its continuation */
};

static LLVMBasicBlockRef new_block(struct plan *p, const char *name)
{
    return LLVMAppendBasicBlockInContext(p->m->x->context, p->m->x->kernel->function, name);
}

static LLVMValueRef number(struct plan *p, int64_t n)
{
    return LLVMConstInt(p->m->x->i32, (uint64_t)n, 1);
}

static LLVMValueRef ballot(struct plan *p, LLVMValueRef condition)
{
    return lw__gpu_call(p->m->x, "who", &condition, 1);
}

/* Build the continuation of sync point k: the ends of the ranges that end with it, inner first,
 * then the next check. */
static void build_after(struct plan *p, uint32_t k)
{
    LLVMBasicBlockRef next = p->check[k + 1];
    for (size_t r = p->h->range_count; r-- > 0;) {
        if (p->h->ranges[r].last != k)
            continue;
        assert(p->h->ranges[r].first <= k && k < p->h->sync_point_count);
        LLVMBasicBlockRef block = new_block(p, "round");
        /* From the end of a loop's sync points back to the first, while a lane waits for one of
         * them. */
        LLVMPositionBuilderAtEnd(p->b, block);
        LLVMValueRef at = LLVMBuildLoad2(p->b, p->m->x->i32, p->at, "");
        LLVMValueRef from = LLVMBuildSub(p->b, at, number(p, p->h->ranges[r].first), "");
        LLVMValueRef waits = LLVMBuildICmp(
            p->b, LLVMIntULE, from, number(p, p->h->ranges[r].last - p->h->ranges[r].first), "");
        LLVMValueRef some = LLVMBuildIsNotNull(p->b, ballot(p, waits), "");
        LLVMBuildCondBr(p->b, some, p->check[p->h->ranges[r].first], next);
        next = block;
    }
    p->after[k] = next;
}

/* The code between two collectives of a group is straight-line. Its end leads to a block where all
 * lanes reconverge, whether they took part or not. */
static LLVMBasicBlockRef bring_together(struct plan *p, LLVMBasicBlockRef block,
                                        LLVMBasicBlockRef next)
{
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(p->m->x->context, next, "together");
    LLVMBasicBlockRef between = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(between), 0, head);
    LLVMPositionBuilderAtEnd(p->b, head);
    if (p->m->must_reconverge)
        lw__gpu_syncwarp(p->m);
    LLVMBuildBr(p->b, next);
    return head;
}

/* All collectives of a sync point. Between them only the lanes in mask run, without branches. */
static void run_group(struct plan *p, const struct group *g, LLVMValueRef mask,
                      LLVMValueRef takes_part)
{
    for (size_t k = 0; k < g->count; k++) {
        const bool last = k + 1 == g->count;
        LLVMBasicBlockRef others =
            last ? p->rendezvous : bring_together(p, g->blocks[k], g->blocks[k + 1]);
        /* The block holds the collective. Lanes in mask continue in the rest of it, the others in
         * `others`. */
        LLVMValueRef call = lw__ir_collective_in(g->blocks[k]), rest = LLVMGetNextInstruction(call);
        LLVMBasicBlockRef own = lw__ir_split_before(rest); /* up to the call */
        LLVMPositionBuilderAtEnd(p->b, own);
        LLVMBuildCondBr(p->b, takes_part, g->blocks[k], others);
        lw__gpu_collective(p->m->x, call, lw__gpu_same_iterations(p->m, call, mask), false);
    }
}

/* Build check k and sync point k itself. Its block has no other predecessor. */
static void build_sync_point(struct plan *p, uint32_t k)
{
    const struct sync_point *sync_point = &p->h->sync_points[k];
    LLVMBasicBlockRef held = new_block(p, "held");
    LLVMPositionBuilderAtEnd(p->b, p->check[k]);
    LLVMValueRef at = LLVMBuildLoad2(p->b, p->m->x->i32, p->at, "");
    LLVMValueRef takes_part = LLVMBuildICmp(p->b, LLVMIntEQ, at, number(p, k), "");
    LLVMValueRef mask = ballot(p, takes_part);
    LLVMBuildCondBr(p->b, LLVMBuildIsNotNull(p->b, mask, ""), held, p->after[k]);
    LLVMPositionBuilderAtEnd(p->b, held);
    LLVMBuildStore(p->b, number(p, k), p->held);
    if (!sync_point->group) {
        LLVMBuildCondBr(p->b, takes_part, sync_point->block, p->rendezvous);
        return;
    }
    LLVMBuildBr(p->b, sync_point->block);
    run_group(p, sync_point->group, mask, takes_part);
}

/* True if an edge to this block goes to the rendezvous. *at: the sync point's number, or NOBODY for
 * the join. */
static bool goes_to_rendezvous(const struct plan *p, LLVMBasicBlockRef block, int64_t *at)
{
    for (size_t k = 0; k < p->h->sync_point_count; k++)
        if (p->h->sync_points[k].block == block) {
            *at = (int64_t)k;
            return true;
        }
    *at = NOBODY;
    return block == p->h->join;
}

static LLVMBasicBlockRef arrival(struct plan *p, int64_t at)
{
    LLVMBasicBlockRef block = new_block(p, "arrive");
    LLVMPositionBuilderAtEnd(p->b, block);
    LLVMBuildStore(p->b, number(p, at), p->at);
    LLVMBuildBr(p->b, p->rendezvous);
    return block;
}

/* Redirect a block's edges to a sync point, or out of the region, to the rendezvous. */
static void bend_edges(struct plan *p, LLVMBasicBlockRef from)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
        int64_t at;
        if (goes_to_rendezvous(p, LLVMGetSuccessor(end, k), &at))
            LLVMSetSuccessor(end, k, arrival(p, at));
    }
}

/* Lanes enter: they go to the rendezvous, and from there on along their original edges. */
static void build_begin(struct plan *p)
{
    LLVMBasicBlockRef enter = new_block(p, "enter");
    LLVMPositionBuilderAtEnd(p->b, enter);
    LLVMBuildStore(p->b, number(p, NOT_BEGUN), p->held);
    LLVMBuildBr(p->b, p->rendezvous);
    LLVMPositionBuilderAtEnd(p->b, p->begin);
    LLVMBuildStore(p->b, number(p, NONE_HELD), p->held);
    if (p->h->is_loop) {
        /* Redirect all edges to the header from outside. An earlier rendezvous has been built by
         * now: its end is such an edge. */
        EACH_BLOCK(b, p->m->x->kernel->function)
            if (!is_inside(p->h, b))
                lw__ir_redirect(b, p->h->head, enter);
        LLVMBuildBr(p->b, p->h->head);
    } else {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(p->h->head);
        lw__ir_move(end, p->b);
        LLVMPositionBuilderAtEnd(p->b, p->h->head);
        LLVMBuildBr(p->b, enter);
    }
    bend_edges(p, p->begin);
}

/* The warp sync makes the hardware reconverge the lanes. No pass may let some lanes bypass it. */
static void build_rendezvous(struct plan *p)
{
    const unsigned count = (unsigned)p->h->sync_point_count;
    LLVMPositionBuilderAtEnd(p->b, p->rendezvous);
    lw__gpu_syncwarp(p->m);
    LLVMValueRef held = LLVMBuildLoad2(p->b, p->m->x->i32, p->held, "");
    LLVMValueRef next = LLVMBuildSwitch(p->b, held, p->begin, count + 1);
    LLVMAddCase(next, number(p, NONE_HELD), p->check[0]);
    for (unsigned k = 0; k < count; k++)
        LLVMAddCase(next, number(p, k), p->after[k]);
    LLVMPositionBuilderAtEnd(p->b, p->check[count]);
    if (p->h->join)
        LLVMBuildBr(p->b, p->h->join);
    else
        LLVMBuildRetVoid(p->b);
}

static LLVMValueRef new_slot(struct plan *p)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(p->m->x->kernel->function);
    LLVMPositionBuilderBefore(p->b, LLVMGetFirstInstruction(entry));
    LLVMValueRef slot = LLVMBuildAlloca(p->b, p->m->x->i32, "");
    LLVMBuildStore(p->b, number(p, NOBODY), slot);
    return slot;
}

void lw__gpu_build_rendezvous(struct convergence *m, struct rendezvous *h)
{
    struct plan p = {.m = m, .h = h, .b = m->x->b};
    const size_t count = h->sync_point_count;
    p.check = lw__new(&m->x->unit->scratch, count + 1, sizeof(LLVMBasicBlockRef));
    p.after = lw__new(&m->x->unit->scratch, count + 1, sizeof(LLVMBasicBlockRef));
    p.at = new_slot(&p);
    p.held = new_slot(&p);
    p.rendezvous = new_block(&p, "rendezvous");
    p.begin = new_block(&p, "begin");
    for (uint32_t k = 0; k <= count; k++)
        p.check[k] = new_block(&p, k < count ? "check" : "joined");
    for (uint32_t k = 0; k < count; k++)
        build_after(&p, k);
    for (size_t k = 0; k < h->inside_count; k++)
        bend_edges(&p, h->inside[k]);
    build_begin(&p);
    for (uint32_t k = 0; k < count; k++)
        build_sync_point(&p, k);
    build_rendezvous(&p);
}
