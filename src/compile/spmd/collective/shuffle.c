/* shuffle.c - values from other lanes: shuffles, broadcasts, and the steps of *_REDUCE.
 *
 * If constants tell each lane's source, the result is built of shuffles by constants. Otherwise the
 * source's number is computed per lane, and permutes the warp's lanes. Lanes without an active
 * source keep what they have: their own value, or in a step of *_REDUCE the identity.
 */
#include "compile/spmd/collective/collective.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"

struct move {
    struct lw__spmd *s;
    LLVMValueRef call, number; /* the int argument: lane, distance, mask, thread or step */
    enum lw__op op;
    lw__mask mask;
    bool block, partner;
    uint32_t from, to; /* pieces: of the block, or of a warp */
    LLVMTypeRef scalar;
    LLVMValueRef x[LW_SPMD_PIECES_MAX];         /* values, as integers */
    LLVMValueRef otherwise[LW_SPMD_PIECES_MAX]; /* for lanes without a source */
};

static void start(struct move *m)
{
    struct lw__spmd *s = m->s;
    m->scalar = LLVMTypeOf(m->call);
    m->block = lw__op_table[m->op].block;
    m->partner = lw__op_table[m->op].args == LW_ARGS_VVI;
    m->number = LLVMGetOperand(m->call, m->partner ? 2 : 1);
    for (uint32_t p = m->from; p < m->to; p++) {
        m->x[p] = lw__vector_bits(s, lw__spmd_vector(s, LLVMGetOperand(m->call, 0), p));
        m->otherwise[p] =
            m->partner ? lw__vector_bits(s, lw__spmd_vector(s, LLVMGetOperand(m->call, 1), p))
                       : m->x[p];
    }
}

static void finish(struct move *m, uint32_t piece, LLVMValueRef bits)
{
    lw__spmd_set_vector(m->s, m->call, piece, lw__bits_vector(m->s, bits, m->scalar));
}

static LLVMValueRef select_or(struct move *m, LLVMValueRef there, LLVMValueRef bits, uint32_t piece)
{
    return LLVMBuildSelect(m->s->builder, there, bits, m->otherwise[piece], "");
}

/* ---- sources known from constants ------------------------------------------------------------ */

static bool known_number(const struct lw__spmd *s, LLVMValueRef number, uint32_t thread,
                         int64_t *known)
{
    if (LLVMIsAConstantInt(number)) {
        *known = LLVMConstIntGetSExtValue(number);
        return true;
    }
    struct lw__value_shape shape = lw__shape_of(s->facts, number);
    *known = shape.lanes ? shape.lanes[thread] : 0;
    return shape.kind == LW_SHAPE_OFFSET && shape.known;
}

/* The first active place of the group next to that of `number`, -1 if none. */
static int64_t partner_of(const struct move *m, uint32_t first, int64_t place, int64_t number)
{
    int64_t limit = m->block ? m->s->threads : LW_LANES;
    int64_t distance = number > 0 ? number : limit;
    int64_t group = (place / distance ^ 1) * distance;
    for (int64_t i = group; i < group + distance && i < limit; i++)
        if (lw__mask_thread(m->s, m->mask, (uint32_t)(first + i)) == 1)
            return i;
    return -1;
}

static int64_t source_of(const struct move *m, uint32_t first, int64_t place, int64_t number)
{
    switch (m->op) {
    case LW_OP_shuffle_up: return place - number;
    case LW_OP_shuffle_down: return place + number;
    case LW_OP_shuffle_xor: return place ^ number;
    case LW_OP_warp_partner:
    case LW_OP_block_partner: return partner_of(m, first, place, number);
    default: return number;
    }
}

/* known_sources - each thread's source, from the first thread of these pieces on, -1 for none.
 * False: they are not known. */
static bool known_sources(const struct move *m, int *source)
{
    const struct lw__spmd *s = m->s;
    const uint32_t first = m->from * s->width;
    for (uint32_t k = 0; k < (m->to - m->from) * s->width; k++) {
        const uint32_t t = first + k;
        int64_t number, limit = m->block ? LW_LANES * LW_WARPS_MAX : LW_LANES;
        source[k] = -1;
        if (t >= s->threads)
            continue;
        if (!known_number(s, m->number, t, &number) ||
            (m->partner && lw__mask_thread(s, m->mask, t) < 0))
            return false;
        int64_t place = source_of(m, first, k, number);
        if (place >= 0 && place < limit && lw__mask_thread(s, m->mask, first + (uint32_t)place))
            source[k] = (int)place;
    }
    return true;
}

/* For lanes whose source is known but perhaps not active: is it? NULL: all are. */
static LLVMValueRef sources_active(struct move *m, const int *source)
{
    struct lw__spmd *s = m->s;
    LLVMValueRef masks[LW_SPMD_PIECES_MAX];
    const uint32_t first = m->from * s->width;
    bool unknown = false;
    for (uint32_t i = 0; i < s->width; i++)
        unknown |= source[i] >= 0 && lw__mask_thread(s, m->mask, first + (uint32_t)source[i]) < 0;
    if (!unknown)
        return NULL;
    for (uint32_t p = m->from; p < m->to; p++)
        masks[p - m->from] = lw__mask_vector(s, m->mask[p]);
    return lw__pick(s, masks, source);
}

static void move_known(struct move *m, const int *source)
{
    struct lw__spmd *s = m->s;
    for (uint32_t p = m->from; p < m->to; p++) {
        int index[LW_LANES], both[LW_LANES];
        const int *of_piece = source + (p - m->from) * s->width;
        bool absent = false;
        for (uint32_t i = 0; i < s->width; i++) {
            index[i] = of_piece[i];
            if (index[i] < 0 && !m->partner)
                index[i] = (int)((p - m->from) * s->width + i);
            absent |= index[i] < 0;
            both[i] = (int)(index[i] < 0 ? s->width + i : i);
        }
        LLVMValueRef bits = lw__pick(s, m->x + m->from, index);
        if (absent)
            bits = lw__spmd_shuffle(s, bits, m->otherwise[p], both, s->width);
        LLVMValueRef active = sources_active(m, index);
        finish(m, p, active ? select_or(m, active, bits, p) : bits);
    }
}

/* The operand of each lane of a piece. Absent lanes have none, or any. They also read memory, at an
 * address that LLVM must not know to be undefined. */
static LLVMValueRef lane_numbers(const struct move *m, uint32_t piece)
{
    return LLVMBuildFreeze(m->s->builder, lw__spmd_vector(m->s, m->number, piece), "");
}

/* ---- within a warp --------------------------------------------------------------------------- */

/* The lanes for which lane `source` (any number) is in the warp and active; NULL: all. */
static LLVMValueRef lanes_active(struct move *m, uint32_t warp, LLVMValueRef source)
{
    struct lw__spmd *s = m->s;
    uint32_t active;
    bool prefix = lw__mask_prefix(s, m->mask, warp * LW_LANES, LW_LANES, &active);
    LLVMValueRef limit = lw__splat32(s, prefix ? active : LW_LANES);
    LLVMValueRef within = LLVMBuildICmp(s->builder, LLVMIntULT, source, limit, "");
    if (prefix)
        return within;
    LLVMValueRef lane = LLVMBuildAnd(s->builder, source, lw__splat32(s, LW_LANES - 1), "");
    LLVMValueRef bits = lw__spmd_splat(s, lw__warp_bits(s, m->mask, warp));
    bits = LLVMBuildLShr(s->builder, bits, lane, "");
    LLVMValueRef active_bit = LLVMBuildTrunc(s->builder, bits, lw__spmd_vector_type(s, s->i1), "");
    return LLVMBuildAnd(s->builder, within, active_bit, "");
}

static LLVMValueRef shuffle_source(const struct move *m, LLVMValueRef lane, LLVMValueRef number)
{
    LLVMBuilderRef b = m->s->builder;
    switch (m->op) {
    case LW_OP_shuffle_up: return LLVMBuildSub(b, lane, number, "");
    case LW_OP_shuffle_down: return LLVMBuildAdd(b, lane, number, "");
    case LW_OP_shuffle_xor: return LLVMBuildXor(b, lane, number, "");
    default: return number;
    }
}

/* partner_source - the first active lane of the neighbouring group of `step` lanes, a power of two
 * below 32. *there: does it exist? */
static LLVMValueRef partner_source(struct move *m, uint32_t warp, LLVMValueRef lane,
                                   LLVMValueRef step, LLVMValueRef *there)
{
    struct lw__spmd *s = m->s;
    LLVMValueRef one = lw__splat32(s, 1);
    LLVMValueRef first = LLVMBuildAnd(s->builder, lane, LLVMBuildNeg(s->builder, step, ""), "");
    first = LLVMBuildXor(s->builder, first, step, "");
    uint32_t active;
    if (lw__mask_prefix(s, m->mask, warp * LW_LANES, LW_LANES, &active)) {
        *there = LLVMBuildICmp(s->builder, LLVMIntULT, first, lw__splat32(s, active), "");
        return first;
    }
    LLVMValueRef group = LLVMBuildSub(s->builder, LLVMBuildShl(s->builder, one, step, ""), one, "");
    group = LLVMBuildShl(s->builder, group, first, "");
    LLVMValueRef bits = lw__spmd_splat(s, lw__warp_bits(s, m->mask, warp));
    bits = LLVMBuildAnd(s->builder, bits, group, "");
    *there = LLVMBuildICmp(s->builder, LLVMIntNE, bits, lw__splat32(s, 0), "");
    return lw__lowest_bit(s, bits);
}

/* to[p] of one warp's pieces. step: of a partner; NULL: each lane's operand tells its source. */
static void move_in_warp(struct move *m, uint32_t warp, LLVMValueRef step, LLVMValueRef *to)
{
    struct lw__spmd *s = m->s;
    uint32_t first = lw__warp_first(s, warp), count = lw__warp_pieces(s, warp);
    LLVMValueRef source[LW_LANES], there[LW_LANES];
    for (uint32_t g = 0; g < count; g++) {
        LLVMValueRef lane = lw__count32(s, g * s->width);
        LLVMValueRef number = step ? step : lane_numbers(m, first + g);
        if (m->partner) {
            source[g] = partner_source(m, warp, lane, number, &there[g]);
        } else {
            source[g] = shuffle_source(m, lane, number);
            there[g] = lanes_active(m, warp, source[g]);
        }
        source[g] = LLVMBuildAnd(s->builder, source[g], lw__splat32(s, LW_LANES - 1), "");
    }
    lw__permute(s, m->x + first, count, source, to + first);
    for (uint32_t g = 0; g < count; g++)
        to[first + g] = select_or(m, there[g], to[first + g], first + g);
}

void lw__move_warp(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, lw__mask mask,
                   uint32_t warp)
{
    const uint32_t first = lw__warp_first(s, warp);
    struct move m = {.s = s, .call = call, .op = op, .mask = mask, .from = first};
    int source[LW_LANES * LW_WARPS_MAX];
    LLVMValueRef to[LW_SPMD_PIECES_MAX];
    m.to = first + lw__warp_pieces(s, warp);
    start(&m);
    if (known_sources(&m, source)) {
        move_known(&m, source);
        return;
    }
    move_in_warp(&m, warp, NULL, to);
    for (uint32_t p = m.from; p < m.to; p++)
        finish(&m, p, to[p]);
}

/* ---- across the block ------------------------------------------------------------------------ */

/* The active lanes of every warp. */
static struct lw__scratch mask_words(struct move *m)
{
    struct lw__spmd *s = m->s;
    struct lw__scratch words = lw__scratch_open(s, s->i32, LW_WARPS_MAX);
    for (uint32_t w = 0; w < lw__warps(s); w++)
        lw__scratch_store(s, &words, lw__spmd_const32(s, w), lw__warp_bits(s, m->mask, w));
    return words;
}

static struct lw__scratch all_values(struct move *m)
{
    struct lw__spmd *s = m->s;
    LLVMTypeRef lane = LLVMGetElementType(LLVMTypeOf(m->x[0]));
    struct lw__scratch values = lw__scratch_open(s, lane, s->pieces * s->width);
    for (uint32_t p = 0; p < s->pieces; p++)
        lw__scratch_store(s, &values, lw__spmd_const32(s, p * s->width), m->x[p]);
    return values;
}

/* A constant of the type of `like`, in each lane of a vector. */
static LLVMValueRef number_like(struct lw__spmd *s, LLVMValueRef like, int64_t number)
{
    bool vector = LLVMGetTypeKind(LLVMTypeOf(like)) == LLVMVectorTypeKind;
    return vector ? lw__splat32(s, number) : lw__spmd_const32(s, number);
}

/* True for each lane if thread `source` (any number, a vector or one) is of the block and active.
 * *safe: a number that is of the block in any case. */
static LLVMValueRef thread_active(struct move *m, LLVMValueRef source,
                                  const struct lw__scratch *words, LLVMValueRef *safe)
{
    struct lw__spmd *s = m->s;
    uint32_t active;
    bool prefix = lw__mask_prefix(s, m->mask, 0, s->threads, &active);
    LLVMValueRef limit = number_like(s, source, prefix ? active : s->threads);
    LLVMValueRef there = LLVMBuildICmp(s->builder, LLVMIntULT, source, limit, "");
    *safe = LLVMBuildSelect(s->builder, there, source, number_like(s, source, 0), "");
    if (prefix)
        return there;
    bool vector = LLVMGetTypeKind(LLVMTypeOf(source)) == LLVMVectorTypeKind;
    LLVMValueRef warp = LLVMBuildLShr(s->builder, *safe, number_like(s, source, 5), "");
    LLVMValueRef lane = LLVMBuildAnd(s->builder, *safe, number_like(s, source, LW_LANES - 1), "");
    LLVMValueRef bits =
        vector ? lw__scratch_gather(s, words, warp) : lw__scratch_load(s, words, warp);
    bits = LLVMBuildLShr(s->builder, bits, lane, "");
    LLVMTypeRef i1 = vector ? lw__spmd_vector_type(s, s->i1) : s->i1;
    return LLVMBuildAnd(s->builder, there, LLVMBuildTrunc(s->builder, bits, i1, ""), "");
}

void lw__move_block(struct lw__spmd *s, LLVMValueRef call, lw__mask mask)
{
    struct move m = {
        .s = s, .call = call, .op = LW_OP_block_broadcast, .mask = mask, .to = s->pieces};
    int source[LW_LANES * LW_WARPS_MAX];
    start(&m);
    if (known_sources(&m, source)) {
        move_known(&m, source);
        return;
    }
    struct lw__scratch values = all_values(&m), words = mask_words(&m);
    bool uniform = lw__is_uniform(s->facts, m.number);
    LLVMValueRef safe, there = NULL, bits = NULL;
    if (uniform) {
        there = thread_active(&m, lw__spmd_uniform(s, m.number), &words, &safe);
        bits = lw__spmd_splat(s, lw__scratch_load(s, &values, safe));
    }
    for (uint32_t p = 0; p < s->pieces; p++) {
        if (!uniform) {
            there = thread_active(&m, lane_numbers(&m, p), &words, &safe);
            bits = lw__scratch_gather(s, &values, safe);
        }
        finish(&m, p, select_or(&m, there, bits, p));
    }
    lw__scratch_close(s, &values);
    lw__scratch_close(s, &words);
}

/* ---- one step of BLOCK_REDUCE ---------------------------------------------------------------- */

/* The value of each warp's first active lane; *present: the warps that have one, an i32. */
static struct lw__scratch leaders(struct move *m, LLVMValueRef *present)
{
    struct lw__spmd *s = m->s;
    LLVMTypeRef lane = LLVMGetElementType(LLVMTypeOf(m->x[0]));
    struct lw__scratch leading = lw__scratch_open(s, lane, LW_WARPS_MAX);
    struct lw__scratch values = all_values(m);
    *present = lw__spmd_const32(s, 0);
    for (uint32_t w = 0; w < lw__warps(s); w++) {
        LLVMValueRef bits = lw__warp_bits(s, m->mask, w), number = lw__spmd_const32(s, w);
        LLVMValueRef first = LLVMBuildAnd(s->builder, lw__lowest_bit(s, bits),
                                          lw__spmd_const32(s, LW_LANES - 1), "");
        first = LLVMBuildAdd(s->builder, first, lw__spmd_const32(s, w * LW_LANES), "");
        lw__scratch_store(s, &leading, number, lw__scratch_load(s, &values, first));
        LLVMValueRef any = LLVMBuildICmp(s->builder, LLVMIntNE, bits, lw__spmd_const32(s, 0), "");
        any = LLVMBuildShl(s->builder, LLVMBuildZExt(s->builder, any, s->i32, ""), number, "");
        *present = LLVMBuildOr(s->builder, *present, any, "");
    }
    lw__scratch_close(s, &values);
    return leading;
}

/* Steps of 32 and more: groups are whole warps, `count` of them, a power of two. */
static void partner_across(struct move *m, LLVMValueRef count, LLVMValueRef *to)
{
    struct lw__spmd *s = m->s;
    LLVMValueRef present, one = lw__spmd_const32(s, 1), zero = lw__spmd_const32(s, 0);
    struct lw__scratch leading = leaders(m, &present);
    LLVMValueRef group =
        LLVMBuildSub(s->builder, LLVMBuildShl(s->builder, one, count, ""), one, "");
    for (uint32_t w = 0; w < lw__warps(s); w++) {
        LLVMValueRef first = LLVMBuildAnd(s->builder, lw__spmd_const32(s, w),
                                          LLVMBuildNeg(s->builder, count, ""), "");
        first = LLVMBuildXor(s->builder, first, count, "");
        LLVMValueRef bits =
            LLVMBuildAnd(s->builder, present, LLVMBuildShl(s->builder, group, first, ""), "");
        LLVMValueRef there = LLVMBuildICmp(s->builder, LLVMIntNE, bits, zero, "");
        LLVMValueRef source = LLVMBuildAnd(s->builder, lw__lowest_bit(s, bits),
                                           lw__spmd_const32(s, LW_WARPS_MAX - 1), "");
        LLVMValueRef value = lw__spmd_splat(s, lw__scratch_load(s, &leading, source));
        for (uint32_t g = 0; g < lw__warp_pieces(s, w); g++) {
            uint32_t p = lw__warp_first(s, w) + g;
            to[p] = select_or(m, there, value, p);
        }
    }
    lw__scratch_close(s, &leading);
}

/* The step, which all active threads have in common. */
static LLVMValueRef uniform_step(struct move *m)
{
    struct lw__spmd *s = m->s;
    if (lw__is_uniform(s->facts, m->number))
        return lw__spmd_uniform(s, m->number);
    LLVMValueRef x[LW_SPMD_PIECES_MAX], step;
    lw__vectors(s, m->number, x);
    lw__tree(s, LW_OP_block_max, "i32", false, x, m->mask, &step);
    return step;
}

void lw__partner_block(struct lw__spmd *s, LLVMValueRef call, lw__mask mask)
{
    struct move m = {
        .s = s, .call = call, .op = LW_OP_block_partner, .mask = mask, .to = s->pieces};
    int source[LW_LANES * LW_WARPS_MAX];
    start(&m);
    if (known_sources(&m, source)) {
        move_known(&m, source);
        return;
    }
    LLVMValueRef step = uniform_step(&m), within[LW_SPMD_PIECES_MAX];
    LLVMValueRef across[LW_SPMD_PIECES_MAX], to[LW_SPMD_PIECES_MAX];
    LLVMBasicBlockRef near = lw__builder_new_block(s, "partner.lanes");
    LLVMBasicBlockRef far = lw__builder_new_block(s, "partner.warps");
    LLVMBasicBlockRef done = lw__builder_new_block(s, "partner.done");
    LLVMValueRef is_near =
        LLVMBuildICmp(s->builder, LLVMIntULT, step, lw__spmd_const32(s, LW_LANES), "");
    LLVMBuildCondBr(s->builder, is_near, near, far);
    LLVMPositionBuilderAtEnd(s->builder, near);
    for (uint32_t w = 0; w < lw__warps(s); w++)
        move_in_warp(&m, w, lw__spmd_splat(s, step), within);
    LLVMBuildBr(s->builder, done);
    near = LLVMGetInsertBlock(s->builder);
    LLVMPositionBuilderAtEnd(s->builder, far);
    partner_across(&m, LLVMBuildLShr(s->builder, step, lw__spmd_const32(s, 5), ""), across);
    LLVMBuildBr(s->builder, done);
    far = LLVMGetInsertBlock(s->builder);
    LLVMPositionBuilderAtEnd(s->builder, done);
    lw__merge(s, to, near, within, far, across);
    for (uint32_t p = 0; p < s->pieces; p++)
        finish(&m, p, to[p]);
}
