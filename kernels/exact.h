/* exact.h - pieces of exact.c: sums with their errors, the decision, integers of many limbs. */
#ifndef LW_KERNELS_EXACT_H
#define LW_KERNELS_EXACT_H
#include "stream.h"

/* What is added up: y NULL: the elements of x. */
struct terms {
    const void *x, *y;
};

/* How far a first sum may be from the exact one: size * of_size + least. ORDER EXACT:
 * src/ops/exact.c */
struct bound {
    double of_size, least;
};

/* What becomes of the exact sum: it is rounded once to `type`; then, where `divisor` is not 0, it
 * is divided by that in float or double, as `type` is; and converted to the output's type. ORDER
 * EXACT: src/ops/exact.c */
struct result {
    int type; /* f16, bf16, f32 or f64 */
    int out;
    double divisor;
};

/* ---- sums and their errors ---- */

struct pair {
    double high, low;
};

/* a + b = high + low, exactly. Knuth. */
DEVICE static struct pair two_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return (struct pair){s, (a - (s - t)) + (b - t)};
}

/* The sum is sum + error, but for the errors of `error`; size is that of the absolute terms. */
struct first {
    double sum, error, size;
};

/* The i-th of `items` in memory that begins at double `at`: all sums, all errors, all sizes. */
DEVICE static struct first first_load(const void *sums, size_t at, size_t items, size_t i)
{
    const double *v = (const double *)sums + at + i;
    return (struct first){v[0], v[items], v[2 * items]};
}
DEVICE static void first_store(void *sums, size_t at, size_t items, size_t i, struct first f)
{
    double *v = (double *)sums + at + i;
    v[0] = f.sum;
    v[items] = f.error;
    v[2 * items] = f.size;
}

DEVICE static struct first first_merge(struct first a, struct first b)
{
    const struct pair sum = two_sum(a.sum, b.sum);
    return (struct first){sum.high, a.error + (b.error + sum.low), a.size + b.size};
}

/* Of all threads of a warp. */
DEVICE static struct first first_warp(struct first f)
{
#pragma nounroll
    for (int step = WARP_SIZE / 2; step > 0; step /= 2)
        f = first_merge(f, (struct first){shuffle_down(f.sum, step), shuffle_down(f.error, step),
                                          shuffle_down(f.size, step)});
    return (struct first){warp_broadcast(f.sum, 0), warp_broadcast(f.error, 0),
                          warp_broadcast(f.size, 0)};
}

/* ---- the result ---- */

/* v rounded to the type, as a double. */
DEVICE static double rounded(double v, int type)
{
    switch (type) {
    case DT_F16: return (double)(_Float16)v;
    case DT_BF16: return (double)(__bf16)v;
    case DT_F32: return (double)(float)v;
    default: return v;
    }
}

/* `v` has been rounded to result.type; a zero is +0. */
DEVICE static void store_result(struct result result, void *out, size_t i, double v)
{
    v += 0.0;
    if (result.divisor != 0 && result.type == DT_F32)
        store_float(out, result.out, i, (float)v / (float)result.divisor);
    else
        store_double(out, result.out, i, result.divisor != 0 ? v / result.divisor : v);
}

/* high + low for a rounding to fewer bits: an inexact high ends in a bit that is set, so that it
 * is on the right side of the middle of two numbers of that type. */
DEVICE static double to_odd(double high, double low)
{
    uint64_t bits;

    memcpy(&bits, &high, sizeof bits);
    if (low != 0 && !(bits & 1))
        bits += (high > 0) == (low > 0) ? 1 : (uint64_t)-1;
    memcpy(&high, &bits, sizeof bits);
    return high;
}

DEVICE static double rounded_sum(double a, double b, int type)
{
    const struct pair sum = two_sum(a, b);
    return type == DT_F64 ? sum.high : rounded(to_odd(sum.high, sum.low), type);
}

/* True, and the result stored, if all numbers that the exact sum may be have one rounding. */
DEVICE static bool decide(struct first f, struct bound bound, struct result result, void *out,
                          size_t i)
{
    const double away = f.size * bound.of_size + bound.least;
    const double wide = away + (away + fabs(f.error)) * 0x1p-50;
    const double low = rounded_sum(f.sum, f.error - wide, result.type);
    const double high = rounded_sum(f.sum, f.error + wide, result.type);

    if (!(low == high) || !(fabs(f.sum) < INFINITY) || !(f.size < INFINITY))
        return false;
    store_result(result, out, i, low);
    return true;
}

/* ---- integers ---- */

/* Cell k < LIMBS counts units of 2^(32 k) times the lowest bit, and may be anything within 63
 * bits; three more count terms that are no numbers. */
enum {
    COUNT_NAN,
    COUNT_PLUS,
    COUNT_MINUS,
    COUNTS,
    THREADS = 8,
    LOWEST = -2208, /* exponent of the lowest bit: a product ends at 2^-2148, and the lowest of 53
                       bits is at most 52 lower */
    LIMBS = 137,    /* up to 2^2048, and 2^63 of these */
    CELLS = LIMBS + COUNTS,
    PIECES = 4 /* of 36 bits */
};

/* v = m 2^e with 1 <= |m| < 2, or v and 0 where v is 0. */
DEVICE static double significand(double v, int *exponent)
{
    uint64_t bits;
    int lifted = 0;

    if (fabs(v) < 0x1p-1022) { /* subnormal */
        v *= 0x1p54;
        lifted = 54;
    }
    memcpy(&bits, &v, sizeof bits);
    *exponent = (int)(bits >> 52 & 0x7ff) - 1023 - lifted;
    if (v == 0) {
        *exponent = 0;
        return v;
    }
    bits = (bits & 0x800fffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&v, &bits, sizeof bits);
    return v;
}

/* 2^e, -1022 <= e <= 1023 */
DEVICE static double power_of_2(int e)
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Precision and the exponent of the lowest bit that numbers of a type have. */
DEVICE static int precision_of(int type)
{
    return type == DT_F16 ? 11 : type == DT_BF16 ? 8 : type == DT_F32 ? 24 : 53;
}
DEVICE static int lowest_of(int type)
{
    return type == DT_F16 ? -24 : type == DT_BF16 ? -133 : type == DT_F32 ? -149 : -1074;
}

/* top 2^(exponent - 63) rounded to the type, to nearest, ties to even. The highest bit of top is
 * set; its lowest one stands for all that are lower. */
DEVICE static double round_bits(uint64_t top, int exponent, int type)
{
    const int normal = precision_of(type), room = exponent - lowest_of(type) + 1;
    const int bits = room < normal ? room : normal;
    uint64_t kept, rest;

    if (exponent > 1023)
        return INFINITY;
    if (bits < 0)
        return 0;
    kept = bits > 0 ? top >> (64 - bits) : 0;
    rest = top << bits;
    kept += rest > 0x8000000000000000u || (rest == 0x8000000000000000u && (kept & 1));
    const int e = exponent - bits + 1, half = e / 2;
    return rounded((double)kept * power_of_2(half) * power_of_2(e - half), type);
}
#endif
