/* prune_checks.c - remove redundant checks.
 *
 * A check that has passed holds from there on: it need not be repeated in code that it dominates.
 * An access to an element of a variable is within it if every index has been compared with its
 * array's size. Both are common: an element is read and written, and clang checks each index of a
 * SHARED or private array.
 */
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"

/* The checks of a function, and those to remove. */
struct pruner {
    LLVMTargetDataRef data;
    struct lw__cfg g;
    LLVMValueRef *superfluous;
    size_t count;
};

/* ---- indices --------------------------------------------------------------------------------- */

/* An index within an array is not negative, so its extension does not matter. */
static LLVMValueRef narrow(LLVMValueRef index)
{
    return LLVMIsASExtInst(index) || LLVMIsAZExtInst(index) ? LLVMGetOperand(index, 0) : index;
}

/* True if the check implies that the index is less than `count`. */
static bool says_less(LLVMValueRef check, uint64_t count)
{
    LLVMValueRef n = LLVMGetOperand(check, LW_INDEX_COUNT);
    return lw__ir_is_truth(LLVMGetOperand(check, LW_INDEX_BEHIND), false) &&
           LLVMIsAConstantInt(n) && LLVMConstIntGetZExtValue(n) == count;
}

static bool has_check(const struct pruner *p, LLVMValueRef v, LLVMValueRef at, uint64_t count)
{
    EACH_USE(u, v) {
        LLVMValueRef user = LLVMGetUser(u);
        if (lw__is_index_check(user) && LLVMGetOperand(user, LW_INDEX_NUMBER) == v &&
            says_less(user, count) && lw__cfg_runs_before(&p->g, user, at))
            return true;
    }
    return false;
}

/* True if the index has been compared with `count` on each path to `at`. */
static bool is_checked(const struct pruner *p, LLVMValueRef index, LLVMValueRef at, uint64_t count)
{
    LLVMValueRef inner = narrow(index);
    if (LLVMIsAConstantInt(index))
        return LLVMConstIntGetZExtValue(index) < count;
    if (has_check(p, index, at, count))
        return true;
    if (inner == index)
        return false;
    EACH_USE(u, inner) {
        LLVMValueRef user = LLVMGetUser(u);
        if (narrow(user) == inner && has_check(p, user, at, count))
            return true;
    }
    return false;
}

/* True if the same index has been checked before. */
static bool is_known_index(const struct pruner *p, LLVMValueRef check)
{
    LLVMValueRef ok = LLVMGetOperand(check, LW_INDEX_OK);
    if (lw__ir_is_truth(ok, true))
        return true;
    if (LLVMIsConstant(ok))
        return false;
    EACH_USE(u, ok)
        if (lw__is_index_check(LLVMGetUser(u)) &&
            LLVMGetOperand(LLVMGetUser(u), LW_INDEX_OK) == ok &&
            lw__cfg_runs_before(&p->g, LLVMGetUser(u), check))
            return true;
    return false;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* The element type that a GEP's indices lead to, if all are known to be within bounds; else
 * NULL. */
static LLVMTypeRef element_within(const struct pruner *p, LLVMValueRef gep, LLVMValueRef at)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (i == 1) {
            if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index))
                return NULL;
        } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
        } else if (LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
                   is_checked(p, index, at, LLVMGetArrayLength2(type))) {
            type = LLVMGetElementType(type);
        } else {
            return NULL;
        }
    }
    return type;
}

/* The type of the part of a variable that the pointer is to, or NULL. */
static LLVMTypeRef part_of(const struct pruner *p, LLVMValueRef pointer, LLVMValueRef at)
{
    if (!LLVMIsAGetElementPtrInst(pointer))
        return lw__variable_type(pointer);
    LLVMTypeRef whole = part_of(p, LLVMGetOperand(pointer, 0), at);
    return whole && whole == LLVMGetGEPSourceElementType(pointer) ? element_within(p, pointer, at)
                                                                  : NULL;
}

static bool is_known_access(const struct pruner *p, LLVMValueRef check)
{
    LLVMValueRef pointer = LLVMGetOperand(check, 0), bytes = LLVMGetOperand(check, 1);
    if (LLVMIsConstant(pointer) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(check, 2)) & LW_ACCESS_ENDED)
        return false;
    EACH_USE(u, pointer)
        if (lw__is_access_check(LLVMGetUser(u)) && LLVMGetOperand(LLVMGetUser(u), 0) == pointer &&
            LLVMGetOperand(LLVMGetUser(u), 1) == bytes &&
            lw__cfg_runs_before(&p->g, LLVMGetUser(u), check))
            return true;
    if (!LLVMIsAConstantInt(bytes))
        return false;
    LLVMTypeRef part = part_of(p, pointer, check);
    return part && LLVMConstIntGetZExtValue(bytes) <= LLVMABISizeOfType(p->data, part);
}

/* ---- the function ---------------------------------------------------------------------------- */

void lw__prune_checks(struct lw__arena *scratch, LLVMTargetDataRef data, LLVMValueRef function)
{
    struct pruner p = {.data = data};
    lw__cfg_build(scratch, function, &p.g);
    /* All checks are examined before any is removed: each tells something about those that it
     * dominates. */
    for (size_t b = 0; b < p.g.count; b++)
        EACH_INSTRUCTION(i, p.g.blocks[b]) {
            const bool known = lw__is_index_check(i)
                                   ? is_known_index(&p, i)
                                   : lw__is_access_check(i) && is_known_access(&p, i);
            if (known) {
                p.superfluous =
                    lw__one_more(p.g.arena, p.superfluous, p.count, sizeof(LLVMValueRef));
                p.superfluous[p.count++] = i;
            }
        }
    for (size_t i = 0; i < p.count; i++)
        LLVMInstructionEraseFromParent(p.superfluous[i]);
}
