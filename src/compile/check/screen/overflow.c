/* overflow.c - pairs of a sum and "did it overflow?" as plain arithmetic, whose shapes are known.
 *
 * clang asks llvm.sadd.with.overflow and its like; instrument/ has made plain arithmetic
 * of the first result. The second becomes comparisons that fold where an operand is a constant. The
 * launch stops where they hold, so the arithmetic itself may promise not to wrap.
 */
#include "compile/check/screen/screen.h"
#include "compile/llvm/llvm.h"
#include <string.h>

enum { WIDE = 64 };

/* LLVMAdd, LLVMSub or LLVMMul of signed numbers; 0: it is none. */
static LLVMOpcode opcode_of(LLVMValueRef call)
{
    return lw__ir_calls(call, LW_LLVM_sadd_overflow)   ? LLVMAdd
           : lw__ir_calls(call, LW_LLVM_ssub_overflow) ? LLVMSub
           : lw__ir_calls(call, LW_LLVM_smul_overflow) ? LLVMMul
                                                       : 0;
}

bool lw__screen_can_overflow(LLVMValueRef call)
{
    const LLVMOpcode op = opcode_of(call);
    LLVMTypeRef type = op ? LLVMTypeOf(LLVMGetOperand(call, 0)) : NULL;
    if (!op || LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return false;
    return LLVMGetIntTypeWidth(type) <= (op == LLVMMul ? WIDE / 2 : WIDE);
}

static LLVMValueRef compare(struct lw__screen *s, LLVMIntPredicate p, LLVMValueRef a,
                            LLVMValueRef b)
{
    return LLVMBuildICmp(s->b, p, a, b, "");
}

static LLVMValueRef both(struct lw__screen *s, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(s->b, a, b, "");
}

/* a + b, or a - b, is more than the most or less than the least. */
static LLVMValueRef sum_wraps(struct lw__screen *s, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    const uint64_t sign = UINT64_C(1) << (LLVMGetIntTypeWidth(type) - 1);
    LLVMValueRef least = LLVMConstInt(type, sign, 0), most = LLVMConstInt(type, sign - 1, 0);
    LLVMValueRef zero = LLVMConstNull(type);
    const bool adds = op == LLVMAdd;
    LLVMValueRef top = adds ? LLVMBuildSub(s->b, most, b, "") : LLVMBuildAdd(s->b, most, b, "");
    LLVMValueRef low = adds ? LLVMBuildSub(s->b, least, b, "") : LLVMBuildAdd(s->b, least, b, "");
    LLVMValueRef rises = compare(s, adds ? LLVMIntSGT : LLVMIntSLT, b, zero);
    LLVMValueRef falls = compare(s, adds ? LLVMIntSLT : LLVMIntSGT, b, zero);
    return LLVMBuildOr(s->b, both(s, rises, compare(s, LLVMIntSGT, a, top)),
                       both(s, falls, compare(s, LLVMIntSLT, a, low)), "");
}

static LLVMValueRef product_wraps(struct lw__screen *s, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef wide = LLVMBuildMul(s->b, LLVMBuildSExt(s->b, a, s->i64, ""),
                                     LLVMBuildSExt(s->b, b, s->i64, ""), "");
    LLVMValueRef back = LLVMBuildSExt(s->b, LLVMBuildTrunc(s->b, wide, type, ""), s->i64, "");
    return compare(s, LLVMIntNE, wide, back);
}

/* The arithmetic that overflow_checks.c has made of the first result. */
static void promise(LLVMValueRef a, LLVMValueRef b, LLVMOpcode op, LLVMBasicBlockRef block)
{
    EACH_INSTRUCTION(i, block)
        if (LLVMGetInstructionOpcode(i) == op && LLVMIsABinaryOperator(i) &&
            LLVMGetOperand(i, 0) == a && LLVMGetOperand(i, 1) == b)
            LLVMSetNSW(i, 1);
}

static void make_plain(struct lw__screen *s, LLVMValueRef call)
{
    const LLVMOpcode op = opcode_of(call);
    LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
    LLVMPositionBuilderBefore(s->b, call);
    LLVMValueRef wraps = op == LLVMMul ? product_wraps(s, a, b) : sum_wraps(s, op, a, b);
    promise(a, b, op, LLVMGetInstructionParent(call));
    EACH_USE_SAFE(use, call) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(user,
                               *LLVMGetIndices(user) ? wraps : LLVMBuildBinOp(s->b, op, a, b, ""));
        LLVMInstructionEraseFromParent(user);
    }
    LLVMInstructionEraseFromParent(call);
}

void lw__screen_plain_overflows(struct lw__screen *s)
{
    EACH_BLOCK(block, s->function)
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            while (next && LLVMIsAExtractValueInst(next) && LLVMGetOperand(next, 0) == i)
                next = LLVMGetNextInstruction(next);
            if (opcode_of(i))
                make_plain(s, i);
        }
}
