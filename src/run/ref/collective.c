/* collective.c - every collective on plain arrays, one value a place.
 *
 * This file defines what collectives compute; the other devices are tested against it. A warp is 32
 * places, a block up to 1024, and the same loops serve both. A warp is an aligned group of 32
 * indices. So the tree over lanes and then over warps is one tree over linear indices. Values
 * travel as bits, zero-extended to 64.
 */
#include "run/ref/ref.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static float as_f32(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t bits_of_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double as_f64(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Sums and products wrap; they are the same for signed numbers once cut to the type's width. */
static uint64_t combine_unsigned(enum lw__operator op, uint64_t a, uint64_t b)
{
    switch (op) {
    case LW_BY_SUM: return a + b;
    case LW_BY_MAX: return a > b ? a : b;
    case LW_BY_MIN: return a < b ? a : b;
    default: return a * b;
    }
}

static uint64_t combine_signed(enum lw__operator op, int64_t a, int64_t b)
{
    switch (op) {
    case LW_BY_MAX: return (uint64_t)(a > b ? a : b);
    case LW_BY_MIN: return (uint64_t)(a < b ? a : b);
    default: return combine_unsigned(op, (uint64_t)a, (uint64_t)b);
    }
}

/* float_less - the order of max and min among numbers: -0 is less than +0. */
static bool float_less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

/* float_choose_left - is a the maximum (or the minimum) of a and b? A NaN loses. */
static bool float_choose_left(enum lw__operator op, double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(b);
    return op == LW_BY_MAX ? float_less(b, a) : float_less(a, b);
}

static float combine_f32(enum lw__operator op, float a, float b)
{
    switch (op) {
    case LW_BY_SUM: return a + b;
    case LW_BY_PROD: return a * b;
    default: return float_choose_left(op, a, b) ? a : b;
    }
}

static double combine_f64(enum lw__operator op, double a, double b)
{
    switch (op) {
    case LW_BY_SUM: return a + b;
    case LW_BY_PROD: return a * b;
    default: return float_choose_left(op, a, b) ? a : b;
    }
}

static uint64_t combine(enum lw__operator op, uint32_t type, uint64_t a, uint64_t b)
{
    switch (type) {
    case LW_I32: return (uint32_t)combine_signed(op, (int32_t)(uint32_t)a, (int32_t)(uint32_t)b);
    case LW_U32: return (uint32_t)combine_unsigned(op, (uint32_t)a, (uint32_t)b);
    case LW_I64: return combine_signed(op, (int64_t)a, (int64_t)b);
    case LW_U64: return combine_unsigned(op, a, b);
    case LW_F32: return bits_of_f32(combine_f32(op, as_f32(a), as_f32(b)));
    default: return bits_of_f64(combine_f64(op, as_f64(a), as_f64(b)));
    }
}

static bool is_sum_type(uint32_t type)
{
    return type == LW_I32 || type == LW_U32 || type == LW_I64 || type == LW_U64 || type == LW_F32 ||
           type == LW_F64;
}

static void set_all(struct lw__ref_lanes *l, uint64_t result)
{
    for (int i = 0; i < l->count; i++)
        l->result[i] = result;
}

/* reduce - the fixed tree: place i with i + 1, then distance 2, 4, 8 ..., the lower group on the
 * left; the group that begins at i keeps its value in group[i], and one that is absent is skipped.
 */
static void reduce(struct lw__ref_lanes *l, enum lw__operator op, uint32_t type)
{
    bool present[LW_REF_THREADS_MAX];
    uint64_t group[LW_REF_THREADS_MAX];
    memcpy(present, l->active, sizeof present[0] * (size_t)l->count);
    memcpy(group, l->value, sizeof group[0] * (size_t)l->count);
    for (int distance = 1; distance < l->count; distance *= 2)
        for (int left = 0; left + distance < l->count; left += 2 * distance) {
            int right = left + distance;
            if (present[left] && present[right])
                group[left] = combine(op, type, group[left], group[right]);
            else if (present[right])
                group[left] = group[right];
            present[left] |= present[right];
        }
    set_all(l, group[0]);
}

/* kogge_stone - inclusive scan of x[0..count-1], count at most 32, in place. Going down, x[i - d]
 * is still the value of the step before.
 * source   Kogge & Stone, "A parallel algorithm for the efficient solution of a general class of
 *          recurrence equations", IEEE Trans. Computers C-22 (1973) */
static void kogge_stone(uint64_t *x, int count, uint32_t type)
{
    for (int distance = 1; distance < count; distance *= 2)
        for (int i = count - 1; i >= distance; i--)
            x[i] = combine(LW_BY_SUM, type, x[i - distance], x[i]);
}

/* scan_warp - inclusive scan over the active places from first on; returns how many there are and,
 * if any, their total. */
static int scan_warp(struct lw__ref_lanes *l, int first, uint32_t type, uint64_t *total)
{
    uint64_t x[LW_WARP_SIZE];
    int place[LW_WARP_SIZE], active = 0;
    for (int i = first; i < l->count && i < first + LW_WARP_SIZE; i++)
        if (l->active[i]) {
            place[active] = i;
            x[active++] = l->value[i];
        }
    kogge_stone(x, active, type);
    for (int k = 0; k < active; k++)
        l->result[place[k]] = x[k];
    if (active > 0)
        *total = x[active - 1];
    return active;
}

/* scan_inclusive - each warp alone, then the totals of the warps that have active places; a warp's
 * prefix goes on the left. With one warp this is the warp's scan. */
static void scan_inclusive(struct lw__ref_lanes *l, uint32_t type)
{
    uint64_t totals[LW_REF_THREADS_MAX / LW_WARP_SIZE];
    int start[LW_REF_THREADS_MAX / LW_WARP_SIZE], warps = 0;
    for (int first = 0; first < l->count; first += LW_WARP_SIZE)
        if (scan_warp(l, first, type, &totals[warps]) > 0)
            start[warps++] = first;
    kogge_stone(totals, warps, type);
    for (int w = 1; w < warps; w++)
        for (int i = start[w]; i < l->count && i < start[w] + LW_WARP_SIZE; i++)
            if (l->active[i])
                l->result[i] = combine(LW_BY_SUM, type, totals[w - 1], l->result[i]);
}

/* An exclusive one has zero for the first, for each other its predecessor's inclusive value. */
static void scan(struct lw__ref_lanes *l, uint32_t op, uint32_t type)
{
    const bool is_exclusive = op == LW_OP_warp_exclusive_sum || op == LW_OP_block_exclusive_sum;
    uint64_t before = 0; /* all bits 0 are zero in every type */
    scan_inclusive(l, type);
    for (int i = 0; i < l->count; i++)
        if (is_exclusive && l->active[i]) {
            const uint64_t inclusive = l->result[i];
            l->result[i] = before;
            before = inclusive;
        }
}

/* Computed in 64 bits, as the number is any. */
int64_t lw__ref_source_of(uint32_t op, int place, int32_t number)
{
    switch (op) {
    case LW_OP_shuffle_up: return (int64_t)place - number;
    case LW_OP_shuffle_down: return (int64_t)place + number;
    case LW_OP_shuffle_xor: return place ^ number;
    default: return number;
    }
}

/* move - each place takes its source's value, or keeps its own where there is no such source. */
static void move(struct lw__ref_lanes *l, uint32_t op)
{
    for (int i = 0; i < l->count; i++) {
        if (!l->active[i])
            continue;
        int64_t source = lw__ref_source_of(op, i, l->number[i]);
        bool absent = source < 0 || source >= l->count || !l->active[source];
        l->result[i] = l->value[absent ? i : source];
    }
}

int lw__ref_partner_of(int place, int32_t number, int count, const bool *active)
{
    const int64_t distance = number > 0 ? number : LW_REF_THREADS_MAX;
    const int64_t first = (place / distance ^ 1) * distance;
    int64_t source = first;
    while (source < count && source < first + distance && !active[source])
        source++;
    return source >= count || source >= first + distance ? -1 : (int)source;
}

/* partner - one step of the tree with the user's operator. The result is the value of the lowest
 * active place in the neighbouring group of `number` places; the identity if that has none. */
static void partner(struct lw__ref_lanes *l)
{
    for (int i = 0; i < l->count; i++) {
        const int source = lw__ref_partner_of(i, l->number[i], l->count, l->active);
        l->result[i] = source < 0 ? l->identity[i] : l->value[source];
    }
}

static void ballot(struct lw__ref_lanes *l)
{
    uint32_t votes = 0;
    for (int i = 0; i < l->count; i++)
        if (l->active[i] && l->value[i])
            votes |= UINT32_C(1) << i;
    set_all(l, votes);
}

/* count_where - how many active places have a predicate that is (or is not) true. */
static uint64_t count_where(const struct lw__ref_lanes *l, bool predicate)
{
    uint64_t count = 0;
    for (int i = 0; i < l->count; i++)
        count += l->active[i] && (l->value[i] != 0) == predicate;
    return count;
}

static void vote(struct lw__ref_lanes *l, uint32_t op)
{
    switch (op) {
    case LW_OP_warp_any:
    case LW_OP_block_any: set_all(l, count_where(l, true) > 0); break;
    case LW_OP_warp_all:
    case LW_OP_block_all: set_all(l, count_where(l, false) == 0); break;
    case LW_OP_block_count: set_all(l, count_where(l, true)); break;
    default: ballot(l);
    }
}

bool lw__ref_collective(uint32_t op, uint32_t type, struct lw__ref_lanes *l)
{
    const struct lw__op_info *info = op < LW_OP_COUNT ? &lw__op_table[op] : lw__op_table;
    assert(l->count > 0 && l->count <= (info->block ? LW_REF_THREADS_MAX : LW_WARP_SIZE));
    switch (info->kind) {
    case LW_KIND_MOVE: move(l, op); return true;
    case LW_KIND_PARTNER: partner(l); return true;
    case LW_KIND_VOTE: vote(l, op); return true;
    case LW_KIND_SYNC: set_all(l, 0); return true;
    case LW_KIND_REDUCE:
        if (!is_sum_type(type))
            return false;
        reduce(l, info->by, type);
        return true;
    case LW_KIND_SCAN:
        if (!is_sum_type(type))
            return false;
        scan(l, op, type);
        return true;
    default: return false;
    }
}

bool lw__ref_is_block_op(uint32_t op)
{
    return op < LW_OP_COUNT && lw__op_table[op].block;
}
