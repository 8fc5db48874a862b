/* term_rows.c - the table of a kernel's terms: each stands there once, and constants are folded. */
#include "compile/proof/proof.h"
#include "compile/llvm/llvm.h"
#include <assert.h>

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t hash_of(const struct lw_term *row)
{
    uint64_t h = row->kind + UINT64_C(31) * row->bits;
    h = (h ^ row->a) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ row->b) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (uint64_t)row->number) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 32) % LW_TERM_HEADS;
}

static uint32_t append(struct lw__terms *t, struct lw_term row)
{
    if (t->count == LW_TERMS_MAX)
        return 0;
    assert(row.bits && row.bits <= 64);
    assert(!t->count || (row.a < t->count && row.b < t->count));
    t->same = lw__one_more(t->g.arena, t->same, t->count, sizeof *t->same);
    t->rows = lw__one_more(t->g.arena, t->rows, t->count, sizeof *t->rows);
    t->same[t->count] = 0;
    t->rows[t->count] = row;
    return t->count++;
}

static uint32_t add_row(struct lw__terms *t, struct lw_term row)
{
    uint32_t *latest = &t->latest[hash_of(&row)];
    for (uint32_t i = *latest; i; i = t->same[i])
        if (t->rows[i].kind == row.kind && t->rows[i].bits == row.bits && t->rows[i].a == row.a &&
            t->rows[i].b == row.b && t->rows[i].number == row.number)
            return i;
    const uint32_t added = append(t, row);
    if (added) {
        t->same[added] = *latest;
        *latest = added;
    }
    return added;
}

uint32_t lw__term_open(struct lw__terms *t, unsigned bits)
{
    return append(t, (struct lw_term){.kind = LW_TERM_ANY, .bits = (uint16_t)bits});
}

uint32_t lw__term_leaf(struct lw__terms *t, enum lw_term_kind kind, unsigned bits, int64_t number)
{
    return add_row(t, (struct lw_term){.kind = kind, .bits = (uint16_t)bits, .number = number});
}

uint32_t lw__term_any(struct lw__terms *t, unsigned bits)
{
    return lw__term_leaf(t, LW_TERM_ANY, bits, 0);
}

uint32_t lw__term_constant(struct lw__terms *t, unsigned bits, int64_t number)
{
    return lw__term_leaf(t, LW_TERM_CONSTANT, bits,
                         (int64_t)((uint64_t)number << (64 - bits)) >> (64 - bits));
}

bool lw__term_is_constant(const struct lw__terms *t, uint32_t term, uint64_t *number)
{
    const struct lw_term *row = &t->rows[term];
    assert(term < t->count);
    *number = (uint64_t)row->number & (UINT64_MAX >> (64 - row->bits));
    return row->kind == LW_TERM_CONSTANT;
}

/* ---- folding --------------------------------------------------------------------------------- */

/* Of two constants; false: it is not computed here. */
static bool fold(enum lw_term_kind kind, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (kind) {
    case LW_TERM_ADD: *result = a + b; return true;
    case LW_TERM_SUBTRACT: *result = a - b; return true;
    case LW_TERM_MULTIPLY: *result = a * b; return true;
    default: return false;
    }
}

/* What is added to, or multiplied with, b and leaves it as it is. */
static bool is_neutral(enum lw_term_kind kind, uint64_t n)
{
    return kind == LW_TERM_MULTIPLY ? n == 1 : kind == LW_TERM_ADD ? !n : false;
}

/* The number of a place; -1: it is another term. */
static int64_t place_of(const struct lw__terms *t, uint32_t term)
{
    return t->rows[term].kind == LW_TERM_PLACE ? t->rows[term].number : -1;
}

/* The place that the sum of a product and another place is; -1: it is none. */
static int64_t place_of_sum(const struct lw__terms *t, uint32_t product, uint32_t other)
{
    const struct lw_term *row = &t->rows[product];
    const int64_t a = place_of(t, row->a), b = place_of(t, row->b), c = place_of(t, other);
    uint64_t n = 0;
    if (row->kind == LW_TERM_MULTIPLY)
        for (int64_t axis = 0; axis < 3; axis++)
            if (c == LW_PLACE_THREAD + axis &&
                ((a == LW_PLACE_BLOCK + axis && b == LW_PLACE_BLOCK_DIM + axis) ||
                 (b == LW_PLACE_BLOCK + axis && a == LW_PLACE_BLOCK_DIM + axis)))
                return LW_PLACE_GLOBAL + axis;
    const bool shifts = row->kind == LW_TERM_SHL, times = row->kind == LW_TERM_MULTIPLY;
    return (shifts || times) && a == LW_PLACE_WARP && c == LW_PLACE_LANE &&
                   lw__term_is_constant(t, row->b, &n) && n == (shifts ? 5 : 32)
               ? LW_PLACE_LINEAR
               : -1;
}

uint32_t lw__term_of_two(struct lw__terms *t, enum lw_term_kind kind, unsigned bits, uint32_t a,
                         uint32_t b)
{
    if (kind == LW_TERM_ADD) {
        const int64_t ab = place_of_sum(t, a, b), place = ab < 0 ? place_of_sum(t, b, a) : ab;
        if (place >= 0)
            return lw__term_leaf(t, LW_TERM_PLACE, bits, place);
    }
    uint64_t x, y, result;
    const bool is_x = lw__term_is_constant(t, a, &x), is_y = lw__term_is_constant(t, b, &y);
    if (kind == LW_TERM_EITHER && a == b)
        return a;
    if (is_x && is_y && fold(kind, x, y, &result))
        return lw__term_constant(t, bits, (int64_t)result);
    if (is_x && is_neutral(kind, x))
        return b;
    if (is_y && (is_neutral(kind, y) || (kind == LW_TERM_SUBTRACT && !y)))
        return a;
    /* (a + constant) + constant */
    const struct lw_term inner = t->rows[a];
    if (kind == LW_TERM_ADD && is_y && inner.kind == LW_TERM_ADD &&
        lw__term_is_constant(t, inner.b, &x))
        return lw__term_of_two(t, kind, bits, inner.a,
                               lw__term_constant(t, bits, (int64_t)(x + y)));
    return add_row(t, (struct lw_term){.kind = kind, .bits = (uint16_t)bits, .a = a, .b = b});
}

uint32_t lw__term_resized(struct lw__terms *t, enum lw_term_kind kind, unsigned bits, uint32_t a)
{
    uint64_t n;
    if (lw__term_is_constant(t, a, &n))
        return lw__term_constant(t, bits, kind == LW_TERM_SEXT ? t->rows[a].number : (int64_t)n);
    /* its own bits hold it, also with a sign */
    if (kind != LW_TERM_TRUNC && place_of(t, a) >= 0 && place_of(t, a) < LW_PLACE_GLOBAL)
        return lw__term_leaf(t, LW_TERM_PLACE, bits, place_of(t, a));
    return add_row(t, (struct lw_term){.kind = kind, .bits = (uint16_t)bits, .a = a});
}

uint32_t lw__term_limited(struct lw__terms *t, uint32_t a, LLVMIntPredicate p, uint32_t b,
                          unsigned bits)
{
    _Static_assert(LLVMIntNE - LLVMIntEQ == (int)LW_ORDER_NE &&
                       LLVMIntULT - LLVMIntEQ == (int)LW_ORDER_ULT &&
                       LLVMIntSLE - LLVMIntEQ == (int)LW_ORDER_SLE,
                   "LLVM's order of predicates");
    /* once is enough */
    for (uint32_t i = a; t->rows[i].kind == LW_TERM_LIMITED; i = t->rows[i].a)
        if (t->rows[i].number == (int64_t)(p - LLVMIntEQ) && t->rows[i].b == b)
            return a;
    return add_row(t, (struct lw_term){.kind = LW_TERM_LIMITED,
                                       .bits = (uint16_t)bits,
                                       .a = a,
                                       .b = b,
                                       .number = p - LLVMIntEQ});
}

uint32_t lw__term_distance(struct lw__terms *t, unsigned bits, uint32_t a, uint32_t b,
                           bool is_signed)
{
    return add_row(
        t,
        (struct lw_term){
            .kind = LW_TERM_DISTANCE, .bits = (uint16_t)bits, .a = a, .b = b, .number = is_signed});
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool is_made_of(enum lw_term_kind kind)
{
    return kind > LW_TERM_SIZE;
}

static bool has_two(enum lw_term_kind kind)
{
    return is_made_of(kind) && kind != LW_TERM_SEXT && kind != LW_TERM_ZEXT &&
           kind != LW_TERM_TRUNC;
}

/* Marks the term, and what it is made of. `work` has room for all. */
static void mark(const struct lw__terms *t, uint32_t term, uint32_t *marks, uint32_t *work)
{
    uint32_t count = 0;
    if (!marks[term]) {
        marks[term] = 1;
        work[count++] = term;
    }
    while (count) {
        const struct lw_term *row = &t->rows[work[--count]];
        const uint32_t of[] = {row->a, row->b};
        const unsigned operands = has_two(row->kind) ? 2 : is_made_of(row->kind);
        for (unsigned k = 0; k < operands; k++)
            if (!marks[of[k]]) {
                marks[of[k]] = 1;
                work[count++] = of[k];
            }
    }
}

void lw__terms_keep(struct lw__terms *t, struct lw_proof *rows, uint32_t count)
{
    uint32_t *numbers = lw__new(t->g.arena, t->count, sizeof *numbers),
             *work = lw__new(t->g.arena, t->count, sizeof *work), kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        mark(t, rows[i].at, numbers, work);
        mark(t, rows[i].bytes, numbers, work);
        mark(t, rows[i].size, numbers, work);
        assert(rows[i].at < t->count && rows[i].bytes < t->count && rows[i].size < t->count);
    }
    for (uint32_t i = 0; i < t->count; i++)
        if (numbers[i]) {
            t->rows[kept] = t->rows[i];
            numbers[i] = kept++;
        }
    t->count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        struct lw_term *row = &t->rows[i];
        row->a = is_made_of(row->kind) ? numbers[row->a] : 0;
        row->b = has_two(row->kind) ? numbers[row->b] : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        rows[i].at = numbers[rows[i].at];
        rows[i].bytes = numbers[rows[i].bytes];
        rows[i].size = numbers[rows[i].size];
    }
}

void lw__terms_open(struct lw__terms *t, struct lw__arena *arena, const struct lw__kernel *kernel,
                    LLVMTargetDataRef data)
{
    *t = (struct lw__terms){.kernel = kernel, .data = data};
    lw__cfg_build(arena, kernel->function, &t->g);
    lw__loops_build(&t->g, &t->loops);
    lw__term_open(t, 64);
}
