/* rendezvous.c - the code of a hall, where the lanes of a warp wait for each other; what it is
 * for, the head of convergence.c says.
 *
 * Values that live across blocks of the region are moved to memory first, so that edges can be bent
 * without phis; sroa brings them back.
 */
#include "compile/ptx/convergence.h"
#include <stdlib.h>

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

/* A phi reads what each edge has written; no edge is critical. */
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

/* A use in another block reads it there; one in a phi, at the end of the block it comes from. */
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

/* Can it be computed by lanes that do not need it, at an earlier place? */
static bool is_free(LLVMValueRef i)
{
    if (LLVMIsACallInst(i))
        return lw__ir_is_thread_index(lw__ir_callee(i)) || lw__ir_is_speculatable(i);
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

void lw__ptx_hoist(struct convergence *m, const struct rendezvous *h)
{
    const struct lw__cfg *g = &h->s->cfg;
    LLVMBasicBlockRef before = h->is_loop ? g->blocks[g->idom[lw__cfg_index(g, h->head)]] : h->head;
    for (size_t k = 0; k < h->inside_count; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(h->inside[k]), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_free(i) || !is_made_outside(h, i))
                continue;
            LLVMPositionBuilderBefore(m->x->b, LLVMGetBasicBlockTerminator(before));
            lw__ir_move(i, m->x->b);
        }
}

static void demote_phis(struct convergence *m, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        demote_phi(m, i);
    }
}

void lw__ptx_demote(struct convergence *m, const struct rendezvous *h)
{
    for (size_t k = 0; k < h->inside_count; k++)
        demote_phis(m, h->inside[k]);
    if (h->join)
        demote_phis(m, h->join);
    for (size_t k = 0; k < h->inside_count; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(h->inside[k]), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                demote_value(m, i);
        }
}

/* ---- the hall's code ------------------------------------------------------------------------- */

enum { NOBODY = -1, NOT_BEGUN = -2, NONE_HELD = -1 };

/* A hall under construction. Numbers of meetings are i32. */
struct plan {
    struct convergence *m;
    struct rendezvous *h;
    LLVMBuilderRef b;
    LLVMValueRef at;   /* slot, the lane's own: the meeting it waits for; NOBODY */
    LLVMValueRef held; /* slot, the warp's: the meeting held last; NOT_BEGUN, NONE_HELD */
    LLVMBasicBlockRef rendezvous; /* all lanes come here */
    LLVMBasicBlockRef begin;      /* and then go here, once */
    LLVMBasicBlockRef *check;     /* per meeting; then the end */
    LLVMBasicBlockRef *after;     /* per meeting: what comes behind it */
};

static LLVMBasicBlockRef new_block(struct plan *p, const char *name)
{
    return LLVMAppendBasicBlockInContext(p->m->x->context, p->m->x->kernel->function, name);
}

static LLVMValueRef number(struct plan *p, int64_t n)
{
    return LLVMConstInt(p->m->x->i32, (uint64_t)n, 1);
}

static LLVMValueRef who(struct plan *p, LLVMValueRef condition)
{
    return lw__ptx_call(p->m->x, "lw_cuda_who", &condition, 1);
}

/* From a round's end back to its beginning, while one of its meetings is waited for. */
static void build_range(struct plan *p, const struct lw__loop_range *r, LLVMBasicBlockRef block,
                        LLVMBasicBlockRef next)
{
    LLVMPositionBuilderAtEnd(p->b, block);
    LLVMValueRef at = LLVMBuildLoad2(p->b, p->m->x->i32, p->at, "");
    LLVMValueRef from = LLVMBuildSub(p->b, at, number(p, r->first), "");
    LLVMValueRef waits = LLVMBuildICmp(p->b, LLVMIntULE, from, number(p, r->last - r->first), "");
    LLVMValueRef some = LLVMBuildIsNotNull(p->b, who(p, waits), "");
    LLVMBuildCondBr(p->b, some, p->check[r->first], next);
}

/* What comes behind meeting k: the ends of the rounds that end with it, inner first; the next. */
static void build_after(struct plan *p, uint32_t k)
{
    LLVMBasicBlockRef next = p->check[k + 1];
    for (size_t r = p->h->range_count; r-- > 0;) {
        if (p->h->ranges[r].last != k)
            continue;
        LLVMBasicBlockRef block = new_block(p, "round");
        build_range(p, &p->h->ranges[r], block, next);
        next = block;
    }
    p->after[k] = next;
}

/* A meeting's block has the collective; the lanes in mask go on behind it, into the rest, the
 * others to `others`. */
static bool hold(struct plan *p, LLVMBasicBlockRef block, LLVMValueRef mask,
                 LLVMValueRef takes_part, LLVMBasicBlockRef others)
{
    LLVMValueRef call = lw__ir_collective_in(block), rest = LLVMGetNextInstruction(call);
    LLVMBasicBlockRef own = lw__ir_split_before(rest); /* up to the call */
    LLVMPositionBuilderAtEnd(p->b, own);
    LLVMBuildCondBr(p->b, takes_part, block, others);
    return lw__ptx_collective(p->m->x, call, lw__ptx_same_trips(p->m, call, mask), false);
}

/* What follows on a collective of a group, up to the next one, is a block of straight code: its end
 * leads to where all lanes are together again, who took part or not. */
static LLVMBasicBlockRef bring_together(struct plan *p, LLVMBasicBlockRef block,
                                        LLVMBasicBlockRef next)
{
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(p->m->x->context, next, "together");
    LLVMBasicBlockRef between = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(between), 0, head);
    LLVMPositionBuilderAtEnd(p->b, head);
    if (p->m->must_reconverge)
        lw__ptx_syncwarp(p->m);
    LLVMBuildBr(p->b, next);
    return head;
}

/* All collectives of a meeting; between them the lanes in mask run straight code alone. */
static bool run_group(struct plan *p, const struct group *g, LLVMValueRef mask,
                      LLVMValueRef takes_part)
{
    bool ok = true;
    for (size_t k = 0; ok && k < g->count; k++) {
        const bool last = k + 1 == g->count;
        LLVMBasicBlockRef others =
            last ? p->rendezvous : bring_together(p, g->blocks[k], g->blocks[k + 1]);
        ok = hold(p, g->blocks[k], mask, takes_part, others);
    }
    return ok;
}

/* check k, and meeting k itself. Nobody comes to its block any other way. */
static bool build_sync_point(struct plan *p, uint32_t k)
{
    const struct sync_point *sync_point = &p->h->sync_points[k];
    LLVMBasicBlockRef held = new_block(p, "held");
    LLVMPositionBuilderAtEnd(p->b, p->check[k]);
    LLVMValueRef at = LLVMBuildLoad2(p->b, p->m->x->i32, p->at, "");
    LLVMValueRef takes_part = LLVMBuildICmp(p->b, LLVMIntEQ, at, number(p, k), "");
    LLVMValueRef mask = who(p, takes_part);
    LLVMBuildCondBr(p->b, LLVMBuildIsNotNull(p->b, mask, ""), held, p->after[k]);
    LLVMPositionBuilderAtEnd(p->b, held);
    LLVMBuildStore(p->b, number(p, k), p->held);
    if (!sync_point->group) {
        LLVMBuildCondBr(p->b, takes_part, sync_point->block, p->rendezvous);
        return true;
    }
    LLVMBuildBr(p->b, sync_point->block);
    return run_group(p, sync_point->group, mask, takes_part);
}

/* Where the hall sends who goes to this block: a meeting's number, NOBODY for the join; false: it
 * is none of both, they run on. */
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

/* Bend the edges of a block that go to a meeting, or out of the region, to the hall. */
static void bend_edges(struct plan *p, LLVMBasicBlockRef from)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
        int64_t at;
        if (goes_to_rendezvous(p, LLVMGetSuccessor(end, k), &at))
            LLVMSetSuccessor(end, k, arrival(p, at));
    }
}

/* All edges to the header from outside. The hall in front has been built, if there is one: its end
 * is such an edge. */
static void bend_entries(struct plan *p, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->m->x->kernel->function);
    for (; b; b = LLVMGetNextBasicBlock(b))
        if (!is_inside(p->h, b))
            lw__ir_redirect(b, p->h->head, to);
}

/* Lanes come in: to the hall, and from there on as they would have gone. */
static void build_begin(struct plan *p)
{
    LLVMBasicBlockRef enter = new_block(p, "enter");
    LLVMPositionBuilderAtEnd(p->b, enter);
    LLVMBuildStore(p->b, number(p, NOT_BEGUN), p->held);
    LLVMBuildBr(p->b, p->rendezvous);
    LLVMPositionBuilderAtEnd(p->b, p->begin);
    LLVMBuildStore(p->b, number(p, NONE_HELD), p->held);
    if (p->h->is_loop) {
        bend_entries(p, enter);
        LLVMBuildBr(p->b, p->h->head);
    } else {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(p->h->head);
        lw__ir_move(end, p->b);
        LLVMPositionBuilderAtEnd(p->b, p->h->head);
        LLVMBuildBr(p->b, enter);
    }
    bend_edges(p, p->begin);
}

/* The hardware is told to bring the lanes together; and no pass may lead some of them around. */
static void build_rendezvous(struct plan *p)
{
    const unsigned count = (unsigned)p->h->sync_point_count;
    LLVMPositionBuilderAtEnd(p->b, p->rendezvous);
    lw__ptx_syncwarp(p->m);
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

bool lw__ptx_build_rendezvous(struct convergence *m, struct rendezvous *h)
{
    struct plan p = {.m = m, .h = h, .b = m->x->b};
    const size_t count = h->sync_point_count;
    p.check = lw__calloc(count + 1, sizeof(LLVMBasicBlockRef));
    p.after = lw__calloc(count + 1, sizeof(LLVMBasicBlockRef));
    p.at = new_slot(&p);
    p.held = new_slot(&p);
    p.rendezvous = new_block(&p, "hall");
    p.begin = new_block(&p, "begin");
    for (uint32_t k = 0; k <= count; k++)
        p.check[k] = new_block(&p, k < count ? "check" : "joined");
    for (uint32_t k = 0; k < count; k++)
        build_after(&p, k);
    for (size_t k = 0; k < h->inside_count; k++)
        bend_edges(&p, h->inside[k]);
    build_begin(&p);
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++)
        ok = build_sync_point(&p, k);
    build_rendezvous(&p);
    free(p.check);
    free(p.after);
    return ok;
}
