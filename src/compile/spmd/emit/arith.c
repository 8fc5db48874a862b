/* arith.c - pure instructions: arithmetic, comparisons, conversions, selects, addresses and LLVM's
 * elementwise intrinsics.
 *
 * The scalar form of an instruction is the instruction itself on the lane-0 values of its operands:
 * a linear value keeps only its lane 0. Its overflow flags hold for the threads that run it, and
 * thread 0 may be none of them. So the flags are dropped unless the value is uniform.
 *
 * In guarded code all are dropped: a sum that overflows has to be the same number where it is
 * compared and where it is an index, though LLVM may extend its operands instead.
 */
#include "compile/spmd/emit/emit.h"
#include "compile/spmd/analysis/analysis.h"
#include <string.h>

/* ---- scalar forms ---------------------------------------------------------------------------- */

static LLVMValueRef clone(struct lw__spmd *s, LLVMValueRef i, uint32_t p)
{
    LLVMValueRef operands[64];
    unsigned n = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
    bool uniform = lw__is_uniform(s->facts, i);
    for (unsigned k = 0; k < n && k < 64; k++)
        operands[k] = lw__spmd_base(s, LLVMGetOperand(i, k), p);
    /* an `or` that LLVM made of a sum: the lanes that run it have no common bits, but thread 0
     * may */
    if (LLVMGetInstructionOpcode(i) == LLVMOr && LLVMGetIsDisjoint(i) && !uniform)
        return LLVMBuildAdd(s->builder, operands[0], operands[1], "");
    LLVMValueRef c = LLVMInstructionClone(i);
    for (unsigned k = 0; k < n && k < 64; k++)
        LLVMSetOperand(c, k, operands[k]);
    if (!uniform || s->is_guarded) {
        switch (LLVMGetInstructionOpcode(c)) {
        case LLVMAdd:
        case LLVMSub:
        case LLVMMul:
        case LLVMShl:
        case LLVMTrunc:
            LLVMSetNSW(c, 0);
            LLVMSetNUW(c, 0);
            break;
        case LLVMGetElementPtr: LLVMGEPSetNoWrapFlags(c, 0); break;
        case LLVMOr: LLVMSetIsDisjoint(c, 0); break;
        case LLVMZExt: LLVMSetNNeg(c, 0); break;
        case LLVMSDiv:
        case LLVMUDiv:
        case LLVMLShr:
        case LLVMAShr: LLVMSetExact(c, 0); break;
        default: break;
        }
    }
    static const char *const kinds[] = {"range", "nonnull", "noundef", "align", "tbaa"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        unsigned kind = LLVMGetMDKindIDInContext(s->context, kinds[k], (unsigned)strlen(kinds[k]));
        LLVMSetMetadata(c, kind, NULL);
    }
    LLVMInsertIntoBuilder(s->builder, c);
    return c;
}

/* Unsigned numbers often wrap below thread 0, where lanes are masked off (i - 1 for i = 0), but
 * rarely above the last thread. So the largest lane is extended, and the distance subtracted. */
static LLVMValueRef extend_unsigned(struct lw__spmd *s, LLVMValueRef i, uint32_t p)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, i);
    LLVMValueRef x = lw__spmd_base(s, LLVMGetOperand(i, 0), p);
    LLVMTypeRef from = LLVMTypeOf(x), to = LLVMTypeOf(i);
    int64_t top = 0;
    if (shape.kind == LW_SHAPE_PIECE)
        top = shape.stride > 0 ? shape.stride * (int64_t)(s->width - 1) : 0;
    for (uint32_t t = 0; shape.lanes && t < s->threads; t++)
        top = shape.lanes[t] - shape.lanes[0] > top ? shape.lanes[t] - shape.lanes[0] : top;
    LLVMValueRef last = LLVMBuildAdd(s->builder, x, LLVMConstInt(from, (uint64_t)top, 1), "");
    LLVMValueRef wide = LLVMBuildZExt(s->builder, last, to, "");
    return LLVMBuildSub(s->builder, wide, LLVMConstInt(to, (uint64_t)top, 1), "");
}

/* An address in a private array: offsets are scaled by its factor. */
static LLVMValueRef scaled_address(struct lw__spmd *s, LLVMValueRef i, uint32_t p, uint64_t scale)
{
    LLVMValueRef sum = lw__spmd_const64(s, 0), base = lw__spmd_base(s, LLVMGetOperand(i, 0), p);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef index = LLVMGetOperand(i, k), v;
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            v = lw__spmd_const64(s, (int64_t)(LLVMOffsetOfElement(s->data, type, field) * scale));
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            if (k > 1)
                type = LLVMGetElementType(type);
            v = LLVMBuildIntCast2(s->builder, lw__spmd_base(s, index, p), s->i64, 1, "");
            v = LLVMBuildMul(
                s->builder, v,
                lw__spmd_const64(s, (int64_t)(LLVMABISizeOfType(s->data, type) * scale)), "");
        }
        sum = LLVMBuildAdd(s->builder, sum, v, "");
    }
    return LLVMBuildGEP2(s->builder, s->i8, base, &sum, 1, "");
}

static LLVMValueRef scalar_form(struct lw__spmd *s, LLVMValueRef i, uint32_t p)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, i);
    int64_t stride;
    bool flat =
        lw__shape_is_uniform(s->facts, shape) ||
        (shape.kind == LW_SHAPE_PIECE && lw__shape_as_piece(s->facts, shape, &stride) && !stride);
    if (lw__spmd_is_rarely(i))
        return LLVMBuildSelect(s->builder, lw__spmd_base(s, LLVMGetOperand(i, 2), p),
                               lw__spmd_base(s, LLVMGetOperand(i, 1), p),
                               lw__spmd_base(s, LLVMGetOperand(i, 0), p), "");
    if (lw__spmd_is_native(i))
        return lw__spmd_native(s, i, lw__spmd_base(s, LLVMGetOperand(i, 0), p),
                               lw__spmd_base(s, LLVMGetOperand(i, 1), p));
    if (LLVMIsAZExtInst(i) && !flat)
        return extend_unsigned(s, i, p);
    uint64_t scale = LLVMIsAGetElementPtrInst(i) ? lw__private_scale(s->facts, i) : 1;
    return scale > 1 ? scaled_address(s, i, p, scale) : clone(s, i, p);
}

bool lw__spmd_arith_scalar(struct lw__spmd *s, LLVMValueRef i)
{
    struct lw__value_shape shape = lw__shape_of(s->facts, i);
    if (!(shape.known && shape.lanes))
        lw__spmd_set_uniform(s, i, scalar_form(s, i, 0));
    return true;
}

bool lw__spmd_arith_base(struct lw__spmd *s, LLVMValueRef i, uint32_t p)
{
    lw__spmd_set_base(s, i, p, scalar_form(s, i, p));
    return true;
}

/* ---- vector forms ---------------------------------------------------------------------------- */

static LLVMValueRef operand(struct lw__spmd *s, LLVMValueRef i, unsigned k, uint32_t p)
{
    return lw__spmd_vector(s, LLVMGetOperand(i, k), p);
}

static LLVMValueRef binary(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask)
{
    if (lw__ir_divides(i)) {
        /* Lanes that are masked off divide by 1: their divisor may be unguarded. */
        LLVMValueRef a = operand(s, i, 0, p), b = operand(s, i, 1, p);
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        if (LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
            return LLVMBuildBinOp(s->builder, op, a, b, "");
        if (mask) {
            LLVMValueRef one = LLVMConstInt(LLVMTypeOf(LLVMGetOperand(i, 1)), 1, 0);
            b = LLVMBuildSelect(s->builder, mask, b, lw__spmd_splat(s, one), "");
        }
        return lw__spmd_divide(s, op, a, b);
    }
    return LLVMBuildBinOp(s->builder, LLVMGetInstructionOpcode(i), operand(s, i, 0, p),
                          operand(s, i, 1, p), "");
}

/* The address as bytes from a scalar or vector base. */
static LLVMValueRef address(struct lw__spmd *s, LLVMValueRef i, uint32_t p)
{
    LLVMValueRef base = LLVMGetOperand(i, 0), sum = NULL;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(i), wide = lw__spmd_vector_type(s, s->i64);
    uint64_t fixed = 0, scale = lw__private_scale(s->facts, i);
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef index = LLVMGetOperand(i, k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            fixed += scale * LLVMOffsetOfElement(s->data, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        uint64_t size = scale * LLVMABISizeOfType(s->data, type);
        if (LLVMIsAConstantInt(index)) {
            fixed += size * (uint64_t)LLVMConstIntGetSExtValue(index);
            continue;
        }
        LLVMValueRef v = lw__spmd_vector(s, index, p);
        if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 64)
            v = LLVMBuildSExt(s->builder, v, wide, "");
        if (size != 1)
            v = LLVMBuildMul(s->builder, v, lw__spmd_splat(s, lw__spmd_const64(s, (int64_t)size)),
                             "");
        sum = sum ? LLVMBuildAdd(s->builder, sum, v, "") : v;
    }
    LLVMValueRef rest = lw__spmd_splat(s, lw__spmd_const64(s, (int64_t)fixed));
    sum = !sum ? rest : fixed ? LLVMBuildAdd(s->builder, sum, rest, "") : sum;
    base = lw__is_uniform(s->facts, base) ? lw__spmd_uniform(s, base) : lw__spmd_vector(s, base, p);
    return LLVMBuildGEP2(s->builder, s->i8, base, &sum, 1, "");
}

/* The elementwise intrinsic of the same name on vectors. Its scalar operand (the flag of ctlz) is a
 * constant. */
static LLVMValueRef intrinsic(struct lw__spmd *s, LLVMValueRef i, uint32_t p)
{
    LLVMValueRef callee = LLVMGetCalledValue(i), args[8];
    unsigned id = LLVMGetIntrinsicID(callee), n = LLVMGetNumArgOperands(i);
    const char *name = lw__ir_callee(i);
    LLVMTypeRef result = LLVMTypeOf(LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMStructTypeKind
                                        ? LLVMGetOperand(i, 0) /* the sum, and whether it has
                                                                * overflowed */
                                        : i);
    LLVMTypeRef types[2] = {lw__spmd_vector_type(s, result), NULL};
    unsigned type_count = 1;
    if (!id || !LLVMIntrinsicIsOverloaded(id) || n > 8) {
        lw__spmd_refuse(s, i, name);
        return NULL;
    }
    if (lw__ir_calls(i, LW_LLVM_is_fpclass))
        types[0] = lw__spmd_vector_type(s, LLVMTypeOf(LLVMGetOperand(i, 0)));
    if (lw__ir_calls(i, LW_LLVM_ldexp))
        types[type_count++] = lw__spmd_vector_type(s, LLVMTypeOf(LLVMGetOperand(i, 1)));
    LLVMTypeRef type = LLVMIntrinsicGetType(s->context, id, types, type_count), params[8];
    LLVMGetParamTypes(type, params);
    for (unsigned k = 0; k < n; k++)
        args[k] = LLVMGetTypeKind(params[k]) == LLVMVectorTypeKind ? operand(s, i, k, p)
                                                                   : LLVMGetOperand(i, k);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->module, id, types, type_count);
    return LLVMBuildCall2(s->builder, type, f, args, n, "");
}

static LLVMValueRef vector_form(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask)
{
    bool is_signed;
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (LLVMIsABinaryOperator(i))
        return binary(s, i, p, mask);
    if (LLVMIsACastInst(i))
        return LLVMBuildCast(s->builder, op, operand(s, i, 0, p),
                             lw__spmd_vector_type(s, LLVMTypeOf(i)), "");
    switch (op) {
    case LLVMFNeg: return LLVMBuildFNeg(s->builder, operand(s, i, 0, p), "");
    case LLVMFreeze: return LLVMBuildFreeze(s->builder, operand(s, i, 0, p), "");
    case LLVMICmp:
        return LLVMBuildICmp(s->builder, LLVMGetICmpPredicate(i), operand(s, i, 0, p),
                             operand(s, i, 1, p), "");
    case LLVMFCmp:
        return LLVMBuildFCmp(s->builder, LLVMGetFCmpPredicate(i), operand(s, i, 0, p),
                             operand(s, i, 1, p), "");
    case LLVMSelect: {
        LLVMValueRef c = LLVMGetOperand(i, 0);
        int64_t stride;
        bool flat = lw__shape_as_piece(s->facts, lw__shape_of(s->facts, c), &stride) && !stride;
        c = flat ? lw__spmd_base(s, c, p) : lw__spmd_vector(s, c, p);
        return LLVMBuildSelect(s->builder, c, operand(s, i, 1, p), operand(s, i, 2, p), "");
    }
    case LLVMGetElementPtr: return address(s, i, p);
    case LLVMExtractValue: return lw__spmd_member(s, LLVMGetOperand(i, 0), p, *LLVMGetIndices(i));
    case LLVMCall:
        if (lw__spmd_is_native(i))
            return lw__spmd_native(s, i, operand(s, i, 0, p), operand(s, i, 1, p));
        return lw__ir_saturates(i, &is_signed)
                   ? lw__spmd_convert(s, i, is_signed, operand(s, i, 0, p))
                   : intrinsic(s, i, p);
    default: lw__spmd_refuse(s, i, "this instruction"); return NULL;
    }
}

bool lw__spmd_arith_vector(struct lw__spmd *s, LLVMValueRef i, uint32_t p, LLVMValueRef mask)
{
    LLVMValueRef v = vector_form(s, i, p, mask);
    LLVMTypeRef type = LLVMTypeOf(i);
    if (v && LLVMGetTypeKind(type) == LLVMStructTypeKind)
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
            lw__spmd_set_member(s, i, p, k, LLVMBuildExtractValue(s->builder, v, k, ""));
    else if (v)
        lw__spmd_set_vector(s, i, p, v);
    return v != NULL;
}

LLVMValueRef lw__spmd_arith_again(struct lw__spmd *s, LLVMValueRef i, uint32_t p)
{
    return lw__shape_of(s->facts, i).kind == LW_SHAPE_VARYING ? vector_form(s, i, p, NULL)
                                                              : scalar_form(s, i, p);
}
