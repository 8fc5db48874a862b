/* place_guards.c - checks of guarded code (LW_GUARD): those that say nothing new go, and the others
 * of a block come together, before its accesses.
 *
 * A check that has passed holds from there on. Checks side by side need one branch, and accesses
 * between which there is none are as in other code: what memory/ makes together stays together. So
 * a check moves up to the one before it, over loads and stores, with what it needs. It does not
 * pass by a collective or anything else that other threads notice.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <stdlib.h>

/* ---- checks that say nothing new ------------------------------------------------------------- */

/* True if they compare the same numbers. */
static bool is_same(LLVMValueRef a, LLVMValueRef b)
{
    for (unsigned k = LW_GUARD_FAILS; k <= LW_GUARD_LIMIT; k++)
        if (LLVMGetOperand(a, k) != LLVMGetOperand(b, k))
            return false;
    return true;
}

static bool is_known(const struct lw__cfg *g, LLVMValueRef check)
{
    LLVMValueRef fails = LLVMGetOperand(check, LW_GUARD_FAILS);
    if (LLVMIsConstant(fails))
        return lw__ir_is_truth(fails, false);
    EACH_USE(u, fails) {
        LLVMValueRef user = LLVMGetUser(u);
        if (lw__ir_guards(user) && is_same(user, check) && lw__cfg_runs_before(g, user, check))
            return true;
    }
    return false;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* A block's instructions, sorted by their addresses. */
struct row {
    LLVMValueRef value;
    size_t order; /* in the block, from 1; 0: it has been moved to the front */
};

struct placer {
    LLVMBuilderRef b;
    LLVMValueRef at; /* where checks move to: before it, as the builder is */
    struct row *rows;
    size_t count, point; /* what has a lower order is before `at` */
};

static int compare_rows(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct row *)a)->value,
                    y = (uintptr_t)((const struct row *)b)->value;
    return (x > y) - (x < y);
}

/* NULL: it is in another block. */
static struct row *row_of(const struct placer *p, LLVMValueRef v)
{
    const struct row key = {v, 0};
    return bsearch(&key, p->rows, p->count, sizeof key, compare_rows);
}

static bool is_free_call(LLVMValueRef i)
{
    return LLVMIsACallInst(i) && (lw__ir_is_speculatable(i) || lw__spmd_is_native(i) ||
                                  lw__ir_thread_index(lw__ir_callee(i), NULL));
}

static bool is_movable(LLVMValueRef i)
{
    return (lw__ir_is_arith(i) && !lw__ir_may_trap(i)) || LLVMIsAGetElementPtrInst(i) ||
           is_free_call(i);
}

static unsigned operand_count(LLVMValueRef i)
{
    return LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
}

enum { DEPTH_MAX = 16 };

/* True if the value is, or may be, known at the builder. */
static bool can_move(const struct placer *p, LLVMValueRef v, int depth)
{
    const struct row *row = LLVMIsAInstruction(v) ? row_of(p, v) : NULL;
    if (!row || row->order < p->point)
        return true;
    bool can = depth < DEPTH_MAX && is_movable(v);
    for (unsigned k = 0; can && k < operand_count(v); k++)
        can = can_move(p, LLVMGetOperand(v, k), depth + 1);
    return can;
}

static void place_before(struct placer *p, LLVMValueRef at)
{
    p->at = at;
    LLVMPositionBuilderBefore(p->b, at);
}

static void move(struct placer *p, LLVMValueRef v)
{
    struct row *row = LLVMIsAInstruction(v) ? row_of(p, v) : NULL;
    if (!row || row->order < p->point)
        return;
    for (unsigned k = 0; k < operand_count(v); k++)
        move(p, LLVMGetOperand(v, k));
    if (v == p->at)
        place_before(p, LLVMGetNextInstruction(v));
    else
        lw__ir_move(v, p->b);
    row->order = 0;
}

static bool can_move_check(const struct placer *p, LLVMValueRef check)
{
    bool can = true;
    for (unsigned k = 0; can && k < LW_GUARD_OPERANDS; k++)
        can = can_move(p, LLVMGetOperand(check, k), 0);
    return can;
}

static bool is_plain_access(LLVMValueRef i)
{
    return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && !LLVMGetVolatile(i) &&
           LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

/* True if no check may move over it. */
static bool stops(LLVMValueRef i)
{
    return !is_plain_access(i) && !LLVMIsAPHINode(i) && !lw__ir_is_arith(i) &&
           !LLVMIsAGetElementPtrInst(i) && !LLVMIsAAllocaInst(i) && !is_free_call(i);
}

void lw__prepare_place_guards(struct lw__arena *scratch, LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    const struct lw__arena_mark mark = lw__arena_mark(scratch);
    struct lw__cfg g;
    lw__cfg_build(scratch, function, &g);
    for (size_t b = g.count; b-- > 0;)
        for (LLVMValueRef i = LLVMGetLastInstruction(g.blocks[b]), next; i; i = next) {
            next = LLVMGetPreviousInstruction(i);
            if (lw__ir_guards(i) && is_known(&g, i))
                LLVMInstructionEraseFromParent(i);
        }
    lw__arena_release(scratch, mark);
    EACH_BLOCK(block, function) {
        struct placer p = {.b = b, .point = 1};
        size_t order = 0, checks = 0;
        EACH_INSTRUCTION(i, block) {
            checks += lw__ir_guards(i);
            p.count++;
        }
        if (!checks)
            continue;
        p.rows = lw__new(scratch, p.count, sizeof *p.rows);
        EACH_INSTRUCTION(i, block) {
            p.rows[order] = (struct row){i, order + 1};
            order++;
        }
        qsort(p.rows, p.count, sizeof *p.rows, compare_rows);
        place_before(&p, lw__ir_first_after_phis(block));
        order = 0;
        EACH_INSTRUCTION_SAFE(i, block) {
            order++;
            if (LLVMIsAPHINode(i)) {
                p.point = order + 1;
            } else if (lw__ir_guards(i) && can_move_check(&p, i)) {
                move(&p, i);
            } else if ((lw__ir_guards(i) || stops(i)) && LLVMGetNextInstruction(i)) {
                place_before(&p, LLVMGetNextInstruction(i));
                p.point = order + 1;
            }
        }
    }
    lw__arena_release(scratch, mark);
    LLVMDisposeBuilder(b);
}
