/* scalar.c - one number of the caller as the bits of a kernel's scalar.
 *
 * An integer must arrive as itself: every type that holds the value exactly takes it. A real goes
 * to floating types, rounded once, to nearest even; only a finite number that would become infinite
 * is refused.
 */
#include "run/launch/launch.h"
#include "text/half.h"
#include "text/number.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static bool pack_real(double value, lw_dtype dtype, void *to)
{
    assert(lw__dtype_is_float(dtype));
    lw__real_put(dtype, value, LW_NEAREST, to);
    return !isfinite(value) || isfinite(lw__real_get(dtype, to));
}

/* Integers of the caller as sign and magnitude, so that int64_t and uint64_t are one range. */
struct integer {
    bool negative;
    uint64_t magnitude;
};

static struct integer integer_of(const lw_arg *arg)
{
    if (arg->kind == LW_ARG_INT && arg->as.i < 0)
        return (struct integer){true, 0 - (uint64_t)arg->as.i};
    return (struct integer){false, arg->kind == LW_ARG_INT ? (uint64_t)arg->as.i : arg->as.u};
}

/* Of floats those integers that come back. */
static bool pack_integer(struct integer v, lw_dtype dtype, void *to)
{
    const double sign = v.negative ? -1 : 1, value = (double)v.magnitude;

    if (!lw__dtype_is_float(dtype))
        return lw__integer_put(dtype, v.negative, v.magnitude, to);
    return value < 0x1p64 && (uint64_t)value == v.magnitude && pack_real(sign * value, dtype, to) &&
           lw__real_get(dtype, to) == sign * value;
}

static lw_status cannot_hold(const char *what, struct integer v, lw_dtype dtype)
{
    const char *sign = v.negative ? "-" : "";
    unsigned long long magnitude = v.magnitude;

    if (lw__dtype_is_float(dtype))
        return lw__fail(LW_E_ARG,
                        "%s cannot hold the integer %s%llu exactly; pass a real to have "
                        "it rounded",
                        what, sign, magnitude);
    return lw__fail(LW_E_ARG, "%s cannot hold %s%llu; need %s%llu to %llu", what, sign, magnitude,
                    lw__integer_limit(dtype, true) ? "-" : "",
                    (unsigned long long)lw__integer_limit(dtype, true),
                    (unsigned long long)lw__integer_limit(dtype, false));
}

lw_status lw__scalar_pack(const char *what, const lw_arg *arg, lw_dtype dtype, void *to)
{
    assert(arg->kind <= LW_ARG_REAL); /* others were refused or are no numbers */
    if (arg->kind != LW_ARG_REAL) {
        struct integer v = integer_of(arg);

        return pack_integer(v, dtype, to) ? LW_OK : cannot_hold(what, v, dtype);
    }
    if (!lw__dtype_is_float(dtype))
        return lw__fail(LW_E_DTYPE, "%s takes an integer, not the real %g", what, arg->as.f);
    if (!pack_real(arg->as.f, dtype, to))
        return lw__fail(LW_E_ARG, "%s cannot hold %g; it is beyond the range of %s", what,
                        arg->as.f, lw_dtype_name(dtype));
    return LW_OK;
}
