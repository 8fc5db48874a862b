/* softmax.c - along rows, the last axis of a view:
 *     y = exp(x - max) / sum exp(x - max)        log: y = x - max - log(sum exp(x - max))
 *
 *     softmax_leaf_float rows of at most a leaf, kept in registers: one read, one write
 *     softmax_row_float  rows of at most ROW_LEAVES leaves, a warp a row: two reads
 *     softmax_parts_A    long rows: the maximum and sum of each leaf,
 *     softmax_merge_A    those of each row, by the aligned tree,
 *     softmax_write_A    and the result
 *
 * shapes   x, out: `s`, rows of s.extent[3] elements of stride 1; parts: 2 x rows x leaves of A
 * launch   blocks 32 threads wide, a warp a row, or for parts and write a warp a leaf; merge: a
 *          block a row
 * numeric  docs/order.md, softmax
 * source   Milakov & Gimelshein 2018, arXiv:1805.02867
 */
#include "element.h"
#include "row.h"

#define A float
#define PLAIN DT_F32
#define EACH EACH_TERM
#define LOAD load_real_float
#define STORE store_real_float
#define NAME(kernel) kernel##_float
#include "softmax.inc"
#define A double
#define PLAIN DT_F64
#define EACH _Pragma("nounroll")
#define LOAD load_real_double
#define STORE store_real_double
#define NAME(kernel) kernel##_double
#include "softmax.inc"

/* ---- short rows, f16 bf16 f32 ---- */

KERNEL void softmax_leaf_float(struct shape s, size_t rows, struct view from, const void *x, int xt,
                               struct view to, void *out, int ot, bool is_log)
{
    const size_t row = warp_index(), n = s.extent[3];
    if (row >= rows)
        return;
    const ptrdiff_t source = view_row(s, from, row), target = view_row(s, to, row);
    float v[TERMS];
    struct part_float all;
    all.top = load_leaf_float(x, xt, source, n, v);
    all.sum = sum_leaf_float(v, n, finite_float(all.top), !is_log);
    EACH_TERM
    for (int k = 0; k < TERMS; k++)
        v[k] = is_log ? result_float(v[k], all, true) : v[k] / all.sum;
    store_terms_float(out, ot, target, n, v);
}

/* The parts of at most ROW_LEAVES leaves, thread k's that of leaf k, by the aligned tree. */
DEVICE static struct part_float merge_warp_float(struct part_float mine, size_t leaves)
{
#pragma nounroll
    for (int step = 1; (size_t)step < leaves; step *= 2) {
        const struct part_float other = {shuffle_down(mine.top, step),
                                         shuffle_down(mine.sum, step)};
        if ((size_t)(lane_id() + step) < leaves)
            mine = merge_float(mine, other);
    }
    return (struct part_float){warp_broadcast(mine.top, 0), warp_broadcast(mine.sum, 0)};
}

KERNEL void softmax_row_float(struct shape s, size_t rows, struct view from, const void *x, int xt,
                              struct view to, void *out, int ot, bool is_log)
{
    const size_t row = warp_index(), n = s.extent[3], leaves = (n + LEAF - 1) / LEAF;
    if (row >= rows)
        return;
    const ptrdiff_t source = view_row(s, from, row), target = view_row(s, to, row);
    struct part_float mine = {0, 0};

    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const size_t first = leaf * LEAF;
        const struct part_float p = part_of_float(x, xt, source + first, min_size(n - first, LEAF));
        if (leaf == (size_t)lane_id())
            mine = p;
    }
    const struct part_float all = merge_warp_float(mine, leaves);
    for (size_t j = lane_id(); j < n; j += WARP_SIZE)
        store_real_float(out, ot, target + j,
                         result_float(load_real_float(x, xt, source + j), all, is_log));
}
