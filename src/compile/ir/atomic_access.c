/* atomic_access.c - C's own fences and atomics, and volatile short vectors, in shared terms.
 *
 * The kernel language has relaxed atomics and fences, and all targets have these. C's atomics have
 * an order, and NVIDIA's code generator has no such load or store. So each becomes a relaxed access
 * between fences: a fence before a release, one after an acquire, and for seq_cst a total fence
 * before it. Atomics on floats become devlib's functions.
 * source   NVIDIA, "PTX ISA 8.3", section 8; Lustig, Sahasrabuddhe, Giroux, "A Formal Analysis of
 *          the NVIDIA PTX Memory Consistency Model", ASPLOS 2019, table 2
 */
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <stdio.h>
#include <string.h>

struct access_work {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
};

/* ---- orders ---------------------------------------------------------------------------------- */

static void fence(struct access_work *w, bool is_total)
{
    const char *name = is_total ? "lw.fence_seq_cst" : "lw.fence_device";
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(w->context), NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(w->module, name);
    if (!f) {
        f = LLVMAddFunction(w->module, name, type);
        lw__llvm_attribute(f, "nounwind", true);
        lw__llvm_attribute(f, "convergent", true);
    }
    LLVMBuildCall2(w->b, type, f, NULL, 0, "");
}

/* A single-thread fence orders nothing that another thread could see. LLVM 19's C API asks for the
 * scope of other instructions only. */
static bool is_of_one_thread(LLVMValueRef fence)
{
    char *text = LLVMPrintValueToString(fence);
    const bool is_own = strstr(text, "syncscope(\"singlethread\")");
    LLVMDisposeMessage(text);
    return is_own;
}

static bool is_total(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingSequentiallyConsistent;
}

static bool acquires(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingAcquire || order == LLVMAtomicOrderingAcquireRelease ||
           is_total(order);
}

static bool is_atomic(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

/* Return the order of the access, and make it relaxed. */
static LLVMAtomicOrdering take_order(LLVMValueRef i)
{
    const LLVMAtomicOrdering relaxed = LLVMAtomicOrderingMonotonic;
    if (!LLVMIsAAtomicCmpXchgInst(i)) {
        const LLVMAtomicOrdering order = LLVMGetOrdering(i);
        LLVMSetOrdering(i, relaxed);
        return order;
    }
    const LLVMAtomicOrdering done = LLVMGetCmpXchgSuccessOrdering(i),
                             not_done = LLVMGetCmpXchgFailureOrdering(i);
    LLVMSetCmpXchgFailureOrdering(i, relaxed);
    LLVMSetCmpXchgSuccessOrdering(i, relaxed);
    return done == LLVMAtomicOrderingRelease && acquires(not_done)
               ? LLVMAtomicOrderingAcquireRelease
               : done;
}

/* ---- atomics on floats ----------------------------------------------------------------------- */

static const char *float_suffix(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind: return "f16";
    case LLVMBFloatTypeKind: return "bf16";
    case LLVMFloatTypeKind: return "f32";
    case LLVMDoubleTypeKind: return "f64";
    default: return NULL;
    }
}

/* The builder is before the instruction. */
static LLVMValueRef float_operation(struct access_work *w, LLVMValueRef i)
{
    const char *type_name = float_suffix(LLVMTypeOf(i)), *op;
    char name[40];
    switch (LLVMIsAAtomicRMWInst(i) ? LLVMGetAtomicRMWBinOp(i) : LLVMAtomicRMWBinOpAdd) {
    case LLVMAtomicRMWBinOpFAdd: op = "add"; break;
    case LLVMAtomicRMWBinOpFSub: op = "sub"; break;
    case LLVMAtomicRMWBinOpFMax: op = "max"; break;
    case LLVMAtomicRMWBinOpFMin: op = "min"; break;
    default: return NULL;
    }
    if (!type_name)
        return NULL;
    snprintf(name, sizeof name, "lw.atomic_%s.%s", op, type_name);
    LLVMValueRef args[] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)}, f;
    LLVMTypeRef types[] = {LLVMTypeOf(args[0]), LLVMTypeOf(args[1])},
                type = LLVMFunctionType(types[1], types, 2, 0);
    f = LLVMGetNamedFunction(w->module, name);
    if (!f)
        f = LLVMAddFunction(w->module, name, type);
    return LLVMBuildCall2(w->b, type, f, args, 2, "");
}

/* ---- volatile short vectors ------------------------------------------------------------------ */

static bool is_volatile_vector(LLVMValueRef i)
{
    if (!(LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) || !LLVMGetVolatile(i))
        return false;
    LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 0));
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return false;
    LLVMTypeRef scalar = LLVMGetElementType(type);
    return LLVMGetTypeKind(scalar) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(scalar) >= 8;
}

bool lw__ir_rewrite_access(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef i)
{
    struct access_work w = {module, LLVMGetModuleContext(module), b};
    if (LLVMIsAFenceInst(i)) {
        if (!is_of_one_thread(i))
            fence(&w, is_total(LLVMGetOrdering(i)));
        LLVMInstructionEraseFromParent(i);
    } else if (is_volatile_vector(i)) {
        /* Access the elements one by one: no target promises one access to a whole short vector. */
        const bool loads = LLVMIsALoadInst(i);
        LLVMValueRef v = loads ? NULL : LLVMGetOperand(i, 0),
                     from = LLVMGetOperand(i, loads ? 0 : 1);
        LLVMTypeRef type = LLVMTypeOf(loads ? i : v), scalar = LLVMGetElementType(type);
        LLVMTargetDataRef data = LLVMGetModuleDataLayout(w.module);
        const unsigned size = (unsigned)LLVMABISizeOfType(data, scalar),
                       align = LLVMGetAlignment(i);
        LLVMTypeRef i32 = LLVMInt32TypeInContext(w.context);
        LLVMValueRef all = LLVMGetPoison(type);
        for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
            LLVMValueRef index = LLVMConstInt(i32, k, 0),
                         place = LLVMBuildGEP2(w.b, scalar, from, &index, 1, ""), one;
            one = loads ? LLVMBuildLoad2(w.b, scalar, place, "")
                        : LLVMBuildStore(w.b, LLVMBuildExtractElement(w.b, v, index, ""), place);
            LLVMSetVolatile(one, 1);
            LLVMSetAlignment(one, align < size ? align : size);
            if (loads)
                all = LLVMBuildInsertElement(w.b, all, one, index, "");
        }
        if (loads)
            LLVMReplaceAllUsesWith(i, all);
        LLVMInstructionEraseFromParent(i);
    } else if (is_atomic(i)) {
        LLVMValueRef next = LLVMGetNextInstruction(i);
        const LLVMAtomicOrdering order = take_order(i);
        if (order == LLVMAtomicOrderingRelease || order == LLVMAtomicOrderingAcquireRelease ||
            is_total(order))
            fence(&w, is_total(order));
        LLVMValueRef instead = float_operation(&w, i);
        if (instead) {
            LLVMReplaceAllUsesWith(i, instead);
            LLVMInstructionEraseFromParent(i);
        }
        LLVMPositionBuilderBefore(w.b, next);
        if (acquires(order))
            fence(&w, false);
    } else {
        return false;
    }
    return true;
}

/* ---- private memory -------------------------------------------------------------------------- */

/* The value that the operation stores; operations on floats are devlib's by now. */
static LLVMValueRef left_by(struct access_work *w, LLVMAtomicRMWBinOp op, LLVMValueRef old,
                            LLVMValueRef v)
{
    LLVMIntPredicate keeps = LLVMIntEQ;
    switch (op) {
    case LLVMAtomicRMWBinOpAdd: return LLVMBuildAdd(w->b, old, v, "");
    case LLVMAtomicRMWBinOpSub: return LLVMBuildSub(w->b, old, v, "");
    case LLVMAtomicRMWBinOpAnd: return LLVMBuildAnd(w->b, old, v, "");
    case LLVMAtomicRMWBinOpNand: return LLVMBuildNot(w->b, LLVMBuildAnd(w->b, old, v, ""), "");
    case LLVMAtomicRMWBinOpOr: return LLVMBuildOr(w->b, old, v, "");
    case LLVMAtomicRMWBinOpXor: return LLVMBuildXor(w->b, old, v, "");
    case LLVMAtomicRMWBinOpMax: keeps = LLVMIntSGT; break;
    case LLVMAtomicRMWBinOpMin: keeps = LLVMIntSLT; break;
    case LLVMAtomicRMWBinOpUMax: keeps = LLVMIntUGT; break;
    case LLVMAtomicRMWBinOpUMin: keeps = LLVMIntULT; break;
    default: return v;
    }
    return LLVMBuildSelect(w->b, LLVMBuildICmp(w->b, keeps, old, v, ""), old, v, "");
}

static LLVMValueRef plain_cas(struct access_work *w, LLVMValueRef i)
{
    LLVMValueRef at = LLVMGetOperand(i, 0), expected = LLVMGetOperand(i, 1),
                 v = LLVMGetOperand(i, 2);
    LLVMValueRef old = LLVMBuildLoad2(w->b, LLVMTypeOf(v), at, ""),
                 same = LLVMBuildICmp(w->b, LLVMIntEQ, old, expected, "");
    LLVMBuildStore(w->b, LLVMBuildSelect(w->b, same, v, old, ""), at);
    LLVMValueRef both = LLVMBuildInsertValue(w->b, LLVMGetPoison(LLVMTypeOf(i)), old, 0, "");
    return LLVMBuildInsertValue(w->b, both, same, 1, "");
}

static LLVMValueRef plain_operation(struct access_work *w, LLVMValueRef i)
{
    LLVMValueRef at = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1);
    LLVMValueRef old = LLVMBuildLoad2(w->b, LLVMTypeOf(v), at, "");
    LLVMBuildStore(w->b, left_by(w, LLVMGetAtomicRMWBinOp(i), old, v), at);
    return old;
}

static void make_plain(struct access_work *w, LLVMValueRef i)
{
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) {
        LLVMSetOrdering(i, LLVMAtomicOrderingNotAtomic);
        return;
    }
    LLVMPositionBuilderBefore(w->b, i);
    LLVMReplaceAllUsesWith(i,
                           LLVMIsAAtomicCmpXchgInst(i) ? plain_cas(w, i) : plain_operation(w, i));
    LLVMInstructionEraseFromParent(i);
}

void lw__ir_plain_private(LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct access_work w = {module, context, LLVMCreateBuilderInContext(context)};
    EACH_INSTRUCTION_OF_SAFE(i, function) {
        if (is_atomic(i) && lw__ir_is_private(lw__ir_address(i)))
            make_plain(&w, i);
    }
    LLVMDisposeBuilder(w.b);
}
