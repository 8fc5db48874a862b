/* shadow_calls.c - in the reference form, what shadow.c asks of the device.
 */
#include "compile/check/shadow.h"
#include "compile/llvm/llvm.h"
#include <string.h>

static LLVMValueRef site(struct lw__ref *r, LLVMValueRef call, const char *what)
{
    return LLVMConstInt(r->i32, lw__ir_site(r->unit, call, what), 0);
}

/* The device's call, with pointers as numbers. */
static LLVMValueRef ask(struct lw__ref *r, size_t slot, LLVMTypeRef result, LLVMValueRef *args,
                        unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (LLVMGetTypeKind(LLVMTypeOf(args[k])) == LLVMPointerTypeKind)
            args[k] = LLVMBuildPtrToInt(r->b, args[k], r->i64, "");
    return lw__ref_call(r, slot, result, args, count);
}

/* Where memory is short the device has no shadow to give, and has failed the launch: the thread
 * ends. */
static void end_without_shadow(struct lw__ref *r, const struct lw__check_quick *quick,
                               LLVMValueRef call, LLVMValueRef answer)
{
    LLVMBasicBlockRef go, head = LLVMGetInsertBlock(r->b);
    if (quick->from) {
        go = LLVMInsertBasicBlockInContext(r->unit->context, quick->join, "");
    } else {
        head = lw__ir_split_before(call);
        go = LLVMGetInstructionParent(call);
        LLVMPositionBuilderAtEnd(r->b, head);
    }
    LLVMValueRef is_none = LLVMBuildIsNull(r->b, LLVMBuildExtractValue(r->b, answer, 0, ""), "");
    lw__ir_set_rare(LLVMBuildCondBr(r->b, is_none, lw__ref_refused(r), go));
    if (quick->from)
        LLVMPositionBuilderAtEnd(r->b, go);
    else
        LLVMPositionBuilderBefore(r->b, call);
}

bool lw__check_lower_shadow(struct lw__ref *r, LLVMValueRef call)
{
    const char *name = lw__ir_callee(call);
    LLVMValueRef args[5], result = NULL;
    const unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned k = 0; k < count && k < 5; k++)
        args[k] = LLVMGetOperand(call, k);
    if (!strcmp(name, "lw.shadow")) {
        const struct lw__check_quick quick = lw__check_quick_shadow(r, call);
        result = ask(r, CALL(shadow), LLVMTypeOf(call), args, count);
        end_without_shadow(r, &quick, call, result);
        result = lw__check_quick_end(r, &quick, call, result);
    } else if (!strcmp(name, "lw.shadow_variable")) {
        ask(r, CALL(variable), r->none, args, count);
    } else if (!strcmp(name, "lw.shadow_update")) {
        args[2] = site(r, call, "atomic");
        ask(r, CALL(update), r->none, args, 3);
    } else if (!strcmp(name, "lw.undefined_use")) {
        static const char *const names[] = {[LW_USE_BRANCH] = "branch",
                                            [LW_USE_ADDRESS] = "address",
                                            [LW_USE_ATOMIC] = "atomic",
                                            [LW_USE_STORE] = "store",
                                            [LW_USE_PRINT] = "print"};
        const char *what = names[LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2))];
        LLVMValueRef use[] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1),
                              site(r, call, what)};
        ask(r, CALL(undefined), r->none, use, 3);
    } else if (!strcmp(name, "lw.give")) {
        static const size_t fields[] = {FIELD(value_shadow),    FIELD(value_origin),
                                        FIELD(identity_shadow), FIELD(identity_origin),
                                        FIELD(number_shadow),   FIELD(number_origin)};
        for (unsigned k = 0; k < sizeof fields / sizeof *fields; k++)
            lw__ref_store(r, LLVMGetOperand(call, k), fields[k]);
    } else if (!strcmp(name, "lw.taken")) {
        result = lw__ref_load(r, r->i64, FIELD(result_shadow));
    } else if (!strcmp(name, "lw.taken_origin")) {
        result = lw__ref_load(r, r->i32, FIELD(result_origin));
    } else {
        return false;
    }
    if (result)
        LLVMReplaceAllUsesWith(call, result);
    LLVMInstructionEraseFromParent(call);
    return true;
}
