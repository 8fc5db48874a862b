/* wrapped.c - arithmetic of sets of integers that wrap.
 *
 * Sums, differences and products are those of the integers, modulo 2^bits: whatever wraps is right
 * without a case of its own. Where an operation looks at the number itself, the range must lie in
 * one period of the signed or unsigned numbers; if it does not, it becomes all of them.
 *
 * source   Navas, Schachte, Sondergaard & Stuckey, "Signedness-Agnostic Program Analysis", APLAS
 *          2012: wrapped intervals
 */
#include "run/proof/wrapped.h"

static lw__wide power(unsigned bits)
{
    return (lw__wide)1 << bits;
}

static lw__wide least(lw__wide a, lw__wide b)
{
    return a < b ? a : b;
}

static lw__wide most(lw__wide a, lw__wide b)
{
    return a > b ? a : b;
}

/* The remainder, never negative. */
static lw__wide modulo(lw__wide n, lw__wide by)
{
    const lw__wide rest = n % by;
    return rest < 0 ? rest + by : rest;
}

lw__wide lw__wrapped_modulo(lw__wide n, unsigned bits)
{
    return modulo(n, power(bits));
}

static struct lw__wrapped empty(unsigned bits)
{
    return (struct lw__wrapped){1, 0, bits};
}

struct lw__wrapped lw__wrapped_of(unsigned bits, lw__wide low, lw__wide high)
{
    const lw__wide half = power(bits - 1);
    if (high < low)
        return empty(bits);
    if (high - low >= power(bits) - 1)
        return (struct lw__wrapped){-half, half - 1, bits};
    const lw__wide first = modulo(low + half, power(bits)) - half;
    return (struct lw__wrapped){first, first + (high - low), bits};
}

struct lw__wrapped lw__wrapped_all(unsigned bits)
{
    return lw__wrapped_of(bits, 0, power(bits));
}

bool lw__wrapped_is_empty(struct lw__wrapped r)
{
    return r.high < r.low;
}

static bool is_one(struct lw__wrapped r)
{
    return r.high == r.low;
}

bool lw__wrapped_holds(struct lw__wrapped r, struct lw__wrapped other)
{
    if (lw__wrapped_is_empty(other))
        return true;
    if (lw__wrapped_is_empty(r))
        return false;
    if (r.high - r.low == power(r.bits) - 1)
        return true;
    const lw__wide behind = modulo(other.low - r.low, power(r.bits));
    return behind + (other.high - other.low) <= r.high - r.low;
}

struct lw__span lw__wrapped_signed(struct lw__wrapped r)
{
    const lw__wide half = power(r.bits - 1);
    return r.high < half ? (struct lw__span){r.low, r.high} : (struct lw__span){-half, half - 1};
}

struct lw__span lw__wrapped_unsigned(struct lw__wrapped r)
{
    const lw__wide all = power(r.bits);
    if (r.low >= 0 && r.high < all)
        return (struct lw__span){r.low, r.high};
    if (r.high < 0)
        return (struct lw__span){r.low + all, r.high + all};
    return (struct lw__span){0, all - 1};
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static struct lw__wrapped multiply(struct lw__wrapped a, struct lw__wrapped b)
{
    const lw__wide x[] = {a.low, a.low, a.high, a.high}, y[] = {b.low, b.high, b.low, b.high};
    lw__wide low = 0, high = 0;
    for (int i = 0; i < 4; i++) {
        lw__wide product;
        if (__builtin_mul_overflow(x[i], y[i], &product))
            return lw__wrapped_all(a.bits);
        low = i ? least(low, product) : product;
        high = i ? most(high, product) : product;
    }
    lw__wide width;
    if (__builtin_sub_overflow(high, low, &width))
        return lw__wrapped_all(a.bits);
    return lw__wrapped_of(a.bits, low, high);
}

static struct lw__wrapped divide(unsigned bits, struct lw__span a, struct lw__span b)
{
    return b.low < 1 ? lw__wrapped_all(bits) : lw__wrapped_of(bits, a.low / b.high, a.high / b.low);
}

static struct lw__wrapped remainder_of(unsigned bits, struct lw__span a, struct lw__span b)
{
    if (b.low < 1)
        return lw__wrapped_all(bits);
    if (b.low == b.high && a.low / b.low == a.high / b.low)
        return lw__wrapped_of(bits, a.low % b.low, a.high % b.low);
    return a.high < b.low ? lw__wrapped_of(bits, a.low, a.high)
                          : lw__wrapped_of(bits, 0, least(a.high, b.high - 1));
}

static struct lw__wrapped shift(struct lw__wrapped a, struct lw__wrapped b)
{
    const struct lw__span x = lw__wrapped_signed(a), distance = lw__wrapped_unsigned(b);
    if (!is_one(b) || distance.low >= a.bits)
        return lw__wrapped_all(a.bits);
    const lw__wide by = power((unsigned)distance.low);
    return lw__wrapped_of(a.bits, (x.low - modulo(x.low, by)) / by,
                          (x.high - modulo(x.high, by)) / by);
}

struct lw__wrapped lw__wrapped_compute(enum lw_term_kind kind, struct lw__wrapped a,
                                       struct lw__wrapped b)
{
    const struct lw__span x = lw__wrapped_signed(a), y = lw__wrapped_signed(b);
    if (lw__wrapped_is_empty(a) || lw__wrapped_is_empty(b))
        return empty(a.bits);
    switch (kind) {
    case LW_TERM_ADD: return lw__wrapped_of(a.bits, a.low + b.low, a.high + b.high);
    case LW_TERM_SUBTRACT: return lw__wrapped_of(a.bits, a.low - b.high, a.high - b.low);
    case LW_TERM_MULTIPLY: return multiply(a, b);
    case LW_TERM_UDIV: return divide(a.bits, lw__wrapped_unsigned(a), lw__wrapped_unsigned(b));
    case LW_TERM_UREM:
        return remainder_of(a.bits, lw__wrapped_unsigned(a), lw__wrapped_unsigned(b));
    case LW_TERM_SDIV: return x.low < 0 ? lw__wrapped_all(a.bits) : divide(a.bits, x, y);
    case LW_TERM_SREM: return x.low < 0 ? lw__wrapped_all(a.bits) : remainder_of(a.bits, x, y);
    case LW_TERM_ASHR: return shift(a, b);
    default: return lw__wrapped_all(a.bits);
    }
}

struct lw__wrapped lw__wrapped_resize(enum lw_term_kind kind, struct lw__wrapped a, unsigned bits)
{
    if (lw__wrapped_is_empty(a))
        return empty(bits);
    struct lw__span span = {a.low, a.high};
    if (kind != LW_TERM_TRUNC)
        span = kind == LW_TERM_SEXT ? lw__wrapped_signed(a) : lw__wrapped_unsigned(a);
    return lw__wrapped_of(bits, span.low, span.high);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static struct lw__wrapped narrower(struct lw__wrapped a, struct lw__wrapped b)
{
    return b.high - b.low < a.high - a.low ? b : a;
}

static struct lw__wrapped hull(unsigned bits, struct lw__span a, struct lw__span b)
{
    return lw__wrapped_of(bits, least(a.low, b.low), most(a.high, b.high));
}

struct lw__wrapped lw__wrapped_either(struct lw__wrapped a, struct lw__wrapped b)
{
    if (lw__wrapped_is_empty(a))
        return b;
    if (lw__wrapped_is_empty(b))
        return a;
    return narrower(hull(a.bits, lw__wrapped_signed(a), lw__wrapped_signed(b)),
                    hull(a.bits, lw__wrapped_unsigned(a), lw__wrapped_unsigned(b)));
}

struct lw__wrapped lw__wrapped_where(struct lw__wrapped a, struct lw__wrapped b)
{
    return lw__wrapped_is_empty(b) ? empty(a.bits) : a;
}

/* Numbers of a for which `order` holds with some of b: both as they are compared. */
static struct lw__wrapped limit_span(unsigned bits, struct lw__span a, enum lw_term_order order,
                                     struct lw__span b)
{
    switch (order) {
    case LW_ORDER_UGT:
    case LW_ORDER_SGT: a.low = most(a.low, b.low + 1); break;
    case LW_ORDER_UGE:
    case LW_ORDER_SGE: a.low = most(a.low, b.low); break;
    case LW_ORDER_ULT:
    case LW_ORDER_SLT: a.high = least(a.high, b.high - 1); break;
    case LW_ORDER_ULE:
    case LW_ORDER_SLE: a.high = least(a.high, b.high); break;
    default: a = (struct lw__span){most(a.low, b.low), least(a.high, b.high)}; break;
    }
    return lw__wrapped_of(bits, a.low, a.high);
}

/* Without the one number, if that is the first or the last. */
static struct lw__wrapped without(struct lw__wrapped a, struct lw__wrapped one)
{
    const lw__wide all = power(a.bits);
    if (!modulo(a.low - one.low, all))
        return lw__wrapped_of(a.bits, a.low + 1, a.high);
    if (!modulo(a.high - one.low, all))
        return lw__wrapped_of(a.bits, a.low, a.high - 1);
    return a;
}

struct lw__wrapped lw__wrapped_limit(struct lw__wrapped a, enum lw_term_order order,
                                     struct lw__wrapped b)
{
    if (lw__wrapped_is_empty(a) || lw__wrapped_is_empty(b))
        return empty(a.bits);
    if (order == LW_ORDER_NE)
        return is_one(b) ? without(a, b) : a;
    const struct lw__wrapped by_sign =
        limit_span(a.bits, lw__wrapped_signed(a), order, lw__wrapped_signed(b));
    const struct lw__wrapped without_sign =
        limit_span(a.bits, lw__wrapped_unsigned(a), order, lw__wrapped_unsigned(b));
    if (order == LW_ORDER_EQ)
        return narrower(narrower(a, by_sign), without_sign);
    return narrower(a, order >= LW_ORDER_SGT ? by_sign : without_sign);
}
