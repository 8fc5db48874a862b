/* legalize_numbers.c - arithmetic that all targets must do alike: 16-bit floats, conversions to
 * integers, and what C leaves undefined.
 *
 * _Float16 and __bf16 are computed in float and rounded at every operation, by devlib's integer
 * code. x86's bf16 instructions flush subnormals, and two conversions through float would round
 * twice. float has more than 2p + 2 bits of either, so + - * / rounded from float are correctly
 * rounded.
 * source   Figueroa, "When is double rounding innocuous?", SIGNUM 1995
 *
 * A float out of an integer type's range becomes the type's nearest number, and a NaN 0: fptosi.sat
 * and fptoui.sat of LLVM. clang calls these to convert a scalar. Conversions of vectors, lrint and
 * its like become such calls here. devlib converts what is in range.
 *
 * x86 traps on division by zero and on INT_MIN / -1; the kernel language promises some value. The
 * divisor becomes 1 there. Shifts out of range give poison, and so do devlib's conversions outside
 * their range. A branch on poison is undefined behaviour. So their results are frozen, and poison
 * that clang has folded becomes 0.
 */
#include "compile/common/common.h"
#include "compile/llvm/llvm.h"
#include <string.h>

struct half_work {
    const struct lw__unit *unit;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i16, i32, i64, f32, f64;
    bool missing;
};

static bool is_half(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(lw__ir_scalar(type));
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static LLVMValueRef call_devlib(struct half_work *w, const char *name, LLVMValueRef arg)
{
    LLVMValueRef f = LLVMGetNamedFunction(w->module, name);
    if (!f) {
        w->missing = !lw__defect("devlib has no %s", name);
        return arg;
    }
    return LLVMBuildCall2(w->b, LLVMGlobalGetValueType(f), f, &arg, 1, "");
}

static LLVMValueRef widen_one(struct half_work *w, LLVMValueRef v)
{
    bool brain = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMBFloatTypeKind;
    LLVMValueRef bits = LLVMBuildBitCast(w->b, v, w->i16, "");
    return call_devlib(w, brain ? "lw.bf16_to_f32" : "lw.f16_to_f32", bits);
}

/* float, double, or a signed or unsigned integer, to half or bfloat with one rounding. */
static LLVMValueRef narrow_one(struct half_work *w, LLVMValueRef v, LLVMTypeRef to, bool is_signed)
{
    bool brain = LLVMGetTypeKind(to) == LLVMBFloatTypeKind;
    const char *name;
    if (LLVMTypeOf(v) == w->f32) {
        name = brain ? "lw.f32_to_bf16" : "lw.f32_to_f16";
    } else if (LLVMTypeOf(v) == w->i64) {
        name = is_signed ? brain ? "lw.i64_to_bf16" : "lw.i64_to_f16"
               : brain   ? "lw.u64_to_bf16"
                         : "lw.u64_to_f16";
    } else {
        if (LLVMTypeOf(v) != w->f64) /* up to 32 bits: exact in double */
            v = is_signed ? LLVMBuildSIToFP(w->b, v, w->f64, "")
                          : LLVMBuildUIToFP(w->b, v, w->f64, "");
        name = brain ? "lw.f64_to_bf16" : "lw.f64_to_f16";
    }
    return LLVMBuildBitCast(w->b, call_devlib(w, name, v), to, "");
}

/* Element by element; to NULL: widen to float. */
static LLVMValueRef convert(struct half_work *w, LLVMValueRef v, LLVMTypeRef to, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(v), target = to ? lw__ir_scalar(to) : w->f32;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return to ? narrow_one(w, v, target, is_signed) : widen_one(w, v);
    LLVMValueRef result = LLVMGetPoison(lw__ir_shaped_like(target, type));
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef index = LLVMConstInt(w->i32, i, 0);
        LLVMValueRef one = LLVMBuildExtractElement(w->b, v, index, "");
        one = to ? narrow_one(w, one, target, is_signed) : widen_one(w, one);
        result = LLVMBuildInsertElement(w->b, result, one, index, "");
    }
    return result;
}

static LLVMValueRef negate(struct half_work *w, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), bits = lw__ir_shaped_like(w->i16, type);
    LLVMValueRef sign = LLVMConstInt(w->i16, 0x8000, 0), signs[16];
    if (bits != w->i16) {
        unsigned n = LLVMGetVectorSize(type);
        for (unsigned i = 0; i < n && i < 16; i++)
            signs[i] = sign;
        sign = LLVMConstVector(signs, n);
    }
    LLVMValueRef flipped = LLVMBuildXor(w->b, LLVMBuildBitCast(w->b, v, bits, ""), sign, "");
    return LLVMBuildBitCast(w->b, flipped, type, "");
}

/* To an integer of the vector's element type, or of scalar type `to`. */
static LLVMValueRef saturate_one(struct half_work *w, LLVMValueRef v, LLVMTypeRef to,
                                 bool is_signed)
{
    const enum lw__intrinsic row = is_signed ? LW_LLVM_fptosi_sat : LW_LLVM_fptoui_sat;
    if (is_half(LLVMTypeOf(v)))
        v = widen_one(w, v);
    return lw__llvm_intrinsic(w->b, w->module, row, (LLVMTypeRef[]){to, LLVMTypeOf(v)}, &v, 1);
}

static LLVMValueRef saturate(struct half_work *w, LLVMValueRef v, LLVMTypeRef to, bool is_signed)
{
    if (LLVMGetTypeKind(to) != LLVMVectorTypeKind)
        return saturate_one(w, v, to, is_signed);
    LLVMValueRef result = LLVMGetPoison(to);
    for (unsigned i = 0; i < LLVMGetVectorSize(to); i++) {
        LLVMValueRef index = LLVMConstInt(w->i32, i, 0);
        LLVMValueRef one = LLVMBuildExtractElement(w->b, v, index, "");
        one = saturate_one(w, one, LLVMGetElementType(to), is_signed);
        result = LLVMBuildInsertElement(w->b, result, one, index, "");
    }
    return result;
}

/* A call of an intrinsic that makes an integer of a float. */
static LLVMValueRef rewrite_conversion(struct half_work *w, LLVMValueRef call, LLVMValueRef v)
{
    static const struct {
        enum lw__intrinsic row, rounded;
    } rounding[] = {{LW_LLVM_lrint, LW_LLVM_rint},
                    {LW_LLVM_llrint, LW_LLVM_rint},
                    {LW_LLVM_lround, LW_LLVM_round},
                    {LW_LLVM_llround, LW_LLVM_round}};
    LLVMTypeRef type = LLVMTypeOf(v);
    for (size_t k = 0; k < sizeof rounding / sizeof *rounding; k++)
        if (lw__ir_calls(call, rounding[k].row)) {
            v = lw__llvm_intrinsic(w->b, w->module, rounding[k].rounded, &type, &v, 1);
            return saturate(w, v, LLVMTypeOf(call), true);
        }
    bool is_signed;
    return lw__ir_saturates(call, &is_signed) && is_half(type)
               ? saturate(w, v, LLVMTypeOf(call), is_signed)
               : NULL;
}

/* The replacement, or NULL if the instruction may stay. */
static LLVMValueRef rewrite_half(struct half_work *w, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    unsigned operands = (unsigned)LLVMGetNumOperands(i);
    LLVMValueRef a = operands ? LLVMGetOperand(i, 0) : NULL;
    if (!a)
        return NULL;
    bool from = is_half(LLVMTypeOf(a)), to = is_half(type);
    switch (op) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem: {
        if (!to)
            return NULL;
        LLVMValueRef x = convert(w, a, NULL, false),
                     y = convert(w, LLVMGetOperand(i, 1), NULL, false);
        return convert(w, LLVMBuildBinOp(w->b, op, x, y, ""), type, false);
    }
    case LLVMFNeg: return to ? negate(w, a) : NULL;
    case LLVMFCmp: {
        if (!from)
            return NULL;
        LLVMValueRef x = convert(w, a, NULL, false),
                     y = convert(w, LLVMGetOperand(i, 1), NULL, false);
        return LLVMBuildFCmp(w->b, LLVMGetFCmpPredicate(i), x, y, "");
    }
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP: return to ? convert(w, a, type, op == LLVMSIToFP) : NULL;
    case LLVMFPExt: {
        LLVMValueRef x = from ? convert(w, a, NULL, false) : NULL;
        return !x || LLVMTypeOf(x) == type ? x : LLVMBuildFPExt(w->b, x, type, "");
    }
    case LLVMFPToSI:
    case LLVMFPToUI:
        return from || LLVMGetTypeKind(type) == LLVMVectorTypeKind
                   ? saturate(w, a, type, op == LLVMFPToSI)
                   : NULL;
    case LLVMCall: return rewrite_conversion(w, i, a);
    default: return NULL;
    }
}

/* d, or 1 if dividing n by it would trap. */
static LLVMValueRef safe_divisor(struct half_work *w, LLVMOpcode op, LLVMValueRef n, LLVMValueRef d)
{
    LLVMTypeRef type = LLVMTypeOf(d);
    if (lw__ir_divides_all(d))
        return d;
    LLVMValueRef bad = LLVMBuildICmp(w->b, LLVMIntEQ, d, LLVMConstNull(type), "");
    if (op == LLVMSDiv || op == LLVMSRem) {
        LLVMValueRef least = LLVMConstInt(type, 1ull << (LLVMGetIntTypeWidth(type) - 1), 0);
        LLVMValueRef minus = LLVMBuildICmp(w->b, LLVMIntEQ, d, LLVMConstAllOnes(type), "");
        LLVMValueRef worst = LLVMBuildICmp(w->b, LLVMIntEQ, n, least, "");
        bad = LLVMBuildOr(w->b, bad, LLVMBuildAnd(w->b, minus, worst, ""), "");
    }
    return LLVMBuildSelect(w->b, bad, LLVMConstInt(type, 1, 0), d, "");
}

/* Make a division safe; vectors are divided by element, see emit/int_divide.c. NULL: it may
 * stay. */
static LLVMValueRef divide(struct half_work *w, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef n = LLVMGetOperand(i, 0), d = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(d);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        LLVMSetOperand(i, 1, safe_divisor(w, op, n, d));
        return NULL;
    }
    LLVMValueRef all = LLVMGetUndef(type);
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
        LLVMValueRef at = LLVMConstInt(w->i32, k, 0), a = LLVMBuildExtractElement(w->b, n, at, ""),
                     b = safe_divisor(w, op, a, LLVMBuildExtractElement(w->b, d, at, ""));
        all = LLVMBuildInsertElement(w->b, all, LLVMBuildBinOp(w->b, op, a, b, ""), at, "");
    }
    return all;
}

static bool may_be_poison(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFPToSI:
    case LLVMFPToUI: return true;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: break;
    default: return false;
    }
    LLVMValueRef amount = LLVMGetOperand(i, 1);
    return !LLVMIsAConstantInt(amount) ||
           LLVMConstIntGetZExtValue(amount) >= LLVMGetIntTypeWidth(LLVMTypeOf(amount));
}

/* The constant with 0 for each element that is poison. */
static LLVMValueRef unpoison_vector(LLVMValueRef constant)
{
    LLVMValueRef elements[16];
    const unsigned n = LLVMGetVectorSize(LLVMTypeOf(constant));
    for (unsigned k = 0; k < n && k < 16; k++) {
        elements[k] = LLVMGetAggregateElement(constant, k);
        if (!elements[k])
            return constant;
        if (LLVMIsPoison(elements[k]))
            elements[k] = LLVMConstNull(LLVMTypeOf(elements[k]));
    }
    return n <= 16 ? LLVMConstVector(elements, n) : constant;
}

/* lw__pass_half - 16-bit floats by devlib's conversions, conversions to integers that saturate,
 * divisors that cannot trap, no poison from integers.
 * needs LINKED   makes HALF
 */
bool lw__pass_half(struct lw__unit *unit)
{
    LLVMContextRef c = unit->context;
    struct half_work w = {unit,
                          unit->module,
                          LLVMCreateBuilderInContext(c),
                          LLVMInt16TypeInContext(c),
                          LLVMInt32TypeInContext(c),
                          LLVMInt64TypeInContext(c),
                          LLVMFloatTypeInContext(c),
                          LLVMDoubleTypeInContext(c),
                          false};
    EACH_FUNCTION(f, unit->module) {
        EACH_BLOCK(block, f) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMPositionBuilderBefore(w.b, i);
                lw__where_at(w.unit, i);
                /* Poison that a vector is built on is replaced later: it is kept here. */
                const bool puts_together =
                    LLVMIsAInsertElementInst(i) || LLVMIsAShuffleVectorInst(i);
                for (unsigned n = 0; n < (unsigned)LLVMGetNumOperands(i); n++) {
                    LLVMValueRef operand = LLVMGetOperand(i, n);
                    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(operand));
                    if (kind == LLVMVectorTypeKind && LLVMIsConstant(operand) && !puts_together)
                        LLVMSetOperand(i, n, unpoison_vector(operand));
                    else if (LLVMIsPoison(operand) && kind != LLVMVectorTypeKind &&
                             kind != LLVMStructTypeKind)
                        LLVMSetOperand(i, n, LLVMConstNull(LLVMTypeOf(operand)));
                }
                LLVMValueRef instead = lw__ir_divides(i) ? divide(&w, i) : rewrite_half(&w, i);
                if (instead) {
                    LLVMReplaceAllUsesWith(i, instead);
                    LLVMInstructionEraseFromParent(i);
                    i = instead;
                }
                if (next && LLVMIsAInstruction(i) && may_be_poison(i)) {
                    LLVMPositionBuilderBefore(w.b, next);
                    /* The builder is after the instruction. */
                    LLVMValueRef frozen = LLVMBuildFreeze(w.b, i, "");
                    LLVMReplaceAllUsesWith(i, frozen);
                    LLVMSetOperand(frozen, 0, i);
                }
            }
        }
    }
    LLVMDisposeBuilder(w.b);
    return !w.missing;
}
