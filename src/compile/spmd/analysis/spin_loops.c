/* spin_loops.c - loops that wait for other threads.
 *
 * Lanes that run together would wait for each other for ever. So kernels that wait run in gangs of
 * one warp, which suspend in each iteration of such a loop (gang/gangs.c). A loop waits if its exit
 * depends on what another thread writes. It may read that by an atomic or volatile load, an
 * exchange, or an operation that changes nothing (`atomic_add(x, 0)`). A lock reads it by a
 * compare-and-swap that always expects the same value. A compare-and-swap that expects what it has
 * read does not wait: one
 * thread succeeds each time.
 *
 * A loop that also writes memory may end by that, so it is never reported to wait for ever.
 */
#include "compile/spmd/analysis/analysis.h"
#include <string.h>

struct search {
    const struct lw__facts *facts;
    const struct lw__loop *loop;
    bool *seen; /* per value */
};

static bool is_in(const struct search *q, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    uint32_t home = lw__cfg_index(&q->facts->cfg, LLVMGetInstructionParent(v));
    return home != UINT32_MAX && q->loop->body[home];
}

/* True if the operation leaves the memory as it is. */
static bool only_asks(LLVMValueRef rmw)
{
    LLVMValueRef operand = LLVMGetOperand(rmw, 1);
    switch (LLVMGetAtomicRMWBinOp(rmw)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
    case LLVMAtomicRMWBinOpOr:
    case LLVMAtomicRMWBinOpXor:
    case LLVMAtomicRMWBinOpUMax: return LLVMIsConstant(operand) && LLVMIsNull(operand);
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpUMin: return operand == LLVMConstAllOnes(LLVMTypeOf(operand));
    default: return false;
    }
}

static bool waits_by(const struct search *q, LLVMValueRef i)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op != LLVMLoad && op != LLVMAtomicRMW && op != LLVMAtomicCmpXchg)
        return false;
    if (lw__ir_is_private(LLVMGetOperand(i, 0)))
        return false; /* no other thread writes it, volatile or not */
    if (op == LLVMLoad)
        return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    if (op == LLVMAtomicRMW)
        return LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpXchg || only_asks(i);
    return !is_in(q, LLVMGetOperand(i, 1));
}

/* The access that a value depends on, within the loop; NULL: none. */
static LLVMValueRef find_access(struct search *q, LLVMValueRef v)
{
    if (!is_in(q, v))
        return NULL;
    if (waits_by(q, v))
        return v;
    uint32_t index = lw__spmd_value_index(q->facts, v);
    if (index == UINT32_MAX || q->seen[index])
        return NULL;
    q->seen[index] = true;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        LLVMValueRef found = find_access(q, LLVMGetOperand(v, (unsigned)k));
        if (found)
            return found;
    }
    return NULL;
}

static LLVMValueRef find_in_loop(struct search *q)
{
    const struct lw__cfg *g = &q->facts->cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        bool leaves = false;
        for (uint32_t e = g->succ_start[b]; q->loop->body[b] && e < g->succ_start[b + 1]; e++)
            leaves |= !q->loop->body[g->succ[e]];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        LLVMValueRef found =
            leaves && LLVMGetNumSuccessors(end) == 2 ? find_access(q, LLVMGetCondition(end)) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* True if one of the loop's instructions is such. */
static bool has_any(const struct lw__facts *facts, const struct lw__loop *l,
                    bool (*is)(LLVMValueRef))
{
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        for (LLVMValueRef i = l->body[b] ? LLVMGetFirstInstruction(facts->cfg.blocks[b]) : NULL; i;
             i = LLVMGetNextInstruction(i))
            if (is(i))
                return true;
    return false;
}

static bool is_collective(LLVMValueRef i)
{
    return lw__ir_collective(i, NULL);
}

/* common/single_entry.c fixes a loop with two entries that holds a collective. The collective's
 * iteration numbers keep LLVM from undoing that. If one were left, fix-irreducible would have made
 * its header. Then lanes of one iteration would reach the collective at different times. */
static bool is_guarded(const struct lw__facts *facts, const struct lw__loop *l)
{
    const char *name = LLVMGetBasicBlockName(facts->cfg.blocks[l->header]);
    return !strncmp(name, "irr.guard", 9) && has_any(facts, l, is_collective);
}

/* True if it changes memory that other threads may read. */
static bool writes(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore: return !lw__ir_is_private(LLVMGetOperand(i, 1));
    case LLVMAtomicRMW:
        return LLVMGetAtomicRMWBinOp(i) != LLVMAtomicRMWBinOpXchg && !only_asks(i) &&
               !lw__ir_is_private(LLVMGetOperand(i, 0));
    default: return false;
    }
}

bool lw__spmd_loop_writes(const struct lw__facts *facts, uint32_t header)
{
    for (size_t k = 0; k < facts->loops.count; k++)
        if (facts->loops.loops[k].header == header)
            return has_any(facts, &facts->loops.loops[k], writes);
    return false;
}

bool lw__spmd_find_spin_loops(struct lw__facts *facts)
{
    struct lw__arena *arena = &facts->config.unit->scratch;
    for (size_t k = 0; k < facts->loops.count; k++) {
        if (is_guarded(facts, &facts->loops.loops[k]))
            return lw__defect("kernel '%s': a loop with a collective has two entries",
                              facts->config.kernel->name);
        const struct lw__arena_mark mark = lw__arena_mark(arena);
        struct search q = {facts, &facts->loops.loops[k], lw__new(arena, facts->value_count, 1)};
        LLVMValueRef access = find_in_loop(&q);
        lw__arena_release(arena, mark);
        facts->spin_access[facts->loops.loops[k].header] = access;
        facts->has_spin_loops |= access != NULL;
    }
    return true;
}
