/* size_arithmetic.c - declared sizes whose arithmetic has no result: lw.sizes.K tells the library.
 *
 * A product that wraps around would be taken for a small size. So each addition, multiplication,
 * division and shift of lw.sizes.K is followed by a test, and the first that fails is kept. Sizes
 * that are stored after that are the number of the mistake (base/manifest.h). What helpers compute
 * is not looked at. Unsigned differences may wrap, since code may undo that by an addition.
 */
#include "base/manifest.h"
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <assert.h>
#include <string.h>

struct tester {
    LLVMBuilderRef b;
    LLVMModuleRef module;
    LLVMTypeRef i64;
    LLVMValueRef wrong; /* variable: 0, or the mistake */
};

/* True if it is arithmetic of signed numbers. clang says so; where it compares the result itself
 * (instrument/overflow_checks.c), the comparison says so. */
static bool is_signed(LLVMValueRef i, enum lw__intrinsic row)
{
    if (LLVMGetNSW(i))
        return true;
    EACH_INSTRUCTION(other, LLVMGetInstructionParent(i))
        if (lw__ir_calls(other, row) && LLVMGetOperand(other, 0) == LLVMGetOperand(i, 0) &&
            LLVMGetOperand(other, 1) == LLVMGetOperand(i, 1))
            return true;
    return false;
}

/* Of the intrinsic that computes the same and tells whether it fits. */
static LLVMValueRef does_overflow(struct tester *t, LLVMValueRef i, enum lw__intrinsic row)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef args[] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};
    return LLVMBuildExtractValue(t->b, lw__llvm_intrinsic(t->b, t->module, row, &type, args, 2), 1,
                                 "");
}

/* The result of an unsigned difference, which may have wrapped, or of ~. */
static bool may_wrap(LLVMValueRef v)
{
    const LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
    return op == LLVMSub || op == LLVMXor;
}

/* Arithmetic that overflows; NULL: it is none. */
static LLVMValueRef overflows(struct tester *t, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
        if (is_signed(i, LW_LLVM_sadd_overflow))
            return does_overflow(t, i, LW_LLVM_sadd_overflow);
        return may_wrap(LLVMGetOperand(i, 0)) || may_wrap(LLVMGetOperand(i, 1))
                   ? NULL
                   : does_overflow(t, i, LW_LLVM_uadd_overflow);
    case LLVMSub:
        return is_signed(i, LW_LLVM_ssub_overflow) ? does_overflow(t, i, LW_LLVM_ssub_overflow)
                                                   : NULL;
    case LLVMMul:
        return does_overflow(t, i,
                             is_signed(i, LW_LLVM_smul_overflow) ? LW_LLVM_smul_overflow
                                                                 : LW_LLVM_umul_overflow);
    default: return NULL;
    }
}

/* The divisor is 0, or the quotient is one more than the type holds. */
static LLVMValueRef divides_badly(struct tester *t, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef a = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef is_zero = LLVMBuildIsNull(t->b, by, "");
    if (op != LLVMSDiv && op != LLVMSRem)
        return is_zero;
    LLVMValueRef least = LLVMConstInt(type, UINT64_C(1) << (LLVMGetIntTypeWidth(type) - 1), false);
    LLVMValueRef is_least = LLVMBuildICmp(t->b, LLVMIntEQ, a, least, "");
    LLVMValueRef is_minus_one = LLVMBuildICmp(t->b, LLVMIntEQ, by, LLVMConstAllOnes(type), "");
    return LLVMBuildOr(t->b, is_zero, LLVMBuildAnd(t->b, is_least, is_minus_one, ""), "");
}

/* The distance is not below the width, or bits are lost at the top. */
static LLVMValueRef shifts_badly(struct tester *t, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef a = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    LLVMValueRef width = LLVMConstInt(type, LLVMGetIntTypeWidth(type), false);
    LLVMValueRef is_far = LLVMBuildICmp(t->b, LLVMIntUGE, by, width, "");
    if (LLVMGetInstructionOpcode(i) != LLVMShl)
        return is_far;
    LLVMValueRef back = LLVMBuildLShr(t->b, LLVMBuildShl(t->b, a, by, ""), by, "");
    LLVMValueRef is_lost = LLVMBuildICmp(t->b, LLVMIntNE, back, a, "");
    return LLVMBuildOr(t->b, is_far, LLVMBuildFreeze(t->b, is_lost, ""), "");
}

static void note(struct tester *t, LLVMValueRef is_wrong, int64_t mistake)
{
    assert(mistake < 0); /* which no size is */
    LLVMValueRef was = LLVMBuildLoad2(t->b, t->i64, t->wrong, "");
    LLVMValueRef is_first = LLVMBuildAnd(t->b, is_wrong, LLVMBuildIsNull(t->b, was, ""), "");
    LLVMValueRef now =
        LLVMBuildSelect(t->b, is_first, LLVMConstInt(t->i64, (uint64_t)mistake, true), was, "");
    LLVMBuildStore(t->b, now, t->wrong);
}

static void test(struct tester *t, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(t->b, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: note(t, divides_badly(t, i), LW_SIZE_DIVIDES); break;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: note(t, shifts_badly(t, i), LW_SIZE_SHIFTS); break;
    default: {
        LLVMValueRef is_wrong = overflows(t, i);
        if (is_wrong)
            note(t, is_wrong, LW_SIZE_OVERFLOWS);
    }
    }
}

/* A store to sizes[]: the mistake, if there is one. */
static void replace_size(struct tester *t, LLVMValueRef store)
{
    LLVMPositionBuilderBefore(t->b, store);
    LLVMValueRef wrong = LLVMBuildLoad2(t->b, t->i64, t->wrong, "");
    LLVMValueRef is_right = LLVMBuildIsNull(t->b, wrong, "");
    LLVMSetOperand(store, 0, LLVMBuildSelect(t->b, is_right, LLVMGetOperand(store, 0), wrong, ""));
}

void lw__front_test_sizes(struct lw__arena *arena, LLVMValueRef function)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    struct tester t = {LLVMCreateBuilderInContext(context), LLVMGetGlobalParent(function),
                       LLVMInt64TypeInContext(context), NULL};
    LLVMValueRef *list = NULL;
    size_t count = 0;
    for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
        EACH_INSTRUCTION(i, b) {
            const bool is_size = LLVMIsAStoreInst(i) &&
                                 lw__ir_object(LLVMGetOperand(i, 1)) == LLVMGetParam(function, 1);
            const bool is_integer =
                LLVMIsABinaryOperator(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind;
            if (!is_size && !is_integer)
                continue;
            list = lw__one_more(arena, list, count, sizeof *list);
            list[count++] = i;
        }
    LLVMPositionBuilderBefore(t.b, LLVMGetFirstInstruction(entry));
    t.wrong = LLVMBuildAlloca(t.b, t.i64, "");
    LLVMBuildStore(t.b, LLVMConstNull(t.i64), t.wrong);
    for (size_t k = 0; k < count; k++)
        if (LLVMIsAStoreInst(list[k]))
            replace_size(&t, list[k]);
        else
            test(&t, list[k]);
    LLVMDisposeBuilder(t.b);
}
