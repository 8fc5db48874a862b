/* lower.c - kernels as entries of a GPU's program: what of the language the hardware has no
 * instruction for.
 *
 *     arguments       the entry has them packed; pointers are to global memory
 *     thread indices  the target's; the block's dimensions are constants since prepare
 *     shared memory   the launch's dynamic shared memory; variables are offsets in it
 *     collectives     calls of devlib since converge
 *     printf, assert  records in the launch's memory; their texts lie in one array of the program
 *     checks          of guarded code: a branch to a record of the same kind (guards.c)
 *     spin loops      their kernels take the block's index from a ticket as they start; so a block
 *                     waits only for others that have started. Each iteration checks whether to
 *                     stop
 */
#include "base/bounds_abi.h"
#include "base/manifest.h"
#include "compile/gpu/gpu.h"
#include "compile/front/front.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

static LLVMValueRef const32(struct lw__gpu *x, uint64_t n)
{
    return LLVMConstInt(x->i32, n, 0);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* One entry under construction. */
struct entry {
    struct lw__gpu x;
    LLVMValueRef function, launch;
    LLVMValueRef block_idx[3]; /* from a ticket; else NULL */
};

static LLVMValueRef int3(struct lw__gpu *x, const char *what, unsigned k)
{
    char name[32] = "lw.";
    strcat(name, what);
    strcat(name, &".x\0.y\0.z"[3 * k]);
    return lw__gpu_thread_index(x, name);
}

/* x + size_x * (y + size_y * z), of the block's threads. */
static LLVMValueRef thread_number(struct lw__gpu *x)
{
    LLVMValueRef n = const32(x, 0);
    for (unsigned k = 3; k-- > 0;) {
        n = LLVMBuildMul(x->b, n, const32(x, x->kernel->block[k]), "");
        n = x->kernel->block[k] == 1 ? n : LLVMBuildAdd(x->b, n, int3(x, "thread_idx", k), "");
    }
    return n;
}

/* The same of the grid's blocks. It is computed where `zero` is, and not before. */
static LLVMValueRef block_number(struct lw__gpu *x, LLVMValueRef zero)
{
    LLVMValueRef n = zero;
    for (unsigned k = 3; k-- > 0;) {
        LLVMValueRef size = LLVMBuildZExt(x->b, int3(x, "grid_dim", k), x->i64, "");
        LLVMValueRef i = LLVMBuildZExt(x->b, int3(x, "block_idx", k), x->i64, "");
        n = LLVMBuildAdd(x->b, LLVMBuildMul(x->b, n, size, ""), i, "");
    }
    return n;
}

/* A pointer from the host is to global memory. Casting it there and back tells infer-address-spaces
 * so. */
static LLVMValueRef to_global(struct lw__gpu *x, LLVMValueRef v)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind || !LLVMIsALoadInst(v))
        return v;
    LLVMTypeRef global = LLVMPointerTypeInContext(x->context, x->target->global);
    return LLVMBuildAddrSpaceCast(x->b, LLVMBuildAddrSpaceCast(x->b, v, global, ""), x->ptr, "");
}

/* The kernel's basic blocks move to the entry. */
static void move_body(struct entry *e)
{
    struct lw__gpu *x = &e->x;
    const struct lw__kernel *kernel = x->kernel;
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(kernel->function);
    LLVMBasicBlockRef before = LLVMAppendBasicBlockInContext(x->context, e->function, "");
    LLVMBasicBlockRef last = before;
    for (LLVMBasicBlockRef b = first, next; b; b = next) {
        next = LLVMGetNextBasicBlock(b);
        LLVMMoveBasicBlockAfter(b, last);
        last = b;
    }
    LLVMDeleteBasicBlock(before);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(first));
    for (unsigned k = 0; k < kernel->param_count; k++) {
        LLVMValueRef v = lw__front_load_argument(x->b, kernel, k, LLVMGetParam(e->function, 0));
        lw__gpu_note_restrict(kernel->function, k, v);
        LLVMReplaceAllUsesWith(LLVMGetParam(kernel->function, k), to_global(x, v));
    }
    e->launch = LLVMBuildIntToPtr(x->b, LLVMGetParam(e->function, 1),
                                  LLVMPointerTypeInContext(x->context, x->target->global), "");
    e->launch = LLVMBuildAddrSpaceCast(x->b, e->launch, x->ptr, "");
}

static LLVMValueRef block_memory(struct lw__gpu *x)
{
    LLVMValueRef memory = LLVMGetNamedGlobal(x->module, "lw_block_memory");
    if (!memory) {
        memory = LLVMAddGlobalInAddressSpace(x->module, LLVMArrayType2(x->i8, 0), "lw_block_memory",
                                             x->target->shared);
        LLVMSetAlignment(memory, (unsigned)x->target->shared_align);
    }
    return memory;
}

/* A larger alignment than the hardware gives shared memory skips some bytes. */
static LLVMValueRef align_memory(struct lw__gpu *x, LLVMValueRef memory, uint64_t align)
{
    if (align <= x->target->shared_align)
        return memory;
    x->slack = align - x->target->shared_align;
    LLVMValueRef at = LLVMBuildPtrToInt(x->b, memory, x->i64, "");
    LLVMValueRef ahead =
        LLVMBuildAnd(x->b, LLVMBuildNeg(x->b, at, ""), LLVMConstInt(x->i64, align - 1, 0), "");
    return LLVMBuildGEP2(x->b, x->i8, memory, &ahead, 1, "");
}

/* SHARED variables become offsets in the launch's dynamic shared memory. */
static bool place_shared(struct entry *e)
{
    struct lw__gpu *x = &e->x;
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(e->function);
    bool ok = true;
    struct lw__shared_layout layout;
    lw__shared_layout(x->unit, e->function, &layout);
    if (layout.count) {
        LLVMValueRef behind = LLVMGetFirstInstruction(first);
        LLVMPositionBuilderBefore(x->b, behind);
        LLVMValueRef base = align_memory(x, block_memory(x), layout.align);
        base = LLVMBuildAddrSpaceCast(x->b, base, x->ptr, "");
        while (LLVMIsAAllocaInst(behind))
            behind = LLVMGetNextInstruction(behind);
        LLVMPositionBuilderBefore(x->b, behind);
        ok = lw__shared_replace(x->unit, e->function, &layout, base, x->b, first);
    }
    return ok;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void put(LLVMValueRef call, LLVMValueRef value)
{
    LLVMReplaceAllUsesWith(call, value);
    LLVMInstructionEraseFromParent(call);
}

static bool lower_index(struct entry *e, LLVMValueRef call, const char *name)
{
    struct lw__gpu *x = &e->x;
    unsigned axis;
    const enum lw__thread_index index = lw__ir_thread_index(name, &axis);
    if (!index)
        return false;
    if (index == LW_INDEX_warp_id) {
        put(call, x->warps == 1 ? const32(x, 0)
                                : LLVMBuildLShr(x->b, thread_number(x), const32(x, 5), ""));
        return true;
    }
    LLVMValueRef v = index == LW_INDEX_block_idx && e->block_idx[0]
                         ? e->block_idx[axis]
                         : x->target->index(x, index, axis);
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(call));
    const unsigned kind = LLVMGetMDKindIDInContext(c, "range", 5);
    LLVMValueRef range = LLVMGetMetadata(call, kind);
    if (range && LLVMIsACallInst(v))
        LLVMSetMetadata(v, kind, range);
    put(call, v);
    return true;
}

static void lower_print(struct entry *e, LLVMValueRef call)
{
    struct lw__gpu *x = &e->x;
    const unsigned count = (unsigned)LLVMGetNumArgOperands(call) - 1;
    LLVMValueRef args = lw__llvm_slots(x->b, call, count);
    lw__gpu_call(x, "print",
                 (LLVMValueRef[]){e->launch, block_number(x, LLVMConstNull(x->i64)),
                                  thread_number(x), LLVMGetOperand(call, 0), const32(x, count),
                                  args},
                 6);
    put(call, const32(x, count));
}

static void lower_assert(struct entry *e, LLVMValueRef call, bool says)
{
    struct lw__gpu *x = &e->x;
    LLVMValueRef site = const32(x, lw__ir_site(x->unit, call, "assert")),
                 args = says ? lw__llvm_slots(x->b, call, LW_SAID_MAX) : NULL;
    lw__gpu_call(x, says ? "assert_that" : "assert_fail",
                 (LLVMValueRef[]){e->launch, block_number(x, LLVMConstNull(x->i64)),
                                  thread_number(x), LLVMGetOperand(call, 0), site, args},
                 says ? 6 : 5);
    x->target->exit(x);
    LLVMInstructionEraseFromParent(call);
}

static void lower_guard(struct entry *e, LLVMValueRef call)
{
    enum { FIRST_WORD = 4 };
    struct lw__gpu *x = &e->x;
    LLVMValueRef args[FIRST_WORD + LW_REFUSED_WORDS];
    lw__gpu_guard(x, call, args + FIRST_WORD);
    args[0] = e->launch;
    args[1] = block_number(x, x->target->hide(x->b, LLVMConstNull(x->i64)));
    args[2] = thread_number(x);
    args[3] = const32(x, lw__ir_site(x->unit, call, "access"));
    lw__gpu_call(x, "refused", args, FIRST_WORD + LW_REFUSED_WORDS);
    x->target->exit(x);
    LLVMInstructionEraseFromParent(call);
}

static void lower_wait(struct entry *e, LLVMValueRef call)
{
    LLVMValueRef iterations = LLVMGetOperand(call, 0);
    lw__gpu_call(&e->x, "wait", (LLVMValueRef[]){e->launch, iterations}, 2);
    LLVMInstructionEraseFromParent(call);
}

static bool lower_call(struct entry *e, LLVMValueRef call, const char *name)
{
    static const struct {
        const char *name;
        enum lw__intrinsic intrinsic;
    } natives[] = {{"lw.fmax.f32", LW_LLVM_maxnum},
                   {"lw.fmax.f64", LW_LLVM_maxnum},
                   {"lw.fmin.f32", LW_LLVM_minnum},
                   {"lw.fmin.f64", LW_LLVM_minnum}};
    struct lw__gpu *x = &e->x;
    LLVMPositionBuilderBefore(x->b, call);
    if (lower_index(e, call, name))
        return true;
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (!strcmp(name, natives[i].name)) {
            LLVMTypeRef type = LLVMTypeOf(call);
            put(call, lw__llvm_intrinsic(
                          x->b, x->module, natives[i].intrinsic, &type,
                          (LLVMValueRef[]){LLVMGetOperand(call, 0), LLVMGetOperand(call, 1)}, 2));
            return true;
        }
    const bool of_block = !strcmp(name, "lw.fence_block");
    if (!strncmp(name, "lw.fence_", 9)) {
        x->target->fence(x, of_block);
        LLVMInstructionEraseFromParent(call);
    } else if (!strcmp(name, "lw.printf")) {
        lower_print(e, call);
    } else if (!strcmp(name, "lw.assert_fail") || !strcmp(name, "lw.assert_that")) {
        lower_assert(e, call, !strcmp(name, "lw.assert_that"));
    } else if (lw__ir_guards(call)) {
        lower_guard(e, call);
    } else if (!strcmp(name, "lw.wait")) {
        lower_wait(e, call);
    } else if (!strcmp(name, "lw.rarely.f32")) {
        lw__gpu_rarely(x, call);
    } else {
        return lw__defect("a GPU has no lowering of %s", name);
    }
    return true;
}

/* Lower all calls of the language in a function; the replacements may hold more. */
static bool lower_calls(struct entry *e)
{
    bool again = true;
    while (again) {
        again = false;
        EACH_INSTRUCTION_OF_SAFE(i, e->function) {
            const char *name = lw__ir_callee(i);
            if (strncmp(name, "lw.", 3))
                continue;
            again = true;
            if (!lower_call(e, i, name))
                return false;
        }
    }
    return true;
}

static bool lower_kernel(struct lw__unit *unit, struct lw__kernel *kernel)
{
    struct entry e = {.x = lw__gpu_open(unit, kernel)};
    const bool waits = LLVMGetStringAttributeAtIndex(kernel->function, LLVMAttributeFunctionIndex,
                                                     LW_GPU_WAITS, sizeof LW_GPU_WAITS - 1);
    e.function = unit->gpu->open(&e.x);
    if (LLVMGetSubprogram(kernel->function))
        LLVMSetSubprogram(e.function, LLVMGetSubprogram(kernel->function));
    LLVMSetSubprogram(kernel->function, NULL);
    move_body(&e);
    lw__ir_plain_private(e.function);
    if (waits) {
        /* The block's index by the order in which blocks start. */
        struct lw__gpu *x = &e.x;
        LLVMValueRef rest =
            lw__gpu_call(x, "ticket", (LLVMValueRef[]){e.launch, thread_number(x)}, 2);
        for (unsigned k = 0; k < 3; k++) {
            LLVMValueRef size = LLVMBuildZExt(x->b, int3(x, "grid_dim", k), x->i64, "");
            LLVMValueRef i = k < 2 ? LLVMBuildURem(x->b, rest, size, "") : rest;
            e.block_idx[k] = LLVMBuildTrunc(x->b, i, x->i32, "");
            rest = LLVMBuildUDiv(x->b, rest, size, "");
        }
    }
    lw__gpu_drop_volatile(e.function);
    bool ok = place_shared(&e) && lower_calls(&e);
    LLVMDeleteFunction(kernel->function);
    kernel->function = e.function;
    unit->gpu->close(&e.x, e.function);
    LLVMDisposeBuilder(e.x.b);
    return ok;
}

/* lw__pass_lower - the kernels become entries of the GPU's program; no call of the language is
 * left. Errors: parameters that no launch can have.
 * needs CONVERGED   makes LOWERED   breaks CONVERGED
 */
bool lw__pass_lower(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count; i++) {
        const struct lw__kernel *kernel = &unit->kernels.rows[i];
        if (kernel->arg_bytes <= unit->gpu->arg_bytes)
            continue; /* always, but for guarded code with the record */
        lw__diags_error(&unit->diags, (struct lw__loc){0},
                        "kernel '%s': %u bytes of arguments and of buffers' sizes; device '%s' has "
                        "room for %u. Without LANEWISE_BOUNDS=1 there are no sizes",
                        kernel->name, (unsigned)kernel->arg_bytes, unit->gpu->device,
                        unit->gpu->arg_bytes);
        return true;
    }
    for (size_t i = 0; i < unit->kernels.count; i++)
        if (!lower_kernel(unit, &unit->kernels.rows[i]))
            return false;
    lw__gpu_keep_entries(unit);
    lw__gpu_gather_texts(unit);
    lw__gpu_place_scratch(unit);
    return true;
}
