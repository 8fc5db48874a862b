/* calls.c - a thread of the reference form between suspensions: thread indices, fences, printf,
 * assert. It also notes that memory has changed, from which the scheduler tells whether a waiting
 * thread makes progress.
 */
#include "base/manifest.h"
#include "compile/ref/ref.h"
#include "compile/llvm/llvm.h"
#include <string.h>

static void replace(LLVMValueRef call, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(call, by);
    LLVMInstructionEraseFromParent(call);
}

/* lw.thread_idx.x and its like; false: another name. */
static bool lower_index(struct lw__ref *r, LLVMValueRef call, const char *name)
{
    static const size_t fields[] = {
#define LW_INDEX(name, axes, place, field, hardware) [LW_INDEX_##name] = FIELD(field),
#include "compile/llvm/thread_indices.def"
    };
    unsigned axis;
    const enum lw__thread_index index = lw__ir_thread_index(name, &axis);
    if (!index)
        return false;
    LLVMValueRef v = lw__ref_load(r, r->i32, fields[index] + axis * sizeof(int32_t));
    if (index == LW_INDEX_lane_id)
        v = LLVMBuildAnd(r->b, v, LLVMConstInt(r->i32, 31, 0), "");
    if (index == LW_INDEX_warp_id)
        v = LLVMBuildLShr(r->b, v, LLVMConstInt(r->i32, 5, 0), "");
    replace(call, v);
    return true;
}

/* One that does not hold ends the thread. */
static void lower_promise(struct lw__ref *r, LLVMValueRef call)
{
    LLVMBasicBlockRef head = lw__ir_split_before(call), tail = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef tell = LLVMInsertBasicBlockInContext(r->unit->context, tail, "");
    LLVMPositionBuilderAtEnd(r->b, head);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(call));
    LLVMBuildCondBr(r->b, LLVMGetOperand(call, 0), tail, tell);
    LLVMPositionBuilderAtEnd(r->b, tell);
    LLVMValueRef args[] = {LLVMGetOperand(call, 1), LLVMGetOperand(call, 2),
                           LLVMConstInt(r->i32, lw__ir_site(r->unit, call, "promise"), 0)};
    lw__ref_call(r, CALL(promise), r->none, args, 3);
    LLVMBuildBr(r->b, lw__ref_refused(r));
    LLVMInstructionEraseFromParent(call);
}

bool lw__ref_lower_call(struct lw__ref *r, LLVMValueRef call)
{
    const char *name = lw__ir_callee(call);
    LLVMPositionBuilderBefore(r->b, call);
    if (lower_index(r, call, name))
        return true;
    if (r->extension->lower && r->extension->lower(r, call))
        return true;
    if (lw__is_promise(call)) {
        lower_promise(r, call);
        return true;
    }
    if (!strncmp(name, "lw.fence_", 9)) {
        LLVMBuildFence(r->b, lw__ir_fence_order(name), 0, "");
        LLVMInstructionEraseFromParent(call);
        return true;
    }
    if (!strcmp(name, "lw.printf")) {
        unsigned count = (unsigned)LLVMGetNumArgOperands(call) - 1;
        LLVMValueRef args = lw__llvm_slots(r->b, call, count);
        lw__ref_call(
            r, CALL(print), r->none,
            (LLVMValueRef[]){LLVMGetOperand(call, 0), LLVMConstInt(r->i32, count, 0), args}, 3);
        replace(call, LLVMConstInt(r->i32, count, 0));
        return true;
    }
    const bool says = !strcmp(name, "lw.assert_that");
    if (!says && strcmp(name, "lw.assert_fail"))
        return lw__defect("ref has no lowering of %s", name);
    /* A failed assert: report it and never continue. The code after the call is unreachable. */
    LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
    LLVMValueRef site = LLVMConstInt(r->i32, lw__ir_site(r->unit, call, "assert"), 0),
                 args = says ? lw__llvm_slots(r->b, call, LW_SAID_MAX) : NULL;
    lw__ref_call(r, says ? CALL(fail_saying) : CALL(fail), r->none,
                 (LLVMValueRef[]){LLVMGetOperand(call, 0), site, args}, says ? 3 : 2);
    lw__ref_store32(r, LW_REF_FAILED, FIELD(state));
    for (LLVMValueRef i = call, next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionEraseFromParent(i);
    }
    LLVMPositionBuilderAtEnd(r->b, block);
    LLVMBuildBr(r->b, r->co.final);
    return true;
}

/* ---- writes ---------------------------------------------------------------------------------- */

static LLVMValueRef address_written(LLVMValueRef i)
{
    if (!strncmp(lw__ir_callee(i), "llvm.mem", 8))
        return LLVMGetOperand(i, 0);
    return LLVMIsALoadInst(i) ? NULL : lw__ir_address(i);
}

bool lw__ref_may_write(LLVMValueRef instruction)
{
    LLVMValueRef address = address_written(instruction);
    return address && !lw__ir_is_private(address) && !lw__ir_is_marked(instruction, LW_REF_OWN);
}

static bool comparable(struct lw__ref *r, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind &&
           LLVMSizeOfTypeInBits(r->data, type) % 8 == 0;
}

static void mark_changed(struct lw__ref *r, LLVMValueRef yes)
{
    LLVMValueRef was = lw__ref_load(r, r->i64, FIELD(changed));
    lw__ref_store(r, LLVMBuildOr(r->b, was, LLVMBuildZExt(r->b, yes, r->i64, ""), ""),
                  FIELD(changed));
}

/* Load the bits before and after; a different value is a change. */
void lw__ref_note_write(struct lw__ref *r, LLVMValueRef write)
{
    LLVMValueRef address = address_written(write);
    LLVMTypeRef type = LLVMIsACallInst(write) ? NULL : lw__ir_accessed(write);
    LLVMPositionBuilderBefore(r->b, write);
    if (!type || !comparable(r, type)) {
        mark_changed(r, LLVMConstInt(LLVMInt1TypeInContext(r->unit->context), 1, 0));
        return;
    }
    LLVMTypeRef bits =
        LLVMIntTypeInContext(r->unit->context, (unsigned)LLVMSizeOfTypeInBits(r->data, type));
    LLVMValueRef before = LLVMBuildLoad2(r->b, bits, address, "");
    LLVMPositionBuilderBefore(r->b, LLVMGetNextInstruction(write));
    LLVMValueRef after = LLVMBuildLoad2(r->b, bits, address, "");
    LLVMSetAlignment(before, LLVMGetAlignment(write));
    LLVMSetAlignment(after, LLVMGetAlignment(write));
    mark_changed(r, LLVMBuildICmp(r->b, LLVMIntNE, before, after, ""));
}
