/* ref_apart.c - who does not come to whom: a table for the scheduler.
 *
 * A warp's lanes wait at a barrier, others in a collective that stands behind it in the program:
 *
 *     if (lane_id() == 0)
 *         barrier();
 *     else
 *         x = warp_sum(x);
 *
 * The barrier does not lead to the sum, so those go on without lane 0, and lane 0 waits for them.
 * If it did, they would wait for each other. Which it is depends on the trips, too: where the two
 * stand in a loop, the barrier leads to the sum of the next trip. So what the table has for each
 * two collectives is in how many of the outermost loops and calls around both the trips must be the
 * same for no way to lead from the one to the other. Nor does one for those who have decided
 * otherwise: the arms of two branches on the same condition.
 */
#include "compile/ref.h"
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4 };

struct meeting {
    LLVMOperandBundleRef instance;
    uint32_t block;
    unsigned trips; /* in the instance */
};

struct work {
    struct lw__cfg g;
    struct meeting *meetings;
    size_t count;
    bool *held;    /* per edge: it leads into the next trip of a loop whose trips are the same */
    bool *comes;   /* per block: a way leads from its begin to the target */
    bool *ends;    /* per block: it is the target's */
    bool *seen;    /* per edge */
    bool *anew;    /* per block */
    bool *decides; /* per block: lw__way_find_deciders */
};

static LLVMValueRef operand(const struct meeting *m, unsigned k)
{
    return LLVMGetOperandBundleArgAtIndex(m->instance, k);
}

/* Are the two places within the same loops and calls, this many of the outermost? */
static bool share(const struct meeting *a, const struct meeting *b, unsigned trips)
{
    bool same = a->trips >= trips && b->trips >= trips;
    for (unsigned k = 0; same && k < trips; k++)
        same = operand(a, 2 * k) == operand(b, 2 * k);
    return same;
}

/* ---- edges into the next trip ---------------------------------------------------------------- */

static bool is_one_more(LLVMValueRef v, LLVMValueRef trip, unsigned depth)
{
    if (LLVMIsABinaryOperator(v))
        return LLVMGetInstructionOpcode(v) == LLVMAdd && LLVMGetOperand(v, 0) == trip;
    bool is = LLVMIsAPHINode(v) && v != trip && depth < DEPTH_MAX;
    for (unsigned k = 0; is && k < LLVMCountIncoming(v); k++)
        is = is_one_more(LLVMGetIncomingValue(v, k), trip, depth + 1);
    return is;
}

static void hold_edge(struct work *w, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    const uint32_t b = lw__cfg_index(&w->g, from);
    for (uint32_t e = b == UINT32_MAX ? 0 : w->g.succ_start[b];
         b != UINT32_MAX && e < w->g.succ_start[b + 1]; e++)
        w->held[e] |= w->g.blocks[w->g.succ[e]] == to;
}

/* The edges on which a trip, or what it was made of, counts on. What is not found is not held: then
 * a way seems to lead where none does. */
static void hold_next_trips(struct work *w, LLVMValueRef trip, unsigned depth)
{
    if (LLVMIsABinaryOperator(trip) && depth < DEPTH_MAX)
        hold_next_trips(w, LLVMGetOperand(trip, 0), depth + 1);
    for (unsigned k = 0; LLVMIsAPHINode(trip) && k < LLVMCountIncoming(trip); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(trip, k);
        if (is_one_more(v, trip, 0))
            hold_edge(w, LLVMGetIncomingBlock(trip, k), LLVMGetInstructionParent(trip));
        else if (depth < DEPTH_MAX)
            hold_next_trips(w, v, depth + 1);
    }
}

/* ---- ways ------------------------------------------------------------------------------------ */

static bool leads_knowing(const struct work *w, uint32_t block, LLVMValueRef condition, bool value)
{
    struct lw__way way = {.g = &w->g,
                          .ends = w->ends,
                          .later = w->comes,
                          .shut = w->held,
                          .condition = condition,
                          .value = value,
                          .seen = w->seen,
                          .anew = w->anew};
    return lw__way_leads(&way, block);
}

/* `from` stands in front of `to` in the list as it does in its block. Whoever is there has decided
 * as all branches have of which one arm leads there. */
static bool leads(const struct work *w, const struct meeting *from, const struct meeting *to)
{
    const struct lw__cfg *g = &w->g;
    if (from->block == to->block && from < to)
        return true;
    bool is = leads_knowing(w, from->block, NULL, false);
    for (uint32_t b = from->block; is && b; b = g->idom[b]) {
        const uint32_t branch = g->pred[g->pred_start[b]];
        LLVMValueRef c = lw__cfg_condition(g, branch);
        if (g->pred_start[b + 1] - g->pred_start[b] == 1 && c && w->decides[branch])
            is = leads_knowing(w, from->block, c, g->succ[g->succ_start[branch]] == b);
    }
    return is;
}

/* A column of the table. */
static void find_apart(struct work *w, const struct meeting *to, uint8_t *apart)
{
    memset(w->held, 0, w->g.succ_start[w->g.count]);
    memset(w->ends, 0, w->g.count);
    w->ends[to->block] = true;
    for (size_t i = 0; i < w->count; i++)
        apart[i * w->count] = LW_REF_NEVER_APART;
    for (unsigned trips = 0; trips <= to->trips; trips++) {
        for (size_t i = 0; trips && i < w->count; i++)
            if (share(&w->meetings[i], to, trips))
                hold_next_trips(w, operand(&w->meetings[i], 2 * trips - 1), 0);
        memset(w->comes, 0, w->g.count);
        w->comes[to->block] = true;
        lw__cfg_flow_back_past(&w->g, w->comes, w->held);
        for (size_t i = 0; i < w->count; i++)
            if (apart[i * w->count] == LW_REF_NEVER_APART && share(&w->meetings[i], to, trips) &&
                !leads(w, &w->meetings[i], to))
                apart[i * w->count] = (uint8_t)trips;
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool list_meetings(struct work *w, LLVMValueRef *calls, size_t count, bool *both)
{
    bool block = false, warp = false;
    w->meetings = calloc(count + 1, sizeof *w->meetings);
    if (!w->meetings)
        return lw__defect("out of memory");
    for (size_t i = 0; i < count; i++) {
        const enum lw__op op = lw__ir_collective(calls[i], NULL);
        if (!op)
            continue;
        struct meeting *m = &w->meetings[w->count];
        m->block = lw__cfg_index(&w->g, LLVMGetInstructionParent(calls[i]));
        m->instance = lw__ir_instance(calls[i]);
        if (!m->instance)
            return lw__defect("%s has no instance", lw__ir_callee(calls[i]));
        m->trips = LLVMGetNumOperandBundleArgs(m->instance) / 2;
        *(lw__op_table[op].block ? &block : &warp) = true;
        w->count++;
    }
    *both = block && warp;
    return true;
}

static bool make_table(struct lw__ref *r, struct work *w)
{
    LLVMContextRef c = r->unit->context;
    uint8_t *apart = calloc(w->count * w->count, 1);
    w->held = calloc(w->g.succ_start[w->g.count] + 1, 1);
    w->comes = calloc(w->g.count + 1, 1);
    w->ends = calloc(w->g.count + 1, 1);
    w->seen = calloc(w->g.succ_start[w->g.count] + 1, 1);
    w->anew = calloc(w->g.count + 1, 1);
    w->decides = lw__way_find_deciders(&w->g);
    const bool ok = apart && w->held && w->comes && w->ends && w->seen && w->anew && w->decides;
    for (size_t i = 0; ok && i < w->count; i++)
        find_apart(w, &w->meetings[i], apart + i);
    if (ok) {
        LLVMValueRef bytes = LLVMConstStringInContext2(c, (char *)apart, w->count * w->count, true);
        r->apart = LLVMAddGlobal(r->unit->module, LLVMTypeOf(bytes), "lw.apart");
        LLVMSetInitializer(r->apart, bytes);
        LLVMSetGlobalConstant(r->apart, true);
        LLVMSetLinkage(r->apart, LLVMPrivateLinkage);
        r->meeting_count = w->count;
    }
    free(apart);
    free(w->held);
    free(w->comes);
    free(w->ends);
    free(w->seen);
    free(w->anew);
    free(w->decides);
    return ok || lw__defect("out of memory");
}

bool lw__ref_find_apart(struct lw__ref *r, LLVMValueRef function, LLVMValueRef *calls, size_t count)
{
    struct work w = {0};
    bool both = false;
    if (!lw__cfg_build(function, &w.g))
        return false;
    const bool ok = list_meetings(&w, calls, count, &both) && (!both || make_table(r, &w));
    for (size_t i = 0; i < w.count; i++)
        LLVMDisposeOperandBundle(w.meetings[i].instance);
    free(w.meetings);
    lw__cfg_free(&w.g);
    return ok;
}
