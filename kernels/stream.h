/* stream.h - reductions along rows: how they are cut, and the loops over a row. docs/order.md.
 *
 * A row is the last axis of a view; rows are counted in C order over the first three axes. A row
 * is cut into parts of at most PART_LEAVES leaves, so that few long rows keep all of a device busy;
 * the parts' results are merged by another launch. An item is a part of a row.
 *
 *     rows     elements lie side by side, a warp an item
 *     columns  any strides, a thread an item: neighbouring threads have neighbouring places in
 *     axis 2
 *
 * A row may also be strided, or be `whole`: all axes in C order. stage.h
 */
#ifndef LW_KERNELS_STREAM_H
#define LW_KERNELS_STREAM_H
#include "element.h"
#include "view.h"

/* ORDER STREAM: src/ops/reduce.h */
enum { LEAF = 1024, LANES = 64, PART_LEAVES = WARP_SIZE, LEVELS = 12 };

/* Columns beside each other that are a block's, and how many times that it has at most. */
#ifdef GPU
enum { COLUMNS = 64, COLUMNS_EACH = 1 };
#else
enum { COLUMNS = 64, COLUMNS_EACH = 8 };
#endif

/* ORDER STREAM: src/ops/reduce.h */
struct cut {
    size_t items; /* rows times parts; for columns, places in axes 0 and 1 times parts */
    size_t parts; /* of a row */
    size_t part;  /* elements of a part, but of the last one of a row */
    size_t chunk; /* consecutive items of a warp, or of a block of columns */
    size_t whole; /* not 0: the only row is the whole view, in C order */
};

DEVICE static size_t row_length(struct cut cut, struct shape s)
{
    return cut.whole ? s.extent[0] * s.extent[1] * s.extent[2] * s.extent[3] : s.extent[3];
}

/* Blocks for rows are 32 threads wide, a warp a number of items. */
DEVICE static size_t first_item(struct cut cut)
{
    return ((size_t)block_idx.x * (size_t)block_dim.y + (size_t)thread_idx.y) * cut.chunk;
}

/* An item: the elements first .. first + count of a row, and where they begin, if not `whole`. */
struct item {
    size_t row, part, count;
    ptrdiff_t at;
};

DEVICE static struct item item_at(struct cut cut, struct shape s, struct view v, size_t i)
{
    struct item item = {i, 0, row_length(cut, s), 0};
    if (cut.parts > 1) {
        item.row = i / cut.parts;
        item.part = i % cut.parts;
        item.count = min_size(item.count - item.part * cut.part, cut.part);
    }
    item.at = view_row(s, v, item.row) + (ptrdiff_t)(item.part * cut.part) * v.stride[3];
    return item;
}

/* Where the result of item i goes: among the parts of its row, or in the output. */
DEVICE static ptrdiff_t item_result(struct cut cut, struct shape s, struct view to, size_t i)
{
    return cut.parts > 1 ? to.offset + (ptrdiff_t)i : view_row(s, to, i);
}

/* The items of columns: `row` counts places in axes 0 and 1, `at` is of the first in axis 2. */
DEVICE static struct item column_at(struct cut cut, struct shape s, struct view v, size_t i)
{
    struct item item = {i / cut.parts, i % cut.parts, 0, 0};
    item.count = min_size(s.extent[3] - item.part * cut.part, cut.part);
    item.at = view_at(v, item.row / s.extent[1], item.row % s.extent[1], 0, item.part * cut.part);
    return item;
}

/* The columns of a block: `each` from `first` on, COLUMNS apart, for each of its threads. They take
 * turns, so that what is read of a row lies side by side. */
struct columns {
    size_t first, end;
    int each;
};
DEVICE static struct columns columns_of(struct shape s)
{
    const size_t all = (s.extent[2] + COLUMNS - 1) / COLUMNS;
    const size_t of_block = (all + (size_t)grid_dim.x - 1) / (size_t)grid_dim.x;
    const size_t first = (size_t)block_idx.x * of_block;
    return (struct columns){first * COLUMNS + (size_t)thread_idx.x, s.extent[2],
                            (int)(first < all ? min_size(of_block, all - first) : 0)};
}

/* Where the result of column c goes. */
DEVICE static ptrdiff_t column_result(struct cut cut, struct shape s, struct view to,
                                      struct item item, size_t c)
{
    const size_t column = item.row * s.extent[2] + c;
    return cut.parts > 1 ? to.offset + (ptrdiff_t)(column * cut.parts + item.part)
                         : view_at(to, item.row / s.extent[1], item.row % s.extent[1], c, 0);
}

/* store_total_A: out[i] = v, or v / divisor where that is not 0. A total of u64 is positive. */
DEVICE static void store_total_float(void *out, int type, bool is_unsigned, size_t i, float v,
                                     double divisor)
{
    (void)is_unsigned;
    store_float(out, type, i, divisor != 0 ? v / (float)divisor : v);
}
DEVICE static void store_total_double(void *out, int type, bool is_unsigned, size_t i, double v,
                                      double divisor)
{
    (void)is_unsigned;
    store_double(out, type, i, divisor != 0 ? v / divisor : v);
}
DEVICE static void store_total_int64(void *out, int type, bool is_unsigned, size_t i, int64_t v,
                                     double divisor)
{
    if (divisor != 0)
        store_double(out, type, i, (double)v / divisor);
    else if (is_unsigned && type >= DT_F16)
        store_uint64(out, type, i, (uint64_t)v);
    else
        store_int64(out, type, i, v);
}

/* Elements that a thread loads at a time. GPU: for GPUs, which hide the time to memory so. */
#ifdef GPU
enum { RUN = 8, MERGE_RUN = 8 };
#else
enum { RUN = 2, MERGE_RUN = 1 };
#endif

/* The types that float holds, all that a product in float may have; u8 is bool's too. */
/* clang-format off */
#define FLOAT_TYPES(X)                                                                             \
    X(DT_I8, int8_t) X(DT_I16, int16_t) X(DT_U8, uint8_t) X(DT_U16, uint16_t)                      \
    X(DT_F16, _Float16) X(DT_BF16, __bf16) X(DT_F32, float)
/* clang-format on */

/* Runs the statements for each element e of x[at + first], x[at + first + step] ... before
 * x[at + count]; first < step. It is the same number of rounds for all threads but one round. */
#define EACH_ELEMENT(T, x, at, first, step, count, ...)                                            \
    do {                                                                                           \
        const T *p_ = (const T *)(x) + (at) + (first);                                             \
        const size_t rounds_ = (count) / (step);                                                   \
        ROUNDS for (size_t k_ = 0; k_ < rounds_; k_++, p_ += (step))                               \
        {                                                                                          \
            const T e = *p_;                                                                       \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        if ((first) < (count) % (step)) {                                                          \
            const T e = *p_;                                                                       \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)
/* Among these statements: fetch the element a leaf further on. */
#define FETCH_LEAF __builtin_prefetch(p_ + LEAF)
#ifndef ROUNDS
#define ROUNDS
#endif
#endif
