/* masks.c - masks: one <width x i1> a piece; NULL is all lanes. */
#include "compile/spmd/emit/emit.h"
#include <assert.h>

enum { MAY_DEPTH = 8 };

bool lw__mask_is_none(LLVMValueRef piece)
{
    return piece && LLVMIsConstant(piece) && LLVMIsNull(piece);
}

static LLVMValueRef all_lanes(const struct lw__spmd *s)
{
    return LLVMConstAllOnes(lw__spmd_vector_type(s, s->i1));
}

LLVMValueRef lw__mask_vector(struct lw__spmd *s, LLVMValueRef piece)
{
    return piece ? piece : all_lanes(s);
}

static bool is_all(const struct lw__spmd *s, LLVMValueRef piece)
{
    return !piece || piece == all_lanes(s);
}

static uint64_t may_be_set(const struct lw__spmd *s, LLVMValueRef piece, unsigned depth)
{
    const uint64_t every = UINT64_MAX >> (64 - s->width);
    const LLVMOpcode op = piece && LLVMIsAInstruction(piece) ? LLVMGetInstructionOpcode(piece) : 0;
    const bool both = op == LLVMSelect && LLVMIsNull(LLVMGetOperand(piece, 2));
    uint64_t may = 0;
    if ((op == LLVMOr || op == LLVMXor || both) && depth < MAY_DEPTH) {
        uint64_t a = may_be_set(s, LLVMGetOperand(piece, 0), depth + 1),
                 b = may_be_set(s, LLVMGetOperand(piece, 1), depth + 1);
        return both ? a & b : a | b;
    }
    if (!piece || !LLVMIsConstant(piece) || LLVMIsPoison(piece))
        return every;
    for (uint32_t l = 0; l < s->width; l++) {
        LLVMValueRef bit = LLVMGetAggregateElement(piece, l);
        bool off = bit && LLVMIsAConstantInt(bit) && !LLVMConstIntGetZExtValue(bit);
        may |= (uint64_t)!off << l;
    }
    return may;
}

uint64_t lw__mask_may(const struct lw__spmd *s, LLVMValueRef piece)
{
    assert(!piece || LLVMTypeOf(piece) == lw__spmd_vector_type(s, s->i1));
    return may_be_set(s, piece, 0);
}

LLVMValueRef lw__mask_within(struct lw__spmd *s, LLVMValueRef piece, uint64_t lanes)
{
    int64_t bits[64];
    for (uint32_t l = 0; l < s->width; l++)
        bits[l] = (int64_t)(lanes >> l & 1);
    return lw__mask_and(s, lw__spmd_const_lanes(s, s->i1, bits), piece);
}

/* A select, not an `and`: a lane that is masked off may hold poison. */
LLVMValueRef lw__mask_and(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b)
{
    if (is_all(s, a))
        return is_all(s, b) ? NULL : b;
    if (is_all(s, b) || lw__mask_is_none(a))
        return a;
    if (lw__mask_is_none(b))
        return b;
    assert(LLVMTypeOf(a) == LLVMTypeOf(b));
    return LLVMBuildSelect(s->builder, a, b, LLVMConstNull(LLVMTypeOf(a)), "");
}

LLVMValueRef lw__mask_and_not(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef none = LLVMConstNull(lw__spmd_vector_type(s, s->i1));
    if (is_all(s, b))
        return none;
    if (lw__mask_is_none(b))
        return a;
    return lw__mask_and(s, a, LLVMBuildXor(s->builder, b, all_lanes(s), ""));
}

/* `part` is a subset of `a`: the result is the rest, and no lane of it is poison. */
LLVMValueRef lw__mask_without(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef part)
{
    if (part == a || is_all(s, part))
        return LLVMConstNull(lw__spmd_vector_type(s, s->i1));
    if (lw__mask_is_none(part))
        return a;
    assert(LLVMTypeOf(part) == lw__spmd_vector_type(s, s->i1));
    return LLVMBuildXor(s->builder, lw__mask_vector(s, a), part, "");
}

LLVMValueRef lw__mask_or(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b)
{
    if (is_all(s, a) || is_all(s, b))
        return NULL;
    if (lw__mask_is_none(a) || lw__mask_is_none(b))
        return lw__mask_is_none(a) ? b : a;
    return LLVMBuildOr(s->builder, a, b, "");
}

LLVMValueRef lw__mask_bits(struct lw__spmd *s, LLVMValueRef piece)
{
    LLVMTypeRef type = LLVMIntTypeInContext(s->context, s->width);
    return LLVMBuildBitCast(s->builder, lw__mask_vector(s, piece), type, "");
}

LLVMValueRef lw__mask_piece_any(struct lw__spmd *s, LLVMValueRef piece)
{
    if (!piece)
        return LLVMConstInt(s->i1, 1, 0);
    LLVMValueRef bits = lw__mask_bits(s, piece);
    return LLVMBuildICmp(s->builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

LLVMValueRef lw__mask_any(struct lw__spmd *s, const LLVMValueRef *pieces)
{
    LLVMValueRef sum = LLVMConstNull(lw__spmd_vector_type(s, s->i1));
    for (uint32_t p = 0; p < s->pieces; p++)
        if (!(sum = lw__mask_or(s, sum, pieces[p])))
            return LLVMConstInt(s->i1, 1, 0);
    return lw__mask_piece_any(s, sum);
}

LLVMValueRef lw__mask_exists(struct lw__spmd *s, uint32_t p)
{
    int64_t lanes[64];
    uint32_t left = s->threads - p * s->width;
    assert(p < s->pieces);
    if (p < s->first_piece || p >= s->end_piece)
        left = 0;
    if (left >= s->width)
        return NULL;
    for (uint32_t l = 0; l < s->width; l++)
        lanes[l] = l < left;
    return lw__spmd_const_lanes(s, s->i1, lanes);
}
