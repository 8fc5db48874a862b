/* coroutine.c - LLVM's coroutines behind one small interface.
 *
 * The first call of a coroutine's function, the ramp, asks its caller for a frame. It runs to the
 * first suspension and returns the frame's address as the handle. Values that live across a
 * suspension are in the frame. LLVM's passes split the function into ramp and resume function.
 * Until then no other pass may run: it could move loads across the suspensions.
 *
 * No coroutine is destroyed; the frame is freed with its block. LLVM is told so. Otherwise it would
 * build a destroy function from all code, and later passes would find it unused.
 * source   llvm.org/docs/Coroutines.html (switched-resume lowering), LLVM 19
 */
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <assert.h>

static LLVMContextRef context_of(LLVMModuleRef module)
{
    return LLVMGetModuleContext(module);
}

static LLVMValueRef call(struct lw__coroutine *c, enum lw__intrinsic row, LLVMTypeRef type,
                         LLVMValueRef *args, unsigned count)
{
    return lw__llvm_intrinsic(c->builder, c->module, row, &type, args, count);
}

static LLVMBasicBlockRef block(struct lw__coroutine *c, const char *name)
{
    return LLVMAppendBasicBlockInContext(context_of(c->module), c->function, name);
}

void lw__coroutine_open(LLVMModuleRef module, LLVMValueRef function, lw__frame_fn *frame,
                        void *user, struct lw__coroutine *c)
{
    *c = (struct lw__coroutine){.module = module, .function = function};
    c->builder = LLVMCreateBuilderInContext(context_of(module));
    c->entry = block(c, "ramp");
    c->body = block(c, "begin");
    c->final = block(c, "final");
    c->cleanup = block(c, "cleanup");
    c->end = block(c, "end");
    lw__llvm_attribute(function, "presplitcoroutine", true);
    lw__llvm_attribute(function, "coro_only_destroy_when_complete", true);
    /* The ramp: coro.id, a frame or null, coro.begin. */
    LLVMContextRef context = context_of(c->module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    LLVMValueRef null = LLVMConstNull(LLVMPointerTypeInContext(context, 0));
    LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(context), 0, 0);
    LLVMBasicBlockRef no_frame = block(c, "no_frame");
    LLVMPositionBuilderAtEnd(c->builder, c->entry);
    c->id = call(c, LW_LLVM_coro_id, NULL, (LLVMValueRef[]){zero, null, null, null}, 4);
    LLVMValueRef bytes = call(c, LW_LLVM_coro_size, i64, NULL, 0);
    LLVMValueRef align = call(c, LW_LLVM_coro_align, i64, NULL, 0);
    LLVMValueRef memory = frame(c->builder, bytes, align, user);
    assert(LLVMGetInsertBlock(c->builder) == c->entry);
    LLVMValueRef none = LLVMBuildICmp(c->builder, LLVMIntEQ, memory, null, "");
    LLVMBuildCondBr(c->builder, none, no_frame, c->body);
    LLVMPositionBuilderAtEnd(c->builder, no_frame);
    LLVMBuildRet(c->builder, null);
    LLVMPositionBuilderAtEnd(c->builder, c->body);
    c->handle = call(c, LW_LLVM_coro_begin, NULL, (LLVMValueRef[]){c->id, memory}, 2);
    /* The final suspension, and the exit that all suspensions share. */
    LLVMTypeRef i1 = LLVMInt1TypeInContext(context), i8 = LLVMInt8TypeInContext(context);
    LLVMValueRef no_token = LLVMConstNull(LLVMTokenTypeInContext(context));
    LLVMBasicBlockRef never = block(c, "never");
    LLVMPositionBuilderAtEnd(c->builder, c->final);
    LLVMValueRef way =
        call(c, LW_LLVM_coro_suspend, NULL, (LLVMValueRef[]){no_token, LLVMConstInt(i1, 1, 0)}, 2);
    LLVMValueRef choice = LLVMBuildSwitch(c->builder, way, c->end, 2);
    LLVMAddCase(choice, LLVMConstInt(i8, 0, 0), never);
    LLVMAddCase(choice, LLVMConstInt(i8, 1, 0), c->cleanup);
    LLVMPositionBuilderAtEnd(c->builder, never);
    LLVMBuildUnreachable(c->builder);
    LLVMPositionBuilderAtEnd(c->builder, c->cleanup);
    call(c, LW_LLVM_coro_free, NULL, (LLVMValueRef[]){c->id, c->handle}, 2);
    LLVMBuildBr(c->builder, c->end);
    LLVMPositionBuilderAtEnd(c->builder, c->end);
    call(c, LW_LLVM_coro_end, NULL, (LLVMValueRef[]){c->handle, LLVMConstInt(i1, 0, 0), no_token},
         3);
    LLVMBuildRet(c->builder, c->handle);
}

void lw__coroutine_suspend(struct lw__coroutine *c, LLVMBasicBlockRef at, LLVMBasicBlockRef next)
{
    LLVMContextRef context = context_of(c->module);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(context);
    LLVMValueRef no_token = LLVMConstNull(LLVMTokenTypeInContext(context));
    LLVMValueRef more = LLVMConstInt(LLVMInt1TypeInContext(context), 0, 0);
    assert(!LLVMGetBasicBlockTerminator(at));
    LLVMPositionBuilderAtEnd(c->builder, at);
    LLVMValueRef way = call(c, LW_LLVM_coro_suspend, NULL, (LLVMValueRef[]){no_token, more}, 2);
    LLVMValueRef choice = LLVMBuildSwitch(c->builder, way, c->end, 2);
    LLVMAddCase(choice, LLVMConstInt(i8, 0, 0), next);
    LLVMAddCase(choice, LLVMConstInt(i8, 1, 0), c->cleanup);
}

void lw__coroutine_close(struct lw__coroutine *c)
{
    assert(LLVMGetBasicBlockTerminator(c->final));
    /* LLVM describes frames of functions in C++ to debuggers, and takes a promise for granted. */
    if (c->id && lw__ir_is_cuda(c->module)) {
        LLVMPositionBuilderBefore(c->builder, c->id);
        LLVMTypeRef i8 = LLVMInt8TypeInContext(context_of(c->module));
        LLVMSetOperand(c->id, 1, LLVMBuildAlloca(c->builder, i8, ""));
    }
    LLVMDisposeBuilder(c->builder);
}

void lw__coroutine_resumer(LLVMModuleRef module, const char *name)
{
    LLVMContextRef context = context_of(module);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &ptr, 1, 0);
    LLVMValueRef f = LLVMAddFunction(module, name, type), handle = LLVMGetParam(f, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, ""));
    lw__llvm_intrinsic(b, module, LW_LLVM_coro_resume, NULL, &handle, 1);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

bool lw__coroutine_split(struct lw__unit *unit)
{
    return lw__llvm_passes(unit, LW_PASSES_split_coroutines);
}
