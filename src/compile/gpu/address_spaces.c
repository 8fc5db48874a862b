/* address_spaces.c - what is known of the memory that a kernel's pointers lead to.
 *
 *     read-only   a pointer that is declared restrict, and through which the kernel only reads:
 *                 that is the promise, as in CUDA, that nothing writes there during the launch. So
 *                 its loads need not be coherent, and may pass every store
 *     generic     where no address space was found, the hardware finds it at each access: a remark
 */
#include "compile/gpu/gpu.h"

static const char restricted[] = "lw.restrict";

static unsigned restrict_kind(LLVMContextRef context)
{
    return LLVMGetMDKindIDInContext(context, restricted, sizeof restricted - 1);
}

void lw__gpu_note_restrict(LLVMContextRef context, LLVMValueRef function, unsigned index,
                           LLVMValueRef argument)
{
    if (LLVMIsALoadInst(argument) &&
        LLVMGetStringAttributeAtIndex(function, index + 1, restricted, sizeof restricted - 1))
        LLVMSetMetadata(argument, restrict_kind(context),
                        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
}

/* ---- read-only ------------------------------------------------------------------------------- */

/* True if the pointer, and those computed from it, are only loaded from. mark: mark the loads. */
static bool is_only_read(LLVMValueRef pointer, bool mark)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pointer));
        if (LLVMIsALoadInst(user)) {
            if (LLVMGetVolatile(user) || LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic)
                return false;
            if (mark)
                LLVMSetMetadata(
                    user, LLVMGetMDKindIDInContext(context, "invariant.load", 14),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
        } else if (LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user)) {
            if (!is_only_read(user, mark))
                return false;
        } else if (!LLVMIsAICmpInst(user)) {
            return false;
        }
    }
    return true;
}

void lw__gpu_mark_read_only(LLVMContextRef context, const struct lw__kernel *kernel)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel->function));
    for (; i; i = LLVMGetNextInstruction(i))
        if (LLVMIsALoadInst(i) && LLVMGetMetadata(i, restrict_kind(context)) &&
            is_only_read(i, false))
            (void)is_only_read(i, true);
}

/* ---- generic --------------------------------------------------------------------------------- */

/* kernel.h makes pointers to atomic types volatile. Atomic accesses are strong enough without it,
 * and LLVM infers no address space for a volatile access. */
void lw__gpu_drop_volatile(LLVMValueRef function)
{
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function);
    for (; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
                LLVMSetVolatile(i, 0);
}

static LLVMValueRef address_of(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return LLVMGetOperand(i, 0);
    return LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : NULL;
}

static bool is_argument(LLVMValueRef object)
{
    return LLVMIsALoadInst(object) && LLVMIsAArgument(lw__ir_object(LLVMGetOperand(object, 0)));
}

/* True if the access's address space is unknown. The code generator itself finds private memory,
 * through a cast, and memory that the host gave. */
static bool is_generic(LLVMValueRef i)
{
    LLVMValueRef address = address_of(i), object = address ? lw__ir_object(address) : NULL;
    return address && !LLVMGetPointerAddressSpace(LLVMTypeOf(address)) &&
           !LLVMIsAAllocaInst(object) && !LLVMIsAArgument(object) &&
           !LLVMIsAAddrSpaceCastInst(object) && !is_argument(object);
}

void lw__gpu_remark_generic(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel->function);
    for (; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            const struct lw__loc loc = lw__loc_of(i);
            if (is_generic(i) && loc.line)
                lw__diags_remark(&unit->diags, loc, LW_REMARK_GENERIC,
                                 "the pointer may be to global or to block memory, which is "
                                 "found out at each access");
        }
}
