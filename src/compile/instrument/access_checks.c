/* access_checks.c - a check before each access that may be out of bounds.
 *
 * This runs before the common clean-up, for which an access beyond a known variable is undefined
 * behaviour and never happens. The checks are calls without a body that may not return:
 *
 *     call void @lw.access(ptr %p, i64 bytes, i32 kind)
 *
 * So no pass moves an access before its check. They touch only memory that is inaccessible to
 * others, so that scalars still leave memory. ref/bounds.c and guard/ make comparisons of
 * them. An access at a constant offset within a variable has none.
 *
 * at(t, i, j) passes each index to lw.within. If the element is accessed, the index must be within
 * its extent; if its address is taken, it may be the one after the last.
 */
#include "compile/common/common.h"
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include <string.h>

/* memory(inaccessiblemem: readwrite): LLVM's numbers, two bits a kind of memory */
enum { INACCESSIBLE = 3 << 2 };

bool lw__is_access_check(LLVMValueRef v)
{
    return !strcmp(lw__ir_callee(v), "lw.access");
}

bool lw__is_index_check(LLVMValueRef v)
{
    return !strcmp(lw__ir_callee(v), "lw.index");
}

bool lw__is_promise(LLVMValueRef v)
{
    return !strcmp(lw__ir_callee(v), LW_PROMISE);
}

LLVMValueRef lw__instrument_call(LLVMBuilderRef b, LLVMModuleRef module, const char *name,
                                 LLVMValueRef *args, unsigned count)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6),
                   nocapture = LLVMGetEnumAttributeKindForName("nocapture", 9);
    LLVMValueRef call = lw__ir_call(b, module, name, LLVMVoidTypeInContext(context), args, count);
    LLVMValueRef f = LLVMGetCalledValue(call);
    lw__llvm_attribute(f, "nounwind", true);
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, memory, INACCESSIBLE));
    for (unsigned k = 0; k < count; k++)
        if (LLVMGetTypeKind(LLVMTypeOf(args[k])) == LLVMPointerTypeKind)
            LLVMAddAttributeAtIndex(f, k + 1, LLVMCreateEnumAttribute(context, nocapture, 0));
    return call;
}

/* ---- known addresses ------------------------------------------------------------------------- */

bool lw__is_within(LLVMTargetDataRef data, LLVMValueRef pointer, uint64_t bytes, uint64_t size)
{
    int64_t offset = 0;
    for (; pointer != lw__ir_object(pointer); pointer = LLVMGetOperand(pointer, 0))
        if (!lw__ir_adds_constant(data, pointer, &offset))
            return false;
    return offset >= 0 && bytes <= size && (uint64_t)offset <= size - bytes;
}

/* ---- accesses -------------------------------------------------------------------------------- */

struct checker {
    struct lw__unit *unit;
    LLVMTargetDataRef data;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i32, i64, ptr;
    struct lw__cfg g; /* of the kernel; no check changes it */
};

/* True if a comes first on each path to b, an instruction. */
static bool comes_first(const struct lw__cfg *g, LLVMValueRef a, LLVMValueRef b)
{
    if (!LLVMIsAInstruction(a))
        return true;
    LLVMBasicBlockRef its = LLVMGetInstructionParent(a), here = LLVMGetInstructionParent(b);
    const uint32_t x = lw__cfg_index(g, its), y = lw__cfg_index(g, here);
    if (its != here)
        return x != UINT32_MAX && y != UINT32_MAX && lw__cfg_dominates(g, x, y);
    while (b && b != a)
        b = LLVMGetPreviousInstruction(b);
    return b;
}

/* True if v is this marker and comes first on each path to `at`. */
static bool is_marker(const struct lw__cfg *g, LLVMValueRef v, enum lw__intrinsic row,
                      LLVMValueRef at)
{
    return lw__ir_calls(v, row) && comes_first(g, v, at);
}

/* True if the pointer is into a variable of a helper that has returned. LLVM marks where a
 * variable's lifetime begins and ends when it inlines. */
static bool has_ended(const struct lw__cfg *g, LLVMValueRef pointer, LLVMValueRef at)
{
    LLVMValueRef variable = lw__ir_object(pointer);
    if (!LLVMIsAAllocaInst(variable))
        return false;
    EACH_USE(u, variable) {
        LLVMValueRef end = LLVMGetUser(u);
        bool again = false;
        if (!is_marker(g, end, LW_LLVM_lifetime_end, at))
            continue;
        EACH_USE(v, variable)
            again |= is_marker(g, LLVMGetUser(v), LW_LLVM_lifetime_start, at) &&
                     comes_first(g, end, LLVMGetUser(v));
        if (!again)
            return true;
    }
    return false;
}

static void check(struct checker *c, LLVMValueRef at, LLVMValueRef pointer, LLVMValueRef bytes,
                  enum lw__access_kind kind)
{
    const bool ended = has_ended(&c->g, pointer, at);
    _Static_assert(LW_ACCESS_ENDED > (LW_ACCESS_WRITE | LW_ACCESS_ATOMIC), "a bit of its own");
    const unsigned kinds = (unsigned)kind | (ended ? LW_ACCESS_ENDED : 0);
    LLVMTypeRef variable = lw__variable_type(lw__ir_object(pointer));
    LLVMValueRef args[LW_ACCESS_ARGS] = {pointer, bytes, LLVMConstInt(c->i32, kinds, 0)};
    if (variable && LLVMIsAConstantInt(bytes) && !ended &&
        lw__is_within(c->data, pointer, LLVMConstIntGetZExtValue(bytes),
                      LLVMABISizeOfType(c->data, variable)))
        return;
    lw__instrument_call(c->b, c->unit->module, "lw.access", args, LW_ACCESS_ARGS);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* True if v leads through at()'s address computation to an access at exactly that address. */
static bool is_accessed(LLVMTargetDataRef data, LLVMValueRef v)
{
    EACH_USE(u, v) {
        LLVMValueRef user = LLVMGetUser(u);
        int64_t offset = 0;
        const LLVMOpcode op = LLVMGetInstructionOpcode(user);
        if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind) {
            if ((op == LLVMMul || op == LLVMAdd || op == LLVMGetElementPtr) &&
                is_accessed(data, user))
                return true;
            continue;
        }
        if (op == LLVMGetElementPtr && LLVMGetOperand(user, 0) == v &&
            lw__ir_adds_constant(data, user, &offset) && offset >= 0 && is_accessed(data, user))
            return true;
        const char *name = lw__ir_callee(user);
        if (op == LLVMLoad || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg ||
            (op == LLVMStore && LLVMGetOperand(user, 1) == v) || !strncmp(name, "llvm.mem", 8))
            return true;
    }
    return false;
}

/* The pointer of the GEP that uses the index; NULL: there is none. */
static LLVMValueRef tensor_of(LLVMValueRef v)
{
    EACH_USE(u, v) {
        LLVMValueRef user = LLVMGetUser(u);
        const LLVMOpcode op = LLVMGetInstructionOpcode(user);
        if (op == LLVMGetElementPtr)
            return LLVMGetOperand(user, 0);
        if (op == LLVMMul || op == LLVMAdd)
            return tensor_of(user);
    }
    return NULL;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void check_tensors(struct checker *c, LLVMValueRef f)
{
    if (!LLVMGetNamedFunction(c->unit->module, "lw.within"))
        return;
    EACH_INSTRUCTION_OF_SAFE(i, f) {
        if (!strcmp(lw__ir_callee(i), "lw.within")) {
            LLVMValueRef index = LLVMGetOperand(i, 0), count = LLVMGetOperand(i, 1);
            LLVMValueRef tensor = tensor_of(i);
            const bool behind = !is_accessed(c->data, i);
            const LLVMIntPredicate less = behind ? LLVMIntULE : LLVMIntULT;
            LLVMPositionBuilderBefore(c->b, i);
            LLVMValueRef args[LW_INDEX_ARGS] = {
                [LW_INDEX_OK] = LLVMBuildICmp(c->b, less, index, count, ""),
                [LW_INDEX_NUMBER] = index,
                [LW_INDEX_COUNT] = count,
                [LW_INDEX_POINTER] =
                    tensor && comes_first(&c->g, tensor, i) ? tensor : LLVMConstNull(c->ptr),
                [LW_INDEX_AXIS] = LLVMGetOperand(i, 2),
                [LW_INDEX_BEHIND] = LLVMConstInt(c->i1, behind, 0)};
            lw__instrument_call(c->b, c->unit->module, "lw.index", args, LW_INDEX_ARGS);
            LLVMReplaceAllUsesWith(i, index);
            LLVMInstructionEraseFromParent(i);
        }
    }
}

/* ---- promotion ------------------------------------------------------------------------------- */

#define KEEP "lw.keep"

/* True if the variable's address is stored, and it may be used after the variable's end. */
static bool may_outlive(LLVMValueRef variable)
{
    bool ends = false, is_stored = false;
    EACH_USE(u, variable) {
        LLVMValueRef user = LLVMGetUser(u);
        ends |= lw__ir_calls(user, LW_LLVM_lifetime_end);
        is_stored |= LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == variable;
    }
    return ends && is_stored;
}

/* A use of each such variable by which it stays in memory, until keep_no_more. */
static void keep_variables(struct checker *c, LLVMValueRef f)
{
    EACH_INSTRUCTION_SAFE(i, LLVMGetEntryBasicBlock(f)) {
        if (!LLVMIsAAllocaInst(i) || !may_outlive(i))
            continue;
        LLVMPositionBuilderBefore(c->b, LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(i)));
        LLVMSetCurrentDebugLocation2(c->b, NULL);
        lw__ir_call(c->b, c->unit->module, KEEP, LLVMVoidTypeInContext(c->unit->context), &i, 1);
    }
}

/* Variables that are only loaded and stored leave memory, so that pointers into others are visible.
 * An access by a pointer that has outlived its variable needs that variable: so those whose address
 * is stored stay, until the pointers have left memory. */
static bool promote(struct checker *c)
{
    for (size_t i = 0; i < c->unit->kernels.count; i++)
        keep_variables(c, c->unit->kernels.rows[i].function);
    const bool ok = lw__llvm_passes(c->unit, LW_PASSES_slots_to_values);
    LLVMValueRef keep = LLVMGetNamedFunction(c->unit->module, KEEP);
    EACH_CALL(call, keep)
        LLVMInstructionEraseFromParent(call);
    if (keep)
        LLVMDeleteFunction(keep);
    return ok;
}

/* lw__pass_access - lw.access before accesses, lw.index in place of lw.within. Variables are
 * promoted first, unless a debugger is to see them.
 * needs ENTERED
 */
bool lw__pass_access(struct lw__unit *unit)
{
    LLVMContextRef context = unit->context;
    struct checker c = {.unit = unit,
                        .data = LLVMGetModuleDataLayout(unit->module),
                        .b = LLVMCreateBuilderInContext(context),
                        .i1 = LLVMInt1TypeInContext(context),
                        .i32 = LLVMInt32TypeInContext(context),
                        .i64 = LLVMInt64TypeInContext(context),
                        .ptr = LLVMPointerTypeInContext(context, 0)};
    bool ok = unit->options->debug || promote(&c);
    lw__relax_volatile(unit);
    for (size_t i = 0; ok && i < unit->kernels.count; i++) {
        LLVMValueRef f = unit->kernels.rows[i].function;
        const struct lw__arena_mark mark = lw__arena_mark(&unit->scratch);
        lw__cfg_build(&unit->scratch, f, &c.g);
        /* Remove clang's attributes about pointers: they are to be checked. */
        static const char *const promises[] = {"dereferenceable", "dereferenceable_or_null",
                                               "nonnull"};
        for (size_t k = 0; k < sizeof promises / sizeof *promises; k++)
            for (unsigned i = 1; i <= LLVMCountParams(f); i++)
                LLVMRemoveEnumAttributeAtIndex(
                    f, i, LLVMGetEnumAttributeKindForName(promises[k], strlen(promises[k])));
        lw__llvm_attribute(f, "null_pointer_is_valid", true);
        check_tensors(&c, f);
        EACH_INSTRUCTION_OF(i, f) {
            const char *name = lw__ir_callee(i);
            LLVMPositionBuilderBefore(c.b, i);
            const bool is_atomic =
                LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                (lw__ir_address(i) && LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic);
            const enum lw__access_kind kind = is_atomic            ? LW_ACCESS_ATOMIC
                                              : LLVMIsALoadInst(i) ? LW_ACCESS_READ
                                                                   : LW_ACCESS_WRITE;
            if (lw__ir_address(i))
                check(&c, i, lw__ir_address(i),
                      LLVMConstInt(c.i64, LLVMStoreSizeOfType(c.data, lw__ir_accessed(i)), 0),
                      kind);
            else if (!strncmp(name, "llvm.mem", 8)) {
                LLVMValueRef bytes = LLVMGetOperand(i, 2);
                if (LLVMTypeOf(bytes) != c.i64)
                    bytes = LLVMBuildZExt(c.b, bytes, c.i64, "");
                if (strncmp(name, "llvm.memset", 11))
                    check(&c, i, LLVMGetOperand(i, 1), bytes, LW_ACCESS_READ);
                check(&c, i, LLVMGetOperand(i, 0), bytes, LW_ACCESS_WRITE);
            } else if (LLVMIsAGetElementPtrInst(i))
                LLVMGEPSetNoWrapFlags(i, 0); /* an address outside is no poison here */
        }
        lw__arena_release(&unit->scratch, mark);
    }
    LLVMDisposeBuilder(c.b);
    return ok;
}
