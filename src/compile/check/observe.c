/* observe.c - for the device `check`: it is told of each access to memory that threads share.
 *
 * After the pass access, and before the common clean-up, a call stands with each load, store,
 * atomic and copy that is not to a variable of the thread's own:
 *
 *     call void @lw.observe(ptr %p, i64 bytes, i32 what)
 *
 * It may read and write all memory, so no pass moves or removes an access across another's call.
 * In the reference form it is a call of the device, with the place in the source.
 */
#include "base/manifest.h"
#include "compile/check/check.h"
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <string.h>

#define OBSERVE "lw.observe"

struct observer {
    struct lw__unit *unit;
    LLVMTargetDataRef data;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64;
};

static LLVMValueRef number(struct observer *o, uint64_t value)
{
    return LLVMConstInt(o->i32, value, 0);
}

/* True if other threads may access what is there, and somebody may write. */
static bool is_common(LLVMValueRef pointer)
{
    LLVMValueRef object = lw__ir_object(pointer);
    if (LLVMIsAAllocaInst(object))
        return false;
    return !LLVMIsAGlobalVariable(object) || !LLVMIsGlobalConstant(object) ||
           lw__ir_is_shared(object);
}

/* At the builder: the device is told. what: enum lw_observe */
static void tell(struct observer *o, LLVMValueRef pointer, LLVMValueRef bytes, LLVMValueRef what)
{
    LLVMTypeRef none = LLVMVoidTypeInContext(o->unit->context);
    LLVMValueRef call = lw__ir_call(o->b, o->unit->module, OBSERVE, none,
                                    (LLVMValueRef[]){pointer, bytes, what}, 3);
    lw__llvm_attribute(LLVMGetCalledValue(call), "nounwind", true);
}

static bool is_float(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(lw__ir_scalar(type));
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind || kind == LLVMFloatTypeKind ||
           kind == LLVMDoubleTypeKind;
}

/* What a picture should know of the type's scalars. */
static uint64_t scalar_of(struct observer *o, LLVMTypeRef type)
{
    const uint64_t bytes = LLVMStoreSizeOfType(o->data, lw__ir_scalar(type));
    const uint64_t log2 = bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
    return log2 << LW_OBSERVE_SCALAR_SHIFT | (is_float(type) ? LW_OBSERVE_FLOAT : 0);
}

/* The access itself, and its alignment. */
static void tell_access(struct observer *o, LLVMValueRef access, LLVMValueRef what)
{
    LLVMTypeRef type = lw__ir_accessed(access);
    const unsigned align = LLVMGetAlignment(access);
    unsigned log2 = 0;
    if (lw__has(o->unit, LW_IS_RECORDED))
        what = LLVMBuildOr(o->b, what, number(o, scalar_of(o, type)), "");
    while (align >> (log2 + 1))
        log2++;
    const uint64_t more = (uint64_t)log2 << LW_OBSERVE_ALIGN_SHIFT |
                          (lw__ir_is_cuda(o->unit->module) ? LW_OBSERVE_CUDA : 0) |
                          (lw__front_has_lockstep(o->unit) ? LW_OBSERVE_LOCKSTEP : 0);
    what = LLVMBuildOr(o->b, what, number(o, more), "");
    tell(o, lw__ir_address(access), LLVMConstInt(o->i64, LLVMStoreSizeOfType(o->data, type), 0),
         what);
}

/* ---- plain accesses -------------------------------------------------------------------------- */

/* True if the bits of the type can be compared as an integer. */
static bool has_bits(struct observer *o, LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind &&
           LLVMSizeOfTypeInBits(o->data, type) == 8 * LLVMStoreSizeOfType(o->data, type);
}

static LLVMValueRef as_bits(struct observer *o, LLVMValueRef v, LLVMTypeRef bits)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    if (kind == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(o->b, v, bits, "");
    return kind == LLVMIntegerTypeKind ? v : LLVMBuildBitCast(o->b, v, bits, "");
}

/* LW_OBSERVE_SAME where the store leaves the memory as it is. */
static LLVMValueRef is_same(struct observer *o, LLVMValueRef store)
{
    LLVMValueRef v = LLVMGetOperand(store, 0), p = LLVMGetOperand(store, 1);
    if (!has_bits(o, LLVMTypeOf(v)))
        return number(o, 0);
    LLVMTypeRef bits = LLVMIntTypeInContext(o->unit->context,
                                            (unsigned)LLVMSizeOfTypeInBits(o->data, LLVMTypeOf(v)));
    LLVMValueRef old = LLVMBuildLoad2(o->b, bits, p, "");
    LLVMSetAlignment(old, 1);
    LLVMValueRef same = LLVMBuildICmp(o->b, LLVMIntEQ, old, as_bits(o, v, bits), "");
    same = LLVMBuildFreeze(o->b, same, ""); /* of a float3 the fourth lane may be poison */
    return LLVMBuildSelect(o->b, same, number(o, LW_OBSERVE_SAME), number(o, 0), "");
}

static bool is_atomic(LLVMValueRef i)
{
    return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
}

/* The access itself needs no alignment: one that is not as its type says is told, and goes on. */
static void allow_any_alignment(LLVMValueRef access)
{
    if (!is_atomic(access))
        LLVMSetAlignment(access, 1);
}

/* True if the value is there for a trace() alone: no access of the kernel's own. */
static bool is_traced_only(LLVMValueRef load)
{
    LLVMUseRef use = LLVMGetFirstUse(load);
    return use && !LLVMGetNextUse(use) && !strncmp(lw__ir_callee(LLVMGetUser(use)), "lw.trace.", 9);
}

/* True if a compare-and-swap of the same object expects the value: one that is no longer there
 * makes it fail, and its loop go on. */
static bool is_guess(LLVMValueRef value, LLVMValueRef object, int depth)
{
    EACH_USE(u, value) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAAtomicCmpXchgInst(user) && LLVMGetOperand(user, 1) == value &&
            lw__ir_object(LLVMGetOperand(user, 0)) == object)
            return true;
        if (depth && (LLVMIsACastInst(user) || LLVMIsAPHINode(user) || LLVMIsAFreezeInst(user)) &&
            is_guess(user, object, depth - 1))
            return true;
    }
    return false;
}

static void observe_load(struct observer *o, LLVMValueRef load)
{
    enum { CASTS = 4 };
    if (is_traced_only(load))
        return;
    unsigned kind = is_atomic(load) ? LW_OBSERVE_ATOMIC_READ : LW_OBSERVE_READ;
    if (kind == LW_OBSERVE_READ && lw__ir_is_cuda(o->unit->module) &&
        is_guess(load, lw__ir_object(LLVMGetOperand(load, 0)), CASTS))
        kind |= LW_OBSERVE_GUESS;
    tell_access(o, load, number(o, kind));
    allow_any_alignment(load);
}

static void observe_store(struct observer *o, LLVMValueRef store)
{
    LLVMValueRef what = number(o, LW_OBSERVE_ATOMIC_STORE);
    if (!is_atomic(store))
        what = LLVMBuildOr(o->b, number(o, LW_OBSERVE_WRITE), is_same(o, store), "");
    tell_access(o, store, what);
    allow_any_alignment(store);
}

/* What the copy may take for granted of an argument: that of its type, as for a float4. */
static LLVMValueRef what_of_copy(struct observer *o, LLVMValueRef call, unsigned argument,
                                 unsigned kind)
{
    const unsigned attribute = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, argument + 1, attribute);
    const uint64_t bytes = align ? LLVMGetEnumAttributeValue(align) : 1;
    uint64_t log2 = 0;
    while (bytes >> (log2 + 1))
        log2++;
    LLVMSetInstrParamAlignment(call, argument + 1, 1);
    return number(o, kind | log2 << LW_OBSERVE_ALIGN_SHIFT);
}

static void observe_copy(struct observer *o, LLVMValueRef call, const char *name)
{
    const bool has_source = strncmp(name, "llvm.memset", 11) != 0;
    LLVMValueRef bytes = LLVMGetOperand(call, 2), to = LLVMGetOperand(call, 0);
    LLVMValueRef read = has_source ? what_of_copy(o, call, 1, LW_OBSERVE_READ) : NULL;
    LLVMValueRef write = what_of_copy(o, call, 0, LW_OBSERVE_WRITE);
    if (LLVMTypeOf(bytes) != o->i64)
        bytes = LLVMBuildZExt(o->b, bytes, o->i64, "");
    if (has_source && is_common(LLVMGetOperand(call, 1)))
        tell(o, LLVMGetOperand(call, 1), bytes, read);
    if (is_common(to))
        tell(o, to, bytes, write);
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* A compare-and-swap that fails only reads; whether it does is known after it. What it changes is
 * to be seen before. */
static void observe_swap(struct observer *o, LLVMValueRef swap)
{
    tell_access(o, swap, number(o, LW_OBSERVE_MAY_UPDATE));
    LLVMPositionBuilderBefore(o->b, LLVMGetNextInstruction(swap));
    LLVMValueRef done = LLVMBuildExtractValue(o->b, swap, 1, "");
    LLVMValueRef what = LLVMBuildSelect(o->b, done, number(o, LW_OBSERVE_ATOMIC_UPDATE),
                                        number(o, LW_OBSERVE_ATOMIC_READ), "");
    tell_access(o, swap, what);
}

static void observe(struct observer *o, LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    if (lw__ir_is_marked(i, LW_REF_OWN))
        return;
    LLVMPositionBuilderBefore(o->b, i);
    LLVMValueRef address = lw__ir_address(i);
    if (!strncmp(name, "llvm.mem", 8))
        observe_copy(o, i, name);
    else if (!address || !is_common(address))
        return;
    else if (LLVMIsALoadInst(i))
        observe_load(o, i);
    else if (LLVMIsAStoreInst(i))
        observe_store(o, i);
    else if (LLVMIsAAtomicRMWInst(i))
        tell_access(o, i, number(o, LW_OBSERVE_ATOMIC_UPDATE));
    else
        observe_swap(o, i);
}

/* lw__pass_observe - lw.observe with each access to memory that is not the thread's own.
 * needs ENTERED
 */
bool lw__pass_observe(struct lw__unit *unit)
{
    LLVMContextRef context = unit->context;
    struct observer o = {.unit = unit,
                         .data = LLVMGetModuleDataLayout(unit->module),
                         .b = LLVMCreateBuilderInContext(context),
                         .i32 = LLVMInt32TypeInContext(context),
                         .i64 = LLVMInt64TypeInContext(context)};
    for (size_t k = 0; k < unit->kernels.count; k++) {
        LLVMValueRef f = unit->kernels.rows[k].function;
        EACH_INSTRUCTION_OF_SAFE(i, f) {
            observe(&o, i);
        }
    }
    LLVMDisposeBuilder(o.b);
    return true;
}

/* ---- in the reference form ------------------------------------------------------------------- */

static const char *name_of(LLVMValueRef what)
{
    const uint64_t value = LLVMIsAConstantInt(what) ? LLVMConstIntGetZExtValue(what) : 0;
    const uint64_t kind = value & LW_OBSERVE_KIND;
    if (!LLVMIsAConstantInt(what))
        return LLVMIsASelectInst(what) ? "atomic" : "write";
    if (value & LW_OBSERVE_GUESS)
        return LW_SITE_GUESS;
    return kind == LW_OBSERVE_READ ? "read" : kind == LW_OBSERVE_WRITE ? "write" : "atomic";
}

bool lw__check_lower_observe(struct lw__ref *r, LLVMValueRef call)
{
    if (!strncmp(lw__ir_callee(call), "lw.fence_", 9)) {
        /* The row of its place tells the device that the program has fences. */
        const bool is_of_block = !strcmp(lw__ir_callee(call), "lw.fence_block");
        (void)lw__ir_site(r->unit, call, "fence");
        LLVMValueRef is_of_device = LLVMConstInt(r->i32, !is_of_block, 0);
        lw__ref_call(r, CALL(fence), r->none, &is_of_device, 1);
    }
    if (strcmp(lw__ir_callee(call), OBSERVE))
        return false;
    LLVMValueRef what = LLVMGetOperand(call, 2);
    const uint32_t site = lw__ir_site(r->unit, call, name_of(what));
    const struct lw__check_quick quick = lw__check_quick_observe(r, call, site);
    LLVMValueRef args[] = {LLVMBuildPtrToInt(r->b, LLVMGetOperand(call, 0), r->i64, ""),
                           LLVMGetOperand(call, 1), what, LLVMConstInt(r->i32, site, 0)};
    lw__ref_call(r, CALL(observe), r->none, args, 4);
    (void)lw__check_quick_end(r, &quick, call, NULL);
    LLVMInstructionEraseFromParent(call);
    return true;
}
