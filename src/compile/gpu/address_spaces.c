/* address_spaces.c - what is known of the memory that a kernel's pointers lead to.
 *
 *     read-only   a pointer that is declared restrict, and through which the kernel only reads:
 *                 that is the promise, as in CUDA, that nothing writes there during the launch. So
 *                 its loads need not be coherent, and may pass every store
 *     generic     where no address space was found, the hardware finds it at each access: a remark
 */
#include "compile/gpu/gpu.h"

static const char restricted[] = "lw.restrict";

void lw__gpu_note_restrict(LLVMValueRef function, unsigned index, LLVMValueRef argument)
{
    if (LLVMIsALoadInst(argument) &&
        LLVMGetStringAttributeAtIndex(function, index + 1, restricted, sizeof restricted - 1))
        lw__ir_mark(argument, restricted);
}

/* ---- read-only ------------------------------------------------------------------------------- */

/* True if the pointer, and those computed from it, are only loaded from. mark: mark the loads. */
static bool is_only_read(LLVMValueRef pointer, bool mark)
{
    EACH_USE(u, pointer) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsALoadInst(user)) {
            if (LLVMGetVolatile(user) || LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic)
                return false;
            if (mark)
                lw__ir_mark(user, "invariant.load");
        } else if (LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user)) {
            if (!is_only_read(user, mark))
                return false;
        } else if (!LLVMIsAICmpInst(user)) {
            return false;
        }
    }
    return true;
}

void lw__gpu_mark_read_only(const struct lw__kernel *kernel)
{
    EACH_INSTRUCTION(i, LLVMGetEntryBasicBlock(kernel->function))
        if (lw__ir_is_marked(i, restricted) && is_only_read(i, false))
            (void)is_only_read(i, true);
}

/* ---- generic --------------------------------------------------------------------------------- */

/* kernel.h makes pointers to atomic types volatile. Atomic accesses are strong enough without it,
 * and LLVM infers no address space for a volatile access. */
void lw__gpu_drop_volatile(LLVMValueRef function)
{
    EACH_INSTRUCTION_OF(i, function)
        if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
            LLVMSetVolatile(i, 0);
}

/* True if the access's address space is unknown. The code generator itself finds private memory,
 * through a cast, and memory that the host gave. */
static bool is_generic(LLVMValueRef i)
{
    LLVMValueRef address = lw__ir_address(i), object = address ? lw__ir_object(address) : NULL;
    return address && !LLVMGetPointerAddressSpace(LLVMTypeOf(address)) &&
           !LLVMIsAAllocaInst(object) && !LLVMIsAArgument(object) &&
           !LLVMIsAAddrSpaceCastInst(object) &&
           !(LLVMIsALoadInst(object) && LLVMIsAArgument(lw__ir_object(LLVMGetOperand(object, 0))));
}

void lw__gpu_remark_generic(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    EACH_INSTRUCTION_OF(i, kernel->function) {
        const struct lw__loc loc = lw__loc_of(i);
        if (is_generic(i) && loc.line)
            lw__diags_remark(&unit->diags, loc, LW_REMARK_GENERIC,
                             "the pointer may be to global or to block memory, which is "
                             "found out at each access");
    }
}
