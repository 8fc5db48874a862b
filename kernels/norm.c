/* norm.c - along rows, the last axis of a view:
 *     mean_normalize   y = x / mean
 *     rms_norm         y = x * r * weight               r = 1 / sqrt(mean of x^2 + eps)
 *     layer_norm       y = (x - mean) * r * weight + bias     r = 1 / sqrt(mean of (x-mean)^2 +
 *     eps)
 *
 *     norm_leaf_float  rows of at most a leaf, kept in registers: one read, one write
 *     norm_row_float   rows of at most ROW_LEAVES leaves, a warp a row: two or three reads
 *     norm_parts_A     long rows: a sum of each leaf,
 *     norm_merge_A     that of each row, by the aligned tree, and what follows from it,
 *     norm_write_A     and the result
 *
 * shapes   x, out: `s`, rows of s.extent[3] elements of stride 1; weight, bias: s.extent[3] of A
 * launch   blocks 32 threads wide, a warp a row, or for parts and write a warp a leaf; merge: a
 *          block a row
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

/* The leaf's sum of v - centre, or of its squares. */
DEVICE static float sum_leaf(const float v[TERMS], size_t n, float centre, bool squared)
{
    float low = -0.0f, high = -0.0f;

    EACH_TERM
    for (int k = 0; k < TERMS; k += 2) {
        const size_t j = lane_id() + (size_t)k * WARP_SIZE;
        const float a = v[k] - centre, b = v[k + 1] - centre;
        if (j < n)
            low = squared ? fma(a, a, low) : low + a;
        if (j + WARP_SIZE < n)
            high = squared ? fma(b, b, high) : high + b;
    }
    return warp_sum(low) + warp_sum(high);
}

KERNEL void norm_leaf_float(int norm, struct shape s, size_t rows, struct view from, const void *x,
                            int xt, struct view to, void *out, int ot, float eps, int has,
                            const void *weight, const void *bias)
{
    const size_t row = warp_index(), n = s.extent[3];
    if (row >= rows)
        return;
    const ptrdiff_t source = view_row(s, from, row), target = view_row(s, to, row);
    struct state_float state = {0, 1};
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
}

/* The row's sum of x - centre, or of its squares: thread k holds leaf k's. */
DEVICE static float sum_row(const void *x, int type, ptrdiff_t source, size_t n, float centre,
                            bool squared)
{
    float mine = -0.0f;

    for (size_t first = 0, leaf = 0; first < n; first += LEAF, leaf++) {
        const float sum =
            part_of_float(x, type, source + first, min_size(n - first, LEAF), centre, squared);
        if (leaf == (size_t)lane_id())
            mine = sum;
    }
    return warp_sum(mine);
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

    if (norm != RMS_NORM)
        state.mean = sum_row(x, xt, source, n, 0, false) / (float)n;
    if (norm != MEAN_NORMALIZE)
        state.factor = 1 / sqrt(sum_row(x, xt, source, n, state.mean, true) / (float)n + eps);
    for (size_t j = lane_id(); j < n; j += WARP_SIZE)
        store_real_float(
            out, ot, target + j,
            result_float(norm, load_real_float(x, xt, source + j), state, j, has, weight, bias));
}
