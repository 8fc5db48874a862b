/* invariant_loads.c - what a loop's test loads again in each iteration is loaded once, before.
 *
 *     for (int e = begin[v]; e < begin[v + 1]; e++)
 *
 * Nothing writes to a `restrict` parameter's buffer that the kernel only reads: that is the
 * promise. So a load of an address that does not change gives one value. LLVM would see a store or
 * an atomic in the loop, and cannot pass by checks (LW_GUARD). Every iteration of a lane executes
 * the loop's header, so what is moved out of it is executed by the same lanes. A check moves ahead
 * of all that the header does after it, and no check moves over what other threads notice.
 */
#include "compile/spmd/prepare/prepare.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

enum { DEPTH_MAX = 8 };

static const char restricted[] = "lw.restrict";

struct mover {
    const struct lw__cfg *cfg;
    const struct lw__loop *loop;
    LLVMBasicBlockRef header;
    LLVMBuilderRef b; /* at the end of the block before the loop */
};

/* True if the number, made of a pointer, only says whether checks fail. */
static bool is_only_checked(LLVMValueRef number, unsigned depth)
{
    EACH_USE(u, number) {
        LLVMValueRef user = LLVMGetUser(u);
        const bool computes =
            !LLVMIsAIntToPtrInst(user) &&
            (lw__ir_is_arith(user) || (LLVMIsACallInst(user) && lw__ir_is_speculatable(user)));
        if (!lw__ir_guards(user) && !(computes && depth && is_only_checked(user, depth - 1)))
            return false;
    }
    return true;
}

/* True if the pointer, and those computed from it, are only loaded from, checked and compared. */
static bool is_only_read(LLVMValueRef pointer)
{
    EACH_USE(u, pointer) {
        LLVMValueRef user = LLVMGetUser(u);
        const bool reads = LLVMIsALoadInst(user) && !LLVMGetVolatile(user) &&
                           LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
        if (!reads && !lw__ir_guards(user) && !LLVMIsAICmpInst(user) &&
            !(LLVMIsAGetElementPtrInst(user) && is_only_read(user)) &&
            !(LLVMIsAPtrToIntInst(user) && is_only_checked(user, DEPTH_MAX)))
            return false;
    }
    return true;
}

static bool is_constant_memory(LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    if (!LLVMIsAArgument(object))
        return false;
    LLVMValueRef function = LLVMGetParamParent(object);
    unsigned k = 0;
    while (LLVMGetParam(function, k) != object)
        k++;
    return LLVMGetStringAttributeAtIndex(function, k + 1, restricted, sizeof restricted - 1) &&
           is_only_read(object);
}

static unsigned operand_count(LLVMValueRef i)
{
    return LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
}

static bool is_free(LLVMValueRef i)
{
    return (lw__ir_is_arith(i) && !lw__ir_may_trap(i)) || LLVMIsAGetElementPtrInst(i) ||
           (LLVMIsACallInst(i) && lw__ir_is_speculatable(i));
}

/* True if v is, or may be, known before the loop. */
static bool can_move(const struct mover *m, LLVMValueRef v, unsigned depth)
{
    if (!LLVMIsAInstruction(v) ||
        !m->loop->body[lw__cfg_index(m->cfg, LLVMGetInstructionParent(v))])
        return true;
    bool can = depth < DEPTH_MAX && LLVMGetInstructionParent(v) == m->header && is_free(v);
    for (unsigned k = 0; can && k < operand_count(v); k++)
        can = can_move(m, LLVMGetOperand(v, k), depth + 1);
    return can;
}

static bool can_move_operands(const struct mover *m, LLVMValueRef i)
{
    bool can = true;
    for (unsigned k = 0; can && k < operand_count(i); k++)
        can = can_move(m, LLVMGetOperand(i, k), 0);
    return can;
}

static void move(const struct mover *m, LLVMValueRef i)
{
    for (unsigned k = 0; k < operand_count(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, k);
        if (LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == m->header)
            move(m, v);
    }
    lw__ir_move(i, m->b);
}

/* True if a check may move over it. */
static bool is_passed(LLVMValueRef i)
{
    const bool is_access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    return (is_access && !LLVMGetVolatile(i) &&
            LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic) ||
           LLVMIsAPHINode(i) || is_free(i) ||
           (LLVMIsACallInst(i) &&
            (lw__spmd_is_native(i) || lw__ir_thread_index(lw__ir_callee(i), NULL)));
}

/* The only block that leads into the loop and nowhere else; NULL: there is none. */
static LLVMBasicBlockRef before(const struct lw__cfg *g, const struct lw__loop *loop)
{
    LLVMBasicBlockRef found = NULL;
    EACH_PREDECESSOR(from, g, loop->header) {
        if (loop->body[from])
            continue;
        if (found || LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(g->blocks[from])) != 1)
            return NULL;
        found = g->blocks[from];
    }
    return found;
}

static bool move_out(struct mover *m)
{
    bool moved = false;
    EACH_INSTRUCTION_SAFE(i, m->header) {
        const bool load = LLVMIsALoadInst(i) && is_passed(i);
        if ((load && is_constant_memory(LLVMGetOperand(i, 0)) && can_move_operands(m, i)) ||
            (lw__ir_guards(i) && can_move_operands(m, i))) {
            move(m, i);
            moved = true;
        } else if (!is_passed(i)) {
            break;
        }
    }
    return moved;
}

/* lw__prepare_invariant_loads - of the inner loops first: what leaves one may leave the next. */
void lw__prepare_invariant_loads(struct lw__arena *scratch, LLVMValueRef function)
{
    const struct lw__arena_mark mark = lw__arena_mark(scratch);
    struct mover m = {.b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)))};
    struct lw__cfg g;
    struct lw__loops loops;
    lw__cfg_build(scratch, function, &g);
    lw__loops_build(&g, &loops);
    bool moved = true;
    for (size_t round = 0; moved && round <= loops.count; round++) {
        moved = false;
        for (size_t n = 0; n < loops.count; n++) {
            LLVMBasicBlockRef from = before(&g, &loops.loops[n]);
            if (!from)
                continue;
            m.cfg = &g;
            m.loop = &loops.loops[n];
            m.header = g.blocks[m.loop->header];
            LLVMPositionBuilderBefore(m.b, LLVMGetBasicBlockTerminator(from));
            moved |= move_out(&m);
        }
    }
    lw__arena_release(scratch, mark);
    LLVMDisposeBuilder(m.b);
}
