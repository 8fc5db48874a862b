/* reduce.c - reductions by the fixed tree over lane numbers.
 *
 * The low bits of a thread's number are its lane in a piece, the others its piece. The tree removes
 * these bits one by one, lowest first. It combines threads whose numbers differ in that bit only,
 * with 0 on the left. A warp's result remains after 5 bits; a block's after all, since the tree
 * over warps continues with the next bit.
 *
 * A lane bit is removed from two vectors at once. The lanes that have 0 there, in either vector,
 * become one operand, those with 1 the other. Which vector a lane was in becomes a bit of the lane.
 * So P vectors are P/2 after each step, and the total is P - 1 combinations. position[] and
 * vector[] map each bit of a lane's or a vector's number to one of the thread's number. Lane bits
 * move within 128 bits of a register or between such parts, never both: each operand is one shuffle
 * without a table.
 *
 * Absent lanes take a value that leaves every other as it is, bit for bit: x + -0.0 = x even for
 * -0.0. For max and min of floats, where -0 < +0, that is a NaN:
 *
 *     AVX-512   vrange (emit/native_math.c)
 *     maxps     maxps(a, b) & maxps(b, a), NaNs with all bits set: either operand is the other one
 *               if it is a number, and `and` with such a NaN leaves that. min is max of -x.
 *     others    integer operations in the same order, in which a NaN follows all numbers
 *
 * The order affects only sums and products of floats. For all others whole vectors are combined
 * first, without shuffles. Each is prepared where it is combined, so that few are live at once.
 */
#include "compile/spmd/collective/collective.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { LANE_BITS = 4, VECTOR_BITS = 8, WARP_BITS = 5, CHAINS = 8 };

struct tree {
    struct lw__spmd *s;
    enum lw__operator op;
    char kind;             /* i, u or f, as in the type's name */
    LLVMTypeRef lane;      /* what is combined: without instructions for max of floats, integers */
    bool numbers;          /* no value is a NaN */
    LLVMValueRef absent;   /* a vector of the value that replaces absent lanes */
    LLVMValueRef *x;       /* 1 << vector_count; NULL: all absent */
    unsigned part_bits;    /* a register's 128 bits have 1 << part_bits lanes */
    unsigned lane_count;   /* 1 << lane_count lanes a vector */
    unsigned vector_count; /* of bits */
    int position[LANE_BITS], vector[VECTOR_BITS]; /* -1: only lanes with 0 here count */
};

static bool is_extreme(const struct tree *t)
{
    return t->kind == 'f' && (t->op == LW_BY_MAX || t->op == LW_BY_MIN);
}

static bool is_by_range(const struct tree *t)
{
    return is_extreme(t) && lw__has(t->s->unit, LW_HAS_RANGE);
}

static bool is_by_maxps(const struct tree *t)
{
    return is_extreme(t) && lw__has(t->s->unit, LW_HAS_MAXPS);
}

static bool is_ordered_key(const struct tree *t)
{
    return is_extreme(t) && !is_by_range(t) && !is_by_maxps(t);
}

static LLVMValueRef combine(const struct tree *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef builder = t->s->builder;
    bool real = t->kind == 'f';
    if (!a || !b)
        return a ? a : b;
    if (is_by_range(t) || is_by_maxps(t))
        return lw__spmd_extreme(t->s, t->op == LW_BY_MAX || is_by_maxps(t), a, b);
    switch (t->op) {
    case LW_BY_SUM:
        return real ? LLVMBuildFAdd(builder, a, b, "") : LLVMBuildAdd(builder, a, b, "");
    case LW_BY_PROD:
        return real ? LLVMBuildFMul(builder, a, b, "") : LLVMBuildMul(builder, a, b, "");
    case LW_BY_MAX: return lw__intrinsic(t->s, t->kind == 'u' ? LW_LLVM_umax : LW_LLVM_smax, a, b);
    default: return lw__intrinsic(t->s, t->kind == 'u' ? LW_LLVM_umin : LW_LLVM_smin, a, b);
    }
}

static LLVMValueRef absent_scalar(const struct tree *t, unsigned bits)
{
    uint64_t top = UINT64_C(1) << (bits - 1);
    if (is_by_range(t))
        return LLVMConstReal(t->lane, NAN);
    if (is_by_maxps(t))
        return LLVMConstBitCast(LLVMConstAllOnes(LLVMIntTypeInContext(t->s->context, bits)),
                                t->lane);
    switch (t->op) {
    case LW_BY_SUM: return t->kind == 'f' ? LLVMConstReal(t->lane, -0.0) : LLVMConstNull(t->lane);
    case LW_BY_PROD:
        return t->kind == 'f' ? LLVMConstReal(t->lane, 1.0) : LLVMConstInt(t->lane, 1, 0);
    case LW_BY_MAX: return LLVMConstInt(t->lane, t->kind == 'u' ? 0 : top, 0);
    default: return LLVMConstInt(t->lane, t->kind == 'u' ? UINT64_MAX : top - 1, 0);
    }
}

/* ---- floats as integers in the same order ---------------------------------------------------- */

static LLVMValueRef splat_bits(const struct tree *t, LLVMTypeRef type, uint64_t bits)
{
    LLVMValueRef constant = LLVMConstInt(t->lane, bits, 0);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? lw__spmd_splat(t->s, constant) : constant;
}

/* Negative numbers: invert all bits but the sign. Its own inverse. For scalars and vectors. */
static LLVMValueRef turn(const struct tree *t, LLVMValueRef bits)
{
    LLVMBuilderRef b = t->s->builder;
    LLVMTypeRef type = LLVMTypeOf(bits);
    unsigned width = LLVMGetIntTypeWidth(t->lane);
    uint64_t all_but_sign = (UINT64_C(1) << (width - 1)) - 1;
    LLVMValueRef sign = LLVMBuildAShr(b, bits, splat_bits(t, type, width - 1), "");
    LLVMValueRef turned = LLVMBuildAnd(b, sign, splat_bits(t, type, all_but_sign), "");
    return LLVMBuildXor(b, bits, turned, "");
}

/* ---- vectors as they are combined ------------------------------------------------------------ */

/* Of a vector or scalar: -x where the larger -x is the smaller x. */
static LLVMValueRef negate(const struct tree *t, LLVMValueRef v)
{
    return is_by_maxps(t) && t->op == LW_BY_MIN ? LLVMBuildFNeg(t->s->builder, v, "") : v;
}

/* All bits of NaNs set. */
static LLVMValueRef mark_nans(const struct tree *t, LLVMValueRef v)
{
    LLVMBuilderRef b = t->s->builder;
    LLVMValueRef bits = lw__vector_bits(t->s, v);
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, v, v, "");
    is_nan = LLVMBuildSExt(b, is_nan, LLVMTypeOf(bits), "");
    return LLVMBuildBitCast(b, LLVMBuildOr(b, bits, is_nan, ""), LLVMTypeOf(v), "");
}

/* Vector p; NULL: all lanes are absent. */
static LLVMValueRef prepared(const struct tree *t, const LLVMValueRef *mask, uint32_t p)
{
    struct lw__spmd *s = t->s;
    if (p >= s->pieces || (mask[p] && lw__mask_is_none(mask[p])))
        return NULL;
    LLVMValueRef x = negate(t, t->x[p]);
    if (is_ordered_key(t)) {
        LLVMBuilderRef b = t->s->builder;
        LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
        LLVMValueRef bits = LLVMBuildBitCast(b, x, lw__spmd_vector_type(t->s, t->lane), "");
        x = LLVMBuildSelect(b, is_nan, t->absent, turn(t, bits), "");
    }
    if (is_by_range(t)) /* quiet the NaNs */
        x = lw__spmd_extreme(s, t->op == LW_BY_MAX, x, x);
    if (is_by_maxps(t) && !t->numbers)
        x = mark_nans(t, x);
    return mask[p] ? LLVMBuildSelect(s->builder, mask[p], x, t->absent, "") : x;
}

/* The lowest `bits` bits of the vectors' numbers: no shuffles. Also prepares the vectors. */
static void take_vectors(struct tree *t, const LLVMValueRef *mask, unsigned bits)
{
    assert(bits <= t->vector_count && t->vector_count <= VECTOR_BITS);
    t->vector_count -= bits;
    for (uint32_t j = 0; j < UINT32_C(1) << t->vector_count; j++) {
        /* As many chains of operations as hide each other's latency. */
        LLVMValueRef chain[CHAINS] = {NULL};
        for (uint32_t i = 0; i < (UINT32_C(1) << bits); i++)
            chain[i % CHAINS] = combine(t, chain[i % CHAINS], prepared(t, mask, (j << bits) + i));
        for (uint32_t half = CHAINS / 2; half; half /= 2)
            for (uint32_t i = 0; i < half; i++)
                chain[i] = combine(t, chain[i], chain[i + half]);
        t->x[j] = chain[0];
    }
    for (unsigned i = 0; i < t->vector_count; i++)
        t->vector[i] = t->vector[i + bits];
}

/* ---- removing a bit -------------------------------------------------------------------------- */

static void remove_bit(int *bits, unsigned count, unsigned at)
{
    for (unsigned i = at; i + 1 < count; i++)
        bits[i] = bits[i + 1];
}

/* select_lanes - of vectors a and b, the lanes whose bit `at` is `bit`. The lane's bits first ...
 * last are moved down to close the gap, and bit `last` says which vector. */
static LLVMValueRef select_lanes(const struct tree *t, LLVMValueRef a, LLVMValueRef b, unsigned at,
                                 unsigned last, uint32_t bit)
{
    int lanes[LW_LANES];
    uint32_t width = t->s->width, low = (UINT32_C(1) << at) - 1;
    uint32_t field = (UINT32_C(2) << last) - 1; /* the bits up to last */
    assert(at <= last && last < t->lane_count && width == UINT32_C(1) << t->lane_count);
    for (uint32_t r = 0; r < width; r++) {
        uint32_t rest = r & (field >> 1);
        uint32_t lane = (r & ~field) | (rest & ~low) << 1 | bit << at | (rest & low);
        lanes[r] = (int)(lane + (r >> last & 1 ? width : 0));
    }
    return lw__spmd_shuffle(t->s, a, b, lanes, width);
}

/* A bit of the lane's number, from pairs of vectors. */
static void take_lane_bit(struct tree *t, unsigned at)
{
    unsigned last = at < t->part_bits ? t->part_bits - 1 : t->lane_count - 1;
    for (uint32_t j = 0; j < UINT32_C(1) << (t->vector_count - 1); j++) {
        LLVMValueRef a = t->x[2 * j], b = t->x[2 * j + 1];
        t->x[j] = NULL;
        if (!a && !b)
            continue;
        a = a ? a : t->absent, b = b ? b : t->absent;
        LLVMValueRef left = select_lanes(t, a, b, at, last, 0);
        LLVMValueRef right = select_lanes(t, a, b, at, last, 1);
        t->x[j] = combine(t, left, right);
    }
    remove_bit(t->position, last + 1, at);
    t->position[last] = t->vector[0];
    remove_bit(t->vector, t->vector_count--, 0);
}

/* The same with one vector left: the lanes with bit 0 continue. */
static void take_lane_bit_alone(struct tree *t, unsigned at)
{
    int lanes[LW_LANES];
    for (uint32_t i = 0; i < t->s->width; i++)
        lanes[i] = (int)(i | UINT32_C(1) << at);
    if (t->x[0])
        t->x[0] = combine(t, t->x[0], lw__spmd_shuffle(t->s, t->x[0], t->x[0], lanes, t->s->width));
    t->position[at] = -1;
}

static void take_bit(struct tree *t, int bit)
{
    for (unsigned i = 0; i < t->vector_count; i++)
        if (t->vector[i] == bit) {
            /* A bit of the vector's number: no shuffle. */
            uint32_t low = (UINT32_C(1) << i) - 1;
            for (uint32_t j = 0; j < UINT32_C(1) << (t->vector_count - 1); j++) {
                uint32_t left = (j & ~low) << 1 | (j & low);
                t->x[j] = combine(t, t->x[left], t->x[left | (low + 1)]);
            }
            remove_bit(t->vector, t->vector_count--, i);
            return;
        }
    for (unsigned i = 0; i < t->lane_count; i++)
        if (t->position[i] == bit) {
            (t->vector_count ? take_lane_bit : take_lane_bit_alone)(t, i);
            return;
        }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static unsigned log2_up(uint32_t n)
{
    unsigned bits = 0;
    while (UINT32_C(1) << bits < n)
        bits++;
    return bits;
}

/* The result of a warp; or, if no bit is left, of the block. */
static LLVMValueRef result_of(const struct tree *t, uint32_t warp)
{
    uint32_t lane = 0, vector = 0;
    for (unsigned i = 0; i < t->lane_count; i++)
        if (t->position[i] >= WARP_BITS)
            lane |= (warp >> (t->position[i] - WARP_BITS) & 1) << i;
    for (unsigned i = 0; i < t->vector_count; i++)
        vector |= (warp >> (t->vector[i] - WARP_BITS) & 1) << i;
    LLVMValueRef x = t->x[vector] ? t->x[vector] : t->absent;
    LLVMBuilderRef b = t->s->builder;
    LLVMValueRef scalar = LLVMBuildExtractElement(b, x, lw__spmd_const32(t->s, lane), "");
    if (!is_ordered_key(t))
        return negate(t, scalar);
    bool single = LLVMGetIntTypeWidth(t->lane) == 32;
    return LLVMBuildBitCast(b, turn(t, scalar), single ? t->s->f32 : t->s->f64, "");
}

void lw__tree(struct lw__spmd *s, enum lw__op op, const char *type, bool numbers, LLVMValueRef *x,
              lw__mask mask, LLVMValueRef *result)
{
    struct tree t = {.s = s, .op = lw__op_table[op].by, .x = x, .numbers = numbers};
    unsigned width = (unsigned)strtoul(type + 1, NULL, 10);
    t.kind = type[0];
    t.lane = LLVMIntTypeInContext(s->context, width);
    if (t.kind == 'f' && !is_ordered_key(&t))
        t.lane = width == 32 ? s->f32 : s->f64;
    t.absent = lw__spmd_splat(s, absent_scalar(&t, width));
    t.lane_count = log2_up(s->width), t.vector_count = log2_up(s->pieces);
    t.part_bits = log2_up(128 / width);
    for (unsigned i = 0; i < t.lane_count; i++)
        t.position[i] = (int)i;
    for (unsigned i = 0; i < t.vector_count; i++)
        t.vector[i] = (int)(t.lane_count + i);
    const bool block = lw__op_table[op].block, order_shows = t.kind == 'f' && !is_extreme(&t);
    const unsigned of_warp = WARP_BITS - t.lane_count,
                   most = block || of_warp > t.vector_count ? t.vector_count : of_warp;
    const int bits = block ? (int)(t.lane_count + t.vector_count) : WARP_BITS;
    take_vectors(&t, mask, order_shows ? 0 : most);
    for (int bit = 0; bit < bits; bit++)
        take_bit(&t, bit);
    for (uint32_t w = 0; w < (block ? 1 : lw__warps(s)); w++)
        result[w] = result_of(&t, w);
}
