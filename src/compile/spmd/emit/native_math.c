/* native_math.c - devlib functions that a vector level does in fewer instructions than their C.
 *
 * They are not inlined (lw__pass_inline) but remain calls, as if they were intrinsics, until here.
 *
 * lw.fmax, lw.fmin: the larger or smaller number, -0 < +0, a number rather than a NaN.
 *     AVX-512: vrange does that, but returns a signalling NaN, as a quiet one; so operands that may
 *     be signalling NaNs are quieted first, by vrange of themselves.
 *     Others: maxps(a, b) is b if either is a NaN or both are zeros. Let b be a number. a is
 *     replaced by maxps(a, -inf), which is a number. Then maxps(a, b) & maxps(b, a) is the larger;
 *     of zeros it is +0 unless both are -0. In loops over fmax the carried value is a number.
 *     If neither operand is known to be one, for scalars, and on AArch64: the C of devlib.
 * lw.scale, AVX-512: vscalef, v * 2^k, rounded once. lw.rarely: a select; control/emit_block.c
 * jumps over `other`, which few lanes need.
 *
 * source    Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, MAXPS, VRANGEPS
 */
#include "compile/spmd/emit/emit.h"
#include <math.h>
#include <string.h>

enum { LANES_MAX = 16 };

/* ---- what is known of an operand ------------------------------------------------------------- */

enum { SEEN_MAX = 8 };

/* Phis seen so far. A value that a loop carries is as good as those that enter the loop. */
struct seen {
    LLVMValueRef phi[SEEN_MAX];
    unsigned count;
};

static bool is_nan(LLVMValueRef constant)
{
    LLVMBool exact;
    const double value = LLVMConstRealGetDouble(constant, &exact);
    return value != value;
}

/* True if v is no NaN; with `quiet`, no signalling NaN. Arithmetic does not count: LLVM may remove
 * an operation that changes only NaNs. */
static bool is_tame(LLVMValueRef v, bool quiet, struct seen *seen)
{
    if (LLVMIsAConstantFP(v))
        return !is_nan(v);
    if (LLVMIsASIToFPInst(v) || LLVMIsAUIToFPInst(v))
        return true;
    if (LLVMIsACallInst(v)) {
        const enum lw__native native = lw__native_of(lw__ir_callee(v));
        if (native != LW_NATIVE_FMAX && native != LW_NATIVE_FMIN)
            return false;
        return quiet || is_tame(LLVMGetOperand(v, 0), false, seen) ||
               is_tame(LLVMGetOperand(v, 1), false, seen);
    }
    if (!LLVMIsAPHINode(v))
        return false;
    for (unsigned k = 0; k < seen->count; k++)
        if (seen->phi[k] == v)
            return true;
    if (seen->count == SEEN_MAX)
        return false;
    seen->phi[seen->count++] = v;
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
        if (!is_tame(LLVMGetIncomingValue(v, k), quiet, seen))
            return false;
    return true;
}

bool lw__spmd_is_number(LLVMValueRef v)
{
    return is_tame(v, false, &(struct seen){0});
}

static bool operand_is_tame(LLVMValueRef call, unsigned k, bool quiet)
{
    return is_tame(LLVMGetOperand(call, k), quiet, &(struct seen){0});
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* AVX-512, a register under a full mask; number < 0: the operation takes none. */
static LLVMValueRef masked(struct lw__spmd *s, enum lw__intrinsic row, LLVMValueRef a,
                           LLVMValueRef b, int number)
{
    enum { CURRENT_ROUNDING = 4 };
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[6] = {a, b};
    unsigned n = 2;
    if (number >= 0)
        args[n++] = lw__spmd_const32(s, number);
    args[n++] = LLVMConstNull(type);
    args[n++] = LLVMConstAllOnes(LLVMIntTypeInContext(s->context, LLVMGetVectorSize(type)));
    args[n++] = lw__spmd_const32(s, CURRENT_ROUNDING);
    return lw__llvm_intrinsic(s->builder, s->module, row, NULL, args, n);
}

/* The level's instruction on a register. */
static LLVMValueRef one(struct lw__spmd *s, enum lw__native native, LLVMValueRef a, LLVMValueRef b)
{
    enum { RANGE_MIN = 0, RANGE_MAX = 1, RANGE_SIGN_OF_RESULT = 1 << 2 };
    static const enum lw__intrinsic rows[2][2][2] = {
        {{LW_LLVM_max_ps, LW_LLVM_max_pd}, {LW_LLVM_max_ps_256, LW_LLVM_max_pd_256}},
        {{LW_LLVM_min_ps, LW_LLVM_min_pd}, {LW_LLVM_min_ps_256, LW_LLVM_min_pd_256}}};
    const bool wide = LLVMGetElementType(LLVMTypeOf(a)) == s->f64;
    if (native == LW_NATIVE_SCALE)
        return masked(s, LW_LLVM_scalef_ps, a, b, -1);
    if (lw__has(s->unit, LW_HAS_RANGE))
        return masked(s, wide ? LW_LLVM_range_pd : LW_LLVM_range_ps, a, b,
                      (native == LW_NATIVE_FMAX ? RANGE_MAX : RANGE_MIN) | RANGE_SIGN_OF_RESULT);
    return lw__llvm_intrinsic(s->builder, s->module,
                              rows[native == LW_NATIVE_FMIN][s->width == 8][wide], NULL,
                              (LLVMValueRef[]){a, b}, 2);
}

/* For a piece: doubles are two registers. */
static LLVMValueRef each(struct lw__spmd *s, enum lw__native native, LLVMValueRef a, LLVMValueRef b)
{
    int lanes[LANES_MAX];
    const uint32_t n = s->width / 2;
    LLVMValueRef half[2];
    for (uint32_t l = 0; l < s->width; l++)
        lanes[l] = (int)l;
    if (LLVMGetElementType(LLVMTypeOf(a)) != s->f64)
        return one(s, native, a, b);
    for (uint32_t h = 0; h < 2; h++) {
        LLVMValueRef of_a = lw__spmd_shuffle(s, a, a, lanes + h * n, n);
        half[h] = one(s, native, of_a, lw__spmd_shuffle(s, b, b, lanes + h * n, n));
    }
    return lw__spmd_shuffle(s, half[0], half[1], lanes, s->width);
}

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* ---- fmax and fmin --------------------------------------------------------------------------- */

/* Of equal numbers, which differ at most in the sign of zero: the larger or smaller. */
static LLVMValueRef combine_bits(struct lw__spmd *s, enum lw__native native, LLVMValueRef a,
                                 LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    const bool wide = (is_vector(a) ? LLVMGetElementType(type) : type) == s->f64;
    LLVMTypeRef bits = wide ? s->i64 : s->i32;
    if (is_vector(a))
        bits = LLVMVectorType(bits, s->width);
    a = LLVMBuildBitCast(s->builder, a, bits, "");
    b = LLVMBuildBitCast(s->builder, b, bits, "");
    a = native == LW_NATIVE_FMAX ? LLVMBuildAnd(s->builder, a, b, "")
                                 : LLVMBuildOr(s->builder, a, b, "");
    return LLVMBuildBitCast(s->builder, a, type, "");
}

/* As in devlib's maths_f32.c. */
static LLVMValueRef by_comparing(struct lw__spmd *s, enum lw__native native, LLVMValueRef a,
                                 LLVMValueRef b)
{
    LLVMValueRef equal = combine_bits(s, native, a, b);
    LLVMValueRef beyond =
        LLVMBuildFCmp(s->builder, native == LW_NATIVE_FMAX ? LLVMRealOGT : LLVMRealOLT, b, a, "");
    LLVMValueRef far = LLVMBuildSelect(s->builder, beyond, b, a, "");
    far = LLVMBuildSelect(s->builder, LLVMBuildFCmp(s->builder, LLVMRealOEQ, a, b, ""), equal, far,
                          "");
    return LLVMBuildSelect(s->builder, LLVMBuildFCmp(s->builder, LLVMRealUNO, a, a, ""), b, far,
                           "");
}

/* b is a number. */
static LLVMValueRef by_both_orders(struct lw__spmd *s, enum lw__native native, LLVMValueRef a,
                                   LLVMValueRef b, bool a_is_number)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(a));
    LLVMValueRef least = LLVMConstReal(type, native == LW_NATIVE_FMAX ? -INFINITY : INFINITY);
    if (!a_is_number)
        a = each(s, native, a, lw__spmd_splat(s, least));
    LLVMValueRef ab = each(s, native, a, b);
    return combine_bits(s, native, ab, each(s, native, b, a));
}

LLVMValueRef lw__spmd_extreme(struct lw__spmd *s, bool max, LLVMValueRef a, LLVMValueRef b)
{
    const enum lw__native native = max ? LW_NATIVE_FMAX : LW_NATIVE_FMIN;
    return lw__has(s->unit, LW_HAS_RANGE) ? each(s, native, a, b)
                                          : by_both_orders(s, native, a, b, true);
}

LLVMValueRef lw__spmd_native(struct lw__spmd *s, LLVMValueRef i, LLVMValueRef a, LLVMValueRef b)
{
    const enum lw__native native = lw__native_of(lw__ir_callee(i));
    if (native == LW_NATIVE_SCALE) {
        if (is_vector(a))
            return each(s, native, a, b);
        a = each(s, native, lw__spmd_splat(s, a), lw__spmd_splat(s, b));
        return LLVMBuildExtractElement(s->builder, a, lw__spmd_const32(s, 0), "");
    }
    if (is_vector(a) && lw__has(s->unit, LW_HAS_RANGE)) {
        if (!operand_is_tame(i, 0, true))
            a = each(s, native, a, a);
        if (!operand_is_tame(i, 1, true))
            b = each(s, native, b, b);
        return each(s, native, a, b);
    }
    if (!is_vector(a) || !lw__has(s->unit, LW_HAS_MAXPS))
        return by_comparing(s, native, a, b);
    const bool a_is_number = operand_is_tame(i, 0, false);
    if (operand_is_tame(i, 1, false))
        return by_both_orders(s, native, a, b, a_is_number);
    return a_is_number ? by_both_orders(s, native, b, a, false) : by_comparing(s, native, a, b);
}
