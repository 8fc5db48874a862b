/* lower.c - the reference form of a kernel: one thread, as a coroutine.
 *
 * A kernel K of the common bitcode becomes `ptr lw.ref.K(ptr thread)`. At each collective it writes
 * its request into the thread's record (base/ref_abi.h) and suspends. The scheduler of run/ref
 * computes the result and resumes it. Loops suspend, too: turns.c.
 */
#include "compile/ref/ref.h"
#include "compile/llvm/llvm.h"
#include "compile/front/front.h"
#include <assert.h>
#include <string.h>

LLVMValueRef lw__ref_field(struct lw__ref *r, size_t offset)
{
    assert(r->thread && offset < sizeof(struct lw_ref_thread));
    LLVMValueRef index = LLVMConstInt(r->i64, offset, 0);
    return LLVMBuildGEP2(r->b, r->i8, r->thread, &index, 1, "");
}

LLVMValueRef lw__ref_load(struct lw__ref *r, LLVMTypeRef type, size_t offset)
{
    return LLVMBuildLoad2(r->b, type, lw__ref_field(r, offset), "");
}

void lw__ref_store(struct lw__ref *r, LLVMValueRef value, size_t offset)
{
    LLVMBuildStore(r->b, value, lw__ref_field(r, offset));
}

void lw__ref_store32(struct lw__ref *r, uint32_t value, size_t offset)
{
    lw__ref_store(r, LLVMConstInt(r->i32, value, 0), offset);
}

LLVMValueRef lw__ref_call(struct lw__ref *r, size_t slot, LLVMTypeRef result, LLVMValueRef *args,
                          unsigned count)
{
    enum { MOST = 8 };
    assert(count < MOST && slot < sizeof(struct lw_ref_calls) && slot % sizeof(void *) == 0);
    LLVMValueRef all[MOST] = {r->thread};
    LLVMTypeRef types[MOST] = {r->ptr};
    for (unsigned k = 0; k < count; k++) {
        all[k + 1] = args[k];
        types[k + 1] = LLVMTypeOf(args[k]);
    }
    LLVMValueRef calls = lw__ref_load(r, r->ptr, FIELD(calls));
    LLVMValueRef index = LLVMConstInt(r->i64, slot, 0);
    LLVMValueRef at = LLVMBuildGEP2(r->b, r->i8, calls, &index, 1, "");
    LLVMValueRef f = LLVMBuildLoad2(r->b, r->ptr, at, "");
    return LLVMBuildCall2(r->b, LLVMFunctionType(result, types, count + 1, 0), f, all, count + 1,
                          "");
}

void lw__ref_suspend(struct lw__ref *r, LLVMBasicBlockRef at, LLVMBasicBlockRef next)
{
    if (r->extension->suspend)
        r->extension->suspend(r, at, next);
    else
        lw__coroutine_suspend(&r->co, at, next);
}

/* The frame comes from the scheduler. */
static LLVMValueRef ask_for_frame(LLVMBuilderRef b, LLVMValueRef bytes, LLVMValueRef align,
                                  void *user)
{
    struct lw__ref *r = user;
    LLVMBuilderRef mine = r->b;
    r->b = b;
    LLVMValueRef memory = lw__ref_call(r, CALL(frame), r->ptr, (LLVMValueRef[]){bytes, align}, 2);
    r->b = mine;
    return memory;
}

/* A value's bits in a 64-bit slot, and back. */
static LLVMTypeRef bits_type(struct lw__ref *r, LLVMTypeRef type)
{
    return LLVMIntTypeInContext(r->unit->context, (unsigned)LLVMSizeOfTypeInBits(r->data, type));
}

LLVMValueRef lw__ref_to_bits(struct lw__ref *r, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(r->b, v, r->i64, "");
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        v = LLVMBuildBitCast(r->b, v, bits_type(r, type), "");
    return LLVMBuildZExt(r->b, v, r->i64, "");
}

static LLVMValueRef from_bits(struct lw__ref *r, LLVMValueRef bits, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        return LLVMBuildTrunc(r->b, bits, type, "");
    return LLVMBuildBitCast(r->b, LLVMBuildTrunc(r->b, bits, bits_type(r, type), ""), type, "");
}

uint32_t lw__ref_dtype_named(const char *name)
{
    for (int t = 0; t < LW_DTYPE_COUNT; t++)
        if (!strcmp(lw_dtype_name((lw_dtype)t), name))
            return (uint32_t)t;
    return 0;
}

/* ---- collectives ----------------------------------------------------------------------------- */

static void store_operands(struct lw__ref *r, LLVMValueRef call, enum lw__op_arguments shape)
{
    if (shape == LW_ARGS_N)
        return;
    lw__ref_store(r, lw__ref_to_bits(r, LLVMGetOperand(call, 0)), FIELD(value));
    if (shape == LW_ARGS_VI)
        lw__ref_store(r, LLVMGetOperand(call, 1), FIELD(number));
    if (shape == LW_ARGS_VVI) {
        lw__ref_store(r, lw__ref_to_bits(r, LLVMGetOperand(call, 1)), FIELD(identity));
        lw__ref_store(r, LLVMGetOperand(call, 2), FIELD(number));
    }
}

/* Split before the call, write the request, suspend, load the result. */
static void lower_collective(struct lw__ref *r, LLVMValueRef call, enum lw__op op, const char *type)
{
    LLVMBasicBlockRef head = lw__ir_split_before(call), tail = LLVMGetInstructionParent(call);
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(call);
    LLVMPositionBuilderAtEnd(r->b, head);
    LLVMSetCurrentDebugLocation2(r->b, loc);
    lw__ref_store32(r, LW_REF_COLLECTIVE, FIELD(state));
    lw__ref_store32(r, op, FIELD(op));
    lw__ref_store32(r, lw__ref_dtype_named(type), FIELD(type));
    lw__ref_store32(r, lw__ir_site(r->unit, call, lw__op_table[op].name), FIELD(site));
    store_operands(r, call, lw__op_table[op].args);
    LLVMOperandBundleRef instance = lw__ir_instance(call);
    const unsigned n = LLVMGetNumOperandBundleArgs(instance);
    assert(n <= LW_REF_KEY_MAX); /* the record has room */
    for (unsigned k = 0; k < n; k++)
        lw__ref_store(r, LLVMGetOperandBundleArgAtIndex(instance, k),
                      FIELD(key) + k * sizeof(uint64_t));
    lw__ref_store32(r, n, FIELD(key_length));
    LLVMDisposeOperandBundle(instance);
    lw__ref_store_place(r, call);
    LLVMSetCurrentDebugLocation2(r->co.builder, loc);
    lw__ref_suspend(r, head, tail);
    LLVMPositionBuilderBefore(r->b, call);
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind) {
        LLVMValueRef bits = lw__ref_load(r, r->i64, FIELD(result));
        LLVMReplaceAllUsesWith(call, from_bits(r, bits, LLVMTypeOf(call)));
    }
    LLVMInstructionEraseFromParent(call);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static bool is_lowered(LLVMValueRef i)
{
    return !strncmp(lw__ir_callee(i), "lw.", 3) || LLVMIsAReturnInst(i);
}

static bool is_lowered_or_writes(LLVMValueRef i)
{
    return is_lowered(i) || lw__ref_may_write(i);
}

static bool lower_instruction(struct lw__ref *r, LLVMValueRef i)
{
    const char *type;
    enum lw__op op = lw__ir_collective(i, &type);
    if (op) {
        lower_collective(r, i, op, type);
        return true;
    }
    if (LLVMIsAReturnInst(i)) {
        LLVMPositionBuilderBefore(r->b, i);
        lw__ref_store32(r, LW_REF_RETURNED, FIELD(state));
        LLVMBuildBr(r->b, r->co.final);
        LLVMInstructionEraseFromParent(i);
        return true;
    }
    if (LLVMIsACallInst(i) && !strncmp(lw__ir_callee(i), "lw.", 3))
        return lw__ref_lower_check(r, i) || lw__ref_lower_call(r, i);
    lw__ref_note_write(r, i);
    return true;
}

/* Move the kernel's body after the ramp; its parameters are loaded from the packed arguments. */
static void move_body(struct lw__ref *r, const struct lw__kernel *kernel)
{
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(kernel->function), last = r->co.body;
    for (LLVMBasicBlockRef b = first, next; b; b = next) {
        next = LLVMGetNextBasicBlock(b);
        LLVMMoveBasicBlockAfter(b, last);
        last = b;
    }
    LLVMPositionBuilderAtEnd(r->b, r->co.body);
    LLVMValueRef packed = lw__ref_load(r, r->ptr, FIELD(args));
    lw__ref_bounds_open(r, kernel);
    for (unsigned i = 0; i < kernel->param_count; i++) {
        LLVMValueRef argument = lw__front_load_argument(r->b, kernel, i, packed);
        if (r->extension->argument)
            r->extension->argument(r, LLVMGetParam(kernel->function, i), argument);
        LLVMReplaceAllUsesWith(LLVMGetParam(kernel->function, i), argument);
        lw__ref_bounds_argument(r, i, argument);
    }
    r->shared = lw__ref_load(r, r->ptr, FIELD(shared));
    if (r->extension->enter)
        r->extension->enter(r);
    LLVMBuildBr(r->b, first);
}

static bool lower_body(struct lw__ref *r, struct lw__shared_layout *layout, LLVMValueRef *list,
                       size_t count)
{
    LLVMPositionBuilderBefore(r->b, LLVMGetBasicBlockTerminator(r->co.body));
    lw__ref_bounds_shared(r, layout);
    if (r->extension->shared)
        r->extension->shared(r, layout);
    if (!lw__shared_replace(r->unit, r->co.function, layout, r->shared, r->b, r->co.entry) ||
        !lw__ref_bounds_variables(r))
        return false;
    if (r->extension->survey)
        r->extension->survey(r, list, count);
    lw__ref_bounds_strip(r);
    for (size_t i = 0; i < r->yield_count; i++) /* not found earlier: strip replaces instructions */
        lw__ref_yield(r, &r->yields[i]);
    for (size_t i = 0; i < count; i++)
        if (!lower_instruction(r, list[i]))
            return false;
    if (r->extension->leave)
        r->extension->leave(r);
    return true;
}

/* The new function: a coroutine around the kernel's body. */
static bool build_coroutine(struct lw__ref *r, const struct lw__kernel *kernel, const char *name)
{
    LLVMModuleRef module = r->unit->module;
    LLVMValueRef f = LLVMAddFunction(module, name, LLVMFunctionType(r->ptr, &r->ptr, 1, 0));
    if (LLVMGetSubprogram(kernel->function))
        LLVMSetSubprogram(f, LLVMGetSubprogram(kernel->function));
    lw__llvm_attribute(f, "nounwind", true);
    r->co.function = f;
    r->thread = LLVMGetParam(f, 0);
    if (r->extension->open)
        r->extension->open(r, kernel);
    lw__prune_checks(&r->unit->scratch, r->data, kernel->function);
    struct lw__shared_layout layout;
    lw__shared_layout(r->unit, kernel->function, &layout);
    lw__ref_find_yields(r, kernel->function);
    size_t count;
    LLVMValueRef *list = lw__ir_list(&r->unit->scratch, kernel->function,
                                     r->has_loops ? is_lowered_or_writes : is_lowered, &count);
    if (!r->extension->suspend)
        lw__coroutine_open(module, f, ask_for_frame, r, &r->co);
    move_body(r, kernel);
    /* Private arrays must be in the entry block to have a fixed offset in the frame. */
    LLVMBuilderRef b = LLVMCreateBuilderInContext(r->unit->context);
    for (LLVMBasicBlockRef k = LLVMGetNextBasicBlock(r->co.entry); k; k = LLVMGetNextBasicBlock(k))
        EACH_INSTRUCTION_SAFE(i, k) {
            if (!LLVMIsAAllocaInst(i))
                continue;
            LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(r->co.entry));
            lw__ir_move(i, b);
        }
    LLVMDisposeBuilder(b);
    const bool ok = lower_body(r, &layout, list, count);
    if (ok)
        lw__ref_bounds_describe(r, kernel);
    lw__coroutine_close(&r->co);
    LLVMDeleteFunction(kernel->function);
    return ok;
}

static bool lower_kernel(struct lw__unit *unit, const struct lw__ref_extension *extension,
                         const struct lw__kernel *kernel)
{
    LLVMContextRef c = unit->context;
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c, 0);
    struct lw__ref r = {.unit = unit,
                        .extension = extension,
                        .b = LLVMCreateBuilderInContext(c),
                        .data = LLVMGetModuleDataLayout(unit->module),
                        .none = LLVMVoidTypeInContext(c),
                        .i8 = LLVMInt8TypeInContext(c),
                        .i32 = LLVMInt32TypeInContext(c),
                        .i64 = LLVMInt64TypeInContext(c),
                        .ptr = ptr};
    const struct lw__arena_mark mark = lw__arena_mark(&unit->scratch);
    lw__where_kernel(unit, kernel);
    const bool ok =
        build_coroutine(&r, kernel, lw__format(&unit->scratch, "lw.ref.%s", kernel->name));
    lw__arena_release(&unit->scratch, mark);
    LLVMDisposeBuilder(r.b);
    return ok;
}

bool lw__ref_lower(struct lw__unit *unit, const struct lw__ref_extension *extension)
{
    if (lw__is_for_aarch64(unit) && !lw__target_machine(unit, LLVMCodeGenLevelNone))
        return false;
    for (size_t i = 0; i < unit->kernels.count; i++)
        if (!lower_kernel(unit, extension, &unit->kernels.rows[i]))
            return false;
    if (!extension->suspend)
        lw__coroutine_resumer(unit->module, "lw.resume");
    return true;
}

/* lw__pass_ref - each kernel K as the coroutine lw.ref.K.
 * needs COMMON   makes THREADS   breaks COMMON
 */
bool lw__pass_ref(struct lw__unit *unit)
{
    static const struct lw__ref_extension none = {0};
    return lw__ref_lower(unit, &none);
}
