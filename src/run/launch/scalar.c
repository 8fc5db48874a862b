/* scalar.c - one number of the caller as the bits of a kernel's scalar.
 *
 * An integer must arrive as itself: every type that holds the value exactly takes it. A real goes
 * to floating types, rounded once, to nearest even; only a finite number that would become infinite
 * is refused. 16-bit floats are made here in integers, so that no host setting or library touches
 * them.
 */
#include "run/launch/launch.h"
#include <math.h>
#include <string.h>

/* Floating formats: stored significand bits, largest exponent (which is also the bias). */
static const struct format {
    int mantissa, max_exponent;
} f16 = {10, 15}, bf16 = {7, 127}, f32 = {23, 127}, f64 = {52, 1023};

static const struct format *format_of(lw_dtype dtype)
{
    switch (dtype) {
    case LW_F16: return &f16;
    case LW_BF16: return &bf16;
    case LW_F32: return &f32;
    default: return &f64;
    }
}

/* Shift right by 1 to 63, to nearest, ties to even. */
static uint64_t shift_rounding(uint64_t v, int shift)
{
    uint64_t quotient = v >> shift, rest = v & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);

    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* A double in a narrower format, as its bits. The carry of a rounding walks into the exponent by
 * itself, up to infinity.
 * source  IEEE 754-2019, 4.3.1 and 3.4 */
static uint64_t narrow(double value, const struct format *to)
{
    uint64_t bits, significand, sign,
        infinity = (uint64_t)(2 * to->max_exponent + 1) << to->mantissa;
    int exponent, shift = f64.mantissa - to->mantissa;

    memcpy(&bits, &value, sizeof bits);
    sign = (bits >> 63) * (infinity + (UINT64_C(1) << to->mantissa));
    if (isnan(value))
        return infinity | UINT64_C(1) << (to->mantissa - 1);
    if (isinf(value))
        return sign | infinity;
    exponent = (int)(bits >> f64.mantissa & 0x7ff) - f64.max_exponent;
    if (exponent > to->max_exponent)
        return sign | infinity;
    significand = (bits & ((UINT64_C(1) << f64.mantissa) - 1)) | UINT64_C(1) << f64.mantissa;
    if (exponent < 1 - to->max_exponent) { /* subnormal in the narrow format, or zero */
        shift += 1 - to->max_exponent - exponent;
        return sign | (shift < 64 ? shift_rounding(significand, shift) : 0);
    }
    return sign | (shift_rounding(significand, shift) +
                   ((uint64_t)(exponent + to->max_exponent - 1) << to->mantissa));
}

static bool pack_real(double value, lw_dtype dtype, void *to)
{
    const struct format *format = format_of(dtype);
    uint64_t bits, infinity = (uint64_t)(2 * format->max_exponent + 1) << format->mantissa;

    if (dtype == LW_F64) {
        memcpy(to, &value, sizeof value);
        return true;
    }
    bits = narrow(value, format);
    memcpy(to, &bits, lw_dtype_size(dtype)); /* little-endian: the low bytes come first */
    return !isfinite(value) || (bits & infinity) != infinity;
}

/* Does the format hold the integer? Its ones must fit into the significand, its top into the
 * range. */
static bool holds(const struct format *format, uint64_t magnitude)
{
    int top = 64 - (magnitude ? __builtin_clzll(magnitude) : 63);
    int low = magnitude ? __builtin_ctzll(magnitude) : 0;

    return top - low <= format->mantissa + 1 && top <= format->max_exponent + 1;
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

/* The largest magnitude that an integer type takes on either side of zero. */
static uint64_t largest(lw_dtype dtype, bool negative)
{
    int bits = 8 * (int)lw_dtype_size(dtype);

    switch (lw__dtype_kind(dtype)) {
    case 'b': return !negative;
    case 'u': return negative ? 0 : UINT64_MAX >> (64 - bits);
    default: return (UINT64_C(1) << (bits - 1)) - !negative;
    }
}

static bool pack_integer(struct integer v, lw_dtype dtype, void *to)
{
    uint64_t bits = v.negative ? 0 - v.magnitude : v.magnitude;

    if (lw__dtype_kind(dtype) == 'f')
        return holds(format_of(dtype), v.magnitude) &&
               pack_real(v.negative ? -(double)v.magnitude : (double)v.magnitude, dtype, to);
    if (v.magnitude > largest(dtype, v.negative))
        return false;
    memcpy(to, &bits, lw_dtype_size(dtype));
    return true;
}

static lw_status cannot_hold(const char *what, struct integer v, lw_dtype dtype)
{
    const char *sign = v.negative ? "-" : "";
    unsigned long long magnitude = v.magnitude;

    if (lw__dtype_kind(dtype) == 'f')
        return lw__fail(LW_E_ARG,
                        "%s cannot hold the integer %s%llu exactly; pass a real to have "
                        "it rounded",
                        what, sign, magnitude);
    return lw__fail(LW_E_ARG, "%s cannot hold %s%llu; need %s%llu to %llu", what, sign, magnitude,
                    largest(dtype, true) ? "-" : "", (unsigned long long)largest(dtype, true),
                    (unsigned long long)largest(dtype, false));
}

lw_status lw__scalar_pack(const char *what, const lw_arg *arg, lw_dtype dtype, void *to)
{
    if (arg->kind != LW_ARG_REAL) {
        struct integer v = integer_of(arg);

        return pack_integer(v, dtype, to) ? LW_OK : cannot_hold(what, v, dtype);
    }
    if (lw__dtype_kind(dtype) != 'f')
        return lw__fail(LW_E_DTYPE, "%s takes an integer, not the real %g", what, arg->as.f);
    if (!pack_real(arg->as.f, dtype, to))
        return lw__fail(LW_E_ARG, "%s cannot hold %g; it is beyond the range of %s", what,
                        arg->as.f, lw_dtype_name(dtype));
    return LW_OK;
}
