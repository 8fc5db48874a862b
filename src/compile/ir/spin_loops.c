/* spin_loops.c - loops that wait for other threads.
 *
 * A loop waits if its exit depends on what another thread writes. It may read that by an atomic or
 * volatile load, an exchange, or an operation that changes nothing when it is made again
 * (`atomic_add(x, 0)`, `atomic_max(x, 3)`). A lock reads it by a compare-and-swap that always
 * expects the same value. A compare-and-swap that expects what it has read does not wait: one
 * thread succeeds each time.
 *
 * A loop is steady if what an iteration does depends on memory alone, and on nothing that an
 * earlier one has computed. So if an iteration does not leave it and memory stays as it is, none
 * will. What a loop counts and only code after it uses does not matter.
 */
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <string.h>

struct search {
    const struct lw__cfg *cfg;
    const struct lw__loop *loop;
    bool is_now; /* what the iteration decides itself, and flags like `done`; by branches, too */
    LLVMValueRef *seen; /* open addressing, mask + 1 slots */
    size_t mask;
};

static bool is_in(const struct search *q, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return false;
    uint32_t home = lw__cfg_index(q->cfg, LLVMGetInstructionParent(v));
    return home != UINT32_MAX && q->loop->body[home];
}

/* Calls `visit` for each instruction of the loop until it is true. */
static bool any_in_loop(struct search *q, bool (*visit)(struct search *, LLVMValueRef))
{
    for (uint32_t b = 0; b < q->cfg->count; b++)
        EACH_INSTRUCTION(i, q->cfg->blocks[b])
            if (q->loop->body[b] && visit(q, i))
                return true;
    return false;
}

/* True the first time. */
static bool is_new(struct search *q, LLVMValueRef v)
{
    size_t k = (size_t)((uintptr_t)v >> 4) * 0x9E3779B97F4A7C15u >> 20 & q->mask;
    while (q->seen[k] && q->seen[k] != v)
        k = (k + 1) & q->mask;
    const bool is = !q->seen[k];
    q->seen[k] = v;
    return is;
}

static void forget(struct search *q)
{
    size_t count = 1, slots = 4;
    for (uint32_t b = 0; b < q->cfg->count; b++)
        EACH_INSTRUCTION(i, q->cfg->blocks[b])
            count += q->loop->body[b];
    while (slots < 2 * count)
        slots *= 2;
    q->seen = lw__new(q->cfg->arena, slots, sizeof(LLVMValueRef));
    q->mask = slots - 1;
}

/* Those that carry values: of a call the arguments, not the instance of a collective. */
static unsigned operand_count(LLVMValueRef v)
{
    return LLVMIsACallInst(v) ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);
}

/* ---- what it waits by ------------------------------------------------------------------------ */

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

/* True if the operation, made again, leaves the memory as it is. */
static bool only_repeats(const struct search *q, LLVMValueRef rmw)
{
    switch (LLVMGetAtomicRMWBinOp(rmw)) {
    case LLVMAtomicRMWBinOpXchg: return true;
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpOr:
    case LLVMAtomicRMWBinOpMax:
    case LLVMAtomicRMWBinOpMin:
    case LLVMAtomicRMWBinOpUMax:
    case LLVMAtomicRMWBinOpUMin:
        return !is_in(q, LLVMGetOperand(rmw, 0)) && !is_in(q, LLVMGetOperand(rmw, 1));
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
        return only_asks(i) || only_repeats(q, i);
    return !is_in(q, LLVMGetOperand(i, 1));
}

static bool is_of_header(const struct search *q, LLVMValueRef v)
{
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == q->cfg->blocks[q->loop->header];
}

/* True if branches alone decide the value, as of `done`: it is made of constants by phis. */
enum { FLAG_DEPTH = 8 };
static bool is_flag(const struct search *q, LLVMValueRef v, int depth)
{
    if (LLVMIsConstant(v) || !is_in(q, v))
        return true;
    if (!LLVMIsAPHINode(v) || !depth)
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        LLVMValueRef value = LLVMGetIncomingValue(v, k);
        if (!is_of_header(q, value) && !is_flag(q, value, depth - 1))
            return false;
    }
    return true;
}

static LLVMValueRef find_access(struct search *q, LLVMValueRef v);

/* The access that decides by which edge of the loop a thread comes to this phi. */
static LLVMValueRef find_decision(struct search *q, LLVMValueRef phi)
{
    const struct lw__cfg *g = q->cfg;
    const uint32_t home = lw__cfg_index(g, LLVMGetInstructionParent(phi)),
                   from = is_of_header(q, phi) ? home : g->idom[home];
    EACH_PREDECESSOR(p, g, home)
        for (uint32_t b = p; q->loop->body[b]; b = g->idom[b]) {
            LLVMValueRef condition = lw__cfg_condition(g, b);
            LLVMValueRef found = condition ? find_access(q, condition) : NULL;
            if (found)
                return found;
            if (b == from)
                break;
        }
    return NULL;
}

/* The access that a value depends on, within the loop; NULL: none. */
static LLVMValueRef find_access(struct search *q, LLVMValueRef v)
{
    if (!is_in(q, v) || (q->is_now && is_of_header(q, v) && !is_flag(q, v, FLAG_DEPTH)))
        return NULL;
    if (waits_by(q, v))
        return v;
    if (!is_new(q, v))
        return NULL;
    LLVMValueRef decision = q->is_now && LLVMIsAPHINode(v) ? find_decision(q, v) : NULL;
    if (decision)
        return decision;
    for (unsigned k = 0; k < operand_count(v); k++) {
        LLVMValueRef found = find_access(q, LLVMGetOperand(v, k));
        if (found)
            return found;
    }
    return NULL;
}

static LLVMValueRef find_in_loop(struct search *q)
{
    const struct lw__cfg *g = q->cfg;
    for (uint32_t b = 0; b < g->count; b++) {
        bool leaves = false;
        EACH_SUCCESSOR(to, g, b)
            leaves |= q->loop->body[b] && !q->loop->body[to];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        LLVMValueRef found =
            leaves && LLVMGetNumSuccessors(end) == 2 ? find_access(q, LLVMGetCondition(end)) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* True if it changes memory that other threads may read. */
static bool writes(const struct search *q, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore: return !lw__ir_is_private(LLVMGetOperand(i, 1));
    case LLVMAtomicRMW: return !waits_by(q, i) && !lw__ir_is_private(LLVMGetOperand(i, 0));
    default: return false;
    }
}

/* ---- is it steady? --------------------------------------------------------------------------- */

/* True if the value depends on what an earlier iteration has computed. */
static bool is_carried(struct search *q, LLVMValueRef v)
{
    if (!is_in(q, v))
        return false;
    if (is_of_header(q, v))
        return true;
    if (!is_new(q, v))
        return false;
    for (unsigned k = 0; k < operand_count(v); k++)
        if (is_carried(q, LLVMGetOperand(v, k)))
            return true;
    return false;
}

/* True if nobody but the checker and pictures notices the operands of this call. */
static bool only_tells(LLVMValueRef call)
{
    static const char *const names[] = {"lw.observe", "lw.overflow", "lw.promise", "lw.line",
                                        "lw.iteration"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(lw__ir_callee(call), names[i]))
            return true;
    return false;
}

/* True if threads or memory notice the instruction's operands. */
static bool has_effect(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMBr:
    case LLVMSwitch: return true;
    case LLVMCall:
        return (!strncmp(lw__ir_callee(i), "lw.", 3) && !only_tells(i)) ||
               !strncmp(lw__ir_callee(i), "llvm.mem", 8);
    default: return false;
    }
}

/* True if an iteration can notice what an earlier one has computed. */
static bool carries(struct search *q, LLVMValueRef i)
{
    if (LLVMIsAStoreInst(i) && lw__ir_is_private(LLVMGetOperand(i, 1)))
        return true;
    if (!has_effect(i))
        return false;
    const bool is_branch = LLVMIsABranchInst(i) || LLVMIsASwitchInst(i);
    if (is_branch)
        return (LLVMIsASwitchInst(i) || LLVMIsConditional(i)) &&
               is_carried(q, LLVMGetOperand(i, 0));
    for (unsigned k = 0; k < operand_count(i); k++)
        if (is_carried(q, LLVMGetOperand(i, k)))
            return true;
    return false;
}

struct lw__spin lw__spin_of(const struct lw__cfg *cfg, const struct lw__loop *loop)
{
    const struct lw__arena_mark mark = lw__arena_mark(cfg->arena);
    struct search q = {.cfg = cfg, .loop = loop, .is_now = true};
    forget(&q);
    struct lw__spin spin = {.access = find_in_loop(&q)};
    if (!spin.access) {
        q.is_now = false;
        forget(&q);
        spin.access = find_in_loop(&q);
    }
    if (spin.access) {
        forget(&q);
        spin.is_steady = !any_in_loop(&q, carries);
    }
    lw__arena_release(cfg->arena, mark);
    return spin;
}

bool lw__spin_writes(const struct lw__cfg *cfg, const struct lw__loop *loop, uint32_t block)
{
    struct search q = {.cfg = cfg, .loop = loop};
    EACH_INSTRUCTION(i, cfg->blocks[block])
        if (writes(&q, i))
            return true;
    return false;
}
