/* promises.c - what a program promises to the compiler is looked at: that a condition holds, that a
 * pointer is aligned, that a place is never reached. What it advises, a prefetch, goes.
 *
 * For devices that check, nothing is assumed. Before any pass that would use a promise it becomes
 *
 *     call void @lw.promise(i1 %holds, i32 kind, i64 number)
 *
 * which may not return. clang marks places that are not reached by a handler's call. An assert has
 * one after it, and clang no longer says that it does not return.
 */
#include "base/ref_abi.h"
#include "compile/instrument/instrument.h"
#include "compile/llvm/llvm.h"
#include <string.h>

static const char unreachable_handler[] = "__ubsan_handle_builtin_unreachable";

static void build_promise(struct lw__unit *unit, LLVMBuilderRef b, LLVMValueRef holds,
                          enum lw_promise kind, LLVMValueRef number)
{
    LLVMContextRef c = unit->context;
    LLVMValueRef args[] = {holds, LLVMConstInt(LLVMInt32TypeInContext(c), kind, 0),
                           number ? number : LLVMConstNull(LLVMInt64TypeInContext(c))};
    lw__instrument_call(b, unit->module, LW_PROMISE, args, 3);
}

static void replace_assume(struct lw__unit *unit, LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(b, call);
    if (!lw__ir_is_truth(LLVMGetOperand(call, 0), true))
        build_promise(unit, b, LLVMGetOperand(call, 0), LW_PROMISE_HOLDS, NULL);
    for (unsigned k = 0; k < LLVMGetNumOperandBundles(call); k++) {
        LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, k);
        size_t length;
        const char *tag = LLVMGetOperandBundleTag(bundle, &length);
        if (length == strlen("align") && !strncmp(tag, "align", length)) {
            /* "align"(pointer, alignment[, offset]): the pointer less the offset is a multiple. */
            LLVMTypeRef i64 = LLVMInt64TypeInContext(unit->context);
            LLVMValueRef at =
                LLVMBuildPtrToInt(b, LLVMGetOperandBundleArgAtIndex(bundle, 0), i64, "");
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
    EACH_CALL(call, f)
        replace(unit, b, call);
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

static void delete_call(struct lw__unit *unit, LLVMBuilderRef b, LLVMValueRef call)
{
    (void)unit, (void)b;
    LLVMInstructionEraseFromParent(call);
}

/* lw__pass_promises - what is assumed becomes calls of lw.promise.
 * needs RAW
 */
bool lw__pass_promises(struct lw__unit *unit)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(unit->context);
    replace_all(unit, b, "llvm.assume", replace_assume);
    replace_all(unit, b, "llvm.prefetch.p0", delete_call);
    LLVMDisposeBuilder(b);
    return true;
}
