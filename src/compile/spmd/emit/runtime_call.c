/* runtime_call.c - the interface to the library: fields of its records, calls of its table, and the
 * function lw.cpu.K that it calls (base/cpu_abi.h).
 */
#include "base/cpu_abi.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>
#include <stddef.h>

LLVMValueRef lw__spmd_field(struct lw__spmd *s, LLVMTypeRef type, LLVMValueRef record,
                            size_t offset)
{
    LLVMValueRef at = lw__spmd_const64(s, (int64_t)offset);
    return LLVMBuildLoad2(s->builder, type, LLVMBuildGEP2(s->builder, s->i8, record, &at, 1, ""),
                          "");
}

LLVMValueRef lw__spmd_call_out(struct lw__spmd *s, size_t slot, LLVMTypeRef result,
                               LLVMTypeRef *types, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef at = lw__spmd_const64(s, offsetof(struct lw_cpu_worker, calls));
    LLVMValueRef calls = LLVMBuildLoad2(
        s->builder, s->ptr, LLVMBuildGEP2(s->builder, s->i8, s->worker, &at, 1, ""), "");
    at = lw__spmd_const64(s, (int64_t)slot);
    LLVMValueRef f =
        LLVMBuildLoad2(s->builder, s->ptr, LLVMBuildGEP2(s->builder, s->i8, calls, &at, 1, ""), "");
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    return LLVMBuildCall2(s->builder, type, f, args, count, "");
}

void lw__spmd_call_once(struct lw__spmd *s, LLVMValueRef call)
{
    enum { ARGS = 5 };
    const unsigned count = LLVMGetNumArgOperands(call);
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    LLVMValueRef f = LLVMGetNamedFunction(s->module, lw__ir_callee(call)), args[ARGS];
    assert(count <= ARGS);
    for (unsigned k = 0; k < count; k++) {
        if (!lw__is_uniform(s->facts, LLVMGetOperand(call, k))) {
            lw__spmd_refuse(s, call, "a call of the block whose operands differ by thread");
            return;
        }
        args[k] = lw__spmd_uniform(s, LLVMGetOperand(call, k));
    }
    if (!f)
        f = LLVMAddFunction(s->module, lw__ir_callee(call), type);
    LLVMBuildCall2(s->builder, type, f, args, count, "");
}

LLVMValueRef lw__spmd_frame(struct lw__spmd *s)
{
    return lw__spmd_call_out(s, offsetof(struct lw_cpu_calls, frame), s->ptr,
                             (LLVMTypeRef[]){s->ptr, s->i64},
                             (LLVMValueRef[]){s->worker, lw__spmd_const64(s, 0)}, 2);
}

LLVMValueRef lw__spmd_declare(struct lw__spmd *s, const char *kernel)
{
    LLVMTypeRef types[] = {s->ptr, s->ptr, s->i64, s->i64};
    const char *name = lw__format(&s->unit->scratch, "lw.cpu.%s", kernel);
    LLVMValueRef f = LLVMGetNamedFunction(s->module, name);
    if (!f)
        f = LLVMAddFunction(s->module, name, LLVMFunctionType(s->i32, types, 4, 0));
    lw__llvm_attribute(f, "nounwind", true);
    return f;
}
