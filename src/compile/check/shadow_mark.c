/* shadow_mark.c - what MemorySanitizer leaves alone, and marks that say more exactly what it is.
 *
 * An instruction with the metadata `nosanitize` is left alone, and its result is defined. A mark
 * with that result as its first operand then gives it another shadow, and all users of the result
 * take the mark's. shadow.c removes the marks.
 */
#include "compile/check/shadow.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { OPERANDS_MAX = 8 };
#define UNMARKED "nosanitize" /* MemorySanitizer leaves it alone */

/* At the builder. */
static LLVMValueRef mark(struct lw__shadow_work *w, const char *name, LLVMTypeRef result,
                         LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef types[OPERANDS_MAX];
    for (unsigned k = 0; k < count; k++)
        types[k] = LLVMTypeOf(args[k]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    LLVMValueRef f = LLVMAddFunction(w->unit->module, name, type); /* of a name of its own */
    lw__llvm_attribute(f, "nounwind", true);
    return LLVMBuildCall2(w->b, type, f, args, count, "");
}

static void begin(struct lw__shadow_work *w, LLVMValueRef before, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(w->b, before);
    LLVMSetCurrentDebugLocation2(w->b, LLVMInstructionGetDebugLoc(i));
}

/* The instruction's users use a mark of it instead, with these operands after it. */
static void mark_result(struct lw__shadow_work *w, const char *name, LLVMValueRef i,
                        LLVMValueRef *operands, unsigned count)
{
    LLVMValueRef args[OPERANDS_MAX] = {LLVMConstNull(LLVMTypeOf(i))};
    lw__ir_mark(i, UNMARKED);
    if (count > OPERANDS_MAX - 1)
        count = OPERANDS_MAX - 1;
    for (unsigned k = 0; k < count; k++)
        args[k + 1] = operands[k];
    begin(w, LLVMGetNextInstruction(i), i);
    LLVMValueRef m = mark(w, name, LLVMTypeOf(i), args, count + 1);
    LLVMReplaceAllUsesWith(i, m);
    LLVMSetOperand(m, 0, i);
}

static void mark_mixed(struct lw__shadow_work *w, LLVMValueRef i, unsigned count)
{
    LLVMValueRef operands[OPERANDS_MAX];
    for (unsigned k = 0; k < count && k < OPERANDS_MAX; k++)
        operands[k] = LLVMGetOperand(i, k);
    mark_result(w, LW_MARK_MIXED, i, operands, count);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Those whose result MemorySanitizer has bit by bit. */
static bool is_exact(LLVMValueRef call)
{
    static const enum lw__intrinsic exact[] = {
        LW_LLVM_bswap, LW_LLVM_fshl, LW_LLVM_fshr,      LW_LLVM_ctlz,
        LW_LLVM_cttz,  LW_LLVM_abs,  LW_LLVM_reduce_or, LW_LLVM_reduce_and,
    };
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++)
        if (lw__ir_calls(call, exact[k]))
            return true;
    return false;
}

/* Its pointers are used by their checks. */
static void mark_copy(struct lw__shadow_work *w, LLVMValueRef call)
{
    LLVMValueRef bytes = LLVMGetOperand(call, 2);
    begin(w, call, call);
    mark(w, LW_MARK_USE "address", w->none, &bytes, 1);
    lw__ir_mark(call, UNMARKED);
}

static void mark_collective(struct lw__shadow_work *w, LLVMValueRef call, enum lw__op op)
{
    static const unsigned counts[] = {
        [LW_ARGS_N] = 0, [LW_ARGS_P] = 1, [LW_ARGS_V] = 1, [LW_ARGS_VI] = 2, [LW_ARGS_VVI] = 3};
    const unsigned count = counts[lw__op_table[op].args];
    LLVMValueRef none = LLVMConstNull(w->i32), args[3] = {none, none, none};
    for (unsigned k = 0; k < count; k++)
        args[k] = LLVMGetOperand(call, k);
    if (count == 2) {
        args[2] = args[1];
        args[1] = none;
    }
    lw__ir_mark(call, UNMARKED);
    if (!count)
        return;
    begin(w, call, call);
    mark(w, LW_MARK_GIVE, w->none, args, 3);
    mark_result(w, LW_MARK_TAKE, call, NULL, 0);
}

/* The pointer of a check, or the index: clang widens it by what it marks as its own. */
static void mark_check(struct lw__shadow_work *w, LLVMValueRef call, bool is_index)
{
    LLVMValueRef used = LLVMGetOperand(call, is_index ? LW_INDEX_NUMBER : 0);
    if (is_index && LLVMIsACastInst(used) && lw__ir_is_marked(used, UNMARKED))
        used = LLVMGetOperand(used, 0);
    begin(w, call, call);
    mark(w, LW_MARK_USE "address", w->none, &used, 1);
    lw__ir_mark(call, UNMARKED);
}

/* What is printed is used; of the text of a %s, the bytes that texts.c reads. */
static void mark_print(struct lw__shadow_work *w, LLVMValueRef call)
{
    begin(w, call, call);
    for (unsigned k = 1; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef value = LLVMGetOperand(call, k);
        mark(w, LW_MARK_USE "print", w->none, &value, 1);
    }
    lw__ir_mark(call, UNMARKED);
}

static void mark_byte(struct lw__shadow_work *w, LLVMValueRef byte)
{
    begin(w, LLVMGetNextInstruction(byte), byte);
    mark(w, LW_MARK_USE "print", w->none, &byte, 1);
}

static void mark_call(struct lw__shadow_work *w, LLVMValueRef call)
{
    const char *name = lw__ir_callee(call);
    const unsigned count = LLVMGetNumArgOperands(call);
    const bool has_result = LLVMTypeOf(call) != w->none;
    const enum lw__op op = lw__ir_collective(call, NULL);
    if (is_exact(call) || !strncmp(name, "llvm.dbg.", 9))
        return;
    if (op)
        mark_collective(w, call, op);
    else if (lw__is_access_check(call) || lw__is_index_check(call))
        mark_check(w, call, lw__is_index_check(call));
    else if (!strncmp(name, "llvm.mem", 8))
        mark_copy(w, call);
    else if (lw__ir_prints(call))
        mark_print(w, call);
    else if (has_result && count)
        mark_mixed(w, call, count);
    else
        lw__ir_mark(call, UNMARKED);
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* A float3 is stored as a float4 whose last lane is poison: only its own lanes are used. */
static LLVMValueRef used_of(LLVMValueRef v)
{
    if (!LLVMIsAShuffleVectorInst(v) || !LLVMIsUndef(LLVMGetOperand(v, 1)))
        return v;
    LLVMValueRef narrow = LLVMGetOperand(v, 0);
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(narrow));
    for (unsigned k = 0; k < LLVMGetNumMaskElements(v); k++) {
        const int from = LLVMGetMaskValue(v, k);
        if (k < lanes ? from != (int)k : from != LLVMGetUndefMaskElem())
            return v;
    }
    return narrow;
}

static void mark_store(struct lw__shadow_work *w, LLVMValueRef store)
{
    LLVMValueRef pointer = LLVMGetOperand(store, 1), object = lw__ir_object(pointer);
    LLVMValueRef args[] = {used_of(LLVMGetOperand(store, 0)), pointer};
    if (LLVMIsAAllocaInst(object) || LLVMIsAGlobalVariable(object))
        return;
    begin(w, store, store);
    mark(w, LW_MARK_USE "store", w->none, args, 2);
}

/* An atomic update uses its operands and what is there; the pointer is used by its check. */
static void mark_atomic(struct lw__shadow_work *w, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 1));
    LLVMValueRef args[OPERANDS_MAX];
    unsigned count = 0;
    for (; count + 1 < (unsigned)LLVMGetNumOperands(i); count++)
        args[count] = LLVMGetOperand(i, count + 1);
    begin(w, i, i);
    mark(w, LW_MARK_USE "atomic", w->none, args, count);
    args[0] = LLVMGetOperand(i, 0);
    args[1] = LLVMConstInt(w->i64, LLVMStoreSizeOfType(w->data, type), 0);
    lw__ir_mark(lw__shadow_call(w, "lw.shadow_update", w->none, args, 2), UNMARKED);
    lw__ir_mark(i, UNMARKED);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A lane that a shuffle leaves open has no shadow in MemorySanitizer. Here it is undefined. */
static void close_lanes(struct lw__shadow_work *w, LLVMValueRef i)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(i));
    LLVMValueRef open = LLVMGetPoison(element), closed = i;
    const unsigned count = LLVMGetNumMaskElements(i);
    LLVMValueRef *mask = lw__new(&w->unit->scratch, count, sizeof(LLVMValueRef));
    bool is_open = false;
    for (unsigned k = 0; k < count; k++) {
        const int from = LLVMGetMaskValue(i, k);
        is_open |= from == LLVMGetUndefMaskElem();
        mask[k] = LLVMConstInt(w->i32, from < 0 ? 0 : (unsigned)from, 0);
    }
    if (is_open) {
        LLVMValueRef last = i;
        begin(w, LLVMGetNextInstruction(i), i);
        closed = LLVMBuildShuffleVector(w->b, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1),
                                        LLVMConstVector(mask, count), "");
        for (unsigned k = 0; k < count; k++)
            if (LLVMGetMaskValue(i, k) == LLVMGetUndefMaskElem())
                closed = LLVMBuildInsertElement(w->b, closed, open, LLVMConstInt(w->i32, k, 0), "");
        LLVMReplaceAllUsesWith(last, closed);
        LLVMInstructionEraseFromParent(last);
    }
}

static bool is_division(LLVMOpcode op)
{
    return op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
}

/* The mark of a shift by a distance that may be out of range; NULL: it is none. There it has no
 * value, nor has its shadow in MemorySanitizer. */
static const char *shift_of(LLVMValueRef i, LLVMOpcode op)
{
    const char *name = op == LLVMShl    ? LW_MARK_SHL
                       : op == LLVMLShr ? LW_MARK_LSHR
                       : op == LLVMAShr ? LW_MARK_ASHR
                                        : NULL;
    LLVMValueRef distance = name ? LLVMGetOperand(i, 1) : NULL;
    const bool is_within =
        name && LLVMIsAConstantInt(distance) &&
        LLVMConstIntGetZExtValue(distance) < LLVMGetIntTypeWidth(LLVMTypeOf(distance));
    return is_within ? NULL : name;
}

/* x - x, x ^ x, x == x are defined whatever x is. */
static bool is_of_one(LLVMValueRef i, LLVMOpcode op)
{
    return (op == LLVMSub || op == LLVMXor || op == LLVMICmp) &&
           LLVMGetOperand(i, 0) == LLVMGetOperand(i, 1);
}

static void mark_instruction(struct lw__shadow_work *w, LLVMValueRef i)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef operand = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
    if (op == LLVMCall)
        mark_call(w, i);
    else if (op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg)
        mark_atomic(w, i);
    else if (op == LLVMFreeze)
        mark_result(w, LW_MARK_SAME, i, &operand, 1);
    else if (op == LLVMShuffleVector)
        close_lanes(w, i);
    else if (shift_of(i, op))
        mark_result(w, shift_of(i, op), i, (LLVMValueRef[]){operand, LLVMGetOperand(i, 1)}, 2);
    else if (is_division(op))
        mark_mixed(w, i, 2);
    else if (op == LLVMLoad)
        mark_byte(w, i);
    else
        lw__ir_mark(i, UNMARKED); /* is_of_one */
}

static bool wants_mark(LLVMValueRef i)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (lw__ir_is_marked(i, UNMARKED))
        return false;
    if (op == LLVMLoad)
        return lw__ir_is_marked(i, LW_TEXT_BYTE);
    return op == LLVMCall || op == LLVMStore || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg ||
           op == LLVMFreeze || op == LLVMShuffleVector || is_division(op) || is_of_one(i, op) ||
           shift_of(i, op);
}

void lw__shadow_mark(struct lw__shadow_work *w, LLVMValueRef f)
{
    lw__shadow_collect(w, f, wants_mark);
    for (size_t k = 0; k < w->list_count; k++) /* while shuffles are as clang made them */
        if (LLVMIsAStoreInst(w->list[k]))
            mark_store(w, w->list[k]);
    for (size_t k = 0; k < w->list_count; k++)
        if (!LLVMIsAStoreInst(w->list[k]))
            mark_instruction(w, w->list[k]);
}
