/* volatile_memory.c - CUDA: volatile accesses of global memory are relaxed atomics.
 *
 * PTX defines them so, and programs wait for each other by them. Of shared memory they stay plain:
 * there `volatile` was for warps in lockstep, which races where lanes are free to run apart.
 */
#include "compile/common/common.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"

static bool is_global(LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    return !LLVMIsAAllocaInst(object) && !lw__ir_is_shared(object);
}

/* True if the type has atomic loads and stores. */
static bool is_atomic_type(LLVMTargetDataRef data, LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    const uint64_t bits = LLVMSizeOfTypeInBits(data, type);
    const bool is_number = kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind ||
                           kind == LLVMDoubleTypeKind || kind == LLVMPointerTypeKind;
    return is_number && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

void lw__relax_volatile(struct lw__unit *unit)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(unit->module);
    if (!lw__ir_is_cuda(unit->module))
        return;
    for (size_t k = 0; k < unit->kernels.count; k++)
        EACH_INSTRUCTION_OF(i, unit->kernels.rows[k].function) {
            if ((!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) || !LLVMGetVolatile(i) ||
                !is_global(lw__ir_address(i)) || !is_atomic_type(data, lw__ir_accessed(i)))
                continue;
            LLVMSetOrdering(i, LLVMAtomicOrderingMonotonic);
            LLVMSetAlignment(i, LLVMABIAlignmentOfType(data, lw__ir_accessed(i)));
        }
}
