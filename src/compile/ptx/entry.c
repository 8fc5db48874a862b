/* entry.c - a kernel's entry in PTX, and what gpu/ asks of NVIDIA's GPUs.
 *
 * base/cuda_abi.h says what an entry is: its parameters, LW_CUDA_USES. Thread indices are special
 * registers. The collectives are src/devlib/ptx_collectives.c.
 */
#include "base/cuda_abi.h"
#include "compile/ptx/ptx.h"
#include <assert.h>
#include <string.h>

extern const char lw__devlib_cuda_begin[], lw__devlib_cuda_end[]; /* common/devlib_blob.S */

enum { PTX_KERNEL = 71 }; /* LLVM's CallingConv.h */

#define DEVLIB "lw_cuda_"

/* ---- instructions ---------------------------------------------------------------------------- */

static LLVMValueRef hardware(struct lw__gpu *x, enum lw__intrinsic row)
{
    return lw__llvm_intrinsic(x->b, x->module, row, NULL, NULL, 0);
}

static LLVMValueRef index_of(struct lw__gpu *x, enum lw__thread_index index, unsigned axis)
{
    static const enum lw__intrinsic registers[] = {
#define LW_INDEX(name, axes, place, field, hardware) [LW_INDEX_##name] = LW_LLVM_##hardware,
#include "compile/llvm/thread_indices.def"
    };
    return hardware(x, registers[index] + axis);
}

/* membar is of the order seq_cst since sm_70 */
static void fence(struct lw__gpu *x, bool is_of_block)
{
    hardware(x, is_of_block ? LW_LLVM_membar_cta : LW_LLVM_membar_gl);
}

static void end_thread(struct lw__gpu *x)
{
    lw__llvm_asm(x->b, LLVMFunctionType(x->none, NULL, 0, 0), "exit;", "", true, NULL, 0);
}

/* The driver's assembler looks through the move. */
static LLVMValueRef hide(LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), move = LLVMFunctionType(type, &type, 1, 0);
    const bool wide =
        LLVMGetTypeKind(type) == LLVMPointerTypeKind || LLVMGetIntTypeWidth(type) == 64;
    assert(wide || LLVMGetIntTypeWidth(type) == 32);
    const char *text = wide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
               *kinds = wide ? "=l,l" : "=r,r";
    return lw__llvm_asm(b, move, text, kinds, false, &v, 1);
}

static bool has_instruction(LLVMAtomicRMWBinOp op, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return op == LLVMAtomicRMWBinOpFAdd && LLVMGetTypeKind(type) != LLVMHalfTypeKind &&
               LLVMGetTypeKind(type) != LLVMBFloatTypeKind;
    return LLVMGetIntTypeWidth(type) >= 32 && op != LLVMAtomicRMWBinOpNand;
}

/* A 16-bit compare-and-swap does not: LW_AROUND_short_swap. */
static bool becomes_loop(LLVMValueRef atomic)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(atomic, 1));
    if (LLVMIsAAtomicCmpXchgInst(atomic))
        return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 16;
    return !has_instruction(LLVMGetAtomicRMWBinOp(atomic), type);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* A kernel's name, as PTX takes one: that of a kernel in C++ has brackets, commas and colons. */
static const char *spelt(struct lw__gpu *x, const char *name)
{
    char *copy = lw__copy(&x->unit->scratch, name);
    for (char *c = copy; *c; c++)
        if (!lw__is_word_char(*c))
            *c = '_';
    return copy;
}

static LLVMValueRef declare(struct lw__gpu *x)
{
    const uint64_t bytes = x->kernel->arg_bytes ? x->kernel->arg_bytes : 8;
    LLVMTypeRef packed = LLVMArrayType2(x->i8, bytes), types[] = {x->ptr, x->i64};
    /* where stages are shown there may be several */
    const char *name = x->unit->options->common_fd < 0 ? spelt(x, x->kernel->name) : LW_CUDA_ENTRY;
    LLVMSetValueName2(x->kernel->function, "", 0);
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

/* True if the entry calls the function. */
static bool calls(LLVMValueRef entry, LLVMValueRef function)
{
    for (LLVMUseRef u = function ? LLVMGetFirstUse(function) : NULL; u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsACallInst(user) &&
            LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == entry)
            return true;
    }
    return false;
}

/* The block's dimensions, so that the assembler can plan registers. */
static void complete(struct lw__gpu *x, LLVMValueRef entry)
{
    static const char *const names[] = {"reqntidx", "reqntidy", "reqntidz"};
    for (unsigned k = 0; k < 3; k++) {
        LLVMMetadataRef row[] = {LLVMValueAsMetadata(entry),
                                 LLVMMDStringInContext2(x->context, names[k], 8),
                                 LLVMValueAsMetadata(LLVMConstInt(x->i32, x->kernel->block[k], 0))};
        LLVMAddNamedMetadataOperand(
            x->module, "nvvm.annotations",
            LLVMMetadataAsValue(x->context, LLVMMDNodeInContext2(x->context, row, 3)));
    }
    if (!LLVMGetNamedGlobal(x->module, LW_CUDA_USES)) {
        /* By the functions of devlib that have the address of the launch's record. */
        static const struct {
            const char *function;
            enum lw_cuda_uses use;
        } rows[] = {
            {DEVLIB "ticket", LW_CUDA_TICKETS},      {DEVLIB "print", LW_CUDA_PRINTS},
            {DEVLIB "assert_fail", LW_CUDA_ASSERTS}, {DEVLIB "assert_that", LW_CUDA_ASSERTS},
            {DEVLIB "wait", LW_CUDA_STOPS},          {DEVLIB "refused", LW_CUDA_REFUSES}};
        uint64_t uses = x->slack << LW_CUDA_SLACK_SHIFT;
        assert(x->slack <= UINT16_MAX);
        if (lw__has(x->unit, LW_HAS_FOLLOWING))
            uses |= LW_CUDA_FOLLOWS;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (calls(entry, LLVMGetNamedFunction(x->module, rows[k].function)))
                uses |= rows[k].use;
        LLVMValueRef g =
            LLVMAddGlobalInAddressSpace(x->module, x->i32, LW_CUDA_USES, LW_PTX_GLOBAL);
        LLVMSetInitializer(g, LLVMConstInt(x->i32, uses, 0));
        LLVMSetGlobalConstant(g, 1);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct lw__gpu_target lw__ptx_gpu = {
    .device = "cuda",
    .arg_bytes = LW_CUDA_ARGS_MAX,
    .global = LW_PTX_GLOBAL,
    .shared = LW_PTX_SHARED,
    .shared_align = LW_CUDA_SHARED_ALIGN,
    .registers = 65536,
    .devlib = lw__devlib_cuda_begin,
    .devlib_end = lw__devlib_cuda_end,
    .prefix = DEVLIB,
    .texts = LW_CUDA_TEXT,
    .open = declare,
    .close = complete,
    .index = index_of,
    .fence = fence,
    .exit = end_thread,
    .hide = hide,
    .becomes_loop = becomes_loop,
};
