/* check.c - the reference form for the device `check`: its calls and tables have more to tell. */
#include "compile/check/check.h"
#include "compile/check/shadow.h"
#include "compile/llvm/llvm.h"
#include <string.h>

/* Overflow is told where it happens, and the thread goes on. */
static bool lower_overflow(struct lw__ref *r, LLVMValueRef call)
{
    if (strcmp(lw__ir_callee(call), LW_OVERFLOW))
        return false;
    LLVMValueRef ok = LLVMGetOperand(call, 0);
    LLVMBasicBlockRef head = lw__ir_split_before(call), tail = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef tell = LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
    LLVMPositionBuilderAtEnd(r->b, head);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef branch = LLVMBuildCondBr(r->b, LLVMBuildNot(r->b, ok, ""), tell, tail);
    lw__ir_set_rare(branch);
    LLVMPositionBuilderAtEnd(r->b, tell);
    LLVMValueRef args[] = {LLVMGetOperand(call, 1), LLVMGetOperand(call, 2),
                           LLVMGetOperand(call, 3),
                           LLVMConstInt(r->i32, lw__ir_site(r->unit, call, "arithmetic"), 0)};
    lw__ref_call(r, CALL(overflow), r->none, args, 4);
    LLVMBuildBr(r->b, tail);
    LLVMInstructionEraseFromParent(call);
    return true;
}

static bool lower(struct lw__ref *r, LLVMValueRef call)
{
    return lw__check_lower_observe(r, call) || lower_overflow(r, call) ||
           lw__check_lower_mark(r, call) || lw__check_lower_shadow(r, call);
}

/* Of block memory the place of its declaration; for a picture its type, too. */
static void describe(struct lw__ref *r, LLVMValueRef variable, struct lw__ref_object *row)
{
    if (!LLVMIsAGlobalVariable(variable))
        return;
    row->origin = 1 + lw__shadow_declaration_of(r->unit, variable, row->name);
    if (lw__has(r->unit, LW_IS_RECORDED) && lw__ir_is_shared(variable))
        row->layout = lw__check_layout_of(r, variable);
}

/* lw__pass_check - as lw__pass_ref; the device is told of what each thread does.
 * needs COMMON   makes THREADS   breaks COMMON
 */
bool lw__pass_check(struct lw__unit *unit)
{
    static const struct lw__ref_extension extension = {.open = lw__check_prove,
                                                       .enter = lw__check_load_proved,
                                                       .survey = lw__check_find_written,
                                                       .lower = lower,
                                                       .describe = describe,
                                                       .skip = lw__check_go_round_proved};
    return lw__ref_lower(unit, &extension);
}
