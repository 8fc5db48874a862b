/* divergence.c - the shape of each value over the lanes of the gang, and where control flow
 * diverges.
 *
 * An optimistic analysis: shapes are lowered from NONE through OFFSET and PIECE to VARYING until
 * they agree with every instruction. A phi is VARYING in two cases. Lanes reach it along different
 * edges: a join of a divergent branch. Or they reach it at different times: after a loop that they
 * leave in different iterations. Which branches diverge depends on the shapes, so the two are
 * computed alternately. If only a warp's lanes matter (by_warp), a branch that whole warps take
 * alike leaves a phi PIECE.
 * source   Karrenberg & Hack, "Whole-Function Vectorization", CGO 2011 (the shapes);
 *          Rosemann, Moll & Hack, "An Abstract Interpretation for SPMD Divergence", POPL 2021
 */
#include "compile/spmd/analysis/analysis.h"
#include <stdlib.h>
#include <string.h>

typedef struct lw__value_shape shape;

static const shape varying = {.kind = LW_SHAPE_VARYING};
static const shape uniform = {.kind = LW_SHAPE_OFFSET, .nsw = true, .nuw = true};
static const shape per_piece = {.kind = LW_SHAPE_PIECE, .nsw = true, .nuw = true};

int64_t lw__shape_offset_at(shape v, uint32_t t)
{
    return v.lanes ? (int64_t)((uint64_t)v.lanes[t] - (uint64_t)v.lanes[0]) : 0;
}

bool lw__shape_is_uniform(const struct lw__spmd *s, shape v)
{
    if (v.kind != LW_SHAPE_OFFSET)
        return false;
    for (uint32_t t = 1; v.lanes && t < s->threads; t++)
        if (v.lanes[t] != v.lanes[0])
            return false;
    return true;
}

bool lw__shape_is_convergent(const struct lw__spmd *s, shape v)
{
    int64_t stride;
    return lw__shape_is_uniform(s, v) ||
           (s->by_warp && lw__shape_as_piece(s, v, &stride) && !stride);
}

bool lw__shape_piece_stride(const struct lw__spmd *s, shape v, uint32_t piece, int64_t *stride)
{
    uint32_t first = piece * s->width, end = first + s->width;
    if (v.kind == LW_SHAPE_PIECE) {
        *stride = v.stride;
        return true;
    }
    if (v.kind != LW_SHAPE_OFFSET)
        return false;
    if (end > s->threads)
        end = s->threads;
    *stride =
        end - first > 1 ? lw__shape_offset_at(v, first + 1) - lw__shape_offset_at(v, first) : 0;
    for (uint32_t t = first + 1; t < end; t++)
        if (lw__shape_offset_at(v, t) - lw__shape_offset_at(v, t - 1) != *stride)
            return false;
    return true;
}

bool lw__shape_as_piece(const struct lw__spmd *s, shape v, int64_t *stride)
{
    int64_t other;
    if (!lw__shape_piece_stride(s, v, 0, stride))
        return false;
    for (uint32_t p = 1; v.kind == LW_SHAPE_OFFSET && p < s->pieces; p++) {
        if (!lw__shape_piece_stride(s, v, p, &other))
            return false;
        if (other != *stride && s->threads - p * s->width > 1)
            return false;
    }
    return true;
}

shape lw__shape_of(const struct lw__spmd *s, LLVMValueRef v)
{
    uint32_t index = lw__spmd_value_index(s, v);
    if (index != UINT32_MAX)
        return s->shapes[index];
    return LLVMIsAConstantInt(v) ? lw__shape_with_low(uniform, LLVMConstIntGetZExtValue(v),
                                                      LLVMGetIntTypeWidth(LLVMTypeOf(v)))
                                 : uniform;
}

static bool is_reached(shape v)
{
    return v.kind != LW_SHAPE_NONE;
}

static bool same_offsets(const struct lw__spmd *s, shape a, shape b)
{
    for (uint32_t t = 1; t < s->threads; t++)
        if (lw__shape_offset_at(a, t) != lw__shape_offset_at(b, t))
            return false;
    return true;
}

/* ---- merges ---------------------------------------------------------------------------------- */

static shape merge(const struct lw__spmd *s, shape a, shape b)
{
    int64_t sa, sb;
    if (!is_reached(a) || !is_reached(b))
        return is_reached(a) ? a : b;
    bool nsw = a.nsw && b.nsw, nuw = a.nuw && b.nuw;
    if (a.kind == LW_SHAPE_OFFSET && b.kind == LW_SHAPE_OFFSET && same_offsets(s, a, b)) {
        if (a.known && b.known && a.lanes && b.lanes && a.lanes[0] == b.lanes[0])
            return a; /* and so are their low bits */
        shape r = a.known ? b : a;
        if (r.known) { /* both are, with different values: only the differences stay known */
            int64_t *lanes = lw__lanes_new((struct lw__spmd *)s);
            for (uint32_t t = 0; lanes && t < s->threads; t++)
                lanes[t] = lw__shape_offset_at(a, t);
            r = (shape){.kind = LW_SHAPE_OFFSET, .lanes = lanes};
        }
        r.nsw = nsw;
        r.nuw = nuw;
        return lw__shape_low_of_both(r, a, b);
    }
    if (lw__shape_as_piece(s, a, &sa) && lw__shape_as_piece(s, b, &sb) && sa == sb)
        return (shape){.kind = LW_SHAPE_PIECE, .stride = sa, .nsw = nsw, .nuw = nuw};
    return varying;
}

static shape of_select(struct lw__spmd *s, LLVMValueRef i)
{
    shape c = lw__shape_of(s, LLVMGetOperand(i, 0)), a = lw__shape_of(s, LLVMGetOperand(i, 1)),
          b = lw__shape_of(s, LLVMGetOperand(i, 2));
    int64_t stride, sa, sb;
    if (!is_reached(c) || !is_reached(a) || !is_reached(b))
        return (shape){0};
    if (lw__shape_is_uniform(s, c))
        return merge(s, a, b);
    if (!lw__shape_as_piece(s, c, &stride) || stride || !lw__shape_as_piece(s, a, &sa) ||
        !lw__shape_as_piece(s, b, &sb) || sa != sb)
        return varying;
    return (shape){
        .kind = LW_SHAPE_PIECE, .stride = sa, .nsw = a.nsw && b.nsw, .nuw = a.nuw && b.nuw};
}

enum lw__divergence lw__spmd_edge_divergence(const struct lw__spmd *s, uint32_t home, uint32_t from,
                                             uint32_t to)
{
    enum lw__divergence apart = LW_DIVERGENCE_NONE;
    for (size_t k = 0; k < s->loops.count; k++) {
        const struct lw__loop *l = &s->loops.loops[k];
        if (s->exit_divergence[k] > apart && l->body[home] && l->body[from] && !l->body[to])
            apart = s->exit_divergence[k];
    }
    return apart;
}

/* Divergence of the iterations in which lanes leave the loops that the value comes from. */
static enum lw__divergence edge_divergence(const struct lw__spmd *s, uint32_t block, uint32_t from,
                                           LLVMValueRef v)
{
    uint32_t home = UINT32_MAX;
    if (LLVMIsAInstruction(v))
        home = lw__cfg_index(&s->cfg, LLVMGetInstructionParent(v));
    return home == UINT32_MAX ? LW_DIVERGENCE_NONE : lw__spmd_edge_divergence(s, home, from, block);
}

/* The value's shape if lanes reach it with that divergence. */
static shape divergent(const struct lw__spmd *s, shape v, enum lw__divergence apart)
{
    int64_t stride;
    if (apart == LW_DIVERGENCE_NONE || (v.known && v.lanes) || !is_reached(v))
        return v;
    if (apart == LW_DIVERGENCE_PER_LANE || !lw__shape_as_piece(s, v, &stride))
        return varying;
    return (shape){.kind = LW_SHAPE_PIECE, .stride = stride, .nsw = v.nsw, .nuw = v.nuw};
}

static shape of_phi(struct lw__spmd *s, LLVMValueRef i)
{
    uint32_t block = lw__cfg_index(&s->cfg, LLVMGetInstructionParent(i));
    shape sum = {0};
    LLVMValueRef first = NULL;
    bool one_value = true;
    enum lw__divergence joins = s->phi_divergence[block];
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
        uint32_t from = lw__cfg_index(&s->cfg, LLVMGetIncomingBlock(i, k));
        LLVMValueRef v = LLVMGetIncomingValue(i, k);
        shape o = lw__shape_of(s, v);
        if (from == UINT32_MAX || !is_reached(o))
            continue;
        one_value &= !first || first == v;
        first = v;
        sum = merge(s, sum, divergent(s, o, edge_divergence(s, block, from, v)));
        const enum lw__divergence held = lw__spmd_return_divergence(s, from, block);
        joins = joins < held ? held : joins;
    }
    return one_value ? sum : divergent(s, sum, joins);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static shape of_collective(enum lw__op op)
{
    switch (op) {
    case LW_OP_warp_sum:
    case LW_OP_warp_max:
    case LW_OP_warp_min:
    case LW_OP_warp_prod:
    case LW_OP_ballot:
    case LW_OP_warp_any:
    case LW_OP_warp_all: return per_piece;
    case LW_OP_block_sum:
    case LW_OP_block_max:
    case LW_OP_block_min:
    case LW_OP_block_prod:
    case LW_OP_block_any:
    case LW_OP_block_all:
    case LW_OP_block_count: return uniform;
    default: return varying;
    }
}

static shape of_call(struct lw__spmd *s, LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    enum lw__op op = lw__ir_collective(i, NULL);
    shape place;
    if (op && !lw__op_table[op].block && lw__spmd_iterations_differ(s, i))
        return varying;
    if (op)
        return of_collective(op);
    if (lw__lanes_thread_index(s, name, &place))
        return place;
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMStructTypeKind)
        return varying; /* pairs have no scalar form */
    if (!strncmp(name, "lw.", 3) && !lw__spmd_is_native(i))
        return !strcmp(name, "lw.printf") ? varying : uniform;
    return lw__shape_of_operands(s, i);
}

static shape of_load(const struct lw__spmd *s, LLVMValueRef i)
{
    shape address = lw__shape_of(s, LLVMGetOperand(i, 0));
    int64_t stride;
    if (!is_reached(address))
        return (shape){0};
    if (lw__shape_is_uniform(s, address))
        return uniform;
    return lw__shape_as_piece(s, address, &stride) && !stride ? per_piece : varying;
}

static shape of_instruction(struct lw__spmd *s, LLVMValueRef i)
{
    shape v;
    if (lw__lanes_evaluate(s, i, &v))
        return v;
    if (lw__shape_of_number(s, i, &v))
        return v;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI: return of_phi(s, i);
    case LLVMSelect: return of_select(s, i);
    case LLVMCall: return of_call(s, i);
    case LLVMLoad: return of_load(s, i);
    case LLVMFreeze: return lw__shape_with_low(lw__shape_of(s, LLVMGetOperand(i, 0)), 0, 0);
    case LLVMAlloca: return lw__private_shape(s, i);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return varying;
    default: return lw__shape_of_operands(s, i);
    }
}

/* ---- the fixed point ------------------------------------------------------------------------- */

static bool same_shape(const struct lw__spmd *s, shape a, shape b)
{
    return a.kind == b.kind && a.known == b.known && a.nsw == b.nsw && a.nuw == b.nuw &&
           a.stride == b.stride && a.low_bits == b.low_bits && a.low == b.low &&
           same_offsets(s, a, b) && (!a.known || (a.lanes && b.lanes && a.lanes[0] == b.lanes[0]));
}

static bool sweep(struct lw__spmd *s)
{
    bool changed = false;
    for (uint32_t b = 0; b < s->cfg.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b]); i;
             i = LLVMGetNextInstruction(i)) {
            uint32_t index = lw__spmd_value_index(s, i);
            if (index == UINT32_MAX || s->shapes[index].kind == LW_SHAPE_VARYING ||
                (s->shapes[index].known && !LLVMIsAPHINode(i) && LLVMIsACallInst(i)))
                continue;
            shape v = divergent(s, of_instruction(s, i), lw__spmd_exit_divergence(s, i));
            if (same_shape(s, v, s->shapes[index]))
                continue;
            if (is_reached(s->shapes[index]))
                v = merge(s, s->shapes[index], v); /* shapes are only ever lowered */
            changed |= !same_shape(s, v, s->shapes[index]);
            s->shapes[index] = v;
        }
    return changed;
}

/* Mark what is reachable from `from` without passing `stop` or the headers of loops around d.
 * *around: the largest of those loops whose header is reached, -1: none. */
static void reach(const struct lw__spmd *s, uint32_t d, uint32_t from, uint32_t stop, bool *seen,
                  uint32_t *todo, int *around)
{
    size_t n = 0;
    todo[n++] = from;
    while (n) {
        uint32_t b = todo[--n];
        int loop = -1;
        for (size_t k = 0; k < s->loops.count; k++)
            if (s->loops.loops[k].header == b && s->loops.loops[k].body[d])
                loop = (int)k;
        if (loop >= 0 && b != stop &&
            (*around < 0 || s->loops.loops[loop].size > s->loops.loops[*around].size))
            *around = loop;
        if (seen[b] || loop >= 0)
            continue;
        seen[b] = true;
        for (uint32_t e = s->cfg.succ_start[b]; b != stop && e < s->cfg.succ_start[b + 1]; e++)
            todo[n++] = s->cfg.succ[e];
    }
}

/* Where the lanes of branch d reconverge in the same iteration of each loop. A block reached only
 * through the next iteration of a loop does not count. left, right: what each side reaches
 * before. */
static uint32_t find_join(const struct lw__spmd *s, uint32_t d, bool *left, bool *right,
                          uint32_t *todo)
{
    uint32_t first = s->cfg.succ_start[d], join = s->ipdom[d];
    for (;;) {
        int around = -1;
        memset(left, 0, s->cfg.count);
        memset(right, 0, s->cfg.count);
        reach(s, d, s->cfg.succ[first], join, left, todo, &around);
        reach(s, d, s->cfg.succ[first + 1], join, right, todo, &around);
        if (around < 0 || join == UINT32_MAX || !s->loops.loops[around].body[join])
            return join;
        while (join != UINT32_MAX && s->loops.loops[around].body[join])
            join = s->ipdom[join];
    }
}

/* Branch d leaves the loop: lanes reach the code after two of its exits in different iterations,
 * and by different exits. seen, before: scratch, per block. */
static void mark_exits(const struct lw__spmd *s, uint32_t d, const struct lw__loop *l,
                       uint32_t join, bool *seen, bool *before, uint32_t *todo)
{
    const struct lw__cfg *g = &s->cfg;
    memset(before, 0, g->count);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->succ_start[b]; l->body[b] && e < g->succ_start[b + 1]; e++) {
            int around = -1;
            if (l->body[g->succ[e]])
                continue;
            memset(seen, 0, g->count);
            reach(s, d, g->succ[e], join, seen, todo, &around);
            for (uint32_t k = 0; k < g->count; k++) {
                if (seen[k] && before[k] && s->phi_divergence[k] < s->divergence_of[d])
                    s->phi_divergence[k] = s->divergence_of[d];
                before[k] |= seen[k];
            }
        }
}

/* Mark the joins of a branch that makes lanes or warps diverge, and the loops that it leaves. */
static void mark_branch(struct lw__spmd *s, uint32_t d)
{
    const uint8_t apart = s->divergence_of[d];
    size_t n = s->cfg.count, edges = s->cfg.succ_start[n] + 1;
    bool *left = calloc(2 * n, 1), *right = left + n;
    uint32_t *todo = malloc((edges + 1) * sizeof *todo);
    if (!left || !todo) {
        s->failed = !lw__defect("out of memory");
    } else {
        uint32_t join = s->reconverges_at[d] = find_join(s, d, left, right, todo);
        for (uint32_t b = 0; b < n; b++)
            if (left[b] && right[b] && s->phi_divergence[b] < apart)
                s->phi_divergence[b] = apart;
        for (size_t k = 0; k < s->loops.count; k++) {
            const struct lw__loop *l = &s->loops.loops[k];
            if (!l->body[d] || (join != UINT32_MAX && l->body[join]))
                continue;
            s->exit_divergence[k] = s->exit_divergence[k] < apart ? apart : s->exit_divergence[k];
            mark_exits(s, d, l, join, left, right, todo);
        }
    }
    free(left);
    free(todo);
}

/* The divergence of a branch on the value. */
static enum lw__divergence divergence_by(const struct lw__spmd *s, shape v)
{
    if (!is_reached(v) || lw__shape_is_uniform(s, v))
        return LW_DIVERGENCE_NONE;
    return lw__shape_is_convergent(s, v) ? LW_DIVERGENCE_PER_WARP : LW_DIVERGENCE_PER_LANE;
}

static bool mark_branches(struct lw__spmd *s)
{
    bool changed = false;
    for (uint32_t b = 0; b < s->cfg.count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(s->cfg.blocks[b]);
        if (lw__spmd_is_divergent(s, b) || LLVMGetNumSuccessors(end) < 2)
            continue;
        const enum lw__divergence apart = divergence_by(s, lw__shape_of(s, LLVMGetCondition(end)));
        if (apart <= s->divergence_of[b] || lw__spmd_dead_end(s, b) >= 0)
            continue;
        s->divergence_of[b] = (uint8_t)apart;
        changed = true;
        mark_branch(s, b);
    }
    return changed;
}

bool lw__spmd_never_agrees(const struct lw__spmd *s, uint32_t block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(s->cfg.blocks[block]);
    const shape v = lw__shape_of(s, LLVMGetCondition(end));
    return v.known && v.lanes && !lw__shape_is_uniform(s, v);
}

bool lw__spmd_shapes(struct lw__spmd *s)
{
    const size_t n = s->cfg.count;
    memset(s->shapes, 0, s->value_count * sizeof *s->shapes);
    memset(s->divergence_of, 0, n * sizeof *s->divergence_of);
    memset(s->phi_divergence, 0, n * sizeof *s->phi_divergence);
    memset(s->exit_divergence, 0, s->loops.count * sizeof *s->exit_divergence);
    do
        while (!s->failed && sweep(s))
            ;
    while (!s->failed && mark_branches(s));
    return !s->failed;
}
