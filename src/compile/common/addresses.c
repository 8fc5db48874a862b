/* addresses.c - kernels that follow pointers which are no arguments: of structs, or from memory.
 *
 * What such a pointer is into, only the launch knows: any buffer of the device. The library then
 * holds them all for the launch. A kernel that loads a pointer from memory is such a one, or makes
 * one of an integer. Pointers in its own variables it has from elsewhere, where they are seen, but
 * for bytes that are copied into a variable. A TENSOR's start is an argument.
 */
#include "compile/common/common.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <string.h>

/* The pointer that a variable holds which is set once, as a parameter of a helper; NULL: none. */
static LLVMValueRef only_value(LLVMValueRef load)
{
    LLVMValueRef variable = LLVMIsALoadInst(load) ? LLVMGetOperand(load, 0) : NULL, value = NULL;
    if (!variable || !LLVMIsAAllocaInst(variable))
        return NULL;
    EACH_USE(u, variable) {
        LLVMValueRef user = LLVMGetUser(u);
        const bool sets = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable;
        if ((sets && value) ||
            !(sets || LLVMIsALoadInst(user) || lw__ir_calls(user, LW_LLVM_lifetime_start) ||
              lw__ir_calls(user, LW_LLVM_lifetime_end)))
            return NULL;
        if (sets)
            value = LLVMGetOperand(user, 0);
    }
    return value;
}

/* Bytes from `at` on of what a pointer is into; count 0: anywhere in it. */
struct part {
    LLVMValueRef object;
    uint64_t at, count;
};

static struct part part_at(LLVMTargetDataRef data, LLVMValueRef pointer, uint64_t count)
{
    enum { STEPS = 64 }; /* a variable may be set to itself */
    struct part part = {pointer, 0, count};
    int64_t step;
    for (int i = 0; i < STEPS; i++) {
        LLVMValueRef value = only_value(part.object);
        if (value) {
            part.object = value;
        } else if (LLVMIsAGetElementPtrInst(part.object) &&
                   lw__ir_adds_constant(data, part.object, &step)) {
            part.at += (uint64_t)step;
            part.object = LLVMGetOperand(part.object, 0);
        } else if (lw__ir_object(part.object) != part.object) {
            part.count = 0;
            part.object = lw__ir_object(part.object);
        } else {
            break;
        }
    }
    return part;
}

/* True if pointers there are arguments, constants, or stored by the kernel. */
static bool is_known(const struct lw__kernel *k, LLVMValueRef object)
{
    for (unsigned i = 0; i < k->param_count; i++)
        if (LLVMGetParam(k->function, i) == object)
            return k->params[i].layout && k->params[i].layout[0] == 't';
    return LLVMIsAAllocaInst(object) ||
           (LLVMIsAGlobalVariable(object) && LLVMIsGlobalConstant(object));
}

static bool is_pointer(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

static bool may_overlap(const struct part *a, const struct part *b)
{
    return a->object == b->object &&
           (!a->count || !b->count || (a->at < b->at + b->count && b->at < a->at + a->count));
}

/* The length of a copy of bytes, UINT64_MAX where that is not known; 0: it is none. */
static uint64_t bytes_copied(LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    if (strncmp(name, "llvm.memcpy.", 12) && strncmp(name, "llvm.memmove.", 13))
        return 0;
    LLVMValueRef length = LLVMGetOperand(i, 2);
    return LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : UINT64_MAX;
}

/* True if bytes that may be a pointer come there other than as one. */
static bool is_filled(const struct lw__kernel *k, LLVMTargetDataRef data, const struct part *part,
                      int depth)
{
    EACH_INSTRUCTION_OF(i, k->function) {
        const uint64_t copied = bytes_copied(i);
        if (LLVMIsAStoreInst(i) && LLVMGetTypeKind(lw__ir_accessed(i)) == LLVMIntegerTypeKind) {
            const struct part to =
                part_at(data, lw__ir_address(i), LLVMStoreSizeOfType(data, lw__ir_accessed(i)));
            if (to.count >= sizeof(void *) && may_overlap(&to, part))
                return true;
        }
        if (!copied)
            continue;
        const uint64_t count = copied == UINT64_MAX ? 0 : copied;
        const struct part to = part_at(data, LLVMGetOperand(i, 0), count);
        struct part from = part_at(data, LLVMGetOperand(i, 1), count);
        if (!may_overlap(&to, part))
            continue;
        if (from.count && to.count && part->count) {
            from.at += part->at - to.at;
            from.count = part->count;
        }
        if (!is_known(k, from.object) || !depth ||
            (LLVMIsAAllocaInst(from.object) && is_filled(k, data, &from, depth - 1)))
            return true;
    }
    return false;
}

/* True if the instruction makes a pointer whose object nobody knows. */
static bool makes_address(const struct lw__kernel *k, LLVMTargetDataRef data, LLVMValueRef i)
{
    enum { DEPTH = 4 };
    if (LLVMIsAIntToPtrInst(i))
        return true;
    if (!LLVMIsALoadInst(i) || !is_pointer(LLVMTypeOf(i)))
        return false;
    const struct part part = part_at(data, lw__ir_address(i), sizeof(void *));
    if (!is_known(k, part.object))
        return true;
    return LLVMIsAAllocaInst(part.object) && !is_pointer(LLVMGetAllocatedType(part.object)) &&
           is_filled(k, data, &part, DEPTH);
}

/* lw__pass_addresses - which kernels follow pointers that are no arguments.
 * needs ENTERED
 */
bool lw__pass_addresses(struct lw__unit *unit)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(unit->module);
    for (size_t k = 0; k < unit->kernels.count; k++) {
        struct lw__kernel *kernel = &unit->kernels.rows[k];
        EACH_INSTRUCTION_OF(i, kernel->function) {
            if (kernel->follows_addresses)
                break;
            kernel->follows_addresses = makes_address(kernel, data, i);
        }
    }
    return true;
}
