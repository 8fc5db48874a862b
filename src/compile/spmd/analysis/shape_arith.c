/* shape_arith.c - the shape of a number or an address, from its operands'.
 *
 * Sums, and products with constants, keep the offsets of lanes. Bit operations keep them if thread
 * 0's low bits are known and no lane's offset carries out of these. Take a row of lanes x =
 * block_idx.x * 256 + t. Then x & 3 is known, x ^ 64 is another row, and x / 32 a step.
 */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>

typedef struct lw__value_shape shape;

static const shape varying = {.kind = LW_SHAPE_VARYING};
static const shape uniform = {.kind = LW_SHAPE_OFFSET, .nsw = true, .nuw = true};
static const shape zero = {.kind = LW_SHAPE_OFFSET, .nsw = true, .nuw = true, .low_bits = 64};
static const shape per_piece = {.kind = LW_SHAPE_PIECE, .nsw = true, .nuw = true};

static bool is_reached(shape v)
{
    return v.kind != LW_SHAPE_NONE;
}

/* ---- low bits -------------------------------------------------------------------------------- */

static uint64_t low_of(uint64_t x, unsigned bits)
{
    return bits >= 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}

/* How many low bits of x are 0, at most 64. */
static unsigned zeros_below(uint64_t x)
{
    return x ? (unsigned)__builtin_ctzll(x) : 64;
}

shape lw__shape_with_low(shape v, uint64_t low, unsigned bits)
{
    v.low_bits = v.kind == LW_SHAPE_OFFSET ? (uint8_t)(bits < 64 ? bits : 64) : 0;
    v.low = low_of(low, v.low_bits);
    return v;
}

shape lw__shape_low_of_both(shape v, shape a, shape b)
{
    const unsigned bits = a.low_bits < b.low_bits ? a.low_bits : b.low_bits,
                   same = zeros_below(a.low ^ b.low);
    return lw__shape_with_low(v, a.low, bits < same ? bits : same);
}

/* The low bits of thread t's value, as a number, if no lane's offset carries out of them. */
static uint64_t low_at(shape v, uint32_t t, unsigned bits)
{
    return low_of(v.low, bits) + (uint64_t)lw__shape_offset_at(v, t);
}

static bool carries_not(const struct lw__facts *facts, shape v, unsigned bits)
{
    for (uint32_t t = 0; v.lanes && t < facts->config.threads; t++)
        if (low_at(v, t, bits) != low_of(low_at(v, t, bits), bits))
            return false;
    return true;
}

static uint64_t bit_by_bit(LLVMOpcode op, uint64_t a, uint64_t b)
{
    return op == LLVMAnd ? a & b : op == LLVMOr ? a | b : a ^ b;
}

/* True if it is one known value for all, of no more than these bits. */
static bool fits_in(const struct lw__facts *facts, shape v, unsigned width, unsigned bits)
{
    return lw__shape_is_uniform(facts, v) && v.low_bits >= width && low_of(v.low, bits) == v.low;
}

/* How many low bits are known to be 0. */
static unsigned low_zeros(shape v)
{
    const unsigned zeros = zeros_below(v.low);
    return zeros < v.low_bits ? zeros : v.low_bits;
}

static shape bitwise(struct lw__facts *facts, LLVMValueRef i)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(i);
    const shape a = lw__shape_of(facts, LLVMGetOperand(i, 0)),
                b = lw__shape_of(facts, LLVMGetOperand(i, 1));
    const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(i));
    unsigned bits = a.low_bits < b.low_bits ? a.low_bits : b.low_bits;
    if (lw__shape_is_uniform(facts, a) && lw__shape_is_uniform(facts, b)) {
        const unsigned zeros = low_zeros(a) > low_zeros(b) ? low_zeros(a) : low_zeros(b);
        return op == LLVMAnd && zeros > bits
                   ? lw__shape_with_low(uniform, 0, zeros)
                   : lw__shape_with_low(uniform, bit_by_bit(op, a.low, b.low), bits);
    }
    bits = bits < width ? bits : width - 1; /* the sign is not among them */
    assert(bits < width && bits <= 63);
    if (!bits || !carries_not(facts, a, bits) || !carries_not(facts, b, bits))
        return lw__shape_of_operands(facts, i);
    /* and, or, xor of shapes whose lanes differ in known low bits only. */
    int64_t *lanes = lw__lanes_new(facts);
    const uint64_t first = bit_by_bit(op, low_at(a, 0, bits), low_at(b, 0, bits));
    const bool known =
        op == LLVMAnd && (fits_in(facts, a, width, bits) || fits_in(facts, b, width, bits));
    for (uint32_t t = 0; t < facts->config.threads; t++) {
        const uint64_t v = bit_by_bit(op, low_at(a, t, bits), low_at(b, t, bits));
        lanes[t] = lw__lanes_wrap((int64_t)(known ? v : v - first), width);
    }
    shape v = {.kind = LW_SHAPE_OFFSET, .known = known, .nsw = true, .nuw = true, .lanes = lanes};
    return lw__shape_with_low(v, first, known ? width : bits);
}

/* A right shift by a constant less than the number of known bits. */
static shape shifted(struct lw__facts *facts, LLVMValueRef i, unsigned n)
{
    const shape v = lw__shape_of(facts, LLVMGetOperand(i, 0));
    const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(i)),
                   bits = v.low_bits < width ? v.low_bits : width - 1;
    if (!bits || n > bits || !carries_not(facts, v, bits))
        return lw__shape_of_operands(facts, i);
    if (lw__shape_is_uniform(facts, v))
        return lw__shape_with_low(uniform, low_of(v.low, bits) >> n, bits - n);
    int64_t *lanes = lw__lanes_new(facts);
    for (uint32_t t = 0; t < facts->config.threads; t++)
        lanes[t] = (int64_t)((low_at(v, t, bits) >> n) - (low_at(v, 0, bits) >> n));
    shape r = {.kind = LW_SHAPE_OFFSET, .nsw = true, .nuw = true, .lanes = lanes};
    return lw__shape_with_low(r, low_at(v, 0, bits) >> n, bits - n);
}

/* ---- numbers and addresses ------------------------------------------------------------------- */

/* a + scale * b, without the flags. bits: of the result. */
static shape add(struct lw__facts *facts, shape a, shape b, int64_t scale, unsigned bits)
{
    const unsigned low_b = b.low_bits + zeros_below((uint64_t)scale),
                   low_both = a.low_bits < low_b ? a.low_bits : low_b,
                   low_bits = low_both < bits ? low_both : bits;
    const uint64_t low = a.low + b.low * (uint64_t)scale;
    if (!is_reached(a) || !is_reached(b))
        return (shape){0};
    if (a.kind == LW_SHAPE_OFFSET && b.kind == LW_SHAPE_OFFSET) {
        if (lw__shape_is_uniform(facts, a) && lw__shape_is_uniform(facts, b))
            return lw__shape_with_low(uniform, low, low_bits);
        int64_t *lanes = lw__lanes_new(facts);
        for (uint32_t t = 0; t < facts->config.threads; t++)
            lanes[t] =
                lw__lanes_wrap((int64_t)((uint64_t)lw__shape_offset_at(a, t) +
                                         (uint64_t)lw__shape_offset_at(b, t) * (uint64_t)scale),
                               bits);
        return lw__shape_with_low((shape){.kind = LW_SHAPE_OFFSET, .lanes = lanes}, low, low_bits);
    }
    int64_t sa, sb;
    if (!lw__shape_as_piece(facts, a, &sa) || !lw__shape_as_piece(facts, b, &sb))
        return varying;
    int64_t stride = (int64_t)((uint64_t)sa + (uint64_t)sb * (uint64_t)scale);
    return (shape){.kind = LW_SHAPE_PIECE, .stride = lw__lanes_wrap(stride, bits)};
}

/* Steps of 0 do not wrap: from lane to lane of a piece, or, for offsets, from the first thread. */
static shape with_flags(const struct lw__facts *facts, shape v, bool nsw, bool nuw)
{
    bool same = lw__shape_is_uniform(facts, v) || (v.kind == LW_SHAPE_PIECE && !v.stride);
    v.nsw = same || nsw;
    v.nuw = same || nuw;
    return v;
}

static bool constant_of(LLVMValueRef v, int64_t *c)
{
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return false;
    *c = LLVMConstIntGetSExtValue(v);
    return true;
}

/* Pure, and not linear: uniform if all operands are, one a piece if all are. */
shape lw__shape_of_operands(const struct lw__facts *facts, LLVMValueRef i)
{
    bool all_uniform = true, all_pieces = true;
    unsigned n = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
    int64_t stride;
    for (unsigned k = 0; k < n; k++) {
        shape o = lw__shape_of(facts, LLVMGetOperand(i, k));
        if (!is_reached(o))
            return (shape){0};
        all_uniform &= lw__shape_is_uniform(facts, o);
        all_pieces &= lw__shape_as_piece(facts, o, &stride) && !stride;
    }
    return all_uniform ? uniform : all_pieces ? per_piece : varying;
}

static shape linear(struct lw__facts *facts, LLVMValueRef i, int64_t scale)
{
    shape a = lw__shape_of(facts, LLVMGetOperand(i, 0)),
          b = lw__shape_of(facts, LLVMGetOperand(i, 1));
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(i));
    bool disjoint = LLVMGetInstructionOpcode(i) == LLVMOr;
    bool nsw = disjoint || LLVMGetNSW(i), nuw = disjoint || LLVMGetNUW(i);
    return with_flags(facts, add(facts, a, b, scale, bits), nsw && a.nsw && b.nsw,
                      nuw && a.nuw && b.nuw);
}

/* x * c: 0 + c * x. */
static shape scaled(struct lw__facts *facts, LLVMValueRef i, LLVMValueRef x, int64_t c)
{
    shape v = lw__shape_of(facts, x);
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(i));
    return with_flags(facts, add(facts, zero, v, c, bits), v.nsw && LLVMGetNSW(i),
                      v.nuw && LLVMGetNUW(i) && c >= 0);
}

static shape of_binary(struct lw__facts *facts, LLVMValueRef i)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    unsigned bits = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind
                        ? LLVMGetIntTypeWidth(LLVMTypeOf(i))
                        : 0;
    int64_t c;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd: return linear(facts, i, 1);
    case LLVMSub: return linear(facts, i, -1);
    case LLVMOr: return LLVMGetIsDisjoint(i) ? linear(facts, i, 1) : bitwise(facts, i);
    case LLVMAnd:
    case LLVMXor: return bitwise(facts, i);
    case LLVMMul:
        if (constant_of(b, &c))
            return scaled(facts, i, a, c);
        return constant_of(a, &c) ? scaled(facts, i, b, c) : lw__shape_of_operands(facts, i);
    case LLVMShl:
        if (constant_of(b, &c) && c >= 0 && c < bits && c < 63)
            return scaled(facts, i, a, (int64_t)(UINT64_C(1) << c));
        return lw__shape_of_operands(facts, i);
    case LLVMLShr:
    case LLVMAShr:
        return constant_of(b, &c) && c >= 0 && c < bits ? shifted(facts, i, (unsigned)c)
                                                        : lw__shape_of_operands(facts, i);
    default: return lw__shape_of_operands(facts, i);
    }
}

static shape of_cast(struct lw__facts *facts, LLVMValueRef i)
{
    shape v = lw__shape_of(facts, LLVMGetOperand(i, 0));
    LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0)));
    bool to_integer = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind;
    unsigned bits = to_integer ? LLVMGetIntTypeWidth(LLVMTypeOf(i)) : 64;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMTrunc: return with_flags(facts, add(facts, zero, v, 1, bits), false, false);
    case LLVMSExt:
        return v.nsw ? with_flags(facts, add(facts, zero, v, 1, bits), true, false)
                     : lw__shape_of_operands(facts, i);
    case LLVMZExt:
        if (!v.nuw && !(v.nsw && LLVMGetNNeg(i)))
            return lw__shape_of_operands(facts, i);
        return with_flags(facts, add(facts, zero, v, 1, bits), true, true);
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        if (bits != 64 || (from == LLVMIntegerTypeKind &&
                           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0))) != 64))
            return lw__shape_of_operands(facts, i);
        return with_flags(facts, v.known ? add(facts, zero, v, 1, 64) : v, false, false);
    default: return lw__shape_of_operands(facts, i);
    }
}

static shape of_address(struct lw__facts *facts, LLVMValueRef i)
{
    shape sum = lw__shape_of(facts, LLVMGetOperand(i, 0));
    LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
    int64_t scale = (int64_t)lw__private_scale(facts, i);
    if (sum.kind == LW_SHAPE_OFFSET && sum.known)
        sum = varying;
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef index = LLVMGetOperand(i, k);
        shape v = lw__shape_of(facts, index);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        uint64_t size = LLVMABISizeOfType(facts->config.data, type);
        if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 64 && is_reached(v) && !v.nsw)
            v = varying;
        sum = add(facts, sum, v, (int64_t)size * scale, 64);
    }
    /* known low bits are of numbers: those of a struct's fields have not been added */
    return lw__shape_with_low(with_flags(facts, sum, false, false), 0, 0);
}

/* Offsets of lanes have 64 bits. clang adds an int and an unsigned long in 65, to detect
 * overflow. */
static bool is_wide(LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64;
}

bool lw__shape_of_number(struct lw__facts *facts, LLVMValueRef i, shape *v)
{
    const bool is_binary = LLVMIsABinaryOperator(i), is_cast = LLVMIsACastInst(i);
    if (!is_binary && !is_cast && !LLVMIsAGetElementPtrInst(i))
        return false;
    if (is_wide(i))
        *v = lw__shape_of_operands(facts, i);
    else
        *v = is_binary ? of_binary(facts, i) : is_cast ? of_cast(facts, i) : of_address(facts, i);
    return true;
}
