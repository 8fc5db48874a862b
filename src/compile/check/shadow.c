/* shadow.c - which bits of each value are undefined: MemorySanitizer's instrumentation, and what it
 * calls as calls of the device.
 *
 *     {ptr, ptr} @lw.shadow(ptr %p, i64 bytes, i32 kind)    shadow and origins of memory
 *     void @lw.undefined_use(ptr %p, i32 origin, i32 use)   a finding; %p: what is stored to
 *     void @lw.give(i64, i32, i64, i32, i64, i32)           to a collective: shadow and origin of
 *     i64 @lw.taken(), i32 @lw.taken_origin()               value, identity, number; its result's
 *
 * In the mode for kernels all shadow memory is asked of calls, which suits a device. Shadows of
 * parameters and results of calls go through a record; only marks have such, and these are taken
 * out of it here, so that nothing of the record is left.
 *
 * source   Stepanov & Serebryany, "MemorySanitizer: fast detector of uninitialized memory use in
 *          C++", CGO 2015; the names are those of LLVM 19's MemorySanitizer.cpp
 */
#include "compile/check/shadow.h"
#include "compile/llvm/llvm.h"
#include <string.h>

/* ---- helpers --------------------------------------------------------------------------------- */

void lw__shadow_collect(struct lw__shadow_work *w, LLVMValueRef f, bool (*wants)(LLVMValueRef i))
{
    w->list = lw__ir_list(&w->unit->scratch, f, wants, &w->list_count);
}

LLVMValueRef lw__shadow_call(struct lw__shadow_work *w, const char *name, LLVMTypeRef result,
                             LLVMValueRef *args, unsigned count)
{
    LLVMValueRef call = lw__ir_call(w->b, w->unit->module, name, result, args, count);
    lw__llvm_attribute(LLVMGetCalledValue(call), "nounwind", true);
    lw__llvm_attribute(LLVMGetCalledValue(call), "willreturn", true);
    return call;
}

static bool is_zero(LLVMValueRef v)
{
    return LLVMIsConstant(v) && LLVMIsNull(v);
}

/* ---- shadows --------------------------------------------------------------------------------- */

/* True if any bit is undefined, as an i1. */
static LLVMValueRef any_of(struct lw__shadow_work *w, LLVMValueRef shadow)
{
    LLVMTypeRef type = LLVMTypeOf(shadow);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (is_zero(shadow))
        return LLVMConstNull(w->i1);
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) {
        const unsigned count = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                          : (unsigned)LLVMGetArrayLength2(type);
        LLVMValueRef any = LLVMConstNull(w->i1);
        for (unsigned k = 0; k < count; k++)
            any = LLVMBuildOr(w->b, any, any_of(w, LLVMBuildExtractValue(w->b, shadow, k, "")), "");
        return any;
    }
    if (kind == LLVMVectorTypeKind) {
        const unsigned bits = (unsigned)LLVMSizeOfTypeInBits(w->data, type);
        type = LLVMIntTypeInContext(w->unit->context, bits);
        shadow = LLVMBuildBitCast(w->b, shadow, type, "");
    }
    return LLVMBuildICmp(w->b, LLVMIntNE, shadow, LLVMConstNull(type), "");
}

/* All bits undefined. */
static LLVMValueRef all_ones(struct lw__shadow_work *w, LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    LLVMValueRef ones = LLVMGetUndef(type);
    if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind)
        return LLVMConstAllOnes(type);
    const unsigned count = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                                      : (unsigned)LLVMGetArrayLength2(type);
    for (unsigned k = 0; k < count; k++) {
        LLVMTypeRef element = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, k)
                                                         : LLVMGetElementType(type);
        ones = LLVMBuildInsertValue(w->b, ones, all_ones(w, element), k, "");
    }
    return ones;
}

/* ---- the record of a call -------------------------------------------------------------------- */

/* MemorySanitizer's record, by its fields' numbers. */
enum { PARAM_SHADOW = 0, RETVAL_SHADOW = 1, PARAM_ORIGIN = 5, RETVAL_ORIGIN = 6 };
enum { PARAMS_MAX = 8, SLOT_BYTES = 8, RECORD_BYTES = 800 };

/* The field of the record that the pointer is into, -1: none; and the offset in it. */
static int field_of(LLVMValueRef p, uint64_t *offset)
{
    *offset = 0;
    if (LLVMIsAIntToPtrInst(p)) {
        p = LLVMGetOperand(p, 0);
        if (LLVMIsAInstruction(p) && LLVMGetInstructionOpcode(p) == LLVMAdd &&
            LLVMIsAConstantInt(LLVMGetOperand(p, 1))) {
            *offset = LLVMConstIntGetZExtValue(LLVMGetOperand(p, 1));
            p = LLVMGetOperand(p, 0);
        }
        if (!LLVMIsAPtrToIntInst(p))
            return -1;
        p = LLVMGetOperand(p, 0);
    }
    if (!LLVMIsAGetElementPtrInst(p) ||
        strcmp(lw__ir_callee(LLVMGetOperand(p, 0)), "__msan_get_context_state") != 0)
        return -1;
    return (int)LLVMConstIntGetZExtValue(LLVMGetOperand(p, 2));
}

struct params {
    unsigned count;
    LLVMValueRef shadow[PARAMS_MAX], origin[PARAMS_MAX];
};

/* The shadows and origins of a mark's operands, by the stores before it. */
static struct params params_of(struct lw__shadow_work *w, LLVMValueRef call)
{
    struct params p = {.count = LLVMGetNumArgOperands(call)};
    uint64_t at[PARAMS_MAX], end = 0, offset;
    for (unsigned k = 0; k < p.count; k++) {
        at[k] = end;
        end += (LLVMABISizeOfType(w->data, LLVMTypeOf(LLVMGetOperand(call, k))) + SLOT_BYTES - 1) /
               SLOT_BYTES * SLOT_BYTES;
        p.origin[k] = LLVMConstNull(w->i32);
    }
    w->failed |= end > RECORD_BYTES && !lw__defect("values of %llu bytes", (unsigned long long)end);
    unsigned left = p.count;
    for (LLVMValueRef i = LLVMGetPreviousInstruction(call), before; i && left; i = before) {
        before = LLVMGetPreviousInstruction(i);
        const int field = LLVMIsAStoreInst(i) ? field_of(LLVMGetOperand(i, 1), &offset) : -1;
        for (unsigned k = 0; k < p.count && field >= 0; k++) {
            if (at[k] != offset)
                continue;
            if (field == PARAM_SHADOW)
                p.shadow[k] = LLVMGetOperand(i, 0), left--;
            else if (field == PARAM_ORIGIN)
                p.origin[k] = LLVMGetOperand(i, 0);
        }
        if (field == PARAM_SHADOW || field == PARAM_ORIGIN)
            LLVMInstructionEraseFromParent(i);
    }
    for (unsigned k = 0; k < p.count; k++)
        if (!p.shadow[k])
            w->failed |= !lw__defect("MemorySanitizer gives no shadow for an operand");
    return p;
}

/* After the call, what is loaded as its result's shadow and origin is this. */
static void set_result(LLVMValueRef call, LLVMValueRef shadow, LLVMValueRef origin)
{
    bool done[2] = {false, false};
    LLVMValueRef i = LLVMGetNextInstruction(call), next;
    uint64_t offset;
    for (; i && !(done[0] && done[1]); i = next) {
        next = LLVMGetNextInstruction(i);
        const int field = LLVMIsALoadInst(i) ? field_of(LLVMGetOperand(i, 0), &offset) : -1;
        if (field != RETVAL_SHADOW && field != RETVAL_ORIGIN)
            continue;
        done[field == RETVAL_ORIGIN] = true;
        LLVMReplaceAllUsesWith(i, field == RETVAL_ORIGIN ? origin : shadow);
        LLVMInstructionEraseFromParent(i);
    }
}

static bool is_record(LLVMValueRef i)
{
    return !strcmp(lw__ir_callee(i), "__msan_get_context_state");
}

static bool is_of_record(LLVMValueRef i)
{
    const bool loads = LLVMIsALoadInst(i);
    uint64_t offset;
    return (loads || LLVMIsAStoreInst(i)) &&
           field_of(LLVMGetOperand(i, loads ? 0 : 1), &offset) >= 0;
}

/* Instead: 0, as parameters of the kernel are defined; nothing else of the record is of use. */
static void drop(struct lw__shadow_work *w, LLVMValueRef i)
{
    (void)w;
    if (LLVMIsALoadInst(i))
        LLVMReplaceAllUsesWith(i, LLVMConstNull(LLVMTypeOf(i)));
    else if (!LLVMIsAStoreInst(i))
        LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
    LLVMInstructionEraseFromParent(i);
}

/* ---- uses ------------------------------------------------------------------------------------ */

static LLVMValueRef number(struct lw__shadow_work *w, uint64_t value)
{
    return LLVMConstInt(w->i32, value, 0);
}

/* Before `at`: if `any`, a finding. */
static void tell_if(struct lw__shadow_work *w, LLVMValueRef at, LLVMValueRef any,
                    LLVMValueRef pointer, LLVMValueRef origin, enum lw__use use)
{
    LLVMValueRef args[] = {pointer, origin, number(w, use)};
    if (is_zero(any))
        return;
    LLVMBasicBlockRef head = lw__ir_split_before(at), tail = LLVMGetInstructionParent(at);
    LLVMBasicBlockRef tell = LLVMInsertBasicBlockInContext(w->unit->context, tail, "");
    LLVMPositionBuilderAtEnd(w->b, head);
    LLVMSetCurrentDebugLocation2(w->b, LLVMInstructionGetDebugLoc(at));
    lw__ir_set_rare(LLVMBuildCondBr(w->b, any, tell, tail));
    LLVMPositionBuilderAtEnd(w->b, tell);
    lw__shadow_call(w, "lw.undefined_use", w->none, args, 3);
    LLVMBuildBr(w->b, tail);
}

/* What MemorySanitizer checks is the first instruction of the block after a warning. */
static enum lw__use use_behind(LLVMValueRef warning)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(warning));
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetSuccessor(end, 0));
    return LLVMIsABranchInst(i) || LLVMIsASwitchInst(i) ? LW_USE_BRANCH : LW_USE_ADDRESS;
}

static void lower_warning(struct lw__shadow_work *w, LLVMValueRef warning)
{
    LLVMPositionBuilderBefore(w->b, warning);
    LLVMValueRef args[] = {LLVMConstNull(w->ptr), LLVMGetOperand(warning, 0),
                           number(w, use_behind(warning))};
    lw__shadow_call(w, "lw.undefined_use", w->none, args, 3);
    LLVMInstructionEraseFromParent(warning);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void lower_use(struct lw__shadow_work *w, LLVMValueRef call, const char *what)
{
    const bool is_store = !strncmp(what, "store", 5);
    const enum lw__use use = is_store                      ? LW_USE_STORE
                             : !strncmp(what, "atomic", 6) ? LW_USE_ATOMIC
                             : !strncmp(what, "print", 5)  ? LW_USE_PRINT
                                                           : LW_USE_ADDRESS;
    struct params p = params_of(w, call);
    LLVMValueRef pointer = is_store ? LLVMGetOperand(call, 1) : LLVMConstNull(w->ptr);
    for (unsigned k = 0; k < p.count - is_store && !w->failed; k++) {
        LLVMPositionBuilderBefore(w->b, call);
        tell_if(w, call, any_of(w, p.shadow[k]), pointer, p.origin[k], use);
    }
}

static void lower_mixed(struct lw__shadow_work *w, LLVMValueRef call)
{
    struct params p = params_of(w, call);
    LLVMValueRef any = LLVMConstNull(w->i1), origin = LLVMConstNull(w->i32);
    if (w->failed)
        return;
    LLVMTypeRef type = LLVMTypeOf(p.shadow[0]);
    LLVMPositionBuilderBefore(w->b, call);
    for (unsigned k = 1; k < p.count; k++) {
        LLVMValueRef one = any_of(w, p.shadow[k]);
        if (is_zero(one))
            continue;
        origin = LLVMBuildSelect(w->b, one, p.origin[k], origin, "");
        any = LLVMBuildOr(w->b, any, one, "");
    }
    LLVMValueRef shadow =
        is_zero(any) ? LLVMConstNull(type)
                     : LLVMBuildSelect(w->b, any, all_ones(w, type), LLVMConstNull(type), "");
    set_result(call, shadow, origin);
}

/* Within the type's bits, as the shadow must have a value. */
static LLVMValueRef distance_of(struct lw__shadow_work *w, LLVMValueRef distance)
{
    LLVMTypeRef type = LLVMTypeOf(distance), scalar = lw__ir_scalar(type);
    const unsigned bits = LLVMGetIntTypeWidth(scalar);
    LLVMValueRef one = LLVMConstInt(scalar, bits, 0), all[64];
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    const unsigned lanes = is_vector ? LLVMGetVectorSize(type) : 1;
    for (unsigned k = 0; k < lanes && k < 64; k++)
        all[k] = one;
    LLVMValueRef limit = is_vector ? LLVMConstVector(all, lanes < 64 ? lanes : 64) : one;
    return LLVMBuildURem(w->b, distance, limit, "");
}

static void lower_shift(struct lw__shadow_work *w, LLVMValueRef call, LLVMOpcode op)
{
    struct params p = params_of(w, call);
    if (w->failed)
        return;
    LLVMPositionBuilderBefore(w->b, call);
    LLVMValueRef moved =
        LLVMBuildBinOp(w->b, op, p.shadow[1], distance_of(w, LLVMGetOperand(call, 2)), "");
    LLVMValueRef any = any_of(w, p.shadow[2]), origin = p.origin[1];
    if (!is_zero(any)) {
        moved = LLVMBuildSelect(w->b, any, all_ones(w, LLVMTypeOf(moved)), moved, "");
        origin = LLVMBuildSelect(w->b, any, p.origin[2], origin, "");
    }
    set_result(call, moved, origin);
}

static LLVMValueRef widened(struct lw__shadow_work *w, LLVMValueRef shadow)
{
    return LLVMBuildZExt(w->b, shadow, w->i64, "");
}

static void lower_give(struct lw__shadow_work *w, LLVMValueRef call)
{
    struct params p = params_of(w, call);
    if (w->failed || (is_zero(p.shadow[0]) && is_zero(p.shadow[1]) && is_zero(p.shadow[2])))
        return;
    LLVMPositionBuilderBefore(w->b, call);
    LLVMValueRef args[] = {widened(w, p.shadow[0]), p.origin[0],
                           widened(w, p.shadow[1]), p.origin[1],
                           widened(w, p.shadow[2]), p.origin[2]};
    lw__shadow_call(w, "lw.give", w->none, args, 6);
}

static void lower_take(struct lw__shadow_work *w, LLVMValueRef call)
{
    struct params p = params_of(w, call);
    if (w->failed)
        return;
    LLVMPositionBuilderBefore(w->b, call);
    LLVMValueRef shadow = lw__shadow_call(w, "lw.taken", w->i64, NULL, 0);
    LLVMValueRef origin = lw__shadow_call(w, "lw.taken_origin", w->i32, NULL, 0);
    set_result(call, LLVMBuildTrunc(w->b, shadow, LLVMTypeOf(p.shadow[0]), ""), origin);
}

static void lower_mark(struct lw__shadow_work *w, LLVMValueRef call)
{
    const char *name = lw__ir_callee(call);
    LLVMValueRef f = LLVMGetCalledValue(call);
    if (!strncmp(name, LW_MARK_USE, strlen(LW_MARK_USE))) {
        lower_use(w, call, name + strlen(LW_MARK_USE));
    } else if (!strncmp(name, LW_MARK_MIXED, strlen(LW_MARK_MIXED))) {
        lower_mixed(w, call);
    } else if (!strncmp(name, LW_MARK_SAME, strlen(LW_MARK_SAME))) {
        struct params p = params_of(w, call);
        if (!w->failed)
            set_result(call, p.shadow[1], p.origin[1]);
    } else if (!strncmp(name, LW_MARK_SHL, strlen(LW_MARK_SHL))) {
        lower_shift(w, call, LLVMShl);
    } else if (!strncmp(name, LW_MARK_LSHR, strlen(LW_MARK_LSHR))) {
        lower_shift(w, call, LLVMLShr);
    } else if (!strncmp(name, LW_MARK_ASHR, strlen(LW_MARK_ASHR))) {
        lower_shift(w, call, LLVMAShr);
    } else if (!strncmp(name, LW_MARK_GIVE, strlen(LW_MARK_GIVE))) {
        lower_give(w, call);
    } else {
        lower_take(w, call);
    }
    if (LLVMTypeOf(call) != w->none)
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
    LLVMInstructionEraseFromParent(call);
    LLVMDeleteFunction(f);
}

/* ---- all that MemorySanitizer leaves --------------------------------------------------------- */

static bool is_mark(LLVMValueRef i)
{
    return !strncmp(lw__ir_callee(i), LW_MARK, strlen(LW_MARK));
}

/* A lane by a variable number: of a value or its shadow. */
static bool is_lane(LLVMValueRef i)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    const unsigned number = op == LLVMExtractElement ? 1 : 2;
    return (op == LLVMExtractElement || op == LLVMInsertElement) &&
           !LLVMIsConstant(LLVMGetOperand(i, number));
}

/* One that is not there is poison, by which nothing may branch. */
static void freeze(struct lw__shadow_work *w, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(w->b, LLVMGetNextInstruction(i));
    LLVMValueRef frozen = LLVMBuildFreeze(w->b, LLVMGetUndef(LLVMTypeOf(i)), "");
    LLVMReplaceAllUsesWith(i, frozen);
    LLVMSetOperand(frozen, 0, i);
}

static bool is_warning(LLVMValueRef i)
{
    return !strcmp(lw__ir_callee(i), "__msan_warning");
}

static bool is_of_memory(LLVMValueRef i)
{
    const char *name = lw__ir_callee(i);
    return !strncmp(name, "__msan_metadata_ptr_for_", 24) || !strcmp(name, LW_DECLARED) ||
           (!strncmp(name, "llvm.mem", 8) && !lw__ir_is_marked(i, LW_REF_OWN)) ||
           lw__ir_calls(i, LW_LLVM_donothing) || !strncmp(name, "__msan_poison_", 14) ||
           !strncmp(name, "__msan_unpoison_", 16);
}

static void lower_of_memory(struct lw__shadow_work *w, LLVMValueRef call)
{
    const char *name = lw__ir_callee(call);
    if (!strncmp(name, "__msan_metadata_", 16))
        lw__shadow_lower_pointer(w, call);
    else if (!strcmp(name, LW_DECLARED))
        lw__shadow_lower_declared(w, call);
    else if (!strncmp(name, "llvm.mem", 8))
        lw__shadow_lower_copy(w, call);
    else
        LLVMInstructionEraseFromParent(call);
}

static bool lower_all(struct lw__shadow_work *w, LLVMValueRef f)
{
    static const struct {
        bool (*wants)(LLVMValueRef i);
        void (*lower)(struct lw__shadow_work *w, LLVMValueRef call);
    } steps[] = {{is_lane, freeze},           {is_mark, lower_mark},
                 {is_warning, lower_warning}, {is_of_memory, lower_of_memory},
                 {is_of_record, drop},        {is_record, drop}};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        lw__shadow_collect(w, f, steps[s].wants);
        for (size_t k = 0; k < w->list_count && !w->failed; k++)
            steps[s].lower(w, w->list[k]);
    }
    if (w->failed)
        return false;
    lw__shadow_tell_variables(w);
    w->variables = NULL;
    w->variable_count = 0;
    return !w->failed;
}

/* Its declarations, which have no uses any more; what is loaded of `lw.undefined.N` is 0. */
static bool drop_names(struct lw__shadow_work *w)
{
    LLVMModuleRef module = w->unit->module;
    EACH_FUNCTION_SAFE(f, module) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (strncmp(name, "__msan_", 7) && strcmp(name, LW_DECLARED) != 0)
            continue;
        if (LLVMGetFirstUse(f))
            return lw__defect("the shadow pass has no lowering of %s", name);
        LLVMDeleteFunction(f);
    }
    EACH_GLOBAL_SAFE(g, module) {
        size_t length;
        if (strncmp(LLVMGetValueName2(g, &length), LW_UNDEFINED, strlen(LW_UNDEFINED)))
            continue;
        for (LLVMUseRef u; (u = LLVMGetFirstUse(g));) {
            LLVMValueRef load = LLVMGetUser(u);
            LLVMReplaceAllUsesWith(load, LLVMConstNull(LLVMTypeOf(load)));
            LLVMInstructionEraseFromParent(load);
        }
        LLVMDeleteGlobal(g);
    }
    return true;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void set_attribute(struct lw__unit *unit, bool set)
{
    EACH_FUNCTION(f, unit->module)
        lw__llvm_attribute(
            f, lw__ir_is_kernel(unit, f) ? "sanitize_memory" : "disable_sanitizer_instrumentation",
            set);
}

static bool is_atomic_access(LLVMValueRef i)
{
    return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) &&
           LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
}

/* MemorySanitizer on all kernels. Atomic accesses keep the order that they have. */
static bool instrument(struct lw__shadow_work *w)
{
    struct lw__unit *unit = w->unit;
    const size_t kernels = unit->kernels.count;
    struct {
        LLVMValueRef *list;
        LLVMAtomicOrdering *orders;
        size_t count;
    } *atomic = lw__new(&unit->scratch, kernels + 1, sizeof *atomic);
    for (size_t k = 0; k < kernels; k++) {
        atomic[k].list = lw__ir_list(&unit->scratch, unit->kernels.rows[k].function,
                                     is_atomic_access, &atomic[k].count);
        atomic[k].orders = lw__new(&unit->scratch, atomic[k].count + 1, sizeof *atomic[k].orders);
        for (size_t i = 0; i < atomic[k].count; i++)
            atomic[k].orders[i] = LLVMGetOrdering(atomic[k].list[i]);
    }
    set_attribute(unit, true);
    const bool ok = lw__llvm_shadow(unit);
    set_attribute(unit, false);
    for (size_t k = 0; k < kernels; k++)
        for (size_t i = 0; i < atomic[k].count; i++)
            LLVMSetOrdering(atomic[k].list[i], atomic[k].orders[i]);
    return ok;
}

static bool run(struct lw__shadow_work *w)
{
    const struct lw__kernels *kernels = &w->unit->kernels;
    for (size_t k = 0; k < kernels->count; k++)
        lw__shadow_mark(w, kernels->rows[k].function);
    if (!instrument(w))
        return false;
    for (size_t k = 0; k < kernels->count; k++)
        if (!lower_all(w, kernels->rows[k].function))
            return false;
    return drop_names(w);
}

/* lw__pass_shadow - the device is told of uses of undefined bits.
 * needs ENTERED
 */
bool lw__pass_shadow(struct lw__unit *unit)
{
    LLVMContextRef c = unit->context;
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c, 0);
    struct lw__shadow_work w = {.unit = unit,
                                .data = LLVMGetModuleDataLayout(unit->module),
                                .b = LLVMCreateBuilderInContext(c),
                                .none = LLVMVoidTypeInContext(c),
                                .i1 = LLVMInt1TypeInContext(c),
                                .i8 = LLVMInt8TypeInContext(c),
                                .i32 = LLVMInt32TypeInContext(c),
                                .i64 = LLVMInt64TypeInContext(c),
                                .ptr = ptr,
                                .pair =
                                    LLVMStructTypeInContext(c, (LLVMTypeRef[]){ptr, ptr}, 2, 0)};
    const bool ok = run(&w);
    LLVMDisposeBuilder(w.b);
    return ok;
}
