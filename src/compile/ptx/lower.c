/* lower.c - kernels as entries of a GPU's program: what of the language the hardware has no
 * instruction for.
 *
 *     arguments       the entry has them packed, as cuda_abi.h says; pointers are to global memory
 *     thread indices  special registers; the block's dimensions are constants since prepare
 *     shared memory   the launch's dynamic shared memory; variables are offsets in it
 *     collectives     calls of src/devlib/ptx_collectives.c
 *     printf, assert  records in the launch's memory; their texts lie in one array of the program
 *     checks          of guarded code: a branch to a record of the same kind (guards.c)
 *     spin loops      their kernels take the block's index from a ticket as they start; so a block
 *                     waits only for others that have started. Each iteration checks whether to
 *                     stop
 */
#include "base/bounds_abi.h"
#include "base/cuda_abi.h"
#include "compile/ptx/ptx.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include "compile/front/front.h"
#include "compile/common/common.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

extern const char lw__devlib_cuda_begin[], lw__devlib_cuda_end[]; /* common/devlib_blob.S */

enum { PTX_KERNEL = 71 }; /* llvm/IR/CallingConv.h */

LLVMValueRef lw__ptx_call(struct lw__ptx *x, const char *name, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef f = LLVMGetNamedFunction(x->module, name);
    if (!f) {
        lw__defect("devlib has no %s", name);
        abort(); /* of lanewise-compile, which the library reports */
    }
    return LLVMBuildCall2(x->b, LLVMGlobalGetValueType(f), f, args, count, "");
}

static LLVMValueRef const32(struct lw__ptx *x, uint64_t n)
{
    return LLVMConstInt(x->i32, n, 0);
}

static LLVMValueRef hardware(struct lw__ptx *x, enum lw__intrinsic row)
{
    return lw__llvm_intrinsic(x->b, x->module, row, NULL, NULL, 0);
}

/* ---- collectives ----------------------------------------------------------------------------- */

LLVMValueRef lw__ptx_thread_index(struct lw__ptx *x, const char *name)
{
    LLVMTypeRef type = LLVMFunctionType(x->i32, NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(x->module, name);
    return LLVMBuildCall2(x->b, type, f ? f : LLVMAddFunction(x->module, name, type), NULL, 0, "");
}

void lw__ptx_wait(struct lw__ptx *x, LLVMValueRef iterations)
{
    LLVMTypeRef type = LLVMFunctionType(x->none, &x->ptr, 1, 0);
    LLVMValueRef f = LLVMGetNamedFunction(x->module, "lw.wait");
    LLVMBuildCall2(x->b, type, f ? f : LLVMAddFunction(x->module, "lw.wait", type), &iterations, 1,
                   "");
}

/* Values that are moved are words of 32 or 64 bits. */
static LLVMValueRef to_word(struct lw__ptx *x, LLVMValueRef v, LLVMTypeRef word)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(x->module);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        const unsigned bits = (unsigned)LLVMSizeOfTypeInBits(data, type);
        v = LLVMBuildBitCast(x->b, v, LLVMIntTypeInContext(x->context, bits), "");
    }
    return LLVMBuildIntCast2(x->b, v, word, 0, "");
}

static LLVMValueRef of_word(struct lw__ptx *x, LLVMValueRef v, LLVMTypeRef type)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(x->module);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        return LLVMBuildIntCast2(x->b, v, type, 0, "");
    const unsigned bits = (unsigned)LLVMSizeOfTypeInBits(data, type);
    v = LLVMBuildIntCast2(x->b, v, LLVMIntTypeInContext(x->context, bits), 0, "");
    return LLVMBuildBitCast(x->b, v, type, "");
}

/* True if the op exchanges values through shared memory. It then also takes the arguments of struct
 * sync_point in src/devlib/ptx_collectives.c. */
static bool is_exchange(enum lw__op op)
{
    const enum lw__op_kind kind = lw__op_table[op].kind;
    return lw__op_table[op].block && kind != LW_KIND_SYNC && kind != LW_KIND_VOTE;
}

static unsigned add_sync_point(struct lw__ptx *x, bool sure, LLVMValueRef *args, unsigned n)
{
    args[n++] = const32(x, x->threads);
    args[n++] = lw__ptx_thread_index(x, "lw.warp_id");
    args[n++] = LLVMConstInt(x->i1, sure, 0);
    args[n++] = x->parity;
    x->opens |= !sure;
    return n;
}

void lw__ptx_collective(struct lw__ptx *x, LLVMValueRef call, LLVMValueRef mask, bool sure)
{
    const char *type;
    const enum lw__op op = lw__ir_collective(call, &type);
    LLVMTypeRef result = LLVMTypeOf(call);
    LLVMValueRef args[12];
    unsigned n = 0;
    struct lw__text name = {0};
    LLVMPositionBuilderBefore(x->b, call);
    args[n++] = mask;
    const int count = LLVMGetNumArgOperands(call);
    for (int k = 0; k < count; k++)
        args[n++] = LLVMGetOperand(call, (unsigned)k);
    lw__text_add(&name, "lw_cuda_%s", lw__op_table[op].name);
    if (lw__op_table[op].kind == LW_KIND_MOVE) {
        const bool wide = !strcmp(type, "i64") || !strcmp(type, "u64") || !strcmp(type, "f64");
        lw__text_add(&name, wide ? "_b64" : "_b32");
        args[1] = to_word(x, args[1], wide ? x->i64 : x->i32);
    } else if (*type) {
        lw__text_add(&name, "_%s", type);
    }
    if (is_exchange(op))
        n = add_sync_point(x, sure, args, n);
    LLVMValueRef made = lw__ptx_call(x, lw__finished(&name), args, n);
    lw__text_free(&name);
    if (lw__op_table[op].kind == LW_KIND_MOVE)
        made = of_word(x, made, result);
    if (result != x->none)
        LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
}

/* ---- the pass converge ----------------------------------------------------------------------- */

static struct lw__ptx open_kernel(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    LLVMContextRef c = unit->context;
    struct lw__ptx x = {.unit = unit,
                        .kernel = kernel,
                        .context = c,
                        .module = unit->module,
                        .b = LLVMCreateBuilderInContext(c),
                        .i1 = LLVMInt1TypeInContext(c),
                        .i8 = LLVMInt8TypeInContext(c),
                        .i32 = LLVMInt32TypeInContext(c),
                        .i64 = LLVMInt64TypeInContext(c),
                        .ptr = LLVMPointerTypeInContext(c, 0),
                        .none = LLVMVoidTypeInContext(c)};
    x.threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
    x.warps = (x.threads + LW_PTX_WARP - 1) / LW_PTX_WARP;
    return x;
}

/* At the beginning of the entry: the count of block ops executed. */
static void count_block_ops(struct lw__ptx *x)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(x->kernel->function);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(entry));
    x->parity = LLVMBuildAlloca(x->b, x->i32, "turn");
    LLVMBuildStore(x->b, const32(x, 0), x->parity);
}

static void mark_waiting(LLVMValueRef function)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(c, "lw.waits", 8, "", 0));
}

static bool is_waiting(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "lw.waits", 8);
}

/* lw__pass_converge - each collective becomes a call of devlib, with the lanes that take part.
 * needs PREPARED   makes CONVERGED   breaks INLINED INSTANCE ENTERED COMMON PREPARED
 */
bool lw__pass_converge(struct lw__unit *unit)
{
    if (!lw__link_bitcode(unit, lw__devlib_cuda_begin, lw__devlib_cuda_end))
        return false;
    for (size_t i = 0; i < unit->kernels.count && !unit->diags.errors; i++) {
        const struct lw__kernel *kernel = &unit->kernels.rows[i];
        struct lw__ptx x = open_kernel(unit, kernel);
        bool waits = false;
        count_block_ops(&x);
        bool ok = lw__ptx_converge(&x, &waits);
        if (ok && x.opens) {
            LLVMPositionBuilderBefore(x.b, LLVMGetNextInstruction(x.parity));
            lw__ptx_call(&x, "lw_cuda_block_open", NULL, 0);
        }
        LLVMDisposeBuilder(x.b);
        if (!ok)
            return false;
        if (waits)
            mark_waiting(kernel->function);
    }
    return true;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* One entry under construction. */
struct entry {
    struct lw__ptx x;
    LLVMValueRef function, launch;
    LLVMValueRef block_idx[3]; /* from a ticket; else NULL */
    unsigned uses;             /* enum lw_cuda_uses */
};

static LLVMValueRef int3(struct lw__ptx *x, const char *what, unsigned k)
{
    char name[32] = "lw.";
    strcat(name, what);
    strcat(name, &".x\0.y\0.z"[3 * k]);
    return lw__ptx_thread_index(x, name);
}

/* x + size_x * (y + size_y * z), of the block's threads. */
static LLVMValueRef thread_number(struct lw__ptx *x)
{
    LLVMValueRef n = const32(x, 0);
    for (unsigned k = 3; k-- > 0;) {
        n = LLVMBuildMul(x->b, n, const32(x, x->kernel->block[k]), "");
        n = x->kernel->block[k] == 1 ? n : LLVMBuildAdd(x->b, n, int3(x, "thread_idx", k), "");
    }
    return n;
}

/* The same of the grid's blocks. It is computed where `zero` is, and not before. */
static LLVMValueRef block_number(struct lw__ptx *x, LLVMValueRef zero)
{
    LLVMValueRef n = zero;
    for (unsigned k = 3; k-- > 0;) {
        LLVMValueRef size = LLVMBuildZExt(x->b, int3(x, "grid_dim", k), x->i64, "");
        LLVMValueRef i = LLVMBuildZExt(x->b, int3(x, "block_idx", k), x->i64, "");
        n = LLVMBuildAdd(x->b, LLVMBuildMul(x->b, n, size, ""), i, "");
    }
    return n;
}

/* The block's index by the order in which blocks start. */
static void take_ticket(struct entry *e)
{
    struct lw__ptx *x = &e->x;
    LLVMValueRef rest =
        lw__ptx_call(x, "lw_cuda_ticket", (LLVMValueRef[]){e->launch, thread_number(x)}, 2);
    for (unsigned k = 0; k < 3; k++) {
        LLVMValueRef size = LLVMBuildZExt(x->b, int3(x, "grid_dim", k), x->i64, "");
        LLVMValueRef i = k < 2 ? LLVMBuildURem(x->b, rest, size, "") : rest;
        e->block_idx[k] = LLVMBuildTrunc(x->b, i, x->i32, "");
        rest = LLVMBuildUDiv(x->b, rest, size, "");
    }
    e->uses |= LW_CUDA_TICKETS;
}

/* The entry's parameters: packed arguments, the launch. */
static LLVMValueRef declare_entry(struct entry *e)
{
    struct lw__ptx *x = &e->x;
    const uint64_t bytes = x->kernel->arg_bytes ? x->kernel->arg_bytes : 8;
    LLVMTypeRef packed = LLVMArrayType2(x->i8, bytes), types[] = {x->ptr, x->i64};
    /* where stages are shown there may be several */
    const char *name = x->unit->options->common_fd < 0 ? x->kernel->name : LW_CUDA_ENTRY;
    LLVMValueRef own = x->kernel->function;
    LLVMSetValueName2(own, "", 0);
    LLVMValueRef f = LLVMAddFunction(x->module, name, LLVMFunctionType(x->none, types, 2, 0));
    const unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5),
                   align = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddAttributeAtIndex(f, 1, LLVMCreateTypeAttribute(x->context, byval, packed));
    LLVMAddAttributeAtIndex(f, 1, LLVMCreateEnumAttribute(x->context, align, LW_CUDA_ALIGN));
    LLVMSetFunctionCallConv(f, PTX_KERNEL);
    lw__llvm_attribute(f, "nounwind", true);
    lw__llvm_attribute(f, "convergent", true);
    return f;
}

/* A pointer from the host is to global memory. Casting it there and back tells infer-address-spaces
 * so. */
static LLVMValueRef to_global(struct lw__ptx *x, LLVMValueRef v)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind || !LLVMIsALoadInst(v))
        return v;
    LLVMTypeRef global = LLVMPointerTypeInContext(x->context, LW_PTX_GLOBAL);
    return LLVMBuildAddrSpaceCast(x->b, LLVMBuildAddrSpaceCast(x->b, v, global, ""), x->ptr, "");
}

/* The kernel's basic blocks move to the entry. */
static void move_body(struct entry *e)
{
    struct lw__ptx *x = &e->x;
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
        lw__ptx_note_restrict(x->context, kernel->function, k, v);
        LLVMReplaceAllUsesWith(LLVMGetParam(kernel->function, k), to_global(x, v));
    }
    e->launch = LLVMBuildIntToPtr(x->b, LLVMGetParam(e->function, 1),
                                  LLVMPointerTypeInContext(x->context, LW_PTX_GLOBAL), "");
    e->launch = LLVMBuildAddrSpaceCast(x->b, e->launch, x->ptr, "");
}

static LLVMValueRef block_memory(struct lw__ptx *x)
{
    LLVMValueRef memory = LLVMGetNamedGlobal(x->module, "lw_block_memory");
    if (!memory) {
        memory = LLVMAddGlobalInAddressSpace(x->module, LLVMArrayType2(x->i8, 0), "lw_block_memory",
                                             LW_PTX_SHARED);
        LLVMSetAlignment(memory, LW_CUDA_SHARED_ALIGN);
    }
    return memory;
}

/* The hardware aligns shared memory to LW_CUDA_SHARED_ALIGN. A larger alignment skips some
 * bytes. */
static LLVMValueRef align_memory(struct entry *e, LLVMValueRef memory, uint64_t align)
{
    struct lw__ptx *x = &e->x;
    if (align <= LW_CUDA_SHARED_ALIGN)
        return memory;
    e->uses |= (unsigned)(align - LW_CUDA_SHARED_ALIGN) << LW_CUDA_SLACK_SHIFT;
    LLVMValueRef at = LLVMBuildPtrToInt(x->b, memory, x->i64, "");
    LLVMValueRef ahead =
        LLVMBuildAnd(x->b, LLVMBuildNeg(x->b, at, ""), LLVMConstInt(x->i64, align - 1, 0), "");
    return LLVMBuildGEP2(x->b, x->i8, memory, &ahead, 1, "");
}

/* SHARED variables become offsets in the launch's dynamic shared memory. */
static bool place_shared(struct entry *e)
{
    struct lw__ptx *x = &e->x;
    struct lw__shared_layout layout;
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(e->function);
    bool ok = true;
    lw__shared_layout(x->unit, e->function, &layout);
    if (layout.count) {
        LLVMValueRef behind = LLVMGetFirstInstruction(first);
        LLVMPositionBuilderBefore(x->b, behind);
        LLVMValueRef base = align_memory(e, block_memory(x), layout.align);
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

static void copy_range(LLVMValueRef to, LLVMValueRef from)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(from));
    const unsigned kind = LLVMGetMDKindIDInContext(c, "range", 5);
    LLVMValueRef range = LLVMGetMetadata(from, kind);
    if (range && LLVMIsACallInst(to))
        LLVMSetMetadata(to, kind, range);
}

static bool lower_index(struct entry *e, LLVMValueRef call, const char *name)
{
    static const enum lw__intrinsic registers[] = {
#define LW_INDEX(name, axes, place, field, hardware) [LW_INDEX_##name] = LW_LLVM_##hardware,
#include "compile/llvm/thread_indices.def"
    };
    struct lw__ptx *x = &e->x;
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
                         : hardware(x, registers[index] + axis);
    copy_range(v, call);
    put(call, v);
    return true;
}

static void lower_print(struct entry *e, LLVMValueRef call)
{
    struct lw__ptx *x = &e->x;
    const unsigned count = (unsigned)LLVMGetNumArgOperands(call) - 1;
    LLVMValueRef args = lw__llvm_slots(x->b, call, count);
    lw__ptx_call(x, "lw_cuda_print",
                 (LLVMValueRef[]){e->launch, block_number(x, LLVMConstNull(x->i64)),
                                  thread_number(x), LLVMGetOperand(call, 0), const32(x, count),
                                  args},
                 6);
    e->uses |= LW_CUDA_PRINTS;
    put(call, const32(x, count));
}

/* The thread exits. The hardware no longer waits for it. */
static void build_exit(struct lw__ptx *x)
{
    lw__llvm_asm(x->b, LLVMFunctionType(x->none, NULL, 0, 0), "exit;", "", true, NULL, 0);
}

static void lower_assert(struct entry *e, LLVMValueRef call, bool says)
{
    struct lw__ptx *x = &e->x;
    LLVMValueRef site = const32(x, lw__ir_site(x->unit, call, "assert")),
                 args = says ? lw__llvm_slots(x->b, call, LW_SAID_MAX) : NULL;
    lw__ptx_call(x, says ? "lw_cuda_assert_that" : "lw_cuda_assert_fail",
                 (LLVMValueRef[]){e->launch, block_number(x, LLVMConstNull(x->i64)),
                                  thread_number(x), LLVMGetOperand(call, 0), site, args},
                 says ? 6 : 5);
    build_exit(x);
    e->uses |= LW_CUDA_ASSERTS;
    LLVMInstructionEraseFromParent(call);
}

static void lower_guard(struct entry *e, LLVMValueRef call)
{
    enum { FIRST_WORD = 4 };
    struct lw__ptx *x = &e->x;
    LLVMValueRef args[FIRST_WORD + LW_REFUSED_WORDS];
    lw__ptx_guard(x, call, args + FIRST_WORD);
    args[0] = e->launch;
    args[1] = block_number(x, lw__ptx_hide(x->b, LLVMConstNull(x->i64)));
    args[2] = thread_number(x);
    args[3] = const32(x, lw__ir_site(x->unit, call, "access"));
    lw__ptx_call(x, "lw_cuda_refused", args, FIRST_WORD + LW_REFUSED_WORDS);
    build_exit(x);
    e->uses |= LW_CUDA_REFUSES;
    LLVMInstructionEraseFromParent(call);
}

static void lower_wait(struct entry *e, LLVMValueRef call)
{
    LLVMValueRef iterations = LLVMGetOperand(call, 0);
    lw__ptx_call(&e->x, "lw_cuda_wait", (LLVMValueRef[]){e->launch, iterations}, 2);
    e->uses |= LW_CUDA_STOPS;
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
    struct lw__ptx *x = &e->x;
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
    if (!strncmp(name, "lw.fence_", 9)) { /* membar is of the order seq_cst since sm_70 */
        hardware(x, of_block ? LW_LLVM_membar_cta : LW_LLVM_membar_gl);
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
        lw__ptx_rarely(x, call);
    } else {
        return lw__defect("cuda has no lowering of %s", name);
    }
    return true;
}

/* Lower all calls of the language in a function; the replacements may hold more. */
static bool lower_calls(struct entry *e)
{
    bool again = true;
    while (again) {
        again = false;
        LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->function);
        for (; b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                const char *name = lw__ir_callee(i);
                next = LLVMGetNextInstruction(i);
                if (strncmp(name, "lw.", 3))
                    continue;
                again = true;
                if (!lower_call(e, i, name))
                    return false;
            }
    }
    return true;
}

static void add_uses(struct entry *e)
{
    struct lw__ptx *x = &e->x;
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(x->module, x->i32, LW_CUDA_USES, LW_PTX_GLOBAL);
    LLVMSetInitializer(g, const32(x, e->uses));
    LLVMSetGlobalConstant(g, 1);
}

/* The block's dimensions, so that the assembler can plan registers. */
static void add_launch_bounds(struct entry *e)
{
    static const char *const names[] = {"reqntidx", "reqntidy", "reqntidz"};
    struct lw__ptx *x = &e->x;
    for (unsigned k = 0; k < 3; k++) {
        LLVMMetadataRef row[] = {LLVMValueAsMetadata(e->function),
                                 LLVMMDStringInContext2(x->context, names[k], 8),
                                 LLVMValueAsMetadata(const32(x, x->kernel->block[k]))};
        LLVMAddNamedMetadataOperand(
            x->module, "nvvm.annotations",
            LLVMMetadataAsValue(x->context, LLVMMDNodeInContext2(x->context, row, 3)));
    }
}

/* Of guarded code with the record; else it always has. */
static bool has_room(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    if (kernel->arg_bytes <= LW_CUDA_ARGS_MAX)
        return true;
    lw__diags_error(&unit->diags, (struct lw__loc){0},
                    "kernel '%s': %u bytes of arguments and of buffers' sizes; device 'cuda' has "
                    "room for %d. Without LANEWISE_BOUNDS=1 there are no sizes",
                    kernel->name, (unsigned)kernel->arg_bytes, LW_CUDA_ARGS_MAX);
    return false;
}

static bool lower_kernel(struct lw__unit *unit, struct lw__kernel *kernel)
{
    struct entry e = {.x = open_kernel(unit, kernel),
                      .uses = lw__has(unit, LW_HAS_FOLLOWING) ? LW_CUDA_FOLLOWS : 0};
    const bool waits = is_waiting(kernel->function);
    e.function = declare_entry(&e);
    if (LLVMGetSubprogram(kernel->function))
        LLVMSetSubprogram(e.function, LLVMGetSubprogram(kernel->function));
    LLVMSetSubprogram(kernel->function, NULL);
    move_body(&e);
    lw__ir_plain_private(e.function);
    if (waits)
        take_ticket(&e);
    lw__ptx_drop_volatile(e.function);
    bool ok = place_shared(&e) && lower_calls(&e);
    LLVMDeleteFunction(kernel->function);
    kernel->function = e.function;
    add_launch_bounds(&e);
    if (!LLVMGetNamedGlobal(unit->module, LW_CUDA_USES))
        add_uses(&e);
    LLVMDisposeBuilder(e.x.b);
    return ok;
}

/* lw__pass_lower - the kernels become entries, as in cuda_abi.h; no call of the language is left.
 * Errors: parameters that no launch can have.
 * needs CONVERGED   makes LOWERED   breaks CONVERGED
 */
bool lw__pass_lower(struct lw__unit *unit)
{
    for (size_t i = 0; i < unit->kernels.count; i++) {
        if (!has_room(unit, &unit->kernels.rows[i]))
            return true;
        if (!lower_kernel(unit, &unit->kernels.rows[i]))
            return false;
    }
    lw__ptx_keep_entries(unit);
    lw__ptx_gather_texts(unit);
    lw__ptx_place_scratch(unit);
    return true;
}
