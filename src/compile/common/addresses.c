/* addresses.c - kernels that follow pointers which are no arguments: of structs, or from memory.
 *
 * What such a pointer is into, only the launch knows: any buffer of the device. The library then
 * holds them all for the launch. A kernel with a load of a pointer is taken for such a one, but for
 * loads from a variable that is a pointer, and of the start of a TENSOR.
 */
#include "compile/common/common.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

static bool is_tensor(const struct lw__kernel *k, LLVMValueRef object)
{
    for (unsigned i = 0; i < k->param_count; i++)
        if (LLVMGetParam(k->function, i) == object)
            return k->params[i].layout && k->params[i].layout[0] == 't';
    return false;
}

static bool is_pointer(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

/* True if the instruction makes a pointer whose object nobody knows. */
static bool makes_address(const struct lw__kernel *k, LLVMValueRef i)
{
    if (LLVMIsAIntToPtrInst(i))
        return true;
    if (!LLVMIsALoadInst(i) || !is_pointer(LLVMTypeOf(i)))
        return false;
    LLVMValueRef object = lw__ir_object(lw__ir_address(i));
    const bool is_variable = LLVMIsAAllocaInst(object) && is_pointer(LLVMGetAllocatedType(object));
    return !is_variable && !is_tensor(k, object);
}

/* lw__pass_addresses - which kernels follow pointers that are no arguments.
 * needs ENTERED
 */
bool lw__pass_addresses(struct lw__unit *unit)
{
    for (size_t k = 0; k < unit->kernels.count; k++)
        EACH_INSTRUCTION_OF(i, unit->kernels.rows[k].function) {
            unit->kernels.rows[k].follows_addresses |= makes_address(&unit->kernels.rows[k], i);
        }
    return true;
}
