/* exact.c - the exact sum of a row, or of the products of two vectors, rounded once.
 *
 * First the sum is made quickly, together with a bound of its error. Where the bound decides how
 * the exact sum is rounded, that is the result; else the row is marked, and its terms are added
 * up as integers: a term is 53 bits at a place of a number of LIMBS limbs of 32 bits, kept in 64.
 *
 *     exact_parts_A   a first sum of each part: of one part, decides at once
 *     exact_merge     the parts of each row, and decides
 *     exact_bins      marked rows only: the parts as integers; of one part, the result
 *     exact_round     marked rows only: the parts' integers, and the result
 *
 * shapes   x: `s`, rows side by side; y NULL, or a vector for the only row; sums: 3 doubles a part
 *          (sum, its error as far as known, sum of absolute terms); marks: an int a row; bins:
 *          CELLS integers a part
 * reads    x and y as A
 * launch   parts: blocks 32 threads wide, a warp a number of items; merge: 32
 *          threads, a row a block; bins and round: 8 threads
 * numeric  A is float where terms are products of floats, which double holds; else double
 * source   Ogita, Rump, Oishi, Accurate sum and dot product, 2005 (the first sum); Kulisch,
 *          Computer arithmetic and validity (the second)
 */
#include "exact.h"

/* ---- the first sum ---- */

/* f32 terms of a leaf: products are exact in double, so are the elements. */
DEVICE static void leaf_f32(const float *x, const float *y, size_t count, double *sum, float *size)
{
    double lane = 0;
    float all = *size;

    if (y)
        for (size_t j = (size_t)lane_id(); j < count; j += WARP_SIZE) {
            __builtin_prefetch(&x[j + LEAF]);
            __builtin_prefetch(&y[j + LEAF]);
            const float a = x[j], b = y[j];
            lane = fma((double)a, (double)b, lane);
            all = fma(fabs(a), fabs(b), all);
        }
    else
        for (size_t j = (size_t)lane_id(); j < count; j += WARP_SIZE) {
            __builtin_prefetch(&x[j + LEAF]);
            lane += (double)x[j];
            all += fabs(x[j]);
        }
    *sum += lane;
    *size = all;
}

DEVICE static struct first first_float(struct terms t, struct item item, size_t y_at)
{
    double sum = 0;
    float size = 0;

    for (size_t j = 0; j < item.count; j += LEAF)
        leaf_f32((const float *)t.x + item.at + j, t.y ? (const float *)t.y + y_at + j : 0,
                 min_size(item.count - j, LEAF), &sum, &size);
    return (struct first){warp_sum(sum), 0, warp_sum((double)size)};
}

/* One term more: the product's and the sum's errors go into `error`. */
DEVICE static struct first add_term(struct first f, double a, double b)
{
    const double product = a * b, rest = fma(a, b, -product);
    const struct pair sum = two_sum(f.sum, product);

    return (struct first){sum.high, f.error + (sum.low + rest), f.size + fabs(product)};
}

DEVICE static struct first first_double(struct terms t, struct item item, size_t y_at)
{
    const double *x = (const double *)t.x + item.at, *y = (const double *)t.y;
    struct first f = {0, 0, 0};

    for (size_t j = (size_t)lane_id(); j < item.count; j += WARP_SIZE)
        f = add_term(f, x[j], y ? y[y_at + j] : 1);
    return first_warp(f);
}

#define FIRST_KERNEL(A)                                                                            \
    KERNEL void exact_parts_##A(struct cut cut, struct shape s, struct view from, const void *x,   \
                                const void *y, size_t y_at, bool is_dot, struct bound bound,       \
                                struct result result, struct view to, void *out, void *sums,       \
                                size_t sums_at, void *marks, size_t marks_at)                      \
    {                                                                                              \
        const size_t begin = first_item(cut), end = min_size(begin + cut.chunk, cut.items);        \
        const struct terms t = {x, is_dot ? y : (const void *)0};                                  \
                                                                                                   \
        for (size_t i = begin; i < end; i++) {                                                     \
            const struct item item = item_at(cut, s, from, i);                                     \
            const struct first f = first_##A(t, item, y_at + item.part * cut.part);                \
            if (lane_id() != 0)                                                                    \
                continue;                                                                          \
            if (cut.parts > 1)                                                                     \
                first_store(sums, sums_at, cut.items, i, f);                                       \
            else                                                                                   \
                ((int *)marks)[marks_at + i] =                                                     \
                    !decide(f, bound, result, out, (size_t)item_result(cut, s, to, i));            \
        }                                                                                          \
    }
FIRST_KERNEL(float)
FIRST_KERNEL(double)

/* s: the output's shape, its last axis the number of parts; a block a row */
KERNEL BLOCK(32) void exact_merge(struct shape s, size_t items, struct bound bound,
                                  struct result result, struct view to, void *out, const void *sums,
                                  size_t sums_at, void *marks, size_t marks_at)
{
    const size_t row = block_idx.x, parts = s.extent[3];
    struct first f = {0, 0, 0};

    for (size_t j = (size_t)lane_id(); j < parts; j += WARP_SIZE)
        f = first_merge(f, first_load(sums, sums_at, items, row * parts + j));
    f = first_warp(f);
    if (lane_id() == 0)
        ((int *)marks)[marks_at + row] =
            !decide(f, bound, result, out, (size_t)view_row(s, to, row));
}

#include "exact_bins.inc"
