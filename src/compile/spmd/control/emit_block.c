/* emit_block.c - the instructions of one block: which file emits each, and in what order.
 *
 * Between two operations that concern several warps, a few pieces at a time execute all the code.
 * Then the next ones do. Lanes of different pieces are different threads, which nothing orders
 * there, and few values are live at a time. Where lanes of a warp exchange values or vote, those
 * are the pieces of a warp. Uniform values are emitted once, first; so are loads that several
 * pieces do together.
 */
#include "compile/spmd/control/control.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/collective/collective.h"
#include "compile/spmd/runtime/runtime.h"
#include "base/cpu_abi.h"
#include <string.h>

/* Pieces side by side, instruction by instruction. One piece's code is mostly a chain of dependent
 * steps. A processor does not look far enough ahead to find the next piece. softmax takes 1.2 times
 * as long with 1 (AVX2), attention with 2 (AVX-512). More pieces need more registers than there
 * are. So do fewer where a loop carries many values: its chains need no others beside them
 * (matmul_4x4 takes 1.2 times as long with 2, AVX-512). */
enum { SIDE_BY_SIDE = 4 };

enum { WARP = 32, MOST_SIDE_BY_SIDE = 8 }; /* a warp of four lanes a piece */

enum emission_kind {
    EMIT_NOTHING,
    EMIT_ONCE,
    EMIT_PER_PIECE,
    EMIT_PER_WARP,
    EMIT_GUARD,
    EMIT_WHOLE_GANG
};

static bool is_ignored(LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    return !strncmp(name, "llvm.dbg.", 9) || !strncmp(name, "llvm.lifetime.", 14) ||
           lw__ir_calls(i, LW_LLVM_assume) || !strncmp(name, "llvm.experimental.noalias.", 26);
}

static bool is_memory_intrinsic(const char *name)
{
    return !strncmp(name, "llvm.mem", 8);
}

static enum emission_kind emission_of(const struct lw__spmd *s, LLVMValueRef i)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, i);
    const char *name = lw__ir_callee(i);
    if (LLVMIsAPHINode(i) || LLVMIsATerminatorInst(i) || is_ignored(i) ||
        lw__spmd_is_deferred(s->facts, i))
        return EMIT_NOTHING;
    if (lw__ir_guards(i))
        return EMIT_GUARD;
    if (LLVMIsAStoreInst(i))
        return lw__is_uniform(s->facts, LLVMGetOperand(i, 1)) ? EMIT_WHOLE_GANG : EMIT_PER_PIECE;
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return lw__is_uniform(s->facts, LLVMGetOperand(i, 0)) ? EMIT_WHOLE_GANG : EMIT_PER_PIECE;
    if (lw__ir_calls(i, LW_LLVM_prefetch))
        return lw__prefetch_is_joint(s, i) ? EMIT_ONCE : EMIT_PER_PIECE;
    if (LLVMIsACallInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return EMIT_WHOLE_GANG;
    if (lw__spmd_is_warps_own(s, i))
        return EMIT_PER_WARP;
    if (lw__ir_collective(i, NULL) || is_memory_intrinsic(name) || !strcmp(name, "lw.printf"))
        return EMIT_WHOLE_GANG;
    if (shape.kind == LW_SHAPE_OFFSET)
        return shape.known && shape.lanes ? EMIT_NOTHING : EMIT_ONCE;
    return EMIT_PER_PIECE;
}

/* ---- one instruction ------------------------------------------------------------------------- */

static void emit_once(struct lw__spmd *s, LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    LLVMValueRef grid_place = lw__spmd_block_index(s, name);
    if (grid_place) {
        lw__spmd_set_uniform(s, i, grid_place);
        return;
    }
    if (s->gang && lw__ir_thread_index(name, NULL)) {
        lw__spmd_set_uniform(s, i, lw__gang_thread_index(s, name, UINT32_MAX));
        return;
    }
    if (!strncmp(name, "lw.", 3) && !lw__spmd_is_native(i))
        lw__spmd_refuse(s, i, name + 3);
    else if (lw__ir_calls(i, LW_LLVM_prefetch))
        lw__spmd_prefetch_joint(s, i);
    else if (LLVMIsAAllocaInst(i))
        lw__spmd_private(s, i);
    else if (LLVMIsALoadInst(i))
        lw__spmd_load_uniform(s, i);
    else
        lw__spmd_arith_scalar(s, i);
}

static void emit_piece(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask)
{
    if (LLVMIsAStoreInst(i))
        lw__spmd_store(s, i, p, mask);
    else if (LLVMIsALoadInst(i))
        lw__spmd_load(s, i, p, mask);
    else if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        lw__spmd_atomic(s, i, p, mask);
    else if (lw__ir_calls(i, LW_LLVM_prefetch))
        lw__spmd_prefetch(s, i, p, mask);
    else if (lw__shape_of(s->facts, i).kind == LW_SHAPE_PIECE)
        lw__spmd_arith_base(s, i, p);
    else if (lw__ir_thread_index(lw__ir_callee(i), NULL))
        lw__spmd_set_vector(s, i, p, lw__gang_thread_index(s, lw__ir_callee(i), p));
    else
        lw__spmd_arith_vector(s, i, p, mask);
}

static void emit_alone(struct lw__spmd *s, const struct lw__emission *c, LLVMValueRef i)
{
    const char *type, *name = lw__ir_callee(i);
    enum lw__op op = lw__ir_collective(i, &type);
    if (LLVMIsAStoreInst(i))
        lw__spmd_store_uniform(s, i, c->mask);
    else if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        lw__spmd_atomic_uniform(s, i, c->mask);
    else if (op && lw__op_table[op].block && s->gang)
        lw__gang_barrier(s, i, op, c->mask);
    else if (op && lw__op_table[op].block) {
        if (c->masked || lw__spmd_iterations_differ(s->facts, i))
            lw__spmd_check_barrier(s, i, c->mask);
        lw__spmd_block(s, i, op, type, c->mask);
    } else if (op && lw__spmd_iterations_differ(s->facts, i))
        lw__spmd_warp_by_iterations(s, i, op, type, c->mask);
    else if (op)
        lw__spmd_warp(s, i, op, type, c->mask);
    else if (is_memory_intrinsic(name))
        lw__spmd_memory_intrinsic(s, i, c->mask);
    else if (!strncmp(name, "lw.fence", 8))
        LLVMBuildFence(s->builder, lw__ir_fence_order(name), 0, "");
    else if (!strcmp(name, "lw.printf"))
        lw__spmd_print(s, i, c->mask);
    else if (!strcmp(name, "lw.assert_fail"))
        lw__spmd_assert_fail(s, i, c->mask);
    else if (!strcmp(name, "lw.assert_that"))
        lw__spmd_assert_that(s, i, c->mask);
    else if (!strcmp(name, LW_AMX_PRODUCTS) && lw__has(s->unit, LW_MAY_HAVE_AMX))
        lw__spmd_call_once(s, i);
    else if (!strcmp(name, LW_SUSPECT))
        LLVMBuildBr(s->builder, s->stop);
    else
        lw__spmd_refuse(s, i, name);
}

/* ---- segments -------------------------------------------------------------------------------- */

struct segment {
    LLVMValueRef *list;         /* per piece, in order */
    struct lw__guarded *guards; /* those in the list, in order */
    size_t guard_count;
    LLVMValueRef *rare; /* per value: the only call of lw.rarely that uses it, or that it is */
    size_t count;
    uint32_t side_by_side;
    bool writes, moves; /* it has stores; it has warp operations */
};

static void add(struct lw__spmd *s, struct segment *g, LLVMValueRef i)
{
    g->list = lw__one_more(&s->unit->scratch, g->list, g->count, sizeof(LLVMValueRef));
    g->list[g->count++] = i;
    g->writes |= LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

/* A check. Where scalars decide it and no other waits in the segment, for all pieces at once; else
 * in its place among the pieces' instructions. So the first one that fails is told. */
static void add_guard(struct lw__spmd *s, const struct lw__emission *c, struct segment *g,
                      LLVMValueRef call)
{
    struct lw__guarded guard = {.call = call};
    if (!lw__guard_vote(s, call, c->mask, &guard.fails))
        return;
    if (guard.fails && !g->guard_count && lw__guard_is_shared(s, call)) {
        lw__guard_pieces(s, &guard, 1, c->mask, s->first_piece, s->end_piece);
        return;
    }
    g->guards = lw__one_more(&s->unit->scratch, g->guards, g->guard_count, sizeof guard);
    g->guards[g->guard_count++] = guard;
    add(s, g, call);
}

/* The checks that follow each other at k in the list, for some pieces. *guard: how many came
 * before. The result: how many these are. */
static size_t emit_guards(struct lw__spmd *s, const struct lw__emission *c, const struct segment *g,
                          size_t k, size_t *guard, uint32_t first, uint32_t end)
{
    size_t n = 0;
    while (k + n < g->count && lw__ir_guards(g->list[k + n]))
        n++;
    if (n)
        lw__guard_pieces(s, &g->guards[*guard], n, c->mask, first, end);
    *guard += n;
    return n;
}

/* ---- what few lanes need --------------------------------------------------------------------- */

/* True if the instruction may be left out, or executed later. */
static bool is_pure(LLVMValueRef i)
{
    return lw__ir_is_arith(i) || (LLVMIsACallInst(i) && !strncmp(lw__ir_callee(i), "llvm.", 5) &&
                                  !is_memory_intrinsic(lw__ir_callee(i)));
}

/* True if a call of lw.rarely becomes a branch around `other`. For values that a piece shares it is
 * a select. */
static bool has_way(const struct lw__spmd *s, LLVMValueRef i)
{
    return lw__spmd_is_rarely(i) && lw__shape_of(s->facts, i).kind == LW_SHAPE_VARYING;
}

/* The segment's only call of lw.rarely that uses v, for `other`, or NULL. `wanted` has the calls
 * for later instructions of the segment. A call elsewhere evaluates nothing. */
static LLVMValueRef only_wanted_by(const struct lw__spmd *s, LLVMValueRef v,
                                   LLVMValueRef const *wanted)
{
    LLVMValueRef found = NULL;
    for (LLVMUseRef use = is_pure(v) ? LLVMGetFirstUse(v) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), by;
        const uint32_t index = lw__spmd_value_index(s->facts, user);
        by = index == UINT32_MAX ? NULL : wanted[index];
        if (by == user && (LLVMGetOperand(user, 0) == v || LLVMGetOperand(user, 2) == v))
            return NULL;
        if (!by || (found && found != by))
            return NULL;
        found = by;
    }
    return found;
}

static bool is_rare(const struct lw__spmd *s, const struct segment *g, LLVMValueRef i)
{
    const uint32_t index = g->rare ? lw__spmd_value_index(s->facts, i) : UINT32_MAX;
    return index != UINT32_MAX && g->rare[index] && g->rare[index] != i;
}

/* lw.rarely for some pieces: a branch skips `other` if none of their lanes needs it. */
static void emit_rarely(struct lw__spmd *s, const struct lw__emission *c, const struct segment *g,
                        LLVMValueRef call, uint32_t first, uint32_t end)
{
    LLVMValueRef usual[MOST_SIDE_BY_SIDE] = {0}, other[MOST_SIDE_BY_SIDE] = {0},
                 rare[MOST_SIDE_BY_SIDE];
    LLVMValueRef any = LLVMConstNull(lw__spmd_vector_type(s, s->i1));
    for (uint32_t p = first, k = 0; p < end; p++, k++)
        if (!lw__mask_is_none(c->mask[p])) {
            usual[k] = lw__spmd_vector(s, LLVMGetOperand(call, 0), p);
            rare[k] = lw__mask_and(s, c->mask[p], lw__spmd_vector(s, LLVMGetOperand(call, 2), p));
            any = lw__mask_or(s, any, rare[k]);
        }
    LLVMBasicBlockRef seldom = lw__builder_new_block(s, "rare"),
                      on = lw__builder_new_block(s, "usual"),
                      from[] = {LLVMGetInsertBlock(s->builder), seldom};
    lw__ir_set_rare(LLVMBuildCondBr(s->builder, lw__mask_piece_any(s, any), seldom, on));
    lw__builder_at_end(s, seldom);
    /* `other`, and what only it uses */
    for (size_t n = 0; n < g->count; n++)
        for (uint32_t p = first; p < end && g->list[n] != call; p++)
            if (is_rare(s, g, g->list[n]) && !lw__mask_is_none(c->mask[p]) &&
                g->rare[lw__spmd_value_index(s->facts, g->list[n])] == call)
                emit_piece(s, g->list[n], p, c->mask[p]);
    for (uint32_t p = first, k = 0; p < end; p++, k++)
        if (usual[k])
            other[k] =
                LLVMBuildSelect(s->builder, lw__mask_vector(s, rare[k]),
                                lw__spmd_vector(s, LLVMGetOperand(call, 1), p), usual[k], "");
    from[1] = LLVMGetInsertBlock(s->builder);
    LLVMBuildBr(s->builder, on);
    lw__builder_at_end(s, on);
    for (uint32_t k = 0; k < end - first; k++)
        if (usual[k]) {
            LLVMValueRef phi = LLVMBuildPhi(s->builder, LLVMTypeOf(usual[k]), "");
            LLVMAddIncoming(phi, (LLVMValueRef[]){usual[k], other[k]}, from, 2);
            other[k] = phi;
        }
    for (uint32_t p = first, k = 0; p < end; p++, k++)
        if (other[k])
            lw__spmd_set_vector(s, call, p, other[k]);
    s->unit->has_rare = true;
}

/* ---- pieces side by side --------------------------------------------------------------------- */

static void emit_pieces(struct lw__spmd *s, const struct lw__emission *c, const struct segment *g,
                        uint32_t first, uint32_t end)
{
    bool any = false;
    size_t guard = 0;
    for (uint32_t p = first; p < end; p++)
        any |= !lw__mask_is_none(c->mask[p]);
    for (size_t k = 0, n; k < g->count && any; k++) {
        if (is_rare(s, g, g->list[k]))
            continue;
        LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(g->list[k]));
        lw__where_at(s->unit, g->list[k]);
        lw__builder_step(s);
        if ((n = emit_guards(s, c, g, k, &guard, first, end))) {
            k += n - 1;
            continue;
        }
        if (has_way(s, g->list[k])) {
            emit_rarely(s, c, g, g->list[k], first, end);
            continue;
        }
        if (emission_of(s, g->list[k]) == EMIT_PER_WARP) {
            lw__spmd_one_warp(s, g->list[k], c->mask, first * s->width / WARP);
            continue;
        }
        for (uint32_t p = first; p < end && !s->failed; p++)
            if (!lw__mask_is_none(c->mask[p]))
                emit_piece(s, g->list[k], p, c->mask[p]);
    }
}

/* How many values of a piece are carried around the innermost loop that holds the block. */
static uint32_t carried_around(const struct lw__spmd *s, uint32_t b)
{
    const int inner = lw__loops_innermost(&s->facts->loops, b);
    uint32_t n = 0;
    if (inner < 0)
        return 0;
    EACH_PHI(i, s->facts->cfg.blocks[s->facts->loops.loops[inner].header])
        n += lw__shape_of(s->facts, i).kind == LW_SHAPE_VARYING;
    return n;
}

static uint32_t side_by_side(const struct lw__spmd *s, uint32_t b)
{
    const uint32_t registers = s->unit->target->registers, carried = carried_around(s, b);
    uint32_t n = SIDE_BY_SIDE;
    while (n > 1 && n * carried >= registers)
        n /= 2;
    return n;
}

static void flush(struct lw__spmd *s, const struct lw__emission *c, struct segment *g)
{
    const struct lw__arena_mark mark = lw__arena_mark(&s->unit->scratch);
    LLVMValueRef *wanted = NULL; /* g->rare; NULL: there is no call of lw.rarely */
    for (size_t k = g->count; k-- > 0;) {
        LLVMValueRef i = g->list[k];
        if (!wanted && has_way(s, i))
            wanted = lw__new(&s->unit->scratch, s->facts->value_count, sizeof *wanted);
        const uint32_t index = wanted ? lw__spmd_value_index(s->facts, i) : UINT32_MAX;
        if (index != UINT32_MAX)
            wanted[index] = has_way(s, i) ? i : only_wanted_by(s, i, wanted);
    }
    g->rare = wanted;
    const uint32_t n = g->moves ? WARP / s->width : g->side_by_side;
    for (uint32_t p = 0; p < s->pieces; p += n)
        emit_pieces(s, c, g, p, p + n < s->pieces ? p + n : s->pieces);
    lw__arena_release(&s->unit->scratch, mark);
    g->rare = NULL;
    g->count = g->guard_count = 0;
    g->writes = g->moves = false;
}

/* True for a load or store of columns by complete pieces. */
static bool can_transpose(struct lw__spmd *s, const struct lw__emission *c, LLVMValueRef i)
{
    return !c->masked && (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) &&
           lw__memory_can_transpose(s, i, c->mask);
}

void lw__spmd_emit(struct lw__spmd *s, const struct lw__emission *c, uint32_t b)
{
    struct segment g = {.side_by_side = side_by_side(s, b)};
    LLVMValueRef i = LLVMGetFirstInstruction(s->facts->cfg.blocks[b]);
    const LLVMValueRef *outer = s->mask;
    s->mask = c->masked ? c->mask : NULL;
    if (s->facts->spins_and_writes[b])
        lw__gang_count(s, offsetof(struct lw_cpu_gang, writes));
    if (s->facts->leaves_steady[b])
        lw__gang_count(s, offsetof(struct lw_cpu_gang, departures));
    if (s->facts->spin_access[b])
        lw__gang_wait(s, s->facts->spin_access[b], c->mask, s->facts->spin_state[b]);
    if (s->facts->is_wait_point[b])
        lw__spmd_clear_waiting(s, c->mask);
    for (; i && !s->failed; i = LLVMGetNextInstruction(i)) {
        enum emission_kind kind = emission_of(s, i);
        bool load = LLVMIsALoadInst(i),
             transposes = kind == EMIT_PER_PIECE && can_transpose(s, c, i);
        /* a thread may load what it has stored, and only after its check */
        if (kind == EMIT_WHOLE_GANG ||
            ((kind == EMIT_ONCE || transposes) && load && (g.writes || g.guard_count)) ||
            (transposes && !load))
            flush(s, c, &g);
        LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(i));
        lw__where_at(s->unit, i);
        lw__builder_step(s);
        if (kind == EMIT_ONCE)
            emit_once(s, i);
        else if (transposes)
            lw__memory_transpose(s, i, c->mask);
        else if (kind == EMIT_PER_PIECE || kind == EMIT_PER_WARP) {
            add(s, &g, i);
            g.moves |= kind == EMIT_PER_WARP;
        } else if (kind == EMIT_GUARD)
            add_guard(s, c, &g, i);
        else if (kind == EMIT_WHOLE_GANG)
            emit_alone(s, c, i);
        if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(s->builder)))
            break; /* a failed assert has left */
    }
    if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(s->builder)))
        flush(s, c, &g);
    s->mask = outer;
}
