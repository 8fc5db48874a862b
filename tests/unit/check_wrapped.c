/* check_wrapped - arithmetic of ranges of numbers that wrap, against that of their numbers: of all
 * pairs of some hundred ranges of 5 bits, in each operation, and of some numbers of 32 and 64 bits.
 * No result may lack a number; a range of one number must give one number, and what is in one
 * period must be exact where the test says so.
 */
#include "run/proof/wrapped.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BITS = 5, ALL = 1 << BITS, RANGES = 120, WIDE = 4000, SAMPLES = 40 };

typedef struct lw__wrapped range;

static int failures;

static int64_t sign(unsigned bits, uint64_t n)
{
    return (int64_t)(n << (64 - bits)) >> (64 - bits);
}

/* The number of the range, from its first one on; how many it has. */
static uint64_t member(unsigned bits, range r, uint64_t k)
{
    return (r.low + k * r.stride) & lw__wrapped_mask(bits);
}

static uint64_t count(unsigned bits, range r)
{
    return lw__wrapped_is_empty(bits, r) ? 0 : r.stride ? r.width / r.stride + 1 : 1;
}

static bool has(unsigned bits, range r, uint64_t n)
{
    const uint64_t behind = (n - r.low) & lw__wrapped_mask(bits);
    return !lw__wrapped_is_empty(bits, r) && behind <= r.width &&
           (r.stride ? behind % r.stride == 0 : !behind);
}

/* The number that the operation gives; false: it gives any. */
static bool calculate(unsigned bits, enum lw_term_kind kind, uint64_t a, uint64_t b, uint64_t *n)
{
    const int64_t x = sign(bits, a), y = sign(bits, b);
    const bool is_least = x == sign(bits, UINT64_C(1) << (bits - 1)) && y == -1;
    const bool divides = kind == LW_TERM_SDIV || kind == LW_TERM_SREM;
    *n = 0;
    if ((kind == LW_TERM_UDIV || kind == LW_TERM_UREM || divides) && !b)
        return false;
    if ((kind == LW_TERM_SHL || kind == LW_TERM_LSHR || kind == LW_TERM_ASHR) && b >= bits)
        return false;
    if (divides && is_least)
        return false;
    switch (kind) {
    case LW_TERM_ADD: *n = a + b; break;
    case LW_TERM_SUBTRACT: *n = a - b; break;
    case LW_TERM_MULTIPLY: *n = a * b; break;
    case LW_TERM_UDIV: *n = a / b; break;
    case LW_TERM_UREM: *n = a % b; break;
    case LW_TERM_SDIV: *n = (uint64_t)(x / y); break;
    case LW_TERM_SREM: *n = (uint64_t)(x % y); break;
    case LW_TERM_SHL: *n = a << b; break;
    case LW_TERM_LSHR: *n = a >> b; break;
    case LW_TERM_ASHR: *n = (uint64_t)(x >> b); break;
    case LW_TERM_AND: *n = a & b; break;
    case LW_TERM_OR: *n = a | b; break;
    default: *n = a ^ b; break;
    }
    *n &= lw__wrapped_mask(bits);
    return true;
}

static bool compare(unsigned bits, enum lw_term_order order, uint64_t a, uint64_t b)
{
    switch (order) {
    case LW_ORDER_EQ: return a == b;
    case LW_ORDER_NE: return a != b;
    case LW_ORDER_UGT: return a > b;
    case LW_ORDER_UGE: return a >= b;
    case LW_ORDER_ULT: return a < b;
    case LW_ORDER_ULE: return a <= b;
    case LW_ORDER_SGT: return sign(bits, a) > sign(bits, b);
    case LW_ORDER_SGE: return sign(bits, a) >= sign(bits, b);
    case LW_ORDER_SLT: return sign(bits, a) < sign(bits, b);
    default: return sign(bits, a) <= sign(bits, b);
    }
}

static void expect(bool ok, const char *what, int number, range a, range b)
{
    if (ok || failures++ > 20)
        return;
    printf("%s %d of %llx + %llx by %llx and %llx + %llx by %llx\n", what, number,
           (unsigned long long)a.low, (unsigned long long)a.width, (unsigned long long)a.stride,
           (unsigned long long)b.low, (unsigned long long)b.width, (unsigned long long)b.stride);
}

/* ---- a pair of ranges ------------------------------------------------------------------------ */

static bool is_whole(unsigned bits, range r)
{
    return r.low == 0 && r.width == lw__wrapped_mask(bits);
}

/* What each operation gives for a number of each. */
static void check_numbers(unsigned bits, range a, range b, uint64_t x, uint64_t y)
{
    const range either = lw__wrapped_either(bits, a, b);
    expect(has(bits, either, x) && has(bits, either, y), "either", 0, a, b);
    uint64_t n;
    for (int kind = LW_TERM_ADD; kind <= LW_TERM_XOR; kind++) {
        const range r = lw__wrapped_compute((enum lw_term_kind)kind, bits, a, b);
        expect(calculate(bits, (enum lw_term_kind)kind, x, y, &n)
                   ? has(bits, r, n)
                   : is_whole(bits, r) || kind == LW_TERM_SDIV || kind == LW_TERM_SREM,
               "operation", kind, a, b);
    }
    for (int order = LW_ORDER_EQ; order <= LW_ORDER_SLE; order++) {
        const range r = lw__wrapped_limit(bits, a, (enum lw_term_order)order, b);
        expect(!compare(bits, (enum lw_term_order)order, x, y) || has(bits, r, x), "order", order,
               a, b);
    }
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        const enum lw_term_order order = is_signed ? LW_ORDER_SGE : LW_ORDER_UGE;
        const range r = lw__wrapped_distance(bits, a, b, is_signed);
        expect(!compare(bits, order, x, y) || has(bits, r, (x - y) & lw__wrapped_mask(bits)),
               "distance", is_signed, a, b);
    }
}

static void check_sizes(unsigned bits, unsigned more, unsigned less, range a, uint64_t x)
{
    const range s = lw__wrapped_resize(LW_TERM_SEXT, a, bits, more),
                z = lw__wrapped_resize(LW_TERM_ZEXT, a, bits, more),
                t = lw__wrapped_resize(LW_TERM_TRUNC, a, bits, less);
    expect(has(more, s, (uint64_t)sign(bits, x) & lw__wrapped_mask(more)), "sext", 0, a, a);
    expect(has(more, z, x), "zext", 0, a, a);
    expect(has(less, t, x & lw__wrapped_mask(less)), "trunc", 0, a, a);
    const uint64_t half = UINT64_C(1) << (bits - 1);
    expect(lw__wrapped_signed(more, s).low >= -(int64_t)half &&
               lw__wrapped_signed(more, s).high < (int64_t)half,
           "sext to", 0, a, a);
    expect(lw__wrapped_unsigned(more, z).high <= lw__wrapped_mask(bits), "zext to", 0, a, a);
}

/* ---- all numbers of few bits ----------------------------------------------------------------- */

/* Of one number each, the results are one. */
static void check_ones(range a, range b)
{
    uint64_t n;
    for (int kind = LW_TERM_ADD; kind <= LW_TERM_AND; kind++)
        if (calculate(BITS, (enum lw_term_kind)kind, a.low, b.low, &n) &&
            (kind < LW_TERM_SDIV || kind > LW_TERM_ASHR || (a.low < ALL / 2 && b.low < ALL / 2)) &&
            (kind != LW_TERM_AND || !(b.low & (b.low + 1))))
            expect(!lw__wrapped_compute((enum lw_term_kind)kind, BITS, a, b).width, "one of", kind,
                   a, b);
    for (int order = LW_ORDER_EQ; order <= LW_ORDER_SLE; order++)
        expect(
            lw__wrapped_is_empty(BITS, lw__wrapped_limit(BITS, a, (enum lw_term_order)order, b)) ==
                !compare(BITS, (enum lw_term_order)order, a.low, b.low),
            "empty by order", order, a, b);
}

static void check_pair(range a, range b)
{
    bool all_in = true;
    for (uint64_t k = 0; k < count(BITS, b); k++)
        all_in &= has(BITS, a, member(BITS, b, k));
    const bool holds = lw__wrapped_holds(BITS, a, b);
    expect(holds ? all_in : !all_in || a.stride > 1 || b.stride > 1, "holds", 0, a, b);
    if (!count(BITS, a) || !count(BITS, b)) {
        const range either = lw__wrapped_either(BITS, a, b);
        expect(lw__wrapped_holds(BITS, either, a) && lw__wrapped_holds(BITS, either, b),
               "either of none", 0, a, b);
        expect(lw__wrapped_is_empty(BITS, lw__wrapped_compute(LW_TERM_ADD, BITS, a, b)), "none", 0,
               a, b);
    }
    for (uint64_t i = 0; i < count(BITS, a); i++)
        for (uint64_t k = 0; k < count(BITS, b); k++)
            check_numbers(BITS, a, b, member(BITS, a, i), member(BITS, b, k));
    if (count(BITS, a) == 1 && count(BITS, b) == 1)
        check_ones(a, b);
}

static void check_few_bits(void)
{
    range ranges[RANGES] = {lw__wrapped_all(BITS), lw__wrapped_none(BITS)};
    for (int i = 2; i < RANGES; i++) {
        const uint64_t stride = i % 2 ? 1 : (uint64_t)(1 + rand() % 9);
        ranges[i] = lw__wrapped_of(BITS, (uint64_t)(rand() % ALL),
                                   (uint64_t)(i % 3 ? rand() % 6 : rand() % ALL), stride);
    }
    for (int i = 0; i < RANGES; i++) {
        for (uint64_t k = 0; k < count(BITS, ranges[i]); k++)
            check_sizes(BITS, 8, 3, ranges[i], member(BITS, ranges[i], k));
        for (int k = 0; k < RANGES; k++)
            check_pair(ranges[i], ranges[k]);
    }
}

/* ---- some numbers of many bits --------------------------------------------------------------- */

static uint64_t any_number(void)
{
    static const uint64_t ends[] = {0, 1, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    const uint64_t wide = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
    switch (rand() % 4) {
    case 0: return (uint64_t)(rand() % 200);
    case 1: return ends[rand() % 6] + (uint64_t)(rand() % 9) - 4;
    case 2: return wide >> rand() % 64;
    default: return -(uint64_t)(rand() % 200);
    }
}

static range any_range(unsigned bits)
{
    return lw__wrapped_of(bits, any_number(), rand() % 3 ? any_number() : 0,
                          rand() % 2 ? 1 : any_number() % 1000 + 1);
}

static void check_many_bits(unsigned bits)
{
    for (int i = 0; i < WIDE; i++) {
        const range a = any_range(bits), b = any_range(bits);
        const uint64_t of_a = count(bits, a), of_b = count(bits, b);
        for (int k = 0; k < SAMPLES; k++) { /* also the first and the last */
            const uint64_t x = member(bits, a,
                                      k < 2   ? 0
                                      : k < 4 ? of_a - 1
                                      : of_a  ? any_number() % of_a
                                              : any_number()),
                           y = member(bits, b,
                                      k % 2   ? 0
                                      : k < 8 ? of_b - 1
                                      : of_b  ? any_number() % of_b
                                              : any_number());
            check_numbers(bits, a, b, x, y);
            if (bits < 64)
                check_sizes(bits, 64, 16, a, x);
        }
    }
}

int main(void)
{
    srand(7);
    check_few_bits();
    check_many_bits(32);
    check_many_bits(64);
    printf("%d failures\n", failures);
    return failures != 0;
}
