/* promises.c - what a program promises to the compiler is looked at: that a condition holds, that a
 * pointer is aligned, that a place is never reached.
 *
 * For devices that check, nothing is assumed. Before any pass that would use a promise it becomes
 *
 *     call void @lw.promise(i1 %holds, i32 kind, i64 number)
 *
 * which may not return. clang marks places that are not reached by a handler's call. An assert has
 * one behind it, and clang no longer says that it does not return.
 */
#include "base/ref_abi.h"
#include "compile/ref/ref.h"
#include "compile/llvm/llvm.h"
#include <string.h>

#define PROMISE "lw.promise"

static const char unreachable_handler[] = "__ubsan_handle_builtin_unreachable";

static void build_promise(struct lw__unit *unit, LLVMBuilderRef b, LLVMValueRef holds,
                          enum lw_promise kind, LLVMValueRef number)
{
    LLVMContextRef c = unit->context;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c);
    LLVMTypeRef types[] = {LLVMInt1TypeInContext(c), i32, LLVMInt64TypeInContext(c)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c), types, 3, 0);
    LLVMValueRef f = LLVMGetNamedFunction(unit->module, PROMISE);
    if (!f) {
        f = LLVMAddFunction(unit->module, PROMISE, type);
        lw__check_attributes(f);
    }
    LLVMValueRef args[] = {holds, LLVMConstInt(i32, kind, 0),
                           number ? number : LLVMConstInt(types[2], 0, 0)};
    LLVMBuildCall2(b, type, f, args, 3, "");
}

/* "align"(pointer, alignment[, offset]): the pointer less the offset is a multiple. */
static void check_alignment(struct lw__unit *unit, LLVMBuilderRef b, LLVMOperandBundleRef bundle)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(unit->context);
    LLVMValueRef at = LLVMBuildPtrToInt(b, LLVMGetOperandBundleArgAtIndex(bundle, 0), i64, "");
    LLVMValueRef align =
        LLVMBuildIntCast2(b, LLVMGetOperandBundleArgAtIndex(bundle, 1), i64, 0, "");
    if (LLVMGetNumOperandBundleArgs(bundle) > 2) {
        LLVMValueRef offset = LLVMGetOperandBundleArgAtIndex(bundle, 2);
        at = LLVMBuildSub(b, at, LLVMBuildIntCast2(b, offset, i64, 1, ""), "");
    }
    LLVMValueRef mask = LLVMBuildSub(b, align, LLVMConstInt(i64, 1, 0), "");
    LLVMValueRef holds = LLVMBuildIsNull(b, LLVMBuildAnd(b, at, mask, ""), "");
    build_promise(unit, b, holds, LW_PROMISE_ALIGNED, align);
}

static void replace_assume(struct lw__unit *unit, LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    if (!lw__ir_is_truth(LLVMGetOperand(call, 0), true))
        build_promise(unit, b, LLVMGetOperand(call, 0), LW_PROMISE_HOLDS, NULL);
    for (unsigned k = 0; k < LLVMGetNumOperandBundles(call); k++) {
        LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, k);
        size_t length;
        const char *tag = LLVMGetOperandBundleTag(bundle, &length);
        if (length == strlen("align") && !strncmp(tag, "align", length))
            check_alignment(unit, b, bundle);
        LLVMDisposeOperandBundle(bundle);
    }
    LLVMInstructionEraseFromParent(call);
}

/* `br i1 false, label %past, label %handler` leads to the block of the handler's call; NULL: the
 * call is where it belongs. */
static LLVMValueRef branch_to(LLVMBasicBlockRef handler)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(handler));
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    const bool is_false = user && LLVMIsABranchInst(user) && LLVMIsConditional(user) &&
                          lw__ir_is_truth(LLVMGetCondition(user), false);
    return is_false && LLVMGetSuccessor(user, 1) == handler ? user : NULL;
}

static void delete_unused(LLVMBasicBlockRef block)
{
    if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(block)))
        LLVMDeleteBasicBlock(block);
}

static void replace_unreachable(struct lw__unit *unit, LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMBasicBlockRef handler = LLVMGetInstructionParent(call);
    LLVMValueRef branch = branch_to(handler), at = branch ? branch : call;
    LLVMValueRef before = LLVMGetPreviousInstruction(at);
    LLVMPositionBuilderBefore(b, at);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    if (!before || !lw__ir_fails(before))
        build_promise(unit, b, LLVMConstInt(LLVMInt1TypeInContext(unit->context), 0, 0),
                      LW_PROMISE_UNREACHED, NULL);
    LLVMInstructionEraseFromParent(call);
    if (!branch)
        return;
    LLVMBasicBlockRef past = LLVMGetSuccessor(branch, 0);
    LLVMBuildUnreachable(b);
    LLVMInstructionEraseFromParent(branch);
    delete_unused(handler);
    delete_unused(past);
}

/* All uses of a function, which then goes. */
static void replace_all(struct lw__unit *unit, LLVMBuilderRef b, const char *name,
                        void (*replace)(struct lw__unit *, LLVMBuilderRef, LLVMValueRef))
{
    LLVMValueRef f = LLVMGetNamedFunction(unit->module, name);
    for (LLVMUseRef use; f && (use = LLVMGetFirstUse(f));)
        replace(unit, b, LLVMGetUser(use));
    if (f)
        LLVMDeleteFunction(f);
}

void lw__replace_unreachable(struct lw__unit *unit, LLVMBuilderRef b)
{
    static const char *const asserts[] = {"lw.assert_fail", "lw.assert_that"};
    replace_all(unit, b, unreachable_handler, replace_unreachable);
    for (size_t k = 0; k < sizeof asserts / sizeof *asserts; k++) {
        LLVMValueRef f = LLVMGetNamedFunction(unit->module, asserts[k]);
        if (f)
            lw__llvm_attribute(f, "noreturn", true);
    }
}

/* lw__pass_promises - what is assumed becomes calls of lw.promise.
 * needs RAW
 */
bool lw__pass_promises(struct lw__unit *unit)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    replace_all(unit, b, "llvm.assume", replace_assume);
    LLVMDisposeBuilder(b);
    return true;
}

/* ---- in the reference form ------------------------------------------------------------------- */

bool lw__ref_lower_promise(struct lw__ref *r, LLVMValueRef call)
{
    if (strcmp(lw__ir_callee(call), PROMISE))
        return false;
    LLVMBasicBlockRef head = lw__ir_split_before(call), tail = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef tell = LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
    LLVMPositionBuilderAtEnd(r->b, head);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(call));
    LLVMBuildCondBr(r->b, LLVMGetOperand(call, 0), tail, tell);
    LLVMPositionBuilderAtEnd(r->b, tell);
    LLVMValueRef args[] = {r->thread, LLVMGetOperand(call, 1), LLVMGetOperand(call, 2),
                           LLVMConstInt(r->i32, lw__ir_site(r->unit, call, "promise"), 0)};
    LLVMTypeRef types[] = {r->ptr, r->i32, r->i64, r->i32};
    lw__ref_call(r, offsetof(struct lw_ref_calls, promise), LLVMVoidTypeInContext(r->unit->context),
                 types, args, 4);
    LLVMBuildBr(r->b, lw__ref_refused(r));
    LLVMInstructionEraseFromParent(call);
    return true;
}
