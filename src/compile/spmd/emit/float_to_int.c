/* float_to_int.c - floats to integers, saturated, a NaN to 0: llvm.fptosi.sat and llvm.fptoui.sat.
 *
 * LLVM 19 converts many of these lane by lane.
 *
 * x86 converts what is within bounds, so other numbers are first brought there. The greater of x
 * and the least number, `x > least ? x : least`, is one maxps, and is the least number if x is a
 * NaN. The smaller of that and the greatest works alike if the float type has the greatest. If not,
 * the floats beyond begin at a power of two, and their results are replaced.
 *
 * AArch64's instructions saturate, to an integer of the float's width. A narrower result is
 * clamped.
 *
 * numeric   exact
 * source    Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, MAXPS;
 *           Arm Architecture Reference Manual for A-profile, FPToFixed
 */
#include "compile/spmd/emit/emit.h"
#include <float.h>
#include <math.h>

struct conversion {
    LLVMTypeRef scalar, vector; /* of the result */
    bool is_signed;
    unsigned digits;   /* without the sign */
    double least;      /* its least number */
    double beyond;     /* the first power of two above its numbers */
    bool has_greatest; /* beyond - 1 is a float */
};

/* ---- x86 ------------------------------------------------------------------------------------- */

/* x where the comparison with the bound holds, else the bound. */
static LLVMValueRef bound_by(struct lw__spmd *s, LLVMRealPredicate comparison, LLVMValueRef x,
                             double bound)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
    LLVMValueRef number = lw__spmd_splat(s, LLVMConstReal(type, bound));
    return LLVMBuildSelect(s->builder, LLVMBuildFCmp(s->builder, comparison, x, number, ""), x,
                           number, "");
}

/* Convert numbers within bounds; to integers of less than 32 bits through 32. */
static LLVMValueRef convert(struct lw__spmd *s, const struct conversion *c, LLVMValueRef x)
{
    if (LLVMGetIntTypeWidth(c->scalar) < 32) {
        LLVMValueRef wide = LLVMBuildFPToSI(s->builder, x, lw__spmd_vector_type(s, s->i32), "");
        return LLVMBuildTrunc(s->builder, wide, c->vector, "");
    }
    return c->is_signed ? LLVMBuildFPToSI(s->builder, x, c->vector, "")
                        : LLVMBuildFPToUI(s->builder, x, c->vector, "");
}

static LLVMValueRef by_bounds(struct lw__spmd *s, const struct conversion *c, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef inside = bound_by(s, LLVMRealOGT, x, c->least);
    if (c->is_signed) {
        LLVMValueRef is_number = LLVMBuildFCmp(s->builder, LLVMRealORD, x, x, "");
        inside = LLVMBuildSelect(s->builder, is_number, inside, LLVMConstNull(type), "");
    }
    if (c->has_greatest)
        return convert(s, c, bound_by(s, LLVMRealOLT, inside, c->beyond - 1));
    LLVMValueRef beyond = LLVMConstReal(LLVMGetElementType(type), c->beyond);
    LLVMValueRef is_beyond =
        LLVMBuildFCmp(s->builder, LLVMRealOGE, x, lw__spmd_splat(s, beyond), "");
    return LLVMBuildSelect(
        s->builder, is_beyond,
        lw__spmd_splat(s, LLVMConstInt(c->scalar, UINT64_MAX >> (64 - c->digits), 0)),
        convert(s, c, inside), "");
}

/* ---- by saturating instructions -------------------------------------------------------------- */

static LLVMValueRef bound_integer(struct lw__spmd *s, enum lw__intrinsic row, LLVMValueRef x,
                                  LLVMValueRef bound)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return lw__llvm_intrinsic(s->builder, s->module, row, &type, (LLVMValueRef[]){x, bound}, 2);
}

static LLVMValueRef by_instruction(struct lw__spmd *s, const struct conversion *c, LLVMValueRef x)
{
    LLVMTypeRef from = LLVMTypeOf(x);
    LLVMTypeRef wide = LLVMGetElementType(from) == s->f64 ? s->i64 : s->i32;
    const bool is_narrow = LLVMGetIntTypeWidth(c->scalar) < LLVMGetIntTypeWidth(wide);
    LLVMTypeRef types[] = {is_narrow ? lw__spmd_vector_type(s, wide) : c->vector, from};
    LLVMValueRef v =
        lw__llvm_intrinsic(s->builder, s->module,
                           c->is_signed ? LW_LLVM_fptosi_sat : LW_LLVM_fptoui_sat, types, &x, 1);
    if (!is_narrow)
        return v;
    LLVMValueRef greatest = LLVMConstInt(wide, UINT64_MAX >> (64 - c->digits), 0);
    LLVMValueRef least = LLVMConstInt(wide, UINT64_MAX << c->digits, 1);
    v = bound_integer(s, c->is_signed ? LW_LLVM_smin : LW_LLVM_umin, v,
                      lw__spmd_splat(s, greatest));
    if (c->is_signed)
        v = bound_integer(s, LW_LLVM_smax, v, lw__spmd_splat(s, least));
    return LLVMBuildTrunc(s->builder, v, c->vector, "");
}

/* ---- entry ----------------------------------------------------------------------------------- */

LLVMValueRef lw__spmd_convert(struct lw__spmd *s, LLVMValueRef call, bool is_signed, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    const unsigned digits = LLVMGetIntTypeWidth(type) - is_signed;
    const bool wide = LLVMTypeOf(LLVMGetOperand(call, 0)) == s->f64;
    const struct conversion c = {.scalar = type,
                                 .vector = lw__spmd_vector_type(s, type),
                                 .is_signed = is_signed,
                                 .digits = digits,
                                 .least = is_signed ? -ldexp(1, (int)digits) : 0,
                                 .beyond = ldexp(1, (int)digits),
                                 .has_greatest = digits <= (wide ? DBL_MANT_DIG : FLT_MANT_DIG)};
    return lw__has(s->unit, LW_HAS_SATURATION) ? by_instruction(s, &c, x) : by_bounds(s, &c, x);
}
