/* wrapped.c - arithmetic of sets of integers that wrap.
 *
 * Sums, differences and products are those of the integers, modulo 2^bits: whatever wraps is right
 * without a case of its own. Where an operation looks at the number itself, the range must lie in
 * one period of the signed or unsigned numbers; if it does not, it becomes all of them. Its stride
 * counts only where it does.
 *
 * source   Navas, Schachte, Sondergaard & Stuckey, "Signedness-Agnostic Program Analysis", APLAS
 *          2012: wrapped intervals; Reps, Balakrishnan & Lim, "Intermediate-Representation Recovery
 *          from Low-Level Code", PEPM 2006: strides
 */
#include "run/proof/wrapped.h"

typedef struct lw__wrapped range;
typedef struct lw__signed with_sign;
typedef struct lw__unsigned without_sign;

uint64_t lw__wrapped_mask(unsigned bits)
{
    return UINT64_MAX >> (64 - bits);
}
#define MASK lw__wrapped_mask

static int64_t extend(unsigned bits, uint64_t n)
{
    return (int64_t)(n << (64 - bits)) >> (64 - bits);
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    if (!(a & (a - 1)) && !(b & (b - 1)) && a && b)
        return a < b ? a : b;
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

range lw__wrapped_all(unsigned bits)
{
    return (range){0, MASK(bits), 1};
}

range lw__wrapped_none(unsigned bits)
{
    return (range){1, MASK(bits), 1};
}

range lw__wrapped_one(unsigned bits, uint64_t number)
{
    return (range){number & MASK(bits), 0, 0};
}

range lw__wrapped_of(unsigned bits, uint64_t low, uint64_t width, uint64_t stride)
{
    if (stride > 1)
        width -= width % stride;
    if (!width)
        return lw__wrapped_one(bits, low);
    return width >= MASK(bits) ? lw__wrapped_all(bits) : (range){low & MASK(bits), width, stride};
}
#define OF lw__wrapped_of

bool lw__wrapped_is_empty(unsigned bits, range r)
{
    return r.low == 1 && r.width == MASK(bits);
}

bool lw__wrapped_holds(unsigned bits, range r, range other)
{
    if (lw__wrapped_is_empty(bits, other))
        return true;
    if (lw__wrapped_is_empty(bits, r))
        return false;
    const uint64_t behind = (other.low - r.low) & MASK(bits);
    if (r.stride > 1 && (behind % r.stride || other.stride % r.stride))
        return false;
    return r.width == MASK(bits) || (behind <= r.width && other.width <= r.width - behind);
}

/* ---- spans ----------------------------------------------------------------------------------- */

static bool is_in_signed(unsigned bits, range r)
{
    const uint64_t half = UINT64_C(1) << (bits - 1), mask = MASK(bits);
    return r.width <= mask - ((r.low + half) & mask);
}

static bool is_in_unsigned(unsigned bits, range r)
{
    return r.width <= MASK(bits) - r.low;
}

with_sign lw__wrapped_signed(unsigned bits, range r)
{
    const int64_t low = extend(bits, r.low), most = (int64_t)(MASK(bits) >> 1);
    return is_in_signed(bits, r) ? (with_sign){low, (int64_t)((uint64_t)low + r.width)}
                                 : (with_sign){-most - 1, most};
}

without_sign lw__wrapped_unsigned(unsigned bits, range r)
{
    return is_in_unsigned(bits, r) ? (without_sign){r.low, r.low + r.width}
                                   : (without_sign){0, MASK(bits)};
}

static range of_signed(unsigned bits, int64_t low, int64_t high, uint64_t stride)
{
    return low > high ? lw__wrapped_none(bits)
                      : OF(bits, (uint64_t)low, (uint64_t)high - (uint64_t)low, stride);
}

static range of_unsigned(unsigned bits, uint64_t low, uint64_t high, uint64_t stride)
{
    return low > high ? lw__wrapped_none(bits) : OF(bits, low, high - low, stride);
}

/* ---- sums and products ----------------------------------------------------------------------- */

static range add(unsigned bits, range a, range b)
{
    uint64_t width;
    if (__builtin_add_overflow(a.width, b.width, &width))
        return lw__wrapped_all(bits);
    return OF(bits, a.low + b.low, width, gcd(a.stride, b.stride));
}

static range subtract(unsigned bits, range a, range b)
{
    return add(bits, a, (range){-(b.low + b.width), b.width, b.stride});
}

/* The range as integers; false: they are none of 64 bits. */
static bool as_integers(unsigned bits, range r, with_sign *span)
{
    span->low = extend(bits, r.low);
    return r.width <= INT64_MAX &&
           !__builtin_add_overflow(span->low, (int64_t)r.width, &span->high);
}

static range multiply_spans(unsigned bits, with_sign x, with_sign y, uint64_t stride)
{
    const int64_t as[] = {x.low, x.low, x.high, x.high}, bs[] = {y.low, y.high, y.low, y.high};
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int i = 0; i < 4; i++) {
        int64_t product;
        if (__builtin_mul_overflow(as[i], bs[i], &product))
            return lw__wrapped_all(bits);
        low = product < low ? product : low;
        high = product > high ? product : high;
    }
    return of_signed(bits, low, high, stride);
}

/* Of (x + i s)(y + j t) each term is a multiple of the stride, but the first. */
static uint64_t product_stride(with_sign x, uint64_t s, with_sign y, uint64_t t)
{
    const uint64_t by_x = x.low < 0 ? -(uint64_t)x.low : (uint64_t)x.low,
                   by_y = y.low < 0 ? -(uint64_t)y.low : (uint64_t)y.low;
    uint64_t a, b, c;
    if (__builtin_mul_overflow(s, by_y, &a) || __builtin_mul_overflow(t, by_x, &b) ||
        __builtin_mul_overflow(s, t, &c))
        return 1;
    return gcd(gcd(a, b), c);
}

static range multiply(unsigned bits, range a, range b)
{
    with_sign x, y;
    if (!as_integers(bits, a, &x) || !as_integers(bits, b, &y))
        return lw__wrapped_all(bits);
    return multiply_spans(bits, x, y, product_stride(x, a.stride, y, b.stride));
}

/* ---- division -------------------------------------------------------------------------------- */

/* The stride of the quotient by a number, if each step is one of it. */
static uint64_t quotient_stride(uint64_t stride, uint64_t low, uint64_t high)
{
    return low == high && stride % low == 0 ? stride / low : 1;
}

static range divide_unsigned(unsigned bits, range a, range b)
{
    const without_sign x = lw__wrapped_unsigned(bits, a), y = lw__wrapped_unsigned(bits, b);
    if (!y.low)
        return lw__wrapped_all(bits);
    const uint64_t stride = is_in_unsigned(bits, a) ? quotient_stride(a.stride, y.low, y.high) : 1;
    return of_unsigned(bits, x.low / y.high, x.high / y.low, stride);
}

static range divide_signed(unsigned bits, range a, range b)
{
    const with_sign x = lw__wrapped_signed(bits, a), y = lw__wrapped_signed(bits, b);
    if (y.low < 1)
        return lw__wrapped_all(bits);
    const uint64_t stride = is_in_signed(bits, a) && x.low >= 0
                                ? quotient_stride(a.stride, (uint64_t)y.low, (uint64_t)y.high)
                                : 1;
    return of_signed(bits, x.low / (x.low < 0 ? y.low : y.high),
                     x.high / (x.high < 0 ? y.high : y.low), stride);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static range remainder_unsigned(unsigned bits, range a, range b)
{
    const without_sign x = lw__wrapped_unsigned(bits, a), y = lw__wrapped_unsigned(bits, b);
    const uint64_t stride = is_in_unsigned(bits, a) ? a.stride : 1;
    if (!y.low)
        return lw__wrapped_all(bits);
    if (x.high < y.low)
        return of_unsigned(bits, x.low, x.high, stride);
    if (y.low == y.high && x.low / y.low == x.high / y.low)
        return of_unsigned(bits, x.low % y.low, x.high % y.low, stride);
    if (y.low != y.high)
        return of_unsigned(bits, 0, least(x.high, y.high - 1), 1);
    /* modulo the stride and the divisor all are the same */
    const uint64_t step = gcd(stride, y.low), first = x.low % step;
    return of_unsigned(bits, first, least(x.high, y.low - step + first), step);
}

static range remainder_signed(unsigned bits, range a, range b)
{
    const with_sign x = lw__wrapped_signed(bits, a), y = lw__wrapped_signed(bits, b);
    if (y.low < 1)
        return lw__wrapped_all(bits);
    if (x.low >= 0)
        return remainder_unsigned(bits, a, b);
    const int64_t most = y.high - 1;
    return of_signed(bits, x.low < -most ? -most : x.low,
                     x.high < 0      ? 0
                     : x.high < most ? x.high
                                     : most,
                     1);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* By a distance that is no number of bits the result is any. */
static range shift(enum lw_term_kind kind, unsigned bits, range a, range b)
{
    const without_sign by = lw__wrapped_unsigned(bits, b), u = lw__wrapped_unsigned(bits, a);
    const with_sign s = lw__wrapped_signed(bits, a);
    if (by.high >= bits || (kind == LW_TERM_SHL && by.high > 62))
        return lw__wrapped_all(bits);
    if (by.low == by.high && kind != LW_TERM_SHL) {
        const range power = {UINT64_C(1) << by.low, 0, 0};
        if (kind == LW_TERM_LSHR)
            return divide_unsigned(bits, a, power);
        if (s.low >= 0 && by.low < bits - 1)
            return divide_signed(bits, a, power);
    }
    if (kind == LW_TERM_LSHR)
        return of_unsigned(bits, u.low >> by.high, u.high >> by.low, 1);
    if (kind == LW_TERM_ASHR)
        return of_signed(bits, s.low >> (s.low < 0 ? by.low : by.high),
                         s.high >> (s.high < 0 ? by.high : by.low), 1);
    const with_sign power = {INT64_C(1) << by.low, INT64_C(1) << by.high};
    with_sign x;
    if (!as_integers(bits, a, &x))
        return lw__wrapped_all(bits);
    return multiply_spans(bits, x, power, by.low == by.high ? a.stride << by.low : 1);
}

/* The least number of ones that covers the number. */
static uint64_t ones(uint64_t n)
{
    return n ? UINT64_MAX >> __builtin_clzll(n) : 0;
}

/* Without the low bits that the mask lacks. */
static range clear_low(unsigned bits, range a, uint64_t mask)
{
    const uint64_t step = -mask & MASK(bits);
    const uint64_t stride = a.stride % step ? step : a.stride;
    if (is_in_unsigned(bits, a)) {
        const without_sign x = lw__wrapped_unsigned(bits, a);
        return of_unsigned(bits, x.low & mask, x.high & mask, stride);
    }
    const with_sign x = lw__wrapped_signed(bits, a);
    const int64_t wide = extend(bits, mask);
    return of_signed(bits, x.low & wide, x.high & wide, is_in_signed(bits, a) ? stride : step);
}

static range and (unsigned bits, range a, range b)
{
    const without_sign x = lw__wrapped_unsigned(bits, a), y = lw__wrapped_unsigned(bits, b);
    const uint64_t n = y.low, inverse = ~n & MASK(bits);
    if (y.low == y.high && n == MASK(bits))
        return a;
    if (y.low == y.high && !(n & (n + 1)))
        return remainder_unsigned(bits, a, (range){n + 1, 0, 0});
    if (y.low == y.high && !(inverse & (inverse + 1)))
        return clear_low(bits, a, n);
    return of_unsigned(bits, 0, least(x.high, y.high), 1);
}

/* or, exclusive or: at most the sum, and no bit above those of the operands. */
static range join(enum lw_term_kind kind, unsigned bits, range a, range b)
{
    const without_sign x = lw__wrapped_unsigned(bits, a), y = lw__wrapped_unsigned(bits, b);
    uint64_t sum, most = ones(x.high | y.high);
    if (kind == LW_TERM_XOR && y.low == y.high && y.low == MASK(bits))
        return subtract(bits, b, a);
    if (!__builtin_add_overflow(x.high, y.high, &sum))
        most = least(most, sum);
    return of_unsigned(bits, kind == LW_TERM_XOR ? 0 : x.low > y.low ? x.low : y.low, most, 1);
}

range lw__wrapped_compute(enum lw_term_kind kind, unsigned bits, range a, range b)
{
    if (lw__wrapped_is_empty(bits, a) || lw__wrapped_is_empty(bits, b))
        return lw__wrapped_none(bits);
    switch (kind) {
    case LW_TERM_ADD: return add(bits, a, b);
    case LW_TERM_SUBTRACT: return subtract(bits, a, b);
    case LW_TERM_MULTIPLY: return multiply(bits, a, b);
    case LW_TERM_UDIV: return divide_unsigned(bits, a, b);
    case LW_TERM_UREM: return remainder_unsigned(bits, a, b);
    case LW_TERM_SDIV: return divide_signed(bits, a, b);
    case LW_TERM_SREM: return remainder_signed(bits, a, b);
    case LW_TERM_SHL:
    case LW_TERM_LSHR:
    case LW_TERM_ASHR: return shift(kind, bits, a, b);
    case LW_TERM_AND: return and(bits, a, b);
    case LW_TERM_OR:
    case LW_TERM_XOR: return join(kind, bits, a, b);
    default: return lw__wrapped_all(bits);
    }
}

range lw__wrapped_resize(enum lw_term_kind kind, range a, unsigned from, unsigned to)
{
    if (lw__wrapped_is_empty(from, a))
        return lw__wrapped_none(to);
    if (kind == LW_TERM_TRUNC)
        return OF(to, a.low, a.width, a.stride);
    if (kind == LW_TERM_SEXT) {
        const with_sign s = lw__wrapped_signed(from, a);
        return of_signed(to, s.low, s.high, is_in_signed(from, a) ? a.stride : 1);
    }
    const without_sign u = lw__wrapped_unsigned(from, a);
    return of_unsigned(to, u.low, u.high, is_in_unsigned(from, a) ? a.stride : 1);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static range narrower(range a, range b)
{
    return b.width < a.width ? b : a;
}

/* From the first of a to the last of b. */
static range up_to(unsigned bits, range a, range b)
{
    const uint64_t mask = MASK(bits), behind = (b.low - a.low) & mask;
    uint64_t width;
    if (__builtin_add_overflow(behind, b.width, &width) || width > mask || width < a.width)
        return lw__wrapped_all(bits);
    return OF(bits, a.low, width, gcd(gcd(a.stride, b.stride), behind));
}

range lw__wrapped_either(unsigned bits, range a, range b)
{
    if (lw__wrapped_is_empty(bits, a) || lw__wrapped_holds(bits, b, a))
        return b;
    if (lw__wrapped_is_empty(bits, b) || lw__wrapped_holds(bits, a, b))
        return a;
    const uint64_t in_a = (b.low - a.low) & MASK(bits), in_b = (a.low - b.low) & MASK(bits);
    if (in_a <= a.width && b.width <= a.width - in_a) /* all but for its stride */
        return OF(bits, a.low, a.width, gcd(gcd(a.stride, b.stride), in_a));
    if (in_b <= b.width && a.width <= b.width - in_b)
        return OF(bits, b.low, b.width, gcd(gcd(a.stride, b.stride), in_b));
    return narrower(up_to(bits, a, b), up_to(bits, b, a));
}

/* Numbers of a that are within the others. They keep its stride, if the span is a itself. */
static range cut_signed(unsigned bits, range a, int64_t low, int64_t high)
{
    const with_sign x = lw__wrapped_signed(bits, a);
    const uint64_t stride = is_in_signed(bits, a) ? a.stride : 1;
    low = low > x.low ? low : x.low;
    high = high < x.high ? high : x.high;
    if (low > high)
        return lw__wrapped_none(bits);
    const uint64_t over = stride > 1 ? ((uint64_t)low - (uint64_t)x.low) % stride : 0;
    if (over && (uint64_t)high - (uint64_t)low < stride - over)
        return lw__wrapped_none(bits);
    return of_signed(bits, over ? low + (int64_t)(stride - over) : low, high, stride);
}

static range cut_unsigned(unsigned bits, range a, uint64_t low, uint64_t high)
{
    const without_sign x = lw__wrapped_unsigned(bits, a);
    const uint64_t stride = is_in_unsigned(bits, a) ? a.stride : 1;
    low = low > x.low ? low : x.low;
    high = high < x.high ? high : x.high;
    if (low > high)
        return lw__wrapped_none(bits);
    const uint64_t over = stride > 1 ? (low - x.low) % stride : 0;
    if (over && high - low < stride - over)
        return lw__wrapped_none(bits);
    return of_unsigned(bits, over ? low + (stride - over) : low, high, stride);
}

/* Of two ranges that have all results the smaller one; an empty one is the smallest. */
static range better(unsigned bits, range a, range b)
{
    if (lw__wrapped_is_empty(bits, a) || lw__wrapped_is_empty(bits, b))
        return lw__wrapped_none(bits);
    return narrower(a, b);
}

static range limit_signed(unsigned bits, range a, enum lw_term_order order, with_sign b)
{
    const with_sign all = lw__wrapped_signed(bits, lw__wrapped_all(bits));
    switch (order) {
    case LW_ORDER_SGT:
        return b.low == all.high ? lw__wrapped_none(bits)
                                 : cut_signed(bits, a, b.low + 1, all.high);
    case LW_ORDER_SGE: return cut_signed(bits, a, b.low, all.high);
    case LW_ORDER_SLT:
        return b.high == all.low ? lw__wrapped_none(bits)
                                 : cut_signed(bits, a, all.low, b.high - 1);
    case LW_ORDER_SLE: return cut_signed(bits, a, all.low, b.high);
    default: return cut_signed(bits, a, b.low, b.high);
    }
}

static range limit_unsigned(unsigned bits, range a, enum lw_term_order order, without_sign b)
{
    const uint64_t mask = MASK(bits);
    switch (order) {
    case LW_ORDER_UGT:
        return b.low == mask ? lw__wrapped_none(bits) : cut_unsigned(bits, a, b.low + 1, mask);
    case LW_ORDER_UGE: return cut_unsigned(bits, a, b.low, mask);
    case LW_ORDER_ULT:
        return !b.high ? lw__wrapped_none(bits) : cut_unsigned(bits, a, 0, b.high - 1);
    case LW_ORDER_ULE: return cut_unsigned(bits, a, 0, b.high);
    default: return cut_unsigned(bits, a, b.low, b.high);
    }
}

/* Without the number, if that is the first or the last. */
static range without(unsigned bits, range a, uint64_t number)
{
    const uint64_t step = a.stride ? a.stride : 1, mask = MASK(bits);
    const bool is_first = a.low == number, is_last = ((a.low + a.width) & mask) == number;
    if ((!is_first && !is_last) || a.width == mask)
        return a;
    if (!a.width)
        return lw__wrapped_none(bits);
    return OF(bits, is_first ? a.low + step : a.low, a.width - step, step);
}

range lw__wrapped_limit(unsigned bits, range a, enum lw_term_order order, range b)
{
    if (lw__wrapped_is_empty(bits, a) || lw__wrapped_is_empty(bits, b))
        return lw__wrapped_none(bits);
    if (order == LW_ORDER_NE)
        return b.width ? a : without(bits, a, b.low);
    range found = a;
    if (order == LW_ORDER_EQ || order >= LW_ORDER_SGT)
        found = better(bits, found, limit_signed(bits, a, order, lw__wrapped_signed(bits, b)));
    if (order < LW_ORDER_SGT)
        found = better(bits, found, limit_unsigned(bits, a, order, lw__wrapped_unsigned(bits, b)));
    return found;
}

range lw__wrapped_distance(unsigned bits, range a, range b, bool is_signed)
{
    const range all = subtract(bits, a, b);
    if (lw__wrapped_is_empty(bits, a) || lw__wrapped_is_empty(bits, b))
        return lw__wrapped_none(bits);
    uint64_t least_of, most;
    if (is_signed) {
        const with_sign x = lw__wrapped_signed(bits, a), y = lw__wrapped_signed(bits, b);
        if (x.high < y.low)
            return lw__wrapped_none(bits);
        most = (uint64_t)x.high - (uint64_t)y.low;
        least_of = x.low > y.high ? (uint64_t)x.low - (uint64_t)y.high : 0;
    } else {
        const without_sign x = lw__wrapped_unsigned(bits, a), y = lw__wrapped_unsigned(bits, b);
        if (x.high < y.low)
            return lw__wrapped_none(bits);
        most = x.high - y.low;
        least_of = x.low > y.high ? x.low - y.high : 0;
    }
    return better(bits, all, cut_unsigned(bits, all, least_of, most));
}
