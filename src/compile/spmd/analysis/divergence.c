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
#include <assert.h>
#include <string.h>

typedef struct lw__value_shape shape;

static const shape varying = {.kind = LW_SHAPE_VARYING};
static const shape uniform = {.kind = LW_SHAPE_OFFSET, .nsw = true, .nuw = true};
static const shape per_piece = {.kind = LW_SHAPE_PIECE, .nsw = true, .nuw = true};

int64_t lw__shape_offset_at(shape v, uint32_t t)
{
    return v.lanes ? (int64_t)((uint64_t)v.lanes[t] - (uint64_t)v.lanes[0]) : 0;
}

bool lw__shape_is_uniform(const struct lw__facts *facts, shape v)
{
    if (v.kind != LW_SHAPE_OFFSET)
        return false;
    for (uint32_t t = 1; v.lanes && t < facts->config.threads; t++)
        if (v.lanes[t] != v.lanes[0])
            return false;
    return true;
}

bool lw__shape_is_convergent(const struct lw__facts *facts, shape v)
{
    int64_t stride;
    return lw__shape_is_uniform(facts, v) ||
           (facts->config.by_warp && lw__shape_as_piece(facts, v, &stride) && !stride);
}

/* From thread t to the next; values wrap around. */
static int64_t distance(shape v, uint32_t t)
{
    return (int64_t)((uint64_t)lw__shape_offset_at(v, t + 1) - (uint64_t)lw__shape_offset_at(v, t));
}

bool lw__shape_piece_stride(const struct lw__facts *facts, shape v, uint32_t piece, int64_t *stride)
{
    uint32_t first = piece * facts->config.width, end = first + facts->config.width;
    assert(first < facts->config.threads);
    if (v.kind == LW_SHAPE_PIECE) {
        *stride = v.stride;
        return true;
    }
    if (v.kind != LW_SHAPE_OFFSET)
        return false;
    if (end > facts->config.threads)
        end = facts->config.threads;
    *stride = end - first > 1 ? distance(v, first) : 0;
    for (uint32_t t = first; t + 1 < end; t++)
        if (distance(v, t) != *stride)
            return false;
    return true;
}

bool lw__shape_as_piece(const struct lw__facts *facts, shape v, int64_t *stride)
{
    if (!lw__shape_piece_stride(facts, v, 0, stride))
        return false;
    int64_t other;
    for (uint32_t p = 1; v.kind == LW_SHAPE_OFFSET && p < facts->config.pieces; p++) {
        if (!lw__shape_piece_stride(facts, v, p, &other))
            return false;
        if (other != *stride && facts->config.threads - p * facts->config.width > 1)
            return false;
    }
    return true;
}

shape lw__shape_of(const struct lw__facts *facts, LLVMValueRef v)
{
    uint32_t index = lw__spmd_value_index(facts, v);
    assert(index == UINT32_MAX || index < facts->value_count);
    if (index != UINT32_MAX)
        return facts->shapes[index];
    return LLVMIsAConstantInt(v) ? lw__shape_with_low(uniform, LLVMConstIntGetZExtValue(v),
                                                      LLVMGetIntTypeWidth(LLVMTypeOf(v)))
                                 : uniform;
}

bool lw__is_uniform(const struct lw__facts *facts, LLVMValueRef v)
{
    return lw__shape_is_uniform(facts, lw__shape_of(facts, v));
}

bool lw__is_same_in_piece(const struct lw__facts *facts, LLVMValueRef v, uint32_t piece)
{
    int64_t stride;
    return lw__shape_piece_stride(facts, lw__shape_of(facts, v), piece, &stride) && !stride;
}

static bool is_reached(shape v)
{
    return v.kind != LW_SHAPE_NONE;
}

static bool same_offsets(const struct lw__facts *facts, shape a, shape b)
{
    for (uint32_t t = 1; t < facts->config.threads; t++)
        if (lw__shape_offset_at(a, t) != lw__shape_offset_at(b, t))
            return false;
    return true;
}

/* ---- merges ---------------------------------------------------------------------------------- */

static shape merge(const struct lw__facts *facts, shape a, shape b)
{
    if (!is_reached(a) || !is_reached(b))
        return is_reached(a) ? a : b;
    bool nsw = a.nsw && b.nsw, nuw = a.nuw && b.nuw;
    if (a.kind == LW_SHAPE_OFFSET && b.kind == LW_SHAPE_OFFSET && same_offsets(facts, a, b)) {
        if (a.known && b.known && a.lanes && b.lanes && a.lanes[0] == b.lanes[0])
            return a; /* and so are their low bits */
        shape r = a.known ? b : a;
        if (r.known) { /* both are, with different values: only the differences stay known */
            int64_t *lanes = lw__lanes_new(facts);
            for (uint32_t t = 0; t < facts->config.threads; t++)
                lanes[t] = lw__shape_offset_at(a, t);
            r = (shape){.kind = LW_SHAPE_OFFSET, .lanes = lanes};
        }
        r.nsw = nsw;
        r.nuw = nuw;
        return lw__shape_low_of_both(r, a, b);
    }
    int64_t sa, sb;
    if (lw__shape_as_piece(facts, a, &sa) && lw__shape_as_piece(facts, b, &sb) && sa == sb)
        return (shape){.kind = LW_SHAPE_PIECE, .stride = sa, .nsw = nsw, .nuw = nuw};
    return varying;
}

static shape of_select(struct lw__facts *facts, LLVMValueRef i)
{
    shape c = lw__shape_of(facts, LLVMGetOperand(i, 0)),
          a = lw__shape_of(facts, LLVMGetOperand(i, 1)),
          b = lw__shape_of(facts, LLVMGetOperand(i, 2));
    int64_t stride, sa, sb;
    if (!is_reached(c) || !is_reached(a) || !is_reached(b))
        return (shape){0};
    if (lw__shape_is_uniform(facts, c))
        return merge(facts, a, b);
    if (!lw__shape_as_piece(facts, c, &stride) || stride || !lw__shape_as_piece(facts, a, &sa) ||
        !lw__shape_as_piece(facts, b, &sb) || sa != sb)
        return varying;
    return (shape){
        .kind = LW_SHAPE_PIECE, .stride = sa, .nsw = a.nsw && b.nsw, .nuw = a.nuw && b.nuw};
}

enum lw__divergence lw__spmd_edge_divergence(const struct lw__facts *facts, uint32_t home,
                                             uint32_t from, uint32_t to)
{
    enum lw__divergence apart = LW_DIVERGENCE_NONE;
    for (size_t k = 0; k < facts->loops.count; k++) {
        const struct lw__loop *l = &facts->loops.loops[k];
        if (facts->exit_divergence[k] > apart && l->body[home] && l->body[from] && !l->body[to])
            apart = facts->exit_divergence[k];
    }
    return apart;
}

/* Divergence of the iterations in which lanes leave the loops that the value comes from. */
static enum lw__divergence edge_divergence(const struct lw__facts *facts, uint32_t block,
                                           uint32_t from, LLVMValueRef v)
{
    uint32_t home = UINT32_MAX;
    if (LLVMIsAInstruction(v))
        home = lw__cfg_index(&facts->cfg, LLVMGetInstructionParent(v));
    return home == UINT32_MAX ? LW_DIVERGENCE_NONE
                              : lw__spmd_edge_divergence(facts, home, from, block);
}

/* The value's shape if lanes reach it with that divergence. */
static shape divergent(const struct lw__facts *facts, shape v, enum lw__divergence apart)
{
    if (apart == LW_DIVERGENCE_NONE || (v.known && v.lanes) || !is_reached(v))
        return v;
    int64_t stride;
    if (apart == LW_DIVERGENCE_PER_LANE || !lw__shape_as_piece(facts, v, &stride))
        return varying;
    return (shape){.kind = LW_SHAPE_PIECE, .stride = stride, .nsw = v.nsw, .nuw = v.nuw};
}

static shape of_phi(struct lw__facts *facts, LLVMValueRef i)
{
    uint32_t block = lw__cfg_index(&facts->cfg, LLVMGetInstructionParent(i));
    assert(block != UINT32_MAX);
    shape sum = {0};
    LLVMValueRef first = NULL;
    bool one_value = true;
    enum lw__divergence joins = facts->phi_divergence[block];
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
        uint32_t from = lw__cfg_index(&facts->cfg, LLVMGetIncomingBlock(i, k));
        LLVMValueRef v = LLVMGetIncomingValue(i, k);
        shape o = lw__shape_of(facts, v);
        if (from == UINT32_MAX || !is_reached(o))
            continue;
        one_value &= !first || first == v;
        first = v;
        sum = merge(facts, sum, divergent(facts, o, edge_divergence(facts, block, from, v)));
        const enum lw__divergence held = lw__spmd_return_divergence(facts, from, block);
        joins = joins < held ? held : joins;
    }
    return one_value ? sum : divergent(facts, sum, joins);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static shape of_call(struct lw__facts *facts, LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    enum lw__op op = lw__ir_collective(i, NULL);
    if (op && !lw__op_table[op].block && lw__spmd_iterations_differ(facts, i))
        return varying;
    if (op) {
        if (!lw__op_is_joint(op))
            return varying;
        return lw__op_table[op].block ? uniform : per_piece;
    }
    shape place;
    if (lw__lanes_thread_index(facts, name, &place))
        return place;
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMStructTypeKind)
        return varying; /* pairs have no scalar form */
    if (!strncmp(name, "lw.", 3) && !lw__spmd_is_native(i))
        return !strcmp(name, "lw.printf") ? varying : uniform;
    return lw__shape_of_operands(facts, i);
}

static shape of_load(const struct lw__facts *facts, LLVMValueRef i)
{
    shape address = lw__shape_of(facts, LLVMGetOperand(i, 0));
    if (!is_reached(address))
        return (shape){0};
    if (lw__shape_is_uniform(facts, address))
        return uniform;
    int64_t stride;
    return lw__shape_as_piece(facts, address, &stride) && !stride ? per_piece : varying;
}

static shape of_instruction(struct lw__facts *facts, LLVMValueRef i)
{
    shape v;
    if (lw__lanes_evaluate(facts, i, &v))
        return v;
    if (lw__shape_of_number(facts, i, &v))
        return v;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI: return of_phi(facts, i);
    case LLVMSelect: return of_select(facts, i);
    case LLVMCall: return of_call(facts, i);
    case LLVMLoad: return of_load(facts, i);
    case LLVMFreeze: return lw__shape_with_low(lw__shape_of(facts, LLVMGetOperand(i, 0)), 0, 0);
    case LLVMAlloca: return lw__private_shape(facts, i);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return varying;
    default: return lw__shape_of_operands(facts, i);
    }
}

/* ---- the fixed point ------------------------------------------------------------------------- */

static bool same_shape(const struct lw__facts *facts, shape a, shape b)
{
    return a.kind == b.kind && a.known == b.known && a.nsw == b.nsw && a.nuw == b.nuw &&
           a.stride == b.stride && a.low_bits == b.low_bits && a.low == b.low &&
           same_offsets(facts, a, b) &&
           (!a.known || (a.lanes && b.lanes && a.lanes[0] == b.lanes[0]));
}

static bool sweep(struct lw__facts *facts)
{
    bool changed = false;
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        EACH_INSTRUCTION(i, facts->cfg.blocks[b]) {
            uint32_t index = lw__spmd_value_index(facts, i);
            if (index == UINT32_MAX || facts->shapes[index].kind == LW_SHAPE_VARYING ||
                (facts->shapes[index].known && !LLVMIsAPHINode(i) && LLVMIsACallInst(i)))
                continue;
            shape v =
                divergent(facts, of_instruction(facts, i), lw__spmd_exit_divergence(facts, i));
            assert(!v.known || (v.kind == LW_SHAPE_OFFSET && v.lanes));
            assert(v.known || !v.lanes || !v.lanes[0]);
            assert(v.kind == LW_SHAPE_OFFSET || (!v.lanes && !v.low_bits));
            if (same_shape(facts, v, facts->shapes[index]))
                continue;
            if (is_reached(facts->shapes[index]))
                v = merge(facts, facts->shapes[index], v); /* shapes are only ever lowered */
            changed |= !same_shape(facts, v, facts->shapes[index]);
            facts->shapes[index] = v;
        }
    return changed;
}

/* Mark what is reachable from `from` without passing `stop` or the headers of loops around d.
 * *around: the largest of those loops whose header is reached, -1: none. */
static void reach(const struct lw__facts *facts, uint32_t d, uint32_t from, uint32_t stop,
                  bool *seen, uint32_t *todo, int *around)
{
    size_t n = 0;
    todo[n++] = from;
    while (n) {
        uint32_t b = todo[--n];
        int loop = -1;
        for (size_t k = 0; k < facts->loops.count; k++)
            if (facts->loops.loops[k].header == b && facts->loops.loops[k].body[d])
                loop = (int)k;
        if (loop >= 0 && b != stop &&
            (*around < 0 || facts->loops.loops[loop].size > facts->loops.loops[*around].size))
            *around = loop;
        if (seen[b] || loop >= 0)
            continue;
        seen[b] = true;
        EACH_SUCCESSOR(to, &facts->cfg, b)
            if (b != stop)
                todo[n++] = to;
    }
}

/* Where the lanes of branch d reconverge in the same iteration of each loop. A block reached only
 * through the next iteration of a loop does not count. left, right: what each side reaches
 * before. */
static uint32_t find_join(const struct lw__facts *facts, uint32_t d, bool *left, bool *right,
                          uint32_t *todo)
{
    uint32_t first = facts->cfg.succ_start[d], join = facts->ipdom[d];
    for (;;) {
        int around = -1;
        memset(left, 0, facts->cfg.count);
        memset(right, 0, facts->cfg.count);
        reach(facts, d, facts->cfg.succ[first], join, left, todo, &around);
        reach(facts, d, facts->cfg.succ[first + 1], join, right, todo, &around);
        if (around < 0 || join == UINT32_MAX || !facts->loops.loops[around].body[join])
            return join;
        while (join != UINT32_MAX && facts->loops.loops[around].body[join])
            join = facts->ipdom[join];
    }
}

/* Mark the joins of a branch that makes lanes or warps diverge, and the loops that it leaves. */
static void mark_branch(struct lw__facts *facts, uint32_t d)
{
    const uint8_t apart = facts->divergence_of[d];
    assert(apart != LW_DIVERGENCE_NONE);
    size_t n = facts->cfg.count, edges = facts->cfg.succ_start[n] + 1;
    struct lw__arena *arena = &facts->config.unit->scratch;
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    bool *left = lw__new(arena, 2 * n, 1), *right = left + n;
    uint32_t *todo = lw__new(arena, edges + 1, sizeof *todo);
    uint32_t join = facts->reconverges_at[d] = find_join(facts, d, left, right, todo);
    for (uint32_t b = 0; b < n; b++)
        if (left[b] && right[b] && facts->phi_divergence[b] < apart)
            facts->phi_divergence[b] = apart;
    for (size_t k = 0; k < facts->loops.count; k++) {
        const struct lw__loop *l = &facts->loops.loops[k];
        if (!l->body[d] || (join != UINT32_MAX && l->body[join]))
            continue;
        facts->exit_divergence[k] =
            facts->exit_divergence[k] < apart ? apart : facts->exit_divergence[k];
        /* lanes reach the code after two of its exits in different iterations, and by different
         * exits; from here on right has what all exits before this one reach */
        memset(right, 0, n);
        for (uint32_t b = 0; b < n; b++)
            EACH_SUCCESSOR(to, &facts->cfg, b) {
                int around = -1;
                if (!l->body[b] || l->body[to])
                    continue;
                memset(left, 0, n);
                reach(facts, d, to, join, left, todo, &around);
                for (uint32_t x = 0; x < n; x++) {
                    if (left[x] && right[x] && facts->phi_divergence[x] < apart)
                        facts->phi_divergence[x] = apart;
                    right[x] |= left[x];
                }
            }
    }
    lw__arena_release(arena, mark);
}

/* The divergence of a branch on the value. */
static enum lw__divergence divergence_by(const struct lw__facts *facts, shape v)
{
    if (!is_reached(v) || lw__shape_is_uniform(facts, v))
        return LW_DIVERGENCE_NONE;
    return lw__shape_is_convergent(facts, v) ? LW_DIVERGENCE_PER_WARP : LW_DIVERGENCE_PER_LANE;
}

static bool mark_branches(struct lw__facts *facts)
{
    bool changed = false;
    for (uint32_t b = 0; b < facts->cfg.count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(facts->cfg.blocks[b]);
        if (lw__spmd_is_divergent(facts, b) || LLVMGetNumSuccessors(end) < 2)
            continue;
        const enum lw__divergence apart =
            divergence_by(facts, lw__shape_of(facts, LLVMGetCondition(end)));
        if (apart <= facts->divergence_of[b] || lw__spmd_dead_end(facts, b) >= 0)
            continue;
        facts->divergence_of[b] = (uint8_t)apart;
        changed = true;
        mark_branch(facts, b);
    }
    return changed;
}

bool lw__spmd_never_agrees(const struct lw__facts *facts, uint32_t block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(facts->cfg.blocks[block]);
    const shape v = lw__shape_of(facts, LLVMGetCondition(end));
    assert(LLVMGetNumSuccessors(end) > 1);
    return v.known && v.lanes && !lw__shape_is_uniform(facts, v);
}

void lw__spmd_shapes(struct lw__facts *facts)
{
    const size_t n = facts->cfg.count;
    memset(facts->shapes, 0, facts->value_count * sizeof *facts->shapes);
    memset(facts->divergence_of, 0, n * sizeof *facts->divergence_of);
    memset(facts->phi_divergence, 0, n * sizeof *facts->phi_divergence);
    memset(facts->exit_divergence, 0, facts->loops.count * sizeof *facts->exit_divergence);
    do
        while (sweep(facts))
            ;
    while (mark_branches(facts));
}
