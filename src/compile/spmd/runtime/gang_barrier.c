/* gang_barrier.c - barriers and block ops of gangs that are not the whole block.
 *
 * Each gang writes its arriving threads and their operands into the exchange (base/cpu_abi.h), and
 * suspends. When all gangs have done so, the operation runs once, as a small kernel whose gang is
 * the block: thread t reads in[k][t] and writes out[t].
 */
#include "base/cpu_abi.h"
#include "compile/spmd/runtime/runtime.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/collective/collective.h"
#include <stddef.h>
#include <string.h>

#define FIELD(name) offsetof(struct lw_cpu_gang, name)
#define EXCHANGE(name) offsetof(struct lw_cpu_exchange, name)

/* A value's type in memory. */
static LLVMTypeRef stored_type(const struct lw__spmd *s, LLVMTypeRef type)
{
    return type == s->i1 ? s->i8 : type;
}

static uint64_t bytes_of(const struct lw__spmd *s, LLVMTypeRef type)
{
    return LLVMABISizeOfType(s->data, stored_type(s, type));
}

/* The offset in the exchange of operand k of all threads. */
static size_t operand_array(unsigned k)
{
    return EXCHANGE(in) + k * sizeof(uint64_t) * LW_CPU_THREADS_MAX;
}

/* ---- the operation as a kernel of its own ---------------------------------------------------- */

struct operation {
    struct lw__spmd *s;
    LLVMValueRef call; /* one of the kernel's */
    LLVMBuilderRef b;
    LLVMValueRef exchange, thread;
};

static LLVMValueRef element(struct operation *o, size_t offset, uint64_t bytes, LLVMValueRef index)
{
    LLVMValueRef byte = LLVMBuildMul(o->b, index, lw__spmd_const64(o->s, (int64_t)bytes), "");
    byte = LLVMBuildAdd(o->b, byte, lw__spmd_const64(o->s, (int64_t)offset), "");
    return LLVMBuildGEP2(o->b, o->s->i8, o->exchange, &byte, 1, "");
}

static LLVMValueRef take_operand(struct operation *o, unsigned k)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(o->call, k));
    LLVMValueRef from = element(o, operand_array(k), bytes_of(o->s, type), o->thread);
    LLVMValueRef v = LLVMBuildLoad2(o->b, stored_type(o->s, type), from, "");
    return type == o->s->i1 ? LLVMBuildTrunc(o->b, v, type, "") : v;
}

/* The code for a thread that has arrived. */
static void build_thread(struct operation *o)
{
    LLVMValueRef callee = LLVMGetCalledValue(o->call), args[LW_CPU_OPERANDS_MAX];
    LLVMTypeRef type = LLVMTypeOf(o->call);
    const unsigned count = LLVMGetNumArgOperands(o->call);
    for (unsigned k = 0; k < count; k++)
        args[k] = take_operand(o, k);
    LLVMValueRef result =
        LLVMBuildCall2(o->b, LLVMGlobalGetValueType(callee), callee, args, count, "");
    LLVMValueRef index =
        lw__is_uniform(o->s->facts, o->call) ? lw__spmd_const64(o->s, 0) : o->thread;
    LLVMValueRef to = element(o, EXCHANGE(out), bytes_of(o->s, type), index);
    if (type == o->s->i1)
        result = LLVMBuildZExt(o->b, result, o->s->i8, "");
    LLVMBuildStore(o->b, result, to);
}

static LLVMValueRef thread_number(struct operation *o)
{
    static const char name[] = "lw.thread_idx.x";
    LLVMTypeRef type = LLVMFunctionType(o->s->i32, NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(o->s->module, name);
    if (!f)
        f = LLVMAddFunction(o->s->module, name, type);
    return LLVMBuildSExt(o->b, LLVMBuildCall2(o->b, type, f, NULL, 0, ""), o->s->i64, "");
}

/* if (bit thread of arrived) out[thread] = operation(in[0][thread], ...); */
static LLVMValueRef build_scalar(struct operation *o, const char *name)
{
    struct lw__spmd *s = o->s;
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(s->context), (LLVMTypeRef[]){s->ptr}, 1, 0);
    LLVMValueRef f = LLVMAddFunction(s->module, name, type);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(s->context, f, "entry"),
                      there = LLVMAppendBasicBlockInContext(s->context, f, "there"),
                      done = LLVMAppendBasicBlockInContext(s->context, f, "done");
    LLVMPositionBuilderAtEnd(o->b, entry);
    o->exchange = LLVMGetParam(f, 0);
    o->thread = thread_number(o);
    LLVMValueRef warp = LLVMBuildLShr(o->b, o->thread, lw__spmd_const64(s, 5), "");
    LLVMValueRef word = LLVMBuildLoad2(o->b, s->i32, element(o, EXCHANGE(arrived), 4, warp), "");
    LLVMValueRef lane = LLVMBuildTrunc(o->b, o->thread, s->i32, "");
    lane = LLVMBuildAnd(o->b, lane, lw__spmd_const32(s, 31), "");
    word = LLVMBuildLShr(o->b, word, lane, "");
    LLVMBuildCondBr(o->b, LLVMBuildTrunc(o->b, word, s->i1, ""), there, done);
    LLVMPositionBuilderAtEnd(o->b, there);
    build_thread(o);
    LLVMBuildBr(o->b, done);
    LLVMPositionBuilderAtEnd(o->b, done);
    LLVMBuildRetVoid(o->b);
    return f;
}

/* Queue the operation as a kernel, and declare its function. */
static LLVMValueRef queue_operation(struct operation *o, const char *symbol)
{
    struct lw__spmd *s = o->s;
    struct lw__arena *arena = &s->unit->arena; /* the queue outlives this kernel */
    struct lw__kernel *kernel =
        lw__kernels_add(arena, &s->unit->operations, symbol + strlen("lw.cpu."));
    kernel->params = lw__new(arena, 1, sizeof *kernel->params);
    kernel->params->name = lw__copy(arena, "exchange");
    kernel->param_count = 1;
    kernel->function = build_scalar(o, kernel->name);
    kernel->block[0] = s->config->dim[0] * s->config->dim[1] * s->config->dim[2];
    kernel->block[1] = kernel->block[2] = 1;
    kernel->params->size = kernel->params->align = kernel->arg_bytes = 8;
    return lw__spmd_declare(s, kernel->name);
}

/* lw.cpu.OPERATION.THREADS, which runs the operation for a block; NULL: a barrier has none. */
static LLVMValueRef operation_of(struct lw__spmd *s, LLVMValueRef call)
{
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
        return LLVMConstNull(s->ptr);
    const char *symbol = lw__format(&s->unit->scratch, "lw.cpu.%s.%u", lw__ir_callee(call),
                                    s->config->dim[0] * s->config->dim[1] * s->config->dim[2]);
    struct operation o = {.s = s, .call = call, .b = LLVMCreateBuilderInContext(s->context)};
    LLVMValueRef f = LLVMGetNamedFunction(s->module, symbol);
    if (!f) {
        f = queue_operation(&o, symbol);
        LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    LLVMDisposeBuilder(o.b);
    return f;
}

/* ---- a gang's share -------------------------------------------------------------------------- */

static void load_result(struct lw__spmd *s, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call), stored = stored_type(s, type);
    if (lw__is_uniform(s->facts, call)) {
        LLVMValueRef x = lw__spmd_field(s, stored, s->gang->exchange, EXCHANGE(out));
        x = type == stored ? x : LLVMBuildTrunc(s->builder, x, type, "");
        lw__spmd_set_uniform(s, call, x);
        return;
    }
    for (uint32_t p = 0; p < s->pieces; p++) {
        LLVMValueRef from = lw__gang_at(s, EXCHANGE(out), bytes_of(s, type), p);
        LLVMValueRef x = LLVMBuildLoad2(s->builder, lw__spmd_vector_type(s, stored), from, "");
        LLVMSetAlignment(x, 1);
        if (type != stored)
            x = LLVMBuildTrunc(s->builder, x, lw__spmd_vector_type(s, type), "");
        lw__spmd_set_vector(s, call, p, x);
    }
}

void lw__gang_barrier(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, lw__mask mask)
{
    LLVMValueRef *live = lw__new(&s->unit->scratch, 2 * s->pieces, sizeof *live),
                 *there = live + s->pieces;
    lw__spmd_live(s, live);
    memcpy(there, mask, s->pieces * sizeof *there);
    lw__spmd_first_instance(s, call, there);
    lw__gang_store_lanes(s, there, EXCHANGE(arrived));
    lw__gang_store_lanes(s, live, EXCHANGE(live));
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef v = LLVMGetOperand(call, k);
        LLVMTypeRef type = LLVMTypeOf(v);
        for (uint32_t p = 0; p < s->pieces; p++) {
            LLVMValueRef x = lw__spmd_vector(s, v, p);
            if (type == s->i1)
                x = LLVMBuildZExt(s->builder, x, lw__spmd_vector_type(s, s->i8), "");
            LLVMValueRef to = lw__gang_at(s, operand_array(k), bytes_of(s, type), p);
            LLVMSetAlignment(LLVMBuildStore(s->builder, x, to), 1);
        }
    }
    /* Store the collective's place, and the iteration numbers of all loops around it. */
    LLVMOperandBundleRef bundle = lw__ir_instance(call);
    const unsigned count = LLVMGetNumOperandBundleArgs(bundle);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef v = LLVMGetOperandBundleArgAtIndex(bundle, k);
        if (!LLVMIsConstant(v))
            v = lw__is_uniform(s->facts, v) ? lw__spmd_uniform(s, v)
                                            : lw__spmd_first_value(s, v, there);
        lw__gang_set(s, FIELD(key) + k * sizeof(uint64_t),
                     LLVMBuildIntCast2(s->builder, v, s->i64, 0, ""));
    }
    lw__gang_set(s, FIELD(key_length), lw__spmd_const32(s, count));
    LLVMDisposeOperandBundle(bundle);
    lw__gang_set(s, FIELD(operation), operation_of(s, call));
    lw__gang_suspend(s, LW_CPU_ARRIVED, lw__ir_site(s->unit, call, lw__op_table[op].name));
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
        load_result(s, call);
}
