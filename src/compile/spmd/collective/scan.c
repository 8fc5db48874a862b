/* scan.c - inclusive and exclusive sums over the active lanes.
 *
 * The active lanes of a warp, numbered 0 ... k-1, are scanned by Kogge-Stone: for the distances 1,
 * 2, 4, 8, 16 each lane adds the sum of the lane that far left. In full warps the active lanes are
 * the first, and their numbers are those of the lanes. Then each step is a shuffle by a constant.
 * Otherwise pointer jumping finds the lane at that distance. prev starts as the previous active
 * lane, and each step doubles the distance, prev = prev[prev]. If constants do not tell which case
 * it is, that is tested once at run time.
 *
 * A block scan scans the totals of its warps the same way, and adds a warp's prefix on the left. An
 * exclusive scan gives each active lane the inclusive value of the previous one, the first 0.
 *
 * source   Kogge & Stone, "A parallel algorithm for the efficient solution of a general class of
 *          recurrence equations", IEEE Trans. Computers C-22 (1973)
 */
#include "compile/spmd/collective/collective.h"
#include "compile/spmd/emit/emit.h"

struct scan {
    struct lw__spmd *s;
    LLVMTypeRef lane;
    bool real;           /* float or double */
    LLVMValueRef absent; /* a lane: x + absent = x, bit for bit */
    bool block, exclusive;
};

static LLVMValueRef add(const struct scan *c, LLVMValueRef left, LLVMValueRef right)
{
    return c->real ? LLVMBuildFAdd(c->s->builder, left, right, "")
                   : LLVMBuildAdd(c->s->builder, left, right, "");
}

/* Lanes move up by distance < width; the first get the last of `before`. */
static LLVMValueRef move_up(const struct scan *c, LLVMValueRef before, LLVMValueRef x,
                            uint32_t distance)
{
    int lanes[LW_LANES];
    for (uint32_t i = 0; i < c->s->width; i++)
        lanes[i] = (int)(c->s->width - distance + i);
    return lw__spmd_shuffle(c->s, before, x, lanes, c->s->width);
}

/* ---- the active lanes are the first ones ----------------------------------------------------- */

/* One row of lanes, `count` pieces. From the last piece down, so that earlier pieces are
 * unchanged. */
static void scan_row(const struct scan *c, LLVMValueRef *x, uint32_t count)
{
    uint32_t width = c->s->width;
    LLVMValueRef absent = lw__spmd_splat(c->s, c->absent);
    for (uint32_t distance = 1; distance < count * width; distance *= 2)
        for (uint32_t g = count; g-- > 0;) {
            if (distance < width)
                x[g] = add(c, move_up(c, g ? x[g - 1] : absent, x[g], distance), x[g]);
            else if (g >= distance / width)
                x[g] = add(c, x[g - distance / width], x[g]);
        }
}

/* Lane 31 of each warp is its total; the last warp's is not needed. */
static void add_prefixes(const struct scan *c, LLVMValueRef *x)
{
    struct lw__spmd *s = c->s;
    LLVMValueRef totals[LW_WARPS_MAX];
    uint32_t warps = lw__warps(s), count = (warps + s->width - 1) / s->width;
    int index[LW_WARPS_MAX];
    for (uint32_t j = 0; j < count; j++) {
        for (uint32_t i = 0; i < s->width; i++) {
            uint32_t w = j * s->width + i;
            index[i] = w + 1 < warps ? (int)(w * LW_LANES + LW_LANES - 1) : -1;
        }
        totals[j] = lw__pick(s, x, index);
    }
    scan_row(c, totals, count);
    for (uint32_t w = 1; w < warps; w++) {
        for (uint32_t i = 0; i < s->width; i++)
            index[i] = (int)w - 1;
        LLVMValueRef prefix = lw__pick(s, totals, index);
        for (uint32_t g = 0; g < lw__warp_pieces(s, w); g++) {
            LLVMValueRef *own = &x[lw__warp_first(s, w) + g];
            *own = add(c, prefix, *own);
        }
    }
}

static void scan_first_lanes(const struct scan *c, LLVMValueRef *x)
{
    struct lw__spmd *s = c->s;
    uint32_t warps = lw__warps(s), row = c->block ? s->pieces : LW_LANES / s->width;
    for (uint32_t w = 0; w < warps; w++)
        scan_row(c, x + lw__warp_first(s, w), lw__warp_pieces(s, w));
    if (c->block && warps > 1)
        add_prefixes(c, x);
    LLVMValueRef zero = LLVMConstNull(lw__spmd_vector_type(s, c->lane));
    for (uint32_t p = s->pieces; c->exclusive && p-- > 0;)
        x[p] = move_up(c, p % row ? x[p - 1] : zero, x[p], 1);
}

/* ---- any lanes are active -------------------------------------------------------------------- */

/* The arrays of a masked scan, in a loop over warps. */
struct masked {
    struct lw__scratch data;    /* the lanes of the block, whole warps */
    struct lw__scratch words;   /* the active lanes of each warp, i32 */
    struct lw__scratch totals;  /* of each warp that has active lanes; later their sums */
    struct lw__scratch present; /* [0]: which warps have active lanes */
    struct lw__scratch before;  /* [0]: the inclusive value of the active lane before the warp */
    LLVMValueRef warp, first;   /* in the loop: the warp's number, its first thread */
    LLVMValueRef bits;          /* its active lanes */
    LLVMBasicBlockRef entered, body;
};

static void loop_open(struct lw__spmd *s, struct masked *m)
{
    m->entered = LLVMGetInsertBlock(s->builder);
    m->body = lw__builder_new_block(s, "scan.warp");
    LLVMBuildBr(s->builder, m->body);
    LLVMPositionBuilderAtEnd(s->builder, m->body);
    m->warp = LLVMBuildPhi(s->builder, s->i32, "");
    m->first = LLVMBuildMul(s->builder, m->warp, lw__spmd_const32(s, LW_LANES), "");
    m->bits = lw__scratch_load(s, &m->words, m->warp);
}

static void loop_close(struct lw__spmd *s, struct masked *m)
{
    LLVMBasicBlockRef after = lw__builder_new_block(s, "scan.warps");
    LLVMValueRef next = LLVMBuildAdd(s->builder, m->warp, lw__spmd_const32(s, 1), "");
    LLVMValueRef more =
        LLVMBuildICmp(s->builder, LLVMIntULT, next, lw__spmd_const32(s, lw__warps(s)), "");
    LLVMAddIncoming(m->warp, (LLVMValueRef[]){lw__spmd_const32(s, 0), next},
                    (LLVMBasicBlockRef[]){m->entered, LLVMGetInsertBlock(s->builder)}, 2);
    LLVMBuildCondBr(s->builder, more, m->body, after);
    LLVMPositionBuilderAtEnd(s->builder, after);
}

static LLVMValueRef in_warp(struct lw__spmd *s, const struct masked *m, uint32_t piece)
{
    return LLVMBuildAdd(s->builder, m->first, lw__spmd_const32(s, piece * s->width), "");
}

/* For lanes first ... of 32: the highest lower lane in bits, -1 if none. */
static LLVMValueRef previous(struct lw__spmd *s, LLVMValueRef bits, uint32_t first)
{
    int64_t lower[LW_LANES];
    for (uint32_t i = 0; i < s->width; i++)
        lower[i] = (INT64_C(1) << (first + i)) - 1;
    LLVMValueRef mask = lw__spmd_const_lanes(s, s->i32, lower);
    return lw__highest_bit(s, LLVMBuildAnd(s->builder, lw__spmd_splat(s, bits), mask, ""));
}

/* from[g] = x of the lanes prev; anything where that is -1. */
static void of_previous(struct lw__spmd *s, const LLVMValueRef *x, const LLVMValueRef *prev,
                        uint32_t count, LLVMValueRef *from)
{
    LLVMTypeRef lane = LLVMGetElementType(LLVMTypeOf(x[0]));
    LLVMValueRef bits[LW_LANES], index[LW_LANES];
    for (uint32_t g = 0; g < count; g++) {
        bits[g] = lw__vector_bits(s, x[g]);
        index[g] = LLVMBuildAnd(s->builder, prev[g], lw__splat32(s, LW_LANES - 1), "");
    }
    lw__permute(s, bits, count, index, from);
    for (uint32_t g = 0; g < count; g++)
        from[g] = lw__bits_vector(s, from[g], lane);
}

static LLVMValueRef exists(struct lw__spmd *s, LLVMValueRef prev)
{
    return LLVMBuildICmp(s->builder, LLVMIntSGE, prev, lw__splat32(s, 0), "");
}

/* scan_row_masked - one row of at most 32 lanes, of which those in bits are active. */
static void scan_row_masked(const struct scan *c, LLVMValueRef *x, uint32_t count,
                            LLVMValueRef bits)
{
    struct lw__spmd *s = c->s;
    LLVMValueRef prev[LW_LANES], from[LW_LANES], further[LW_LANES];
    for (uint32_t g = 0; g < count; g++)
        prev[g] = previous(s, bits, g * s->width);
    for (uint32_t distance = 1; distance < count * s->width; distance *= 2) {
        of_previous(s, x, prev, count, from);
        of_previous(s, prev, prev, count, further);
        for (uint32_t g = 0; g < count; g++) {
            LLVMValueRef there = exists(s, prev[g]);
            x[g] = LLVMBuildSelect(s->builder, there, add(c, from[g], x[g]), x[g], "");
            prev[g] = LLVMBuildSelect(s->builder, there, further[g], prev[g], "");
        }
    }
}

static void load_row(struct lw__spmd *s, const struct masked *m, LLVMValueRef *x)
{
    for (uint32_t g = 0; g < LW_LANES / s->width; g++)
        x[g] = lw__scratch_vector(s, &m->data, in_warp(s, m, g));
}

static void store_row(struct lw__spmd *s, const struct masked *m, const LLVMValueRef *x)
{
    for (uint32_t g = 0; g < LW_LANES / s->width; g++)
        lw__scratch_store(s, &m->data, in_warp(s, m, g), x[g]);
}

/* The inclusive value of the warp's last active lane, in memory by now; anything if it has none. */
static LLVMValueRef last_value(struct lw__spmd *s, const struct masked *m)
{
    LLVMValueRef lane = lw__highest_bit(s, m->bits);
    lane = LLVMBuildAnd(s->builder, lane, lw__spmd_const32(s, LW_LANES - 1), "");
    return lw__scratch_load(s, &m->data, LLVMBuildAdd(s->builder, m->first, lane, ""));
}

static LLVMValueRef any_active(struct lw__spmd *s, LLVMValueRef bits)
{
    return LLVMBuildICmp(s->builder, LLVMIntNE, bits, lw__spmd_const32(s, 0), "");
}

static void scan_warps(const struct scan *c, struct masked *m)
{
    struct lw__spmd *s = c->s;
    LLVMValueRef x[LW_LANES], zero = lw__spmd_const32(s, 0);
    lw__scratch_store(s, &m->present, zero, zero);
    loop_open(s, m);
    load_row(s, m, x);
    scan_row_masked(c, x, LW_LANES / s->width, m->bits);
    store_row(s, m, x);
    lw__scratch_store(s, &m->totals, m->warp, last_value(s, m));
    LLVMValueRef bit = LLVMBuildZExt(s->builder, any_active(s, m->bits), s->i32, "");
    bit = LLVMBuildShl(s->builder, bit, m->warp, "");
    LLVMValueRef so_far = lw__scratch_load(s, &m->present, zero);
    lw__scratch_store(s, &m->present, zero, LLVMBuildOr(s->builder, so_far, bit, ""));
    loop_close(s, m);
}

static void add_prefixes_masked(const struct scan *c, struct masked *m)
{
    struct lw__spmd *s = c->s;
    LLVMValueRef x[LW_LANES], one = lw__spmd_const32(s, 1);
    LLVMValueRef present = lw__scratch_load(s, &m->present, lw__spmd_const32(s, 0));
    uint32_t count = (lw__warps(s) + s->width - 1) / s->width;
    for (uint32_t j = 0; j < count; j++)
        x[j] = lw__scratch_vector(s, &m->totals, lw__spmd_const32(s, j * s->width));
    scan_row_masked(c, x, count, present);
    for (uint32_t j = 0; j < count; j++)
        lw__scratch_store(s, &m->totals, lw__spmd_const32(s, j * s->width), x[j]);
    loop_open(s, m);
    LLVMValueRef lower = LLVMBuildShl(s->builder, one, m->warp, "");
    lower = LLVMBuildAnd(s->builder, present, LLVMBuildSub(s->builder, lower, one, ""), "");
    LLVMValueRef from =
        LLVMBuildAnd(s->builder, lw__highest_bit(s, lower), lw__spmd_const32(s, LW_LANES - 1), "");
    LLVMValueRef prefix = lw__scratch_load(s, &m->totals, from);
    prefix = LLVMBuildSelect(s->builder, any_active(s, lower), prefix, c->absent, "");
    load_row(s, m, x);
    for (uint32_t g = 0; g < LW_LANES / s->width; g++)
        x[g] = add(c, lw__spmd_splat(s, prefix), x[g]);
    store_row(s, m, x);
    loop_close(s, m);
}

/* Each active lane takes the value of the previous one: in the warp, or in a block scan of the last
 * one in earlier warps. */
static void shift_masked(const struct scan *c, struct masked *m)
{
    struct lw__spmd *s = c->s;
    LLVMValueRef x[LW_LANES], prev[LW_LANES] = {0}, from[LW_LANES];
    LLVMValueRef at = lw__spmd_const32(s, 0);
    uint32_t count = LW_LANES / s->width;
    lw__scratch_store(s, &m->before, at, LLVMConstNull(c->lane));
    loop_open(s, m);
    load_row(s, m, x);
    LLVMValueRef before = lw__scratch_load(s, &m->before, at);
    LLVMValueRef last =
        LLVMBuildSelect(s->builder, any_active(s, m->bits), last_value(s, m), before, "");
    for (uint32_t g = 0; g < count; g++)
        prev[g] = previous(s, m->bits, g * s->width);
    of_previous(s, x, prev, count, from);
    for (uint32_t g = 0; g < count; g++)
        x[g] =
            LLVMBuildSelect(s->builder, exists(s, prev[g]), from[g], lw__spmd_splat(s, before), "");
    store_row(s, m, x);
    if (c->block)
        lw__scratch_store(s, &m->before, at, last);
    loop_close(s, m);
}

static void scan_masked(const struct scan *c, LLVMValueRef *x, lw__mask mask)
{
    struct lw__spmd *s = c->s;
    uint32_t warps = lw__warps(s);
    struct masked m = {.data = lw__scratch_open(s, c->lane, warps * LW_LANES),
                       .words = lw__scratch_open(s, s->i32, LW_WARPS_MAX),
                       .totals = lw__scratch_open(s, c->lane, LW_WARPS_MAX),
                       .present = lw__scratch_open(s, s->i32, 1),
                       .before = lw__scratch_open(s, c->lane, 1)};
    for (uint32_t p = 0; p < s->pieces; p++)
        lw__scratch_store(s, &m.data, lw__spmd_const32(s, p * s->width), x[p]);
    for (uint32_t w = 0; w < warps; w++)
        lw__scratch_store(s, &m.words, lw__spmd_const32(s, w), lw__warp_bits(s, mask, w));
    scan_warps(c, &m);
    if (c->block && warps > 1)
        add_prefixes_masked(c, &m);
    if (c->exclusive)
        shift_masked(c, &m);
    for (uint32_t p = 0; p < s->pieces; p++)
        x[p] = lw__scratch_vector(s, &m.data, lw__spmd_const32(s, p * s->width));
    const struct lw__scratch *all[] = {&m.data, &m.words, &m.totals, &m.present, &m.before};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        lw__scratch_close(s, all[i]);
}

/* ---- choosing the case ----------------------------------------------------------------------- */

/* True if constants tell that the active lanes are the first of their warp, or of the block. */
static bool first_lanes_active(const struct scan *c, lw__mask mask)
{
    uint32_t active, row = c->block ? c->s->threads : LW_LANES;
    for (uint32_t first = 0; first < c->s->threads; first += row)
        if (!lw__mask_prefix(c->s, mask, first, row, &active))
            return false;
    return true;
}

/* I1: all threads of the block are active. For masks that are not all constant. */
static LLVMValueRef all_active(struct lw__spmd *s, lw__mask mask)
{
    LLVMValueRef all = NULL;
    for (uint32_t p = 0; p < s->pieces; p++) {
        if (!mask[p])
            continue;
        LLVMValueRef there = lw__mask_exists(s, p), piece = mask[p];
        if (there)
            piece = LLVMBuildOr(s->builder, piece, LLVMBuildNot(s->builder, there, ""), "");
        all = all ? LLVMBuildAnd(s->builder, all, piece, "") : piece;
    }
    LLVMValueRef bits = lw__mask_bits(s, all);
    return LLVMBuildICmp(s->builder, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
}

void lw__scan(struct lw__spmd *s, LLVMValueRef call, enum lw__op op, lw__mask mask)
{
    LLVMTypeRef lane = LLVMTypeOf(call);
    bool real = lane == s->f32 || lane == s->f64;
    struct scan c = {.s = s, .lane = lane, .real = real};
    c.absent = real ? LLVMConstReal(lane, -0.0) : LLVMConstNull(lane);
    c.block = lw__op_table[op].block;
    c.exclusive = op == LW_OP_warp_exclusive_sum || op == LW_OP_block_exclusive_sum;
    LLVMValueRef first[LW_SPMD_PIECES_MAX], any[LW_SPMD_PIECES_MAX], x[LW_SPMD_PIECES_MAX];
    lw__vectors(s, LLVMGetOperand(call, 0), first);
    lw__vectors(s, LLVMGetOperand(call, 0), any);
    if (first_lanes_active(&c, mask)) {
        scan_first_lanes(&c, first);
        lw__set_vectors(s, call, first);
        return;
    }
    LLVMBasicBlockRef fast = lw__builder_new_block(s, "scan.full"),
                      slow = lw__builder_new_block(s, "scan.masked");
    LLVMBasicBlockRef done = lw__builder_new_block(s, "scan.done");
    LLVMBuildCondBr(s->builder, all_active(s, mask), fast, slow);
    LLVMPositionBuilderAtEnd(s->builder, fast);
    scan_first_lanes(&c, first);
    LLVMBuildBr(s->builder, done);
    fast = LLVMGetInsertBlock(s->builder);
    LLVMPositionBuilderAtEnd(s->builder, slow);
    scan_masked(&c, any, mask);
    LLVMBuildBr(s->builder, done);
    slow = LLVMGetInsertBlock(s->builder);
    LLVMPositionBuilderAtEnd(s->builder, done);
    lw__merge(s, x, fast, first, slow, any);
    lw__set_vectors(s, call, x);
}
