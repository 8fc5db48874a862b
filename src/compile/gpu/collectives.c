/* collectives.c - a collective as a call of the target's devlib, for the lanes that take part. */
#include "compile/gpu/gpu.h"
#include "compile/common/common.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

LLVMValueRef lw__gpu_call(struct lw__gpu *x, const char *name, LLVMValueRef *args, unsigned count)
{
    const char *whole = lw__format(&x->unit->scratch, "%s%s", x->target->prefix, name);
    LLVMValueRef f = LLVMGetNamedFunction(x->module, whole);
    if (!f) {
        lw__defect("devlib has no %s", whole);
        abort(); /* of lanewise-compile, which the library reports */
    }
    return LLVMBuildCall2(x->b, LLVMGlobalGetValueType(f), f, args, count, "");
}

static LLVMValueRef const32(struct lw__gpu *x, uint64_t n)
{
    return LLVMConstInt(x->i32, n, 0);
}

LLVMValueRef lw__gpu_thread_index(struct lw__gpu *x, const char *name)
{
    return lw__ir_call(x->b, x->module, name, x->i32, NULL, 0);
}

/* Values that are moved are words of 32 or 64 bits. */
static LLVMValueRef to_word(struct lw__gpu *x, LLVMValueRef v, LLVMTypeRef word)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(x->module);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        const unsigned bits = (unsigned)LLVMSizeOfTypeInBits(data, type);
        v = LLVMBuildBitCast(x->b, v, LLVMIntTypeInContext(x->context, bits), "");
    }
    return LLVMBuildIntCast2(x->b, v, word, 0, "");
}

static LLVMValueRef of_word(struct lw__gpu *x, LLVMValueRef v, LLVMTypeRef type)
{
    LLVMTargetDataRef data = LLVMGetModuleDataLayout(x->module);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        return LLVMBuildIntCast2(x->b, v, type, 0, "");
    const unsigned bits = (unsigned)LLVMSizeOfTypeInBits(data, type);
    v = LLVMBuildIntCast2(x->b, v, LLVMIntTypeInContext(x->context, bits), 0, "");
    return LLVMBuildBitCast(x->b, v, type, "");
}

/* True if the op exchanges values through shared memory. It then also takes the arguments of a
 * struct sync_point (src/devlib/ptx_collectives.c). */
static bool is_exchange(enum lw__op op)
{
    const enum lw__op_kind kind = lw__op_table[op].kind;
    return lw__op_table[op].block && kind != LW_KIND_SYNC && kind != LW_KIND_VOTE;
}

void lw__gpu_collective(struct lw__gpu *x, LLVMValueRef call, LLVMValueRef mask, bool sure)
{
    const char *type;
    const enum lw__op op = lw__ir_collective(call, &type);
    LLVMTypeRef result = LLVMTypeOf(call);
    LLVMValueRef args[12];
    unsigned n = 0;
    struct lw__text name = lw__text_in(&x->unit->scratch);
    LLVMPositionBuilderBefore(x->b, call);
    args[n++] = mask;
    const int count = LLVMGetNumArgOperands(call);
    for (int k = 0; k < count; k++)
        args[n++] = LLVMGetOperand(call, (unsigned)k);
    lw__text_add(&name, "%s", lw__op_table[op].name);
    if (lw__op_table[op].kind == LW_KIND_MOVE) {
        const bool wide = !strcmp(type, "i64") || !strcmp(type, "u64") || !strcmp(type, "f64");
        lw__text_add(&name, wide ? "_b64" : "_b32");
        args[1] = to_word(x, args[1], wide ? x->i64 : x->i32);
    } else if (*type) {
        lw__text_add(&name, "_%s", type);
    }
    if (is_exchange(op)) {
        args[n++] = const32(x, x->threads);
        args[n++] = lw__gpu_thread_index(x, "lw.warp_id");
        args[n++] = LLVMConstInt(x->i1, sure, 0);
        args[n++] = x->parity;
        x->opens |= !sure;
    }
    assert(n <= sizeof args / sizeof *args);
    LLVMValueRef made = lw__gpu_call(x, name.data, args, n);
    if (lw__op_table[op].kind == LW_KIND_MOVE)
        made = of_word(x, made, result);
    if (result != x->none)
        LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
}

/* ---- the kernels ----------------------------------------------------------------------------- */

struct lw__gpu lw__gpu_open(struct lw__unit *unit, const struct lw__kernel *kernel)
{
    LLVMContextRef c = unit->context;
    struct lw__gpu x = {.unit = unit,
                        .target = unit->gpu,
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
    assert(x.threads); /* the size of the block is known by now */
    x.warps = (x.threads + LW_GPU_WARP - 1) / LW_GPU_WARP;
    return x;
}

/* At the beginning of the entry: the count of block ops executed. */
static void count_block_ops(struct lw__gpu *x)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(x->kernel->function);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(entry));
    x->parity = LLVMBuildAlloca(x->b, x->i32, "turn");
    LLVMBuildStore(x->b, const32(x, 0), x->parity);
}

/* lw__pass_converge - each collective becomes a call of devlib, with the lanes that take part.
 * needs PREPARED   makes CONVERGED   breaks INLINED INSTANCE ENTERED COMMON PREPARED
 */
bool lw__pass_converge(struct lw__unit *unit)
{
    if (!lw__link_bitcode(unit, unit->gpu->devlib, unit->gpu->devlib_end))
        return false;
    for (size_t i = 0; i < unit->kernels.count && !unit->diags.errors; i++) {
        const struct lw__kernel *kernel = &unit->kernels.rows[i];
        struct lw__gpu x = lw__gpu_open(unit, kernel);
        bool waits = false;
        count_block_ops(&x);
        bool ok = lw__gpu_find_lanes(&x, &waits);
        if (ok && x.opens) {
            LLVMPositionBuilderBefore(x.b, LLVMGetNextInstruction(x.parity));
            lw__gpu_call(&x, "block_open", NULL, 0);
        }
        LLVMDisposeBuilder(x.b);
        if (!ok)
            return false;
        if (waits)
            lw__llvm_word(kernel->function, LW_GPU_WAITS, "");
    }
    return true;
}
