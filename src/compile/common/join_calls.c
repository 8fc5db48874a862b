/* join_calls.c - all calls of a helper in one function become one call.
 *
 *     x = g(a);          site = 0, arg = a, goto call;
 *     ...                back 0: x = result;
 *     y = g(b);          ...
 *                        site = 1, arg = b, goto call;
 *                        back 1: y = result;
 *                        call: result = g(arg); switch (site) { 0: goto back 0; 1: goto back 1; }
 *
 * No thread's path changes, and without recursion no two calls of a helper are active at a time. So
 * after inlining the helper is there once, with one set of its variables. Its code is in a loop
 * over the calls that one thread makes. Lanes that come from different calls run it together.
 *
 * The paths that the graph adds, from one call to behind another, are never taken. But the analysis
 * of convergence would follow them, so no collective may lie on them: join_helpers.c.
 */
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

struct join {
    LLVMValueRef function, helper;
    LLVMValueRef *calls;
    unsigned count, arg_count;
    LLVMValueRef *args; /* where a call's arguments are kept, */
    LLVMValueRef site;  /* and the number of the call; the result, NULL for none */
    LLVMValueRef result;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
};

/* ---- values that the added paths do not define ----------------------------------------------- */

static LLVMValueRef local(struct join *j, LLVMTypeRef type)
{
    LLVMPositionBuilderBefore(j->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(j->function)));
    return LLVMBuildAlloca(j->b, type, "");
}

/* The block at whose end, or in which, the user reads its operand k. */
static LLVMBasicBlockRef place_of_use(LLVMValueRef user, unsigned k)
{
    return LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, k) : LLVMGetInstructionParent(user);
}

static bool is_used_elsewhere(LLVMValueRef i)
{
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != LLVMGetInstructionParent(i))
            return true;
    }
    return false;
}

/* Operand k of the user becomes a load. A phi has one value for all edges from a block. */
static void load_operand(struct join *j, LLVMValueRef user, unsigned k, LLVMValueRef memory)
{
    LLVMBasicBlockRef at = place_of_use(user, k);
    unsigned first = k;
    if (LLVMIsAPHINode(user))
        for (first = 0; LLVMGetIncomingBlock(user, first) != at;)
            first++;
    LLVMPositionBuilderBefore(j->b, LLVMIsAPHINode(user) ? LLVMGetBasicBlockTerminator(at) : user);
    LLVMSetOperand(user, k,
                   first < k ? LLVMGetOperand(user, first)
                             : LLVMBuildLoad2(j->b, LLVMGetAllocatedType(memory), memory, ""));
}

/* Every use of the value in another block becomes a load. */
static void keep_in_memory(struct join *j, LLVMValueRef i)
{
    LLVMBasicBlockRef own = LLVMGetInstructionParent(i);
    LLVMValueRef memory = local(j, LLVMTypeOf(i));
    for (LLVMUseRef use = LLVMGetFirstUse(i), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        while (next && LLVMGetUser(next) == user)
            next = LLVMGetNextUse(next);
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == i && place_of_use(user, (unsigned)k) != own)
                load_operand(j, user, (unsigned)k, memory);
    }
    LLVMPositionBuilderBefore(j->b, LLVMIsAPHINode(i) ? lw__ir_first_after_phis(own)
                                                      : LLVMGetNextInstruction(i));
    LLVMBuildStore(j->b, i, memory);
}

/* Values that cross blocks lie in memory. Where an alloca is, all blocks can see it. */
static void keep_all_in_memory(struct join *j)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(j->function);
    for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!(LLVMIsAAllocaInst(i) && b == entry) && is_used_elsewhere(i))
                keep_in_memory(j, i);
        }
}

/* ---- one call -------------------------------------------------------------------------------- */

static bool list_calls(struct join *j)
{
    j->calls = NULL;
    for (int pass = 0; pass < 2; pass++) {
        j->count = 0;
        for (LLVMUseRef use = LLVMGetFirstUse(j->helper); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != j->helper ||
                LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != j->function)
                continue;
            if (j->calls)
                j->calls[j->count] = user;
            j->count++;
        }
        if (!pass)
            j->calls = lw__calloc(j->count, sizeof *j->calls);
    }
    return j->count > 1;
}

/* From before each call to the one call. */
static void leave(struct join *j, LLVMBasicBlockRef *before, LLVMBasicBlockRef to)
{
    for (unsigned k = 0; k < j->count; k++) {
        LLVMPositionBuilderAtEnd(j->b, before[k]);
        LLVMSetCurrentDebugLocation2(j->b, LLVMInstructionGetDebugLoc(j->calls[k]));
        for (unsigned a = 0; a < j->arg_count; a++)
            LLVMBuildStore(j->b, LLVMGetOperand(j->calls[k], a), j->args[a]);
        LLVMBuildStore(j->b, LLVMConstInt(j->i32, k, 0), j->site);
        LLVMBuildBr(j->b, to);
    }
}

/* It has no line: the lines of its callers are not known before it runs. */
static void build_call(struct join *j, LLVMBasicBlockRef at)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(j->helper);
    LLVMMetadataRef scope = LLVMGetSubprogram(j->function);
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMValueRef *args = lw__calloc(j->arg_count + 1, sizeof *args);
    LLVMPositionBuilderAtEnd(j->b, at);
    LLVMSetCurrentDebugLocation2(
        j->b, scope ? LLVMDIBuilderCreateDebugLocation(context, 0, 0, scope, NULL) : NULL);
    for (unsigned a = 0; a < j->arg_count; a++)
        args[a] = LLVMBuildLoad2(j->b, LLVMTypeOf(LLVMGetParam(j->helper, a)), j->args[a], "");
    LLVMValueRef call = LLVMBuildCall2(j->b, type, j->helper, args, j->arg_count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(j->helper));
    if (j->result)
        LLVMBuildStore(j->b, call, j->result);
    free(args);
}

/* And from there to where the call was. */
static void go_back(struct join *j)
{
    LLVMValueRef site = LLVMBuildLoad2(j->b, j->i32, j->site, "");
    LLVMValueRef fork =
        LLVMBuildSwitch(j->b, site, LLVMGetInstructionParent(j->calls[0]), j->count - 1);
    for (unsigned k = 0; k < j->count; k++) {
        if (k)
            LLVMAddCase(fork, LLVMConstInt(j->i32, k, 0), LLVMGetInstructionParent(j->calls[k]));
    }
    for (unsigned k = 0; k < j->count; k++) {
        LLVMPositionBuilderBefore(j->b, j->calls[k]);
        LLVMSetCurrentDebugLocation2(j->b, LLVMInstructionGetDebugLoc(j->calls[k]));
        if (j->result)
            LLVMReplaceAllUsesWith(j->calls[k],
                                   LLVMBuildLoad2(j->b, LLVMTypeOf(j->calls[k]), j->result, ""));
        LLVMInstructionEraseFromParent(j->calls[k]);
    }
}

static void join(struct join *j)
{
    LLVMBasicBlockRef *before = lw__calloc(j->count, sizeof(LLVMBasicBlockRef));
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(j->helper));
    for (unsigned k = 0; k < j->count; k++)
        before[k] = lw__ir_split_before(j->calls[k]);
    for (unsigned a = 0; a < j->arg_count; a++)
        j->args[a] = local(j, LLVMTypeOf(LLVMGetParam(j->helper, a)));
    j->site = local(j, j->i32);
    j->result = LLVMGetTypeKind(result) == LLVMVoidTypeKind ? NULL : local(j, result);
    LLVMBasicBlockRef call = LLVMInsertBasicBlockInContext(
        LLVMGetTypeContext(j->i32), LLVMGetInstructionParent(j->calls[0]), "helper");
    leave(j, before, call);
    build_call(j, call);
    go_back(j);
    LLVMSetCurrentDebugLocation2(j->b, NULL);
    keep_all_in_memory(j);
    free(before);
}

void lw__join_calls(LLVMValueRef function, LLVMValueRef helper)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    struct join j = {.function = function,
                     .helper = helper,
                     .arg_count = LLVMCountParams(helper),
                     .i32 = LLVMInt32TypeInContext(context)};
    if (list_calls(&j)) {
        j.b = LLVMCreateBuilderInContext(context);
        j.args = lw__calloc(j.arg_count + 1, sizeof *j.args);
        join(&j);
        free(j.args);
        LLVMDisposeBuilder(j.b);
    }
    free(j.calls);
}
