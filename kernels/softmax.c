/* softmax.c - along rows, the last axis of a view:
 *     y = exp(x - max) / sum exp(x - max)        log: y = x - max - log(sum exp(x - max))
 *
 *     softmax_leaf_float rows of at most a leaf: one read, one write
 *     softmax_row_float  longer rows, if they are many, a warp a row: two reads
 *     softmax_parts_A    few long rows: the maximum and sum of each leaf,
 *     softmax_merge_A    those of each row, by the aligned tree,
 *     softmax_write_A    and the result
 *
 * shapes   x, out: `s`, rows of s.extent[3] elements of stride 1; parts: 2 x rows x leaves of A
 * launch   blocks 32 threads wide, a warp a row, for leaf a number of rows, for parts and write of
 *          leaves (on GPUs one); merge: a block a row
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
    const struct span span = warp_span(rows);
    const size_t n = s.extent[3];
#ifdef GPU
    if (span.begin >= span.end)
        return;
    float v[TERMS];
    struct part_float all;
    all.top = load_leaf_float(x, xt, (size_t)view_row(s, from, span.begin), n, v);
    all.sum = sum_leaf_float(v, n, finite_float(all.top), !is_log);
    all = final_float(all, is_log);
    EACH_TERM
    for (int k = 0; k < TERMS; k++)
        v[k] = is_log ? result_float(v[k], all, true) : v[k] / all.sum;
    store_terms_float(out, ot, (size_t)view_row(s, to, span.begin), n, v);
#else
    SHARED float room[LEAF];
    struct reader_float reader = {x, xt, room, 0, SIZE_MAX};

    for (size_t row = span.begin; row < span.end; row++) {
        const size_t source = (size_t)view_row(s, from, row);
        const size_t target = (size_t)view_row(s, to, row);
        const size_t ahead = row + 1 < span.end ? (size_t)view_row(s, from, row + 1) : SIZE_MAX;
        float *kept = results_float(out, ot, target, n, room);
        const struct part_float all = part_of_float(&reader, source, n, ahead, is_log ? 0 : kept);
        if (is_log) {
            write_leaf_float(x, xt, source, out, ot, target, n, final_float(all, true), true, room);
            continue;
        }
        EACH_TERM
        for (int k = 0; k < terms_of(n); k++)
            kept[k * WARP_SIZE + lane_id()] /= all.sum;
        store_terms_float(out, ot, target, n, kept);
    }
#endif
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

/* The part of a row from x[source] on. */
DEVICE static struct part_float part_of_row(const void *x, int xt, size_t source, size_t n,
                                            float *room, struct part_float *nodes)
{
    struct part_float all = {0, 0};
    size_t groups = 0; /* of ROW_LEAVES leaves */
#ifndef GPU
    struct reader_float reader = {x, xt, room, 0, SIZE_MAX};
#endif

    for (size_t begin = 0; begin < n; begin += ROW_LEAVES * LEAF, groups++) {
        const size_t end = min_size(n, begin + ROW_LEAVES * LEAF);
        struct part_float mine = {0, 0};

        for (size_t first = begin; first < end; first += LEAF) {
            const size_t count = min_size(n - first, LEAF);
#ifdef GPU
            const struct part_float p = part_of_float(x, xt, source + first, count);
#else
            const size_t ahead = first + 2 * LEAF <= n ? source + first + LEAF : SIZE_MAX;
            const struct part_float p = part_of_float(&reader, source + first, count, ahead, 0);
#endif
            if ((first - begin) / LEAF == (size_t)lane_id())
                mine = p;
        }
        all = merge_warp_float(mine, (end - begin + LEAF - 1) / LEAF);
        if (nodes && n > ROW_LEAVES * LEAF)
            TREE_ADD(struct part_float, nodes, groups, all, merge_float);
    }
    if (nodes && groups > 1)
        TREE_ROOT(struct part_float, nodes, groups, all, merge_float);
    return all;
}

KERNEL void softmax_row_float(struct shape s, size_t rows, struct view from, const void *x, int xt,
                              struct view to, void *out, int ot, bool is_log)
{
    const size_t row = warp_index(), n = s.extent[3];
    if (row >= rows)
        return;
    const size_t source = (size_t)view_row(s, from, row), target = (size_t)view_row(s, to, row);
    LEAF_ROOM(float, room);
    TREE_ROOM(struct part_float, nodes);

    const struct part_float all =
        final_float(part_of_row(x, xt, source, n, room, nodes), is_log);
    for (size_t first = 0; first < n; first += LEAF)
        write_leaf_float(x, xt, source + first, out, ot, target + first, min_size(n - first, LEAF),
                         all, is_log, room);
}
