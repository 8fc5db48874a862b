/* exited_lanes.c - which lanes will reach no block op any more? Barriers do not wait for them, as
 * if they had returned.
 *
 *     if (a[i] & 10)
 *         barrier();
 *     x = pass(i);                  the others wait here until the barrier is complete
 *     if ((a[i] & 11) == 0)
 *         return;                   and will return here
 *     barrier();
 *
 * When lanes leave for a block to wait there, the code after it is walked for them, under masks. A
 * branch is followed if its condition can be computed from values that the lanes bring; otherwise
 * they may take both edges. Lanes that may reach a block op have not exited. In a loop, what it
 * changes is unknown, so one walk over its blocks covers all its iterations. But a few iterations
 * that lanes begin by a back edge are walked one by one.
 */
#include "compile/spmd/control/control.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/runtime/runtime.h"
#include <string.h>

/* Limits: how deep values are followed, how many, and how many iterations of a loop. */
enum { DEPTH_MAX = 8, LOOKED_MAX = 1000, ITERATIONS_MAX = 2 };

/* The lanes that begin an iteration, and their values of the header's phis; an entry NULL:
 * unknown. */
struct loop_iteration {
    LLVMValueRef lanes, *phis;
    uint32_t before; /* how many iterations have been walked one by one */
};

/* Lanes of one piece that start along an edge. Masks are vectors; NULL: no lane. */
struct exit_walk {
    struct lw__spmd *s;
    uint32_t piece;
    LLVMValueRef condition; /* what they have decided before they start; NULL: nothing */
    bool value;             /* its value */
    uint32_t start, last;   /* the blocks of this walk are between these */
    LLVMValueRef *phis;     /* of the start, as in struct loop_iteration; NULL: all unknown */
    LLVMValueRef *in;       /* per block: lanes that may reach it on this walk */
    LLVMValueRef *along;    /* per edge: lanes that may take it */
    struct loop_iteration *iterations; /* per header: an iteration still to walk */
    LLVMValueRef may_reach;            /* lanes that may reach a block op */
    uint32_t looked; /* how many values were followed; from LOOKED_MAX on none is known */
};

/* ---- masks ----------------------------------------------------------------------------------- */

static LLVMValueRef or_none(struct lw__spmd *s, LLVMValueRef mask)
{
    return lw__mask_is_none(mask) ? NULL : lw__mask_vector(s, mask);
}

static LLVMValueRef with(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    return lw__mask_vector(s, lw__mask_or(s, a, b));
}

/* The lanes for which a condition has the value. */
static LLVMValueRef where(struct lw__spmd *s, LLVMValueRef lanes, LLVMValueRef c, bool value)
{
    return or_none(s, value ? lw__mask_and(s, lanes, c) : lw__mask_and_not(s, lanes, c));
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint32_t home_of(const struct exit_walk *w, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) ? lw__cfg_index(&w->s->facts->cfg, LLVMGetInstructionParent(v))
                                 : UINT32_MAX;
}

/* True if v is computed on the walk. Otherwise the lanes have it when they start: its block
 * dominates its users on the walk, and is none of them. */
static bool is_ahead(const struct exit_walk *w, LLVMValueRef v)
{
    const uint32_t home = home_of(w, v);
    return home != UINT32_MAX && w->in[home];
}

static uint32_t number_of(LLVMValueRef phi)
{
    uint32_t n = 0;
    for (LLVMValueRef i = LLVMGetPreviousInstruction(phi); i; i = LLVMGetPreviousInstruction(i))
        n++;
    return n;
}

/* An edge to a phi on the walk, and the value that its lanes bring. */
struct incoming {
    LLVMValueRef lanes, value;
};

/* Get the k-th such edge of the lanes; false: there are no more. */
static bool next_edge(const struct exit_walk *w, LLVMValueRef phi, LLVMValueRef lanes, uint32_t k,
                      struct incoming *incoming)
{
    const struct lw__cfg *g = &w->s->facts->cfg;
    const uint32_t b = home_of(w, phi);
    if (k >= g->pred_start[b + 1] - g->pred_start[b])
        return false;
    const uint32_t p = g->pred[g->pred_start[b] + k];
    *incoming = (struct incoming){NULL, lw__ir_incoming(phi, g->blocks[p])};
    EACH_EDGE(e, g, p)
        if (g->succ[e] == b && w->along[e])
            incoming->lanes = with(w->s, incoming->lanes, where(w->s, lanes, w->along[e], true));
    return true;
}

/* True if this walk has all edges to the phi. Not for a loop's header: there are later
 * iterations. */
static bool has_edges(const struct exit_walk *w, LLVMValueRef phi)
{
    const uint32_t b = home_of(w, phi);
    return b != w->start && !lw__spmd_loop_at(w->s->facts, b);
}

static LLVMValueRef known(struct exit_walk *w, LLVMValueRef v, unsigned depth);

/* The phi's value if it is the same on all edges. */
static LLVMValueRef known_phi(struct exit_walk *w, LLVMValueRef phi, unsigned depth)
{
    LLVMValueRef all = lw__mask_vector(w->s, NULL), same = NULL;
    if (home_of(w, phi) == w->start)
        return w->phis ? w->phis[number_of(phi)] : NULL;
    if (!has_edges(w, phi))
        return NULL;
    struct incoming incoming;
    for (uint32_t k = 0; next_edge(w, phi, all, k, &incoming); k++) {
        if (!incoming.lanes)
            continue;
        if (same && same != incoming.value)
            return NULL;
        same = incoming.value;
    }
    return same ? known(w, same, depth + 1) : NULL;
}

static bool is_extreme(LLVMValueRef v)
{
    return lw__ir_calls(v, LW_LLVM_smin) || lw__ir_calls(v, LW_LLVM_smax) ||
           lw__ir_calls(v, LW_LLVM_umin) || lw__ir_calls(v, LW_LLVM_umax);
}

/* Rebuild the instruction for vectors, without its flags. */
static LLVMValueRef build(struct lw__spmd *s, LLVMValueRef i, LLVMValueRef *x)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, LLVMTypeOf(i));
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (LLVMIsABinaryOperator(i))
        return LLVMBuildBinOp(s->builder, op, x[0], x[1], "");
    if (LLVMIsACastInst(i))
        return LLVMBuildCast(s->builder, op, x[0], type, "");
    switch (op) {
    case LLVMICmp: return LLVMBuildICmp(s->builder, LLVMGetICmpPredicate(i), x[0], x[1], "");
    case LLVMFCmp: return LLVMBuildFCmp(s->builder, LLVMGetFCmpPredicate(i), x[0], x[1], "");
    case LLVMSelect: return LLVMBuildSelect(s->builder, x[0], x[1], x[2], "");
    case LLVMFNeg: return LLVMBuildFNeg(s->builder, x[0], "");
    case LLVMFreeze: return LLVMBuildFreeze(s->builder, x[0], "");
    case LLVMCall: {
        const unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(i));
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->module, id, &type, 1);
        return LLVMBuildCall2(s->builder, LLVMGlobalGetValueType(f), f, x, 2, "");
    }
    default: return NULL;
    }
}

/* The future value of v; NULL: unknown, or it differs. */
static LLVMValueRef known(struct exit_walk *w, LLVMValueRef v, unsigned depth)
{
    LLVMValueRef x[3] = {0};
    const struct lw__value_shape shape = lw__shape_of(w->s->facts, v);
    if (!is_ahead(w, v) || (shape.known && shape.lanes))
        return lw__spmd_vector(w->s, v, w->piece);
    if (depth >= DEPTH_MAX || w->looked == LOOKED_MAX)
        return NULL;
    w->looked++;
    if (LLVMIsAPHINode(v))
        return known_phi(w, v, depth);
    /* True if all lanes may execute it, whatever their operands. */
    if (!((lw__ir_is_arith(v) || is_extreme(v)) && !lw__ir_may_trap(v))) {
        /* a thread index is known anywhere */
        const char *name = lw__ir_callee(v);
        if (!lw__ir_thread_index(name, NULL))
            return NULL;
        LLVMValueRef same = lw__spmd_block_index(w->s, name);
        return same         ? lw__spmd_splat(w->s, same)
               : w->s->gang ? lw__gang_thread_index(w->s, name, w->piece)
                            : NULL;
    }
    const unsigned n =
        LLVMIsACallInst(v) ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);
    for (unsigned k = 0; k < n; k++)
        if (!(x[k] = known(w, LLVMGetOperand(v, k), depth + 1)))
            return NULL;
    return build(w->s, v, x);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static LLVMValueRef may(struct exit_walk *w, LLVMValueRef c, bool value, LLVMValueRef lanes,
                        unsigned depth);

/* A comparison of numbers that lanes may bring along different edges. */
static LLVMValueRef may_compare(struct exit_walk *w, LLVMValueRef c, LLVMValueRef x[2], bool value,
                                LLVMValueRef lanes, unsigned depth)
{
    for (unsigned o = 0; o < 2; o++) {
        LLVMValueRef found = NULL, of[2] = {x[0], x[1]};
        if (!LLVMIsAPHINode(x[o]) || !is_ahead(w, x[o]) || !has_edges(w, x[o]) ||
            depth == DEPTH_MAX)
            continue;
        struct incoming incoming;
        for (uint32_t k = 0; next_edge(w, x[o], lanes, k, &incoming); k++) {
            of[o] = incoming.value;
            if (incoming.lanes)
                found = with(w->s, found, may_compare(w, c, of, value, incoming.lanes, depth + 1));
        }
        return found;
    }
    LLVMValueRef v[2] = {known(w, x[0], depth), known(w, x[1], depth)};
    return v[0] && v[1] ? where(w->s, lanes, build(w->s, c, v), value) : lanes;
}

static LLVMValueRef may_phi(struct exit_walk *w, LLVMValueRef c, bool value, LLVMValueRef lanes,
                            unsigned depth)
{
    LLVMValueRef found = NULL;
    if (!has_edges(w, c)) {
        LLVMValueRef v = known(w, c, depth);
        return v ? where(w->s, lanes, v, value) : lanes;
    }
    struct incoming incoming;
    for (uint32_t k = 0; next_edge(w, c, lanes, k, &incoming); k++)
        found = with(w->s, found, may(w, incoming.value, value, incoming.lanes, depth + 1));
    return found;
}

/* The lanes for which the condition may have the value. */
static LLVMValueRef may(struct exit_walk *w, LLVMValueRef c, bool value, LLVMValueRef lanes,
                        unsigned depth)
{
    LLVMValueRef of[2];
    if (!lanes || depth == DEPTH_MAX || w->looked == LOOKED_MAX)
        return lanes;
    w->looked++;
    if (LLVMIsConstant(c))
        return !LLVMIsAConstantInt(c) || lw__ir_is_truth(c, value) ? lanes : NULL;
    if (!is_ahead(w, c))
        return c == w->condition ? (value == w->value ? lanes : NULL)
                                 : where(w->s, lanes, lw__spmd_vector(w->s, c, w->piece), value);
    if (LLVMIsAPHINode(c))
        return may_phi(w, c, value, lanes, depth);
    if (lw__ir_negated(c))
        return may(w, lw__ir_negated(c), !value, lanes, depth + 1);
    for (int by_or = 0; by_or < 2; by_or++)
        if (lw__ir_joined(c, by_or, of)) {
            LLVMValueRef first = may(w, of[0], value, lanes, depth + 1);
            if (value != by_or) /* both must */
                return may(w, of[1], value, first, depth + 1);
            LLVMValueRef rest = may(w, of[0], !value, lanes, depth + 1);
            return with(w->s, first, may(w, of[1], value, rest, depth + 1));
        }
    if (LLVMIsAICmpInst(c))
        return may_compare(w, c, (LLVMValueRef[]){LLVMGetOperand(c, 0), LLVMGetOperand(c, 1)},
                           value, lanes, depth);
    LLVMValueRef v = known(w, c, depth);
    return v ? where(w->s, lanes, v, value) : lanes;
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void reach_block_op(struct exit_walk *w, LLVMValueRef lanes)
{
    w->may_reach = with(w->s, w->may_reach, lanes);
}

/* Lanes start along an edge, or begin an iteration by a back edge. If others do so by another edge,
 * nothing is known. */
static void begin_iteration(struct exit_walk *w, uint32_t from, uint32_t to, LLVMValueRef lanes)
{
    struct loop_iteration *iteration = &w->iterations[to];
    LLVMBasicBlockRef home = w->s->facts->cfg.blocks[to];
    const bool is_known = !iteration->lanes && iteration->before < ITERATIONS_MAX;
    iteration->lanes = with(w->s, iteration->lanes, lanes);
    iteration->phis = NULL;
    if (!is_known)
        return;
    LLVMValueRef end = lw__ir_first_after_phis(home), i = LLVMGetFirstInstruction(home);
    iteration->phis =
        lw__new(&w->s->unit->scratch, i == end ? 0 : number_of(end), sizeof *iteration->phis);
    for (uint32_t k = 0; i != end; i = LLVMGetNextInstruction(i))
        iteration->phis[k++] = known(w, lw__ir_incoming(i, w->s->facts->cfg.blocks[from]), 0);
}

static void go_on(struct exit_walk *w, uint32_t b)
{
    const struct lw__cfg *g = &w->s->facts->cfg;
    const uint32_t first = g->succ_start[b];
    LLVMValueRef c = lw__cfg_condition(g, b);
    for (uint32_t e = first; e < g->succ_start[b + 1]; e++) {
        const uint32_t to = g->succ[e];
        LLVMValueRef lanes = c ? may(w, c, e == first, w->in[b], 0) : w->in[b];
        if (!lanes || !w->s->facts->reaches_block_op[to])
            continue;
        if (to <= b) {
            /* A walk through the loop covered all its iterations, unless it began inside one, or
             * with one. */
            const bool later = to == w->start ? w->phis != NULL : !w->in[to];
            if (!lw__cfg_dominates(g, to, b) || !lw__spmd_loop_at(w->s->facts, to))
                reach_block_op(w, lanes);
            else if (later)
                begin_iteration(w, b, to, lanes);
        } else {
            w->along[e] = lanes;
        }
        w->last = to > w->last ? to : w->last;
    }
}

static LLVMValueRef arriving(const struct exit_walk *w, uint32_t b)
{
    const struct lw__cfg *g = &w->s->facts->cfg;
    LLVMValueRef lanes = NULL;
    if (w->in[g->idom[b]] && w->s->facts->ipdom[g->idom[b]] == b)
        return w->in[g->idom[b]];
    EACH_PREDECESSOR(from, g, b)
        EACH_EDGE(e, g, from)
            if (g->succ[e] == b && w->along[e])
                lanes = with(w->s, lanes, w->along[e]);
    return lanes;
}

/* Walk from `start`, for the lanes that begin there. */
static void walk_from(struct exit_walk *w, uint32_t start, const struct loop_iteration *iteration)
{
    const struct lw__cfg *g = &w->s->facts->cfg;
    w->start = w->last = start;
    w->phis = iteration->phis;
    for (uint32_t b = start; b <= w->last; b++) {
        w->in[b] = b == start ? iteration->lanes : arriving(w, b);
        if (w->in[b] && !w->s->facts->may_exit[b])
            reach_block_op(w, w->in[b]);
        else if (w->in[b])
            go_on(w, b);
    }
    const uint32_t first = g->succ_start[start], edges = g->succ_start[w->last + 1] - first;
    memset(w->in + start, 0, (w->last + 1 - start) * sizeof *w->in);
    memset(w->along + first, 0, edges * sizeof *w->along);
}

/* The header of the innermost loop with an iteration still to walk; UINT32_MAX: none. */
static uint32_t next_header(const struct exit_walk *w)
{
    for (uint32_t b = (uint32_t)w->s->facts->cfg.count; b-- > 0;)
        if (w->iterations[b].lanes)
            return b;
    return UINT32_MAX;
}

LLVMValueRef lw__spmd_exited_on_edge(struct lw__spmd *s, uint32_t from, uint32_t to, uint32_t piece,
                                     LLVMValueRef mask)
{
    if (!s->facts->reaches_block_op[to])
        return mask;
    if (!s->facts->may_exit[to])
        return NULL;
    const struct lw__arena_mark mark = lw__arena_mark(&s->unit->scratch);
    const size_t blocks = s->facts->cfg.count, edges = s->facts->cfg.succ_start[blocks];
    const uint32_t *sides = s->facts->cfg.succ + s->facts->cfg.succ_start[from];
    LLVMValueRef condition = lw__cfg_condition(&s->facts->cfg, from);
    struct exit_walk w = {.s = s,
                          .piece = piece,
                          .condition = condition && sides[0] != sides[1] ? condition : NULL,
                          .value = sides[0] == to,
                          .in = lw__new(&s->unit->scratch, blocks + edges, sizeof *w.in),
                          .iterations = lw__new(&s->unit->scratch, blocks, sizeof *w.iterations)};
    w.along = w.in + blocks;
    begin_iteration(&w, from, to, mask);
    for (uint32_t b; (b = next_header(&w)) != UINT32_MAX;) {
        const struct loop_iteration iteration = w.iterations[b];
        w.iterations[b] =
            (struct loop_iteration){.before = iteration.before + (iteration.phis != NULL)};
        walk_from(&w, b, &iteration);
    }
    lw__arena_release(&s->unit->scratch, mark);
    return w.may_reach == mask ? NULL
           : w.may_reach       ? or_none(s, lw__mask_and_not(s, mask, w.may_reach))
                               : mask;
}
