/* histogram.h - what the counts of equal bins on processors and on GPUs have in common.
 *
 *     histogram_range   the least and the largest of each part; both NaN where a NaN is among them
 *     histogram_begin   limits: low and high, as given or of the data; counts: all 0
 *
 * Bin b has the elements from edge b up to edge b + 1, the last one with its upper edge. Edge b is
 * low + b * step, rounded twice, with step = (high - low) / bins; edge `bins` is high.
 *
 * shapes   x: n elements side by side; counts: bins of i64; ranges: 2 of f64 a part; limits: 2
 * launch   range, count: a block a part; begin: one block
 * reads    every type, as if converted to double
 * numeric  counts are exact: a bin is guessed by a quotient and set right by its edges
 */
#ifndef LW_KERNELS_HISTOGRAM_H
#define LW_KERNELS_HISTOGRAM_H
#include "stream.h"

enum { NEAR_BINS = 4096 }; /* so many bins are counted in memory of the block */

/* X(code, T, A): A holds an element and is compared at once; u8 is bool's too. */
/* clang-format off */
#define COMPARED_TYPES(X)                                                                          \
    X(DT_I8, int8_t, int8_t) X(DT_I16, int16_t, int16_t) X(DT_I32, int32_t, int32_t)               \
    X(DT_I64, int64_t, int64_t) X(DT_U8, uint8_t, uint8_t) X(DT_U16, uint16_t, uint16_t)           \
    X(DT_U32, uint32_t, uint32_t) X(DT_U64, uint64_t, uint64_t)                                    \
    X(DT_F16, _Float16, float) X(DT_BF16, __bf16, float) X(DT_F32, float, float)                   \
    X(DT_F64, double, double)
/* clang-format on */

KERNEL void histogram_range(size_t n, size_t part, const void *x, int type, void *ranges)
{
    const size_t first = (size_t)block_idx.x * part, end = min_size(first + part, n);
    double low = INFINITY, high = -INFINITY;
    bool has_nan = false;

    switch (type == DT_BOOL ? DT_U8 : type) {
#define RANGE_CASE(code, T, A)                                                                     \
    case code: {                                                                                   \
        A least = ((const T *)x)[first], most = least;                                             \
        EACH_ELEMENT(T, x, first, (size_t)thread_idx.x, (size_t)block_dim.x, end - first,          \
                     {                                                                             \
                         FETCH_LEAF;                                                               \
                         const A v = e;                                                            \
                         least = v < least ? v : least;                                            \
                         most = v > most ? v : most;                                               \
                         has_nan = has_nan || v != v;                                              \
                     });                                                                           \
        low = (double)least;                                                                       \
        high = (double)most;                                                                       \
        break;                                                                                     \
    }
        COMPARED_TYPES(RANGE_CASE)
#undef RANGE_CASE
    default: break;
    }
    low = block_min(low);
    high = block_max(high);
    has_nan = block_any(has_nan);
    if (thread_idx.x == 0) {
        ((double *)ranges)[2 * (size_t)block_idx.x] = has_nan ? NAN : low;
        ((double *)ranges)[2 * (size_t)block_idx.x + 1] = has_nan ? NAN : high;
    }
}

/* parts 0: low and high are given; or, where they are one, there is no data. */
KERNEL void histogram_begin(size_t parts, const void *ranges, double low, double high, void *limits,
                            size_t bins, void *counts)
{
    for (size_t b = (size_t)thread_idx.x; b < bins; b += (size_t)block_dim.x)
        ((int64_t *)counts)[b] = 0;
    if (parts) {
        bool has_nan = false;
        low = INFINITY;
        high = -INFINITY;
        for (size_t p = (size_t)thread_idx.x; p < parts; p += (size_t)block_dim.x) {
            const double l = ((const double *)ranges)[2 * p],
                         h = ((const double *)ranges)[2 * p + 1];
            low = l < low ? l : low;
            high = h > high ? h : high;
            has_nan = has_nan || isnan(l);
        }
        has_nan = block_any(has_nan);
        low = has_nan ? NAN : block_min(low);
        high = has_nan ? NAN : block_max(high);
    } else if (low == high) {
        low = 0;
        high = 1;
    }
    if (thread_idx.x != 0)
        return;
    assert_that(isfinite(high - low), "the range of the data is not finite; need low and high");
    ((double *)limits)[0] = low == high ? low - 0.5 : low;
    ((double *)limits)[1] = low == high ? high + 0.5 : high;
}

struct bins {
    double low, high, step, scale;
    size_t count;
};

DEVICE static double edge(struct bins b, size_t k)
{
    return b.low + (double)k * b.step;
}

/* The bin of an element that is not outside. */
DEVICE static size_t bin_of(struct bins b, double v)
{
    size_t k = min_size((size_t)((v - b.low) * b.scale), b.count - 1);

    while (k > 0 && v < edge(b, k))
        k--;
    while (k + 1 < b.count && v >= edge(b, k + 1))
        k++;
    return k;
}
#endif
