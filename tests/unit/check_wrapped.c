/* check_wrapped - arithmetic of wrapped intervals against that of their numbers: of 5 bits, all
 * pairs of some hundred intervals, in each operation. No result may lack a number; a range of one
 * number must give one number, and what is in one period must be exact where the test says so.
 */
#include "run/proof/wrapped.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BITS = 5, ALL = 1 << BITS, MASK = ALL - 1, RANGES = 60 };

static int failures;

static int sign(int n)
{
    return n & ALL / 2 ? n - ALL : n;
}

static bool has(struct lw__wrapped r, int n)
{
    return lw__wrapped_holds(r, lw__wrapped_of(r.bits, n, n));
}

/* The number that the operation gives; false: it gives any. */
static bool calculate(enum lw_term_kind kind, int a, int b, int *n)
{
    switch (kind) {
    case LW_TERM_ADD: *n = a + b; return true;
    case LW_TERM_SUBTRACT: *n = a - b; return true;
    case LW_TERM_MULTIPLY: *n = a * b; return true;
    case LW_TERM_UDIV: *n = b ? a / b : 0; return b;
    case LW_TERM_UREM: *n = b ? a % b : 0; return b;
    case LW_TERM_SDIV: *n = b ? sign(a) / sign(b) : 0; return b;
    case LW_TERM_SREM: *n = b ? sign(a) % sign(b) : 0; return b;
    default: *n = b < BITS ? sign(a) >> b : 0; return b < BITS;
    }
}

static bool compare(enum lw_term_order order, int a, int b)
{
    switch (order) {
    case LW_ORDER_EQ: return a == b;
    case LW_ORDER_NE: return a != b;
    case LW_ORDER_UGT: return a > b;
    case LW_ORDER_UGE: return a >= b;
    case LW_ORDER_ULT: return a < b;
    case LW_ORDER_ULE: return a <= b;
    case LW_ORDER_SGT: return sign(a) > sign(b);
    case LW_ORDER_SGE: return sign(a) >= sign(b);
    case LW_ORDER_SLT: return sign(a) < sign(b);
    default: return sign(a) <= sign(b);
    }
}

static void expect(bool ok, const char *what, int number, struct lw__wrapped a,
                   struct lw__wrapped b)
{
    if (ok || failures++ > 20)
        return;
    printf("%s %d of [%d, %d] and [%d, %d]\n", what, number, (int)a.low, (int)a.high, (int)b.low,
           (int)b.high);
}

static void check_pair(struct lw__wrapped a, struct lw__wrapped b)
{
    const struct lw__wrapped either = lw__wrapped_either(a, b);
    const bool is_one = a.low == a.high && b.low == b.high;
    bool all_in = true, any = false;
    for (int x = 0; x < ALL; x++) {
        expect(!(has(a, x) || has(b, x)) || has(either, x), "either", x, a, b);
        all_in &= !has(b, x) || has(a, x);
        any |= has(b, x);
    }
    expect(lw__wrapped_holds(a, b) == all_in, "holds", 0, a, b);
    const struct lw__wrapped where = lw__wrapped_where(a, b);
    expect(any ? lw__wrapped_holds(where, a) : lw__wrapped_is_empty(where), "where", 0, a, b);
    for (int kind = LW_TERM_ADD; kind <= LW_TERM_ASHR; kind++) {
        const struct lw__wrapped r = lw__wrapped_compute((enum lw_term_kind)kind, a, b);
        for (int x = 0; x < ALL; x++)
            for (int y = 0, n; has(a, x) && y < ALL; y++)
                expect(!has(b, y) ||
                           (calculate((enum lw_term_kind)kind, x, y, &n) ? has(r, n & MASK)
                                                                         : r.high - r.low == MASK),
                       "operation", kind, a, b);
        expect(!is_one || kind > LW_TERM_MULTIPLY || r.low == r.high, "one of", kind, a, b);
    }
    for (int order = LW_ORDER_EQ; order <= LW_ORDER_SLE; order++) {
        const struct lw__wrapped r = lw__wrapped_limit(a, (enum lw_term_order)order, b);
        for (int x = 0; x < ALL; x++)
            for (int y = 0; has(a, x) && y < ALL; y++)
                expect(!has(b, y) || !compare((enum lw_term_order)order, x, y) || has(r, x),
                       "order", order, a, b);
        expect(!is_one || lw__wrapped_is_empty(r) == !compare((enum lw_term_order)order,
                                                              (int)a.low & MASK, (int)b.low & MASK),
               "empty by order", order, a, b);
    }
}

static void check_sizes(struct lw__wrapped a)
{
    const struct lw__wrapped s = lw__wrapped_resize(LW_TERM_SEXT, a, 8);
    const struct lw__wrapped z = lw__wrapped_resize(LW_TERM_ZEXT, a, 8);
    const struct lw__wrapped t = lw__wrapped_resize(LW_TERM_TRUNC, a, 3);
    for (int x = 0; x < ALL; x++) {
        expect(!has(a, x) || has(s, sign(x) & 255), "sext", x, a, a);
        expect(!has(a, x) || has(z, x), "zext", x, a, a);
        expect(!has(a, x) || has(t, x & 7), "trunc", x, a, a);
    }
    expect(lw__wrapped_is_empty(a) || (s.low >= -ALL / 2 && s.high < ALL / 2), "sext to", 0, a, a);
    expect(lw__wrapped_is_empty(a) || (z.low >= 0 && z.high < ALL), "zext to", 0, a, a);
}

/* Of 64 bits: nothing on the way is more than the wide type holds. */
static void check_wide(void)
{
    const struct lw__wrapped all = lw__wrapped_all(64), one = lw__wrapped_of(64, 1, 1);
    const struct lw__wrapped most = lw__wrapped_of(64, INT64_MAX, INT64_MAX);
    const struct lw__wrapped next = lw__wrapped_compute(LW_TERM_ADD, most, one);
    const struct lw__wrapped square = lw__wrapped_compute(LW_TERM_MULTIPLY, most, most);
    expect(next.low == INT64_MIN && next.high == INT64_MIN, "INT64_MAX + 1", 0, most, one);
    expect(square.low == 1 && square.high == 1, "INT64_MAX squared", 0, most, most);
    expect(lw__wrapped_holds(lw__wrapped_compute(LW_TERM_MULTIPLY, all, all), all), "all", 0, all,
           all);
}

int main(void)
{
    struct lw__wrapped ranges[RANGES] = {lw__wrapped_all(BITS), {1, 0, BITS}};
    srand(7);
    for (int i = 2; i < RANGES; i++) {
        const int low = rand() % (2 * ALL) - ALL;
        ranges[i] = lw__wrapped_of(BITS, low, low + (i % 3 ? rand() % 6 : rand() % ALL));
    }
    for (int i = 0; i < RANGES; i++)
        check_sizes(ranges[i]);
    for (int i = 0; i < RANGES; i++)
        for (int k = 0; k < RANGES; k++)
            check_pair(ranges[i], ranges[k]);
    check_wide();
    printf("%d failures\n", failures);
    return failures != 0;
}
