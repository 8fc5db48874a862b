/* pointers.c - where a pointer is in its object, as a term, and the object's size.
 *
 * An object is the buffer of a parameter or of a TENSOR, a variable, or an argument that is passed
 * by value. A phi or a select may choose among pointers, also of several objects: then the offset
 * may be any of theirs, and the size is at least the smallest.
 */
#include "compile/proof/proof.h"
#include "compile/llvm/llvm.h"

enum { BITS = 64, CHOICES_MAX = 64 };

/* The parameter, if the root of a pointer is that; UINT32_MAX: it is none. */
static uint32_t parameter(const struct lw__terms *t, LLVMValueRef root)
{
    for (unsigned i = 0; LLVMIsAArgument(root) && i < t->kernel->param_count; i++)
        if (LLVMGetParam(t->kernel->function, i) == root)
            return i;
    return UINT32_MAX;
}

/* ---- arguments by value ---------------------------------------------------------------------- */

/* Of a load at a known place of an argument by value that nobody writes to: the parameter and the
 * offset in it; UINT32_MAX: it is another one. */
static uint32_t field_of(struct lw__terms *t, LLVMValueRef load, uint64_t *offset)
{
    static const struct lw__term_place anywhere = {UINT32_MAX, UINT32_MAX};
    LLVMValueRef from = LLVMGetOperand(load, 0), root = lw__ir_object(from);
    const uint32_t param = parameter(t, root);
    const uint64_t bytes = LLVMStoreSizeOfType(t->data, LLVMTypeOf(load));
    if (param == UINT32_MAX || !t->kernel->params[param].by_value || lw__ir_is_written(root) ||
        !lw__term_is_constant(t, lw__term_of_pointer(t, from, anywhere, 0), offset))
        return UINT32_MAX;
    const uint64_t size = t->kernel->params[param].size;
    return bytes <= size && *offset <= size - bytes ? param : UINT32_MAX;
}

bool lw__term_of_field(struct lw__terms *t, LLVMValueRef load, uint32_t *term)
{
    const unsigned bits = lw__term_bits(load);
    uint64_t offset;
    const uint32_t param = bits % 8 ? UINT32_MAX : field_of(t, load, &offset);
    if (param != UINT32_MAX)
        *term = lw__term_leaf(t, LW_TERM_ARGUMENT, bits,
                              (int64_t)(t->kernel->params[param].offset + offset));
    return param != UINT32_MAX;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* The parameter whose buffer the root of a pointer is into; UINT32_MAX: none. The pointer of a
 * TENSOR comes first in it. */
static uint32_t buffer_of(struct lw__terms *t, LLVMValueRef root)
{
    uint32_t param = parameter(t, root);
    if (param != UINT32_MAX)
        return t->kernel->params[param].by_value ? UINT32_MAX : param;
    uint64_t offset;
    param = LLVMIsALoadInst(root) ? field_of(t, root, &offset) : UINT32_MAX;
    const char *layout = param == UINT32_MAX ? NULL : t->kernel->params[param].layout;
    return layout && layout[0] == 't' && !offset ? param : UINT32_MAX;
}

/* True if the variable is of a helper, and its address goes where it is not followed: then an
 * access may come after the helper has returned. */
static bool may_end(LLVMValueRef v, bool *ends)
{
    bool is_lost = false;
    EACH_USE(u, v) {
        LLVMValueRef user = LLVMGetUser(u);
        *ends |= lw__ir_calls(user, LW_LLVM_lifetime_end);
        if (LLVMIsAGetElementPtrInst(user))
            is_lost |= may_end(user, ends);
        else
            is_lost |= !(LLVMIsALoadInst(user) || LLVMIsACallInst(user) ||
                         LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user) ||
                         (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != v));
    }
    return is_lost;
}

/* Of a root that is no choice: the size of its object; false: it is not known which that is. */
static bool size_of(struct lw__terms *t, LLVMValueRef root, uint32_t *size)
{
    bool ends = false;
    const uint32_t param = buffer_of(t, root), by_value = parameter(t, root);
    if (param != UINT32_MAX)
        *size = lw__term_leaf(t, LW_TERM_SIZE, BITS, param);
    else if (by_value != UINT32_MAX)
        *size = lw__term_constant(t, BITS, (int64_t)t->kernel->params[by_value].size);
    else if (LLVMIsAGlobalVariable(root) && lw__ir_in_section(root, "lw.dynshared"))
        *size = lw__term_leaf(t, LW_TERM_PLACE, BITS, LW_PLACE_DYNAMIC_BYTES);
    else if (LLVMIsAGlobalVariable(root))
        *size = lw__term_constant(
            t, BITS, (int64_t)LLVMABISizeOfType(t->data, LLVMGlobalGetValueType(root)));
    else if (LLVMIsAAllocaInst(root) && !(may_end(root, &ends) && ends))
        *size = lw__term_constant(t, BITS,
                                  (int64_t)LLVMABISizeOfType(t->data, LLVMGetAllocatedType(root)));
    else
        return false;
    return true;
}

/* What a pointer may be made of. */
struct roots {
    LLVMValueRef seen[CHOICES_MAX];
    unsigned count;
};

/* Adds what the root chooses among; false: there are too many. */
static bool add_roots(struct roots *r, LLVMValueRef root)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->seen[i] == root)
            return true;
    if (r->count == CHOICES_MAX)
        return false;
    r->seen[r->count++] = root;
    const bool selects = LLVMIsASelectInst(root), is_phi = LLVMIsAPHINode(root);
    const unsigned choices = selects ? 2 : is_phi ? LLVMCountIncoming(root) : 0;
    bool fits = true;
    for (unsigned k = 0; k < choices && fits; k++)
        fits = add_roots(r, lw__ir_object(selects ? LLVMGetOperand(root, 1 + k)
                                                  : LLVMGetIncomingValue(root, k)));
    return fits;
}

static bool is_choice(LLVMValueRef root)
{
    return LLVMIsASelectInst(root) || LLVMIsAPHINode(root);
}

bool lw__term_of_size(struct lw__terms *t, LLVMValueRef pointer, uint32_t *size)
{
    struct roots roots = {.count = 0};
    bool is_known = add_roots(&roots, lw__ir_object(pointer)), is_first = true;
    for (unsigned i = 0; i < roots.count && is_known; i++) {
        if (is_choice(roots.seen[i]))
            continue;
        uint32_t one;
        is_known = size_of(t, roots.seen[i], &one);
        if (is_known)
            *size = is_first ? one : lw__term_of_two(t, LW_TERM_EITHER, BITS, *size, one);
        is_first = false;
    }
    return is_known && !is_first;
}

uint32_t lw__term_param(struct lw__terms *t, LLVMValueRef pointer)
{
    struct roots roots = {.count = 0};
    uint32_t param = UINT32_MAX;
    if (!add_roots(&roots, lw__ir_object(pointer)))
        return UINT32_MAX;
    bool is_first = true;
    for (unsigned i = 0; i < roots.count; i++) {
        if (is_choice(roots.seen[i]))
            continue;
        const uint32_t one = buffer_of(t, roots.seen[i]);
        param = is_first || one == param ? one : UINT32_MAX;
        is_first = false;
        if (param == UINT32_MAX)
            break;
    }
    return param;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* Of a step from a pointer. */
static uint32_t of_gep(struct lw__terms *t, LLVMValueRef gep, struct lw__term_place at, int limits)
{
    uint32_t sum = lw__term_of_pointer(t, LLVMGetOperand(gep, 0), at, limits);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            const unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            const uint64_t bytes = LLVMOffsetOfElement(t->data, type, member);
            sum = lw__term_of_two(t, LW_TERM_ADD, BITS, sum,
                                  lw__term_constant(t, BITS, (int64_t)bytes));
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        const uint32_t n = lw__term_wide(t, index, LW_TERM_SEXT, at, limits);
        sum = lw__term_of_two(
            t, LW_TERM_ADD, BITS, sum,
            lw__term_of_two(t, LW_TERM_MULTIPLY, BITS, n,
                            lw__term_constant(t, BITS, (int64_t)LLVMABISizeOfType(t->data, type))));
    }
    return sum;
}

uint32_t lw__term_of_pointer(struct lw__terms *t, LLVMValueRef pointer, struct lw__term_place at,
                             int limits)
{
    if (pointer != lw__ir_object(pointer))
        return of_gep(t, pointer, at, limits);
    if (is_choice(pointer))
        return lw__term_at(t, pointer, at, limits);
    uint32_t param = buffer_of(t, pointer);
    if (param != UINT32_MAX)
        return lw__term_leaf(t, LW_TERM_START, BITS, param);
    const bool is_object = LLVMIsAAllocaInst(pointer) || LLVMIsAGlobalVariable(pointer) ||
                           parameter(t, pointer) != UINT32_MAX;
    return is_object ? lw__term_constant(t, BITS, 0) : lw__term_any(t, BITS);
}
