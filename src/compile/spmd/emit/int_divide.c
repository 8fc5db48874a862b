/* int_divide.c - integer division and remainder of vectors, by a divisor that is no constant.
 *
 * No unit has an instruction for it. Integers of less than 64 bits are divided as floats: of 24
 * bits for 8 and 16, of 53 for 32. The quotient of a and b differs from the next integer by at
 * least 1/b of itself. That is more than its rounding error, so truncation is exact. 64 bits are
 * divided lane by lane.
 *
 * LLVM 19 must not see a division of vectors. For it, one lane that divides by zero is undefined
 * behaviour of all. Yet it replaces a divisor by a constant if some lanes compare equal to that or
 * select it. Other lanes of the constant may be 0.
 *
 * numeric   exact
 */
#include "compile/spmd/emit/emit.h"

static LLVMValueRef to_float(struct lw__spmd *s, LLVMValueRef v, LLVMTypeRef floats, bool is_signed)
{
    return is_signed ? LLVMBuildSIToFP(s->builder, v, floats, "")
                     : LLVMBuildUIToFP(s->builder, v, floats, "");
}

/* Of vectors of at most 32 bits. Narrower ones are widened to signed numbers. */
static LLVMValueRef quotient(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    const unsigned lanes = LLVMGetVectorSize(type);
    const bool narrow = LLVMGetIntTypeWidth(LLVMGetElementType(type)) < 32;
    LLVMTypeRef wide = LLVMVectorType(s->i32, lanes);
    LLVMTypeRef floats = LLVMVectorType(narrow ? s->f32 : s->f64, lanes);
    if (narrow) {
        a = LLVMBuildIntCast2(s->builder, a, wide, is_signed, "");
        b = LLVMBuildIntCast2(s->builder, b, wide, is_signed, "");
        is_signed = true;
    }
    LLVMValueRef q = LLVMBuildFDiv(s->builder, to_float(s, a, floats, is_signed),
                                   to_float(s, b, floats, is_signed), "");
    q = is_signed ? LLVMBuildFPToSI(s->builder, q, wide, "")
                  : LLVMBuildFPToUI(s->builder, q, wide, "");
    return narrow ? LLVMBuildTrunc(s->builder, q, type, "") : q;
}

LLVMValueRef lw__spmd_divide(struct lw__spmd *s, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b)
{
    if (LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(a))) > 32) {
        LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(a));
        for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(a)); k++) {
            LLVMValueRef at = LLVMConstInt(s->i32, k, 0);
            LLVMValueRef q =
                LLVMBuildBinOp(s->builder, op, LLVMBuildExtractElement(s->builder, a, at, ""),
                               LLVMBuildExtractElement(s->builder, b, at, ""), "");
            result = LLVMBuildInsertElement(s->builder, result, q, at, "");
        }
        return result;
    }
    LLVMValueRef q = quotient(s, a, b, op == LLVMSDiv || op == LLVMSRem);
    if (op == LLVMUDiv || op == LLVMSDiv)
        return q;
    return LLVMBuildSub(s->builder, a, LLVMBuildMul(s->builder, q, b, ""), "");
}
