/* norm.c - along rows, the last axis of a view:
 *     mean_normalize   y = x / mean
 *     rms_norm         y = x * r * weight               r = 1 / sqrt(mean of x^2 + eps)
 *     layer_norm       y = (x - mean) * r * weight + bias     r = 1 / sqrt(mean of (x-mean)^2 +
 *     eps)
 *
 *     norm_leaf_float  rows of at most a leaf: one read, one write
 *     norm_row_float   longer rows, if they are many, a warp a row: two or three reads
 *     norm_parts_A     few long rows: a sum of each leaf,
 *     norm_merge_A     that of each row, by the aligned tree, and what follows from it,
 *     norm_write_A     and the result
 *
 * shapes   x, out: `s`, rows of s.extent[3] elements of stride 1; weight, bias: s.extent[3] of A
 * launch   blocks 32 threads wide, a warp a row, for leaf a number of rows (on GPUs one), for parts
 *          and write a leaf; merge: a block a row
 * numeric  docs/order.md, norms
 */
#include "element.h"
#include "row.h"

/* ORDER NORM: src/ops/norm_launch.h */
enum norm { MEAN_NORMALIZE, RMS_NORM, LAYER_NORM };
enum { HAS_WEIGHT = 1, HAS_BIAS = 2 };

#define A float
#define PLAIN DT_F32
#define EACH EACH_TERM
#define LOAD load_real_float
#define STORE store_real_float
#define NAME(kernel) kernel##_float
#include "norm.inc"
#define A double
#define PLAIN DT_F64
#define EACH _Pragma("nounroll")
#define LOAD load_real_double
#define STORE store_real_double
#define NAME(kernel) kernel##_double
#include "norm.inc"

/* ---- short rows, f16 bf16 f32 ---- */

#ifdef GPU
/* The leaf's sum of v - centre, or of its squares. */
DEVICE static float sum_leaf(const float v[TERMS], size_t n, float centre, bool squared)
{
    float low = -0.0f, high = -0.0f;

    EACH_TERM
    for (int k = 0; k < TERMS; k += 2) {
        const size_t j = lane_id() + (size_t)k * WARP_SIZE;
        if (j < n)
            low = add_float(low, v[k], centre, squared);
        if (j + WARP_SIZE < n)
            high = add_float(high, v[k + 1], centre, squared);
    }
    return warp_sum(low) + warp_sum(high);
}
#endif

KERNEL void norm_leaf_float(int norm, struct shape s, size_t rows, struct view from, const void *x,
                            int xt, struct view to, void *out, int ot, float eps, int has,
                            const void *weight, const void *bias)
{
    const struct span span = warp_span(rows);
    const size_t n = s.extent[3];
    if (span.begin >= span.end)
        return;
    struct state_float state = {0, 1};
    size_t source = (size_t)view_row(s, from, span.begin);
#ifdef GPU
    const size_t target = (size_t)view_row(s, to, span.begin);
    float v[TERMS];

    load_terms_float(x, xt, source, n, 0, v);
    if (norm != RMS_NORM)
        state.mean = sum_leaf(v, n, 0, false) / (float)n;
    if (norm != MEAN_NORMALIZE)
        state.factor = 1 / sqrt(sum_leaf(v, n, state.mean, true) / (float)n + eps);
    EACH_TERM
    for (int k = 0; k < TERMS; k++) {
        const size_t j = lane_id() + (size_t)k * WARP_SIZE;
        if (j < n)
            v[k] = result_float(norm, v[k], state, j, has, weight, bias);
    }
    store_terms_float(out, ot, target, n, v);
#else
    /* The first sum of the next row is made while this one is written, if both lie so: memory is
     * read and written at the same time. */
    const bool squared = norm == RMS_NORM;
    const bool looks = is_plain_float(xt, n) && is_plain_float(ot, n);
    SHARED float room[LEAF];
    const float *v = terms_float(x, xt, source, n, 0, room);
    float first = part_of_float(v, n, 0, squared);

    for (size_t row = span.begin; row < span.end; row++) {
        const size_t target = (size_t)view_row(s, to, row);
        const bool is_last = row + 1 == span.end;
        float *y = results_float(out, ot, target, n, room);
        struct lanes_float sums = {-0.0f, -0.0f};

        if (!squared)
            state.mean = first / (float)n;
        if (norm != MEAN_NORMALIZE) {
            const float second = squared ? first : part_of_float(v, n, state.mean, true);
            state.factor = 1 / sqrt(second / (float)n + eps);
        }
        source = is_last ? source : (size_t)view_row(s, from, row + 1);
        const float *next = (const float *)x + source;
        EACH_TERM
        for (int k = 0; k < terms_of(n); k += 2) {
            write_term_float(norm, v, y, n, k, state, 0, has, weight, bias);
            write_term_float(norm, v, y, n, k + 1, state, 0, has, weight, bias);
            if (looks && !is_last)
                sums = add_terms_float(sums, next, n, k, 0, squared);
        }
        store_terms_float(out, ot, target, n, y);
        if (is_last)
            break;
        v = terms_float(x, xt, source, n, 0, room);
        first = looks ? warp_sum(sums.low) + warp_sum(sums.high) : part_of_float(v, n, 0, squared);
    }
#endif
}

DEVICE static float add_nodes(float a, float b)
{
    return a + b;
}

/* The row's sum of x - centre, or of its squares. */
DEVICE static float sum_row(const void *x, int type, ptrdiff_t source, size_t n, float centre,
                            bool squared, float *room, float *nodes)
{
    float all = -0.0f;
    size_t groups = 0; /* of ROW_LEAVES leaves, thread k holds leaf k's sum */

    (void)room;
    for (size_t begin = 0; begin < n; begin += ROW_LEAVES * LEAF, groups++) {
        const size_t end = min_size(n, begin + ROW_LEAVES * LEAF);
        float mine = -0.0f;

        for (size_t first = begin; first < end; first += LEAF) {
            const size_t count = min_size(n - first, LEAF);
#ifdef GPU
            const float sum = part_of_float(x, type, source + first, count, centre, squared);
#else
            const float sum =
                part_of_float(terms_float(x, type, (size_t)source + first, count, 0, room), count,
                              centre, squared);
#endif
            if ((first - begin) / LEAF == (size_t)lane_id())
                mine = sum;
        }
        all = warp_sum(mine);
        if (nodes && n > ROW_LEAVES * LEAF)
            TREE_ADD(float, nodes, groups, all, add_nodes);
    }
    if (nodes && groups > 1)
        TREE_ROOT(float, nodes, groups, all, add_nodes);
    return all;
}

KERNEL void norm_row_float(int norm, struct shape s, size_t rows, struct view from, const void *x,
                           int xt, struct view to, void *out, int ot, float eps, int has,
                           const void *weight, const void *bias)
{
    const size_t row = warp_index(), n = s.extent[3];
    if (row >= rows)
        return;
    const ptrdiff_t source = view_row(s, from, row), target = view_row(s, to, row);
    struct state_float state = {0, 1};
    LEAF_ROOM(float, room);
    TREE_ROOM(float, nodes);

    if (norm != RMS_NORM)
        state.mean = sum_row(x, xt, source, n, 0, false, room, nodes) / (float)n;
    if (norm != MEAN_NORMALIZE)
        state.factor =
            1 / sqrt(sum_row(x, xt, source, n, state.mean, true, room, nodes) / (float)n + eps);
#ifdef GPU
    for (size_t j = lane_id(); j < n; j += WARP_SIZE)
        store_real_float(
            out, ot, target + j,
            result_float(norm, load_real_float(x, xt, source + j), state, j, has, weight, bias));
#else
    for (size_t first = 0; first < n; first += LEAF)
        write_leaf_float(norm, x, xt, (size_t)source + first, out, ot, (size_t)target + first,
                         min_size(n - first, LEAF), state, first, has, weight, bias, room);
#endif
}
