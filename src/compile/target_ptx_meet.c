/* target_ptx_meet.c - who meets in a collective: for each the lanes of the warp that take part.
 *
 * Where control flow is the same for all threads of the block, all lanes meet, and the mask is a
 * constant. Inside of the regions that divergent branches decide (spmd_region.c), it is not left to
 * the hardware who happens to be there together, which nothing promises. There lanes run freely,
 * each its own way, up to the next meeting: a block with a collective, or the header of a loop that
 * has one in it. Whoever comes there waits in the region's hall, with the meeting's number in
 * `at`, and so do those that leave the region. When all lanes of the warp are in the hall, the
 * meetings are held in the order of the program, those of a loop again while lanes wait for them:
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
 *
 * Values that live across blocks of such a region are moved to memory first, so that edges can be
 * bent without phis; sroa brings them back.
 */
#include "compile/spmd_copy.h"
#include "compile/target_ptx.h"
#include <stdlib.h>
#include <string.h>

/* The collectives of a block, one after the other, each now in a block of its own; the block that
 * goes on behind each is its successor. */
struct group {
    LLVMBasicBlockRef *blocks;
    size_t count;
};

/* A meeting of a hall. */
struct meeting {
    LLVMBasicBlockRef block;
    const struct group *group; /* NULL: the header of a loop, without a collective */
};

struct round { /* meetings first .. last are held again while lanes wait for one of them */
    uint32_t first, last;
};

/* A region with collectives, of those that lie in no other. */
struct hall {
    int region;
    uint32_t first;               /* number of its first block */
    LLVMBasicBlockRef head, join; /* of the region; join NULL: there is none */
    bool is_loop;                 /* head is in it */
    LLVMBasicBlockRef *inside;    /* all blocks of it */
    size_t inside_count;
    struct meeting *meetings;
    size_t meeting_count;
    struct round *rounds; /* inner before outer */
    size_t round_count;
};

/* What of a call's instance differs between lanes that meet: operands of its bundle. */
struct differing {
    LLVMValueRef call;
    unsigned *operands, count;
    struct differing *next;
};

struct meet {
    struct lw__ptx *x;
    struct lw__spmd s;
    struct group *groups;
    size_t group_count;
    struct hall *halls;
    size_t hall_count;
    struct differing *differing;
};

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

static bool split_collectives(struct meet *m, LLVMBasicBlockRef block)
{
    struct group g = {0};
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
        if (!grow(&g.blocks, g.count, sizeof *g.blocks))
            return false;
        g.blocks[g.count++] = own;
    }
    if (!g.count)
        return true;
    if (!grow(&m->groups, m->group_count, sizeof *m->groups))
        return false;
    m->groups[m->group_count++] = g;
    return true;
}

static bool split_blocks(struct meet *m)
{
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m->x->kernel->function), next;
    for (; b; b = next) {
        next = LLVMGetNextBasicBlock(b);
        if (!split_collectives(m, b))
            return false;
    }
    return true;
}

static LLVMValueRef collective_in(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (i && !lw__ir_collective(i, NULL))
        i = LLVMGetNextInstruction(i);
    return i;
}

static const struct group *group_at(const struct meet *m, LLVMBasicBlockRef block)
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

/* The outermost region that holds the block; -1: all threads run it. */
static int region_with(const struct meet *m, LLVMBasicBlockRef block)
{
    return outermost(&m->s, lw__cfg_index(&m->s.cfg, block));
}

static struct hall *hall_of(struct meet *m, int region)
{
    for (size_t h = 0; h < m->hall_count; h++)
        if (m->halls[h].region == region)
            return &m->halls[h];
    return NULL;
}

/* Does every trip of the loop come through this block? */
static bool is_passed(const struct lw__spmd *s, const struct lw__loop *l, uint32_t block)
{
    const struct lw__cfg *g = &s->cfg;
    for (uint32_t e = g->pred_start[l->header]; e < g->pred_start[l->header + 1]; e++)
        if (l->body[g->pred[e]] && !lw__cfg_dominates(g, block, g->pred[e]))
            return false;
    return true;
}

/* Lanes must not come from one trip into the next past those that meet: is the header of this loop
 * to be a meeting? */
static bool needs_header(const struct meet *m, const struct lw__loop *l)
{
    bool meets = false;
    for (size_t g = 0; g < m->group_count; g++) {
        uint32_t b = lw__cfg_index(&m->s.cfg, m->groups[g].blocks[0]);
        if (b == UINT32_MAX || !l->body[b])
            continue;
        if (is_passed(&m->s, l, b))
            return false;
        meets = true;
    }
    return meets;
}

static const struct lw__loop *loop_at(const struct lw__spmd *s, uint32_t header)
{
    const struct lw__loop *best = NULL;
    for (size_t k = 0; k < s->loops.count; k++)
        if (s->loops.loops[k].header == header && (!best || s->loops.loops[k].size > best->size))
            best = &s->loops.loops[k];
    return best;
}

static bool add_meeting(struct meet *m, struct hall *h, uint32_t block, const struct lw__loop *l)
{
    LLVMBasicBlockRef at = m->s.cfg.blocks[block];
    const struct group *group = group_at(m, at);
    if (!group && !(l && needs_header(m, l)))
        return true;
    if (!grow(&h->meetings, h->meeting_count, sizeof *h->meetings))
        return false;
    h->meetings[h->meeting_count++] = (struct meeting){at, group};
    return true;
}

/* The meetings of a region, or of a loop in it, in reverse postorder, each loop in one piece. */
static bool list_meetings(struct meet *m, struct hall *h, const bool *only, bool *placed)
{
    const struct lw__region *r = &m->s.regions[h->region];
    for (uint32_t b = r->first; b <= r->last; b++) {
        if (!r->blocks[b] || (only && !only[b]) || placed[b])
            continue;
        placed[b] = true;
        const struct lw__loop *l = loop_at(&m->s, b);
        const uint32_t first = (uint32_t)h->meeting_count;
        if (!add_meeting(m, h, b, l))
            return false;
        if (!l)
            continue;
        if (!list_meetings(m, h, l->body, placed))
            return false;
        if (h->meeting_count == first)
            continue;
        if (!grow(&h->rounds, h->round_count, sizeof *h->rounds))
            return false;
        h->rounds[h->round_count++] = (struct round){first, (uint32_t)h->meeting_count - 1};
    }
    return true;
}

static bool list_blocks(struct meet *m, struct hall *h)
{
    const struct lw__region *r = &m->s.regions[h->region];
    const struct lw__cfg *g = &m->s.cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        if (!r->blocks[b])
            continue;
        if (!grow(&h->inside, h->inside_count, sizeof *h->inside))
            return false;
        h->inside[h->inside_count++] = g->blocks[b];
    }
    return true;
}

static bool open_hall(struct meet *m, int region)
{
    const struct lw__region *r = &m->s.regions[region];
    const LLVMBasicBlockRef *blocks = m->s.cfg.blocks;
    if (region < 0 || hall_of(m, region))
        return true;
    if (!grow(&m->halls, m->hall_count, sizeof *m->halls))
        return false;
    struct hall *h = &m->halls[m->hall_count++];
    *h = (struct hall){.region = region,
                       .first = r->first,
                       .head = blocks[r->head],
                       .join = r->join == UINT32_MAX ? NULL : blocks[r->join],
                       .is_loop = r->is_loop};
    bool *placed = calloc(m->s.cfg.count + 1, sizeof *placed);
    bool ok = placed ? list_meetings(m, h, NULL, placed) && list_blocks(m, h)
                     : lw__defect("out of memory");
    free(placed);
    return ok;
}

/* ---- trips that differ ----------------------------------------------------------------------- */

static bool note_differing(struct meet *m, LLVMValueRef call)
{
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, 0);
    const unsigned count = LLVMGetNumOperandBundleArgs(bundle);
    struct differing *d = calloc(1, sizeof *d);
    bool ok = d && (d->operands = calloc(count + 1, sizeof *d->operands));
    for (unsigned k = 1; ok && k < count; k += 2) {
        struct lw__value_shape shape =
            lw__shape_of(&m->s, LLVMGetOperandBundleArgAtIndex(bundle, k));
        if (shape.kind != LW_SHAPE_NONE && !lw__shape_is_uniform(&m->s, shape))
            d->operands[d->count++] = k;
    }
    LLVMDisposeOperandBundle(bundle);
    if (!ok) {
        free(d);
        return lw__defect("out of memory");
    }
    d->call = call;
    d->next = m->differing;
    m->differing = d;
    return true;
}

/* The lanes of mask that are in the same trips as this one. */
static LLVMValueRef same_trips(struct meet *m, LLVMValueRef call, LLVMValueRef mask)
{
    const struct differing *d = m->differing;
    while (d && d->call != call)
        d = d->next;
    if (!d || !d->count)
        return mask;
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, 0);
    LLVMPositionBuilderBefore(m->x->b, call);
    for (unsigned k = 0; k < d->count; k++)
        mask = lw__ptx_call(
            m->x, "lw_cuda_same_trip",
            (LLVMValueRef[]){mask, LLVMGetOperandBundleArgAtIndex(bundle, d->operands[k])}, 2);
    LLVMDisposeOperandBundle(bundle);
    return mask;
}

static bool is_inside(const struct hall *h, LLVMBasicBlockRef block)
{
    for (size_t k = 0; k < h->inside_count; k++)
        if (h->inside[k] == block)
            return true;
    return false;
}

/* ---- values to memory ------------------------------------------------------------------------ */

static LLVMValueRef slot_for(struct meet *m, LLVMValueRef v)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(m->x->kernel->function);
    LLVMPositionBuilderBefore(m->x->b, LLVMGetFirstInstruction(entry));
    return LLVMBuildAlloca(m->x->b, LLVMTypeOf(v), "");
}

/* A phi reads what each edge has written; no edge is critical. */
static void demote_phi(struct meet *m, LLVMValueRef phi)
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
static void demote_value(struct meet *m, LLVMValueRef v)
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
                b, LLVMIsAPHINode(user)
                       ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, k))
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
    if (LLVMIsACallInst(i) || LLVMIsAPHINode(i) || LLVMIsATerminatorInst(i))
        return !LLVMIsAPHINode(i) && lw__ir_is_place(lw__ir_callee(i));
    return !LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i) && !LLVMIsAAtomicRMWInst(i) &&
           !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) && !LLVMIsAAllocaInst(i);
}

static bool is_made_outside(const struct hall *h, LLVMValueRef i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, k);
        if (LLVMIsAInstruction(v) && is_inside(h, LLVMGetInstructionParent(v)))
            return false;
    }
    return true;
}

/* What does not depend on the region is computed in front of it: it needs no memory then. */
static void hoist(struct meet *m, const struct hall *h)
{
    const struct lw__cfg *g = &m->s.cfg;
    LLVMBasicBlockRef before =
        h->is_loop ? g->blocks[g->idom[lw__cfg_index(g, h->head)]] : h->head;
    for (size_t k = 0; k < h->inside_count; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(h->inside[k]), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_free(i) || !is_made_outside(h, i))
                continue;
            LLVMPositionBuilderBefore(m->x->b, LLVMGetBasicBlockTerminator(before));
            lw__ir_move(i, m->x->b);
        }
}

static void demote_phis(struct meet *m, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        demote_phi(m, i);
    }
}

/* What a region's blocks compute for each other, and for those behind it. */
static void demote_region(struct meet *m, const struct hall *h)
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
    struct meet *m;
    struct hall *h;
    LLVMBuilderRef b;
    LLVMValueRef at;          /* slot, the lane's own: the meeting it waits for; NOBODY */
    LLVMValueRef held;        /* slot, the warp's: the meeting held last; NOT_BEGUN, NONE_HELD */
    LLVMBasicBlockRef hall;   /* all lanes come here */
    LLVMBasicBlockRef begin;  /* and then go here, once */
    LLVMBasicBlockRef *check; /* per meeting; then the end */
    LLVMBasicBlockRef *after; /* per meeting: what comes behind it */
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
static void build_round(struct plan *p, const struct round *r, LLVMBasicBlockRef block,
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
    for (size_t r = p->h->round_count; r-- > 0;) {
        if (p->h->rounds[r].last != k)
            continue;
        LLVMBasicBlockRef block = new_block(p, "round");
        build_round(p, &p->h->rounds[r], block, next);
        next = block;
    }
    p->after[k] = next;
}

/* A meeting's block has the collective; the lanes in mask go on behind it, into the rest, the
 * others to `others`. */
static bool hold(struct plan *p, LLVMBasicBlockRef block, LLVMValueRef mask,
                 LLVMValueRef takes_part, LLVMBasicBlockRef others)
{
    LLVMValueRef call = collective_in(block), rest = LLVMGetNextInstruction(call);
    LLVMBasicBlockRef own = lw__ir_split_before(rest); /* up to the call */
    LLVMPositionBuilderAtEnd(p->b, own);
    LLVMBuildCondBr(p->b, takes_part, block, others);
    return lw__ptx_collective(p->m->x, call, same_trips(p->m, call, mask), false);
}

/* The one successor; a collective's block has no other. */
static LLVMBasicBlockRef successor(LLVMBasicBlockRef block)
{
    return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0);
}

/* All collectives of a meeting; between them the lanes in mask run straight code alone. */
static bool hold_group(struct plan *p, const struct group *g, LLVMValueRef mask,
                       LLVMValueRef takes_part)
{
    for (size_t k = 0; k < g->count; k++) {
        LLVMBasicBlockRef next = k + 1 < g->count ? g->blocks[k + 1] : NULL;
        if (!next) {
            if (!hold(p, g->blocks[k], mask, takes_part, p->hall))
                return false;
            continue;
        }
        LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(p->m->x->context, next, "together");
        LLVMBasicBlockRef between = successor(g->blocks[k]);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(between == next ? g->blocks[k] : between);
        LLVMSetSuccessor(end, 0, head);
        LLVMPositionBuilderAtEnd(p->b, head);
        LLVMBuildBr(p->b, next);
        if (!hold(p, g->blocks[k], mask, takes_part, head))
            return false;
    }
    return true;
}

/* check k, and meeting k itself. Nobody comes to its block any other way. */
static bool build_meeting(struct plan *p, uint32_t k)
{
    const struct meeting *meeting = &p->h->meetings[k];
    LLVMBasicBlockRef held = new_block(p, "held");
    LLVMPositionBuilderAtEnd(p->b, p->check[k]);
    LLVMValueRef at = LLVMBuildLoad2(p->b, p->m->x->i32, p->at, "");
    LLVMValueRef takes_part = LLVMBuildICmp(p->b, LLVMIntEQ, at, number(p, k), "");
    LLVMValueRef mask = who(p, takes_part);
    LLVMBuildCondBr(p->b, LLVMBuildIsNotNull(p->b, mask, ""), held, p->after[k]);
    LLVMPositionBuilderAtEnd(p->b, held);
    LLVMBuildStore(p->b, number(p, k), p->held);
    if (!meeting->group) {
        LLVMBuildCondBr(p->b, takes_part, meeting->block, p->hall);
        return true;
    }
    LLVMBuildBr(p->b, meeting->block);
    return hold_group(p, meeting->group, mask, takes_part);
}

/* Where the hall sends who goes to this block: a meeting's number, NOBODY for the join; false: it
 * is none of both, they run on. */
static bool goes_to_hall(const struct plan *p, LLVMBasicBlockRef block, int64_t *at)
{
    for (size_t k = 0; k < p->h->meeting_count; k++)
        if (p->h->meetings[k].block == block) {
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
    LLVMBuildBr(p->b, p->hall);
    return block;
}

/* Bend the edges of a block that go to a meeting, or out of the region, to the hall. */
static void bend_edges(struct plan *p, LLVMBasicBlockRef from)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
        int64_t at;
        if (goes_to_hall(p, LLVMGetSuccessor(end, k), &at))
            LLVMSetSuccessor(end, k, arrival(p, at));
    }
}

/* All edges to the header from outside. The hall in front has been built, if there is one: its end
 * is such an edge. */
static void bend_entries(struct plan *p, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(p->m->x->kernel->function);
    for (; b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = is_inside(p->h, b) ? NULL : LLVMGetBasicBlockTerminator(b);
        for (unsigned k = 0; end && k < LLVMGetNumSuccessors(end); k++)
            if (LLVMGetSuccessor(end, k) == p->h->head)
                LLVMSetSuccessor(end, k, to);
    }
}

/* Lanes come in: to the hall, and from there on as they would have gone. */
static void build_begin(struct plan *p)
{
    LLVMBasicBlockRef enter = new_block(p, "enter");
    LLVMPositionBuilderAtEnd(p->b, enter);
    LLVMBuildStore(p->b, number(p, NOT_BEGUN), p->held);
    LLVMBuildBr(p->b, p->hall);
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
static void build_hall(struct plan *p)
{
    const unsigned count = (unsigned)p->h->meeting_count;
    LLVMPositionBuilderAtEnd(p->b, p->hall);
    LLVMValueRef all = number(p, -1);
    lw__ptx_call(p->m->x, "lw_cuda_warp_sync", &all, 1);
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

/* A hall's end may be the entry of another: those come first that lie in front. */
static int by_place(const void *a, const void *b)
{
    const struct hall *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool furnish(struct meet *m, struct hall *h)
{
    struct plan p = {.m = m, .h = h, .b = m->x->b};
    const size_t count = h->meeting_count;
    p.check = lw__copy_memory(count + 1, sizeof(LLVMBasicBlockRef));
    p.after = lw__copy_memory(count + 1, sizeof(LLVMBasicBlockRef));
    p.at = new_slot(&p);
    p.held = new_slot(&p);
    p.hall = new_block(&p, "hall");
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
        ok = build_meeting(&p, k);
    build_hall(&p);
    free(p.check);
    free(p.after);
    return ok;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The lanes that there are in this warp; at the builder. */
static LLVMValueRef all_lanes(struct lw__ptx *x)
{
    const uint32_t rest = x->threads % LW_PTX_WARP;
    LLVMValueRef full = LLVMConstInt(x->i32, UINT32_MAX, 0);
    LLVMValueRef part = LLVMConstInt(x->i32, (UINT32_C(1) << rest) - 1, 0);
    if (!rest || x->warps == 1)
        return rest ? part : full;
    LLVMTypeRef type = LLVMFunctionType(x->i32, NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(x->module, "lw.warp_id");
    if (!f)
        f = LLVMAddFunction(x->module, "lw.warp_id", type);
    LLVMValueRef warp = LLVMBuildCall2(x->b, type, f, NULL, 0, "");
    LLVMValueRef last =
        LLVMBuildICmp(x->b, LLVMIntEQ, warp, LLVMConstInt(x->i32, x->warps - 1, 0), "");
    return LLVMBuildSelect(x->b, last, part, full, "");
}

/* Collectives that all threads of the block come to. */
static bool hold_uniform(struct meet *m, const struct group *g)
{
    for (size_t k = 0; k < g->count; k++) {
        LLVMValueRef call = collective_in(g->blocks[k]);
        LLVMPositionBuilderBefore(m->x->b, call);
        if (!lw__ptx_collective(m->x, call, same_trips(m, call, all_lanes(m->x)), true))
            return false;
    }
    return true;
}

static bool is_uniform(const struct meet *m, const struct group *g)
{
    return lw__cfg_index(&m->s.cfg, g->blocks[0]) == UINT32_MAX || region_with(m, g->blocks[0]) < 0;
}

/* All that must be known, before the first edge is bent. */
static bool plan(struct meet *m, bool *uniform)
{
    for (size_t g = 0; g < m->group_count; g++) {
        uniform[g] = is_uniform(m, &m->groups[g]);
        for (size_t k = 0; k < m->groups[g].count; k++)
            if (!note_differing(m, collective_in(m->groups[g].blocks[k])))
                return false;
    }
    for (size_t g = 0; g < m->group_count; g++)
        if (!uniform[g] && !open_hall(m, region_with(m, m->groups[g].blocks[0])))
            return false;
    return true;
}

static bool meet(struct meet *m)
{
    bool *uniform = calloc(m->group_count + 1, sizeof *uniform);
    bool ok = uniform ? plan(m, uniform) : lw__defect("out of memory");
    for (size_t h = 0; ok && h < m->hall_count; h++)
        hoist(m, &m->halls[h]);
    for (size_t h = 0; ok && h < m->hall_count; h++)
        demote_region(m, &m->halls[h]);
    for (size_t g = 0; ok && g < m->group_count; g++)
        ok = !uniform[g] || hold_uniform(m, &m->groups[g]);
    if (ok && m->hall_count)
        qsort(m->halls, m->hall_count, sizeof *m->halls, by_place);
    for (size_t h = 0; ok && h < m->hall_count; h++)
        ok = furnish(m, &m->halls[h]);
    free(uniform);
    return ok;
}

static void release(struct meet *m)
{
    for (size_t g = 0; g < m->group_count; g++)
        free(m->groups[g].blocks);
    for (size_t h = 0; h < m->hall_count; h++) {
        free(m->halls[h].inside);
        free(m->halls[h].meetings);
        free(m->halls[h].rounds);
    }
    for (struct differing *d = m->differing, *next; d; d = next) {
        next = d->next;
        free(d->operands);
        free(d);
    }
    free(m->groups);
    free(m->halls);
}

bool lw__ptx_meet(struct lw__ptx *x, bool *waits)
{
    struct meet m = {.x = x};
    if (!lw__llvm_passes(x->module, x->unit->machine, "function(break-crit-edges)") ||
        !split_blocks(&m)) {
        release(&m);
        return false;
    }
    bool ok = lw__spmd_open(&m.s, x->unit, x->kernel) && lw__spmd_analyse(&m.s);
    *waits = ok && m.s.has_waits;
    ok = ok ? meet(&m) : x->unit->diags.errors > 0;
    lw__spmd_close(&m.s);
    release(&m);
    return ok;
}
