/* lane_ops.c - helpers that the collectives share; see collective.h. */
#include "compile/spmd/collective/collective.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>

/* ---- warps and masks ------------------------------------------------------------------------- */

uint32_t lw__warps(const struct lw__spmd *s)
{
    assert(s->threads <= LW_LANES * LW_WARPS_MAX);
    return (s->threads + LW_LANES - 1) / LW_LANES;
}

uint32_t lw__warp_first(const struct lw__spmd *s, uint32_t warp)
{
    assert(LW_LANES % s->width == 0);
    return warp * (LW_LANES / s->width);
}

uint32_t lw__warp_pieces(const struct lw__spmd *s, uint32_t warp)
{
    uint32_t all = LW_LANES / s->width, left = s->pieces - lw__warp_first(s, warp);
    assert(lw__warp_first(s, warp) < s->pieces);
    return left < all ? left : all;
}

int lw__mask_thread(const struct lw__spmd *s, lw__mask mask, uint32_t thread)
{
    if (thread >= s->threads)
        return 0;
    LLVMValueRef piece = mask[thread / s->width];
    if (!piece)
        return 1;
    if (!LLVMIsConstant(piece))
        return -1;
    LLVMValueRef lane = LLVMGetAggregateElement(piece, thread % s->width);
    return lane && LLVMIsAConstantInt(lane) ? LLVMConstIntGetZExtValue(lane) != 0 : -1;
}

bool lw__mask_prefix(const struct lw__spmd *s, lw__mask mask, uint32_t first, uint32_t count,
                     uint32_t *active)
{
    uint32_t n = 0;
    while (n < count && lw__mask_thread(s, mask, first + n) == 1)
        n++;
    *active = n;
    while (n < count && lw__mask_thread(s, mask, first + n) == 0)
        n++;
    return n == count;
}

LLVMValueRef lw__warp_bits(struct lw__spmd *s, lw__mask mask, uint32_t warp)
{
    uint32_t first = lw__warp_first(s, warp), count = lw__warp_pieces(s, warp);
    LLVMValueRef bits = lw__spmd_const32(s, 0);
    for (uint32_t g = 0; g < count; g++) {
        LLVMValueRef piece =
            LLVMBuildZExt(s->builder, lw__mask_bits(s, mask[first + g]), s->i32, "");
        piece = LLVMBuildShl(s->builder, piece, lw__spmd_const32(s, g * s->width), "");
        bits = LLVMBuildOr(s->builder, bits, piece, "");
    }
    return bits;
}

/* ---- vectors --------------------------------------------------------------------------------- */

void lw__vectors(struct lw__spmd *s, LLVMValueRef value, LLVMValueRef *x)
{
    for (uint32_t p = 0; p < s->pieces; p++)
        x[p] = lw__spmd_vector(s, value, p);
}

void lw__set_vectors(struct lw__spmd *s, LLVMValueRef value, const LLVMValueRef *x)
{
    for (uint32_t p = 0; p < s->pieces; p++)
        lw__spmd_set_vector(s, value, p, x[p]);
}

static unsigned bits_of(const struct lw__spmd *s, LLVMTypeRef scalar)
{
    return (unsigned)LLVMSizeOfTypeInBits(s->data, scalar);
}

LLVMValueRef lw__vector_bits(struct lw__spmd *s, LLVMValueRef vector)
{
    unsigned bits = bits_of(s, LLVMGetElementType(LLVMTypeOf(vector)));
    if (bits == 1)
        return LLVMBuildZExt(s->builder, vector, lw__spmd_vector_type(s, s->i8), "");
    LLVMTypeRef integer = LLVMIntTypeInContext(s->context, bits);
    return LLVMBuildBitCast(s->builder, vector, lw__spmd_vector_type(s, integer), "");
}

LLVMValueRef lw__bits_vector(struct lw__spmd *s, LLVMValueRef bits, LLVMTypeRef scalar)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, scalar);
    return bits_of(s, scalar) == 1 ? LLVMBuildTrunc(s->builder, bits, type, "")
                                   : LLVMBuildBitCast(s->builder, bits, type, "");
}

LLVMValueRef lw__splat32(struct lw__spmd *s, int64_t value)
{
    return lw__spmd_splat(s, lw__spmd_const32(s, value));
}

LLVMValueRef lw__count32(struct lw__spmd *s, int64_t first)
{
    int64_t lanes[LW_LANES];
    for (uint32_t i = 0; i < s->width; i++)
        lanes[i] = first + i;
    return lw__spmd_const_lanes(s, s->i32, lanes);
}

LLVMValueRef lw__intrinsic(struct lw__spmd *s, enum lw__intrinsic row, LLVMValueRef a,
                           LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    return lw__llvm_intrinsic(s->builder, s->module, row, &type, (LLVMValueRef[]){a, b}, b ? 2 : 1);
}

static LLVMValueRef constant_like(LLVMValueRef value, uint64_t number)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, number, 0);
    LLVMValueRef lanes[LW_LANES];
    unsigned count = LLVMGetVectorSize(type);
    assert(count <= LW_LANES);
    for (unsigned i = 0; i < count; i++)
        lanes[i] = LLVMConstInt(LLVMGetElementType(type), number, 0);
    return LLVMConstVector(lanes, count);
}

LLVMValueRef lw__highest_bit(struct lw__spmd *s, LLVMValueRef bits)
{
    LLVMTypeRef scalar = lw__ir_scalar(LLVMTypeOf(bits));
    LLVMValueRef zeros = lw__intrinsic(s, LW_LLVM_ctlz, bits, LLVMConstNull(s->i1));
    return LLVMBuildSub(s->builder, constant_like(bits, bits_of(s, scalar) - 1), zeros, "");
}

LLVMValueRef lw__lowest_bit(struct lw__spmd *s, LLVMValueRef bits)
{
    return lw__intrinsic(s, LW_LLVM_cttz, bits, LLVMConstNull(s->i1));
}

/* ---- pick: constant indices ------------------------------------------------------------------ */

/* pick_from - the lanes whose source is one of the pieces source[0 .. count-1]. Two pieces take one
 * instruction, more a balanced tree. The other lanes are anything. */
static LLVMValueRef pick_from(struct lw__spmd *s, const LLVMValueRef *x, const int *index,
                              const int *source, uint32_t count)
{
    int width = (int)s->width, lanes[LW_LANES];
    if (count <= 2) {
        for (int i = 0; i < width; i++) {
            int piece = index[i] < 0 ? -1 : index[i] / width;
            bool second = count == 2 && piece == source[1];
            lanes[i] = second               ? width + index[i] % width
                       : piece == source[0] ? index[i] % width
                                            : -1;
        }
        LLVMValueRef a = x[source[0]], b = count == 2 ? x[source[1]] : a;
        return lw__spmd_shuffle(s, a, b, lanes, s->width);
    }
    uint32_t half = (count + 3) / 4 * 2;
    LLVMValueRef left = pick_from(s, x, index, source, half);
    LLVMValueRef right = pick_from(s, x, index, source + half, count - half);
    for (int i = 0; i < width; i++) {
        bool in_left = false;
        for (uint32_t k = 0; k < half; k++)
            in_left |= index[i] >= 0 && index[i] / width == source[k];
        lanes[i] = index[i] < 0 ? -1 : in_left ? i : width + i;
    }
    return lw__spmd_shuffle(s, left, right, lanes, s->width);
}

LLVMValueRef lw__pick(struct lw__spmd *s, const LLVMValueRef *x, const int *index)
{
    int source[LW_LANES];
    uint32_t count = 0;
    bool in_place = true;
    for (uint32_t i = 0; i < s->width; i++) {
        if (index[i] < 0)
            continue;
        int piece = index[i] / (int)s->width;
        uint32_t k = 0;
        while (k < count && source[k] != piece)
            k++;
        if (k == count)
            source[count++] = piece;
        in_place &= index[i] % (int)s->width == (int)i;
    }
    if (!count || (count == 1 && in_place))
        return x[count ? source[0] : 0];
    return pick_from(s, x, index, source, count);
}

/* ---- permute: indices known at run time ------------------------------------------------------ */

/* The lanes half * 8 ... half * 8 + 7 of 16. */
static LLVMValueRef half_of(struct lw__spmd *s, LLVMValueRef v, int half)
{
    assert(s->width == 16);
    int lanes[8];
    for (int i = 0; i < 8; i++)
        lanes[i] = half * 8 + i;
    return lw__spmd_shuffle(s, v, v, lanes, 8);
}

static LLVMValueRef has_bit(struct lw__spmd *s, LLVMValueRef index, uint64_t bit)
{
    LLVMValueRef masked = LLVMBuildAnd(s->builder, index, constant_like(index, bit), "");
    return LLVMBuildICmp(s->builder, LLVMIntNE, masked, constant_like(index, 0), "");
}

/* AVX-512: 32 lanes of 32 bits are the two tables of one instruction. */
static LLVMValueRef permute_512(struct lw__spmd *s, const LLVMValueRef *x, uint32_t count,
                                LLVMValueRef index)
{
    LLVMValueRef args[] = {x[0], index, x[count - 1]};
    assert(s->width == 16 && count <= 2);
    return lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_permi2d, NULL, args, 3);
}

/* AVX-512: of 64 bits, the two tables are the halves of one piece. */
static LLVMValueRef permute_512_wide(struct lw__spmd *s, const LLVMValueRef *x, uint32_t count,
                                     LLVMValueRef index)
{
    static const int joined[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    LLVMValueRef half[2];
    for (int h = 0; h < 2; h++) {
        LLVMTypeRef wide = LLVMVectorType(s->i64, 8);
        LLVMValueRef at = LLVMBuildZExt(s->builder, half_of(s, index, h), wide, ""), from[2];
        for (uint32_t g = 0; g < count; g++) {
            LLVMValueRef args[] = {half_of(s, x[g], 0), at, half_of(s, x[g], 1)};
            from[g] = lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_permi2q, NULL, args, 3);
        }
        half[h] = count == 1
                      ? from[0]
                      : LLVMBuildSelect(s->builder, has_bit(s, at, 16), from[1], from[0], "");
    }
    return lw__spmd_shuffle(s, half[0], half[1], joined, 16);
}

/* AVX2: 8 lanes of 32 bits from each piece, then the piece by the upper bits. */
static LLVMValueRef permute_256(struct lw__spmd *s, const LLVMValueRef *x, uint32_t count,
                                LLVMValueRef index)
{
    LLVMValueRef from[4];
    assert(s->width == 8 && count <= 4);
    for (uint32_t g = 0; g < count; g++)
        from[g] = lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_permd, NULL,
                                     (LLVMValueRef[]){x[g], index}, 2);
    for (uint32_t bit = 8; count > 1; bit *= 2, count = (count + 1) / 2)
        for (uint32_t g = 0; 2 * g < count; g++)
            from[g] = 2 * g + 1 == count ? from[2 * g]
                                         : LLVMBuildSelect(s->builder, has_bit(s, index, bit),
                                                           from[2 * g + 1], from[2 * g], "");
    return from[0];
}

void lw__permute(struct lw__spmd *s, const LLVMValueRef *x, uint32_t count,
                 const LLVMValueRef *index, LLVMValueRef *to)
{
    LLVMTypeRef type = LLVMTypeOf(x[0]), wide = lw__spmd_vector_type(s, s->i32);
    unsigned bits = bits_of(s, LLVMGetElementType(type));
    const bool by_two = lw__has(s->unit, LW_HAS_PERMI2),
               by_one = !by_two && lw__has(s->unit, LW_HAS_PERMD) && bits <= 32;
    if (!by_two && !by_one) {
        LLVMTypeRef lane = LLVMGetElementType(LLVMTypeOf(x[0]));
        struct lw__scratch a = lw__scratch_open(s, lane, LW_LANES);
        for (uint32_t g = 0; g < count; g++)
            lw__scratch_store(s, &a, lw__spmd_const32(s, g * s->width), x[g]);
        for (uint32_t g = 0; g < count; g++)
            to[g] = lw__scratch_gather(s, &a, index[g]);
        lw__scratch_close(s, &a);
        return;
    }
    LLVMValueRef table[4], moved[4];
    for (uint32_t g = 0; g < count; g++)
        table[g] = bits < 32 ? LLVMBuildZExt(s->builder, x[g], wide, "") : x[g];
    for (uint32_t g = 0; g < count; g++)
        moved[g] = by_one      ? permute_256(s, table, count, index[g])
                   : bits < 64 ? permute_512(s, table, count, index[g])
                               : permute_512_wide(s, table, count, index[g]);
    for (uint32_t g = 0; g < count; g++)
        to[g] = bits < 32 ? LLVMBuildTrunc(s->builder, moved[g], type, "") : moved[g];
}

/* ---- memory on the stack --------------------------------------------------------------------- */

struct lw__scratch lw__scratch_open(struct lw__spmd *s, LLVMTypeRef type, uint32_t count)
{
    LLVMTypeRef array = LLVMArrayType2(type, count);
    struct lw__scratch a = {type, LLVMBuildAlloca(s->alloca_builder, array, ""), NULL};
    LLVMSetAlignment(a.memory, 64);
    a.bytes = LLVMConstInt(s->i64, LLVMABISizeOfType(s->data, array), 0);
    lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_lifetime_start, &s->ptr,
                       (LLVMValueRef[]){a.bytes, a.memory}, 2);
    return a;
}

void lw__scratch_close(struct lw__spmd *s, const struct lw__scratch *a)
{
    lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_lifetime_end, &s->ptr,
                       (LLVMValueRef[]){a->bytes, a->memory}, 2);
}

static LLVMValueRef element(struct lw__spmd *s, const struct lw__scratch *a, LLVMValueRef index)
{
    return LLVMBuildInBoundsGEP2(s->builder, a->type, a->memory, &index, 1, "");
}

static LLVMValueRef load(struct lw__spmd *s, const struct lw__scratch *a, LLVMValueRef index,
                         LLVMTypeRef type)
{
    LLVMValueRef loaded = LLVMBuildLoad2(s->builder, type, element(s, a, index), "");
    LLVMSetAlignment(loaded, LLVMABIAlignmentOfType(s->data, a->type));
    return loaded;
}

void lw__scratch_store(struct lw__spmd *s, const struct lw__scratch *a, LLVMValueRef index,
                       LLVMValueRef value)
{
    LLVMValueRef stored = LLVMBuildStore(s->builder, value, element(s, a, index));
    LLVMSetAlignment(stored, LLVMABIAlignmentOfType(s->data, a->type));
}

LLVMValueRef lw__scratch_load(struct lw__spmd *s, const struct lw__scratch *a, LLVMValueRef index)
{
    return load(s, a, index, a->type);
}

LLVMValueRef lw__scratch_vector(struct lw__spmd *s, const struct lw__scratch *a, LLVMValueRef index)
{
    return load(s, a, index, lw__spmd_vector_type(s, a->type));
}

LLVMValueRef lw__scratch_gather(struct lw__spmd *s, const struct lw__scratch *a,
                                LLVMValueRef indices)
{
    LLVMTypeRef type = lw__spmd_vector_type(s, a->type);
    LLVMValueRef addresses = element(s, a, indices);
    LLVMValueRef align = lw__spmd_const32(s, (int64_t)LLVMABIAlignmentOfType(s->data, a->type));
    LLVMValueRef all = lw__spmd_splat(s, LLVMConstInt(s->i1, 1, 0));
    return lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_gather,
                              (LLVMTypeRef[]){type, LLVMTypeOf(addresses)},
                              (LLVMValueRef[]){addresses, align, all, LLVMGetPoison(type)}, 4);
}

/* ---- merge of two branches ------------------------------------------------------------------- */

void lw__merge(struct lw__spmd *s, LLVMValueRef *x, LLVMBasicBlockRef a, const LLVMValueRef *of_a,
               LLVMBasicBlockRef b, const LLVMValueRef *of_b)
{
    for (uint32_t p = 0; p < s->pieces; p++) {
        x[p] = LLVMBuildPhi(s->builder, LLVMTypeOf(of_a[p]), "");
        LLVMAddIncoming(x[p], (LLVMValueRef[]){of_a[p], of_b[p]}, (LLVMBasicBlockRef[]){a, b}, 2);
    }
}
