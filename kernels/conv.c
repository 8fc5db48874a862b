/* conv.c - what the terms of a convolution are multiplied with, as a matrix: a row for each term, a
 * column for each element of the result. What lies in the padding is 0.
 *
 *     conv_columns   rows of the result `first` up to first + rows, for each image
 *     conv_rows      the same row by row, for processors: a division for each element would cost
 *                    more than the move
 *
 * shapes   x: images, channels, height, width, a view; out: images x terms x (rows width)
 * launch   any number of threads; a block some rows of one term of one image
 * reads    elements of 4 or 8 bytes, moved as integers
 */
#include "view.h"

struct window { /* ORDER CONV: src/ops/conv.c */
    size_t channels, height, width; /* of an image */
    size_t kh, kw;                  /* of a filter */
    size_t rows, columns, first;    /* of the result; the rows from `first` on */
    size_t pad_h, pad_w, step_h, step_w;
    size_t rows_each; /* of a block */
};

/* What a block makes: rows up to `end`, of term (c, i, j) of an image; `line` numbers them. */
struct task {
    size_t part, line, image, c, i, j;
};

DEVICE static struct task task_of(struct window w)
{
    const size_t parts = (w.rows + w.rows_each - 1) / w.rows_each;
    const size_t line = (size_t)block_idx.x / parts;

    return (struct task){.part = (size_t)block_idx.x % parts,
                         .line = line,
                         .image = line / (w.kw * w.kh * w.channels),
                         .c = line / (w.kw * w.kh) % w.channels,
                         .i = line / w.kw % w.kh,
                         .j = line % w.kw};
}

/* A place above or left of the image wraps, and is then not below its extent. */
KERNEL void conv_columns(struct window w, struct view from, const void *x, void *out, int size)
{
    const struct task t = task_of(w);
    const size_t end = min_size((t.part + 1) * w.rows_each, w.rows) * w.columns;

    for (size_t at = t.part * w.rows_each * w.columns + (size_t)thread_idx.x; at < end;
         at += (size_t)block_dim.x) {
        const size_t row = (w.first + at / w.columns) * w.step_h + t.i - w.pad_h,
                     column = at % w.columns * w.step_w + t.j - w.pad_w;
        const bool is_inside = row < w.height && column < w.width;
        const ptrdiff_t source = is_inside ? view_at(from, t.image, t.c, row, column) : 0;
        const size_t to = t.line * w.rows * w.columns + at;
        if (size == 4)
            ((uint32_t *)out)[to] = is_inside ? ((const uint32_t *)x)[source] : 0;
        else
            ((uint64_t *)out)[to] = is_inside ? ((const uint64_t *)x)[source] : 0;
    }
}

KERNEL void conv_rows(struct window w, struct view from, const void *x, void *out, int size)
{
    const struct task t = task_of(w);
    const size_t end = min_size((t.part + 1) * w.rows_each, w.rows);
    const bool is_near = w.step_w == 1 && from.stride[3] == 1;

    for (size_t r = t.part * w.rows_each; r < end; r++) {
        const size_t row = (w.first + r) * w.step_h + t.i - w.pad_h;
        const size_t to = (t.line * w.rows + r) * w.columns, width = row < w.height ? w.width : 0;
        const ptrdiff_t source = row < w.height ? view_at(from, t.image, t.c, row, 0) : 0,
                        first = (ptrdiff_t)t.j - (ptrdiff_t)w.pad_w;
        switch (size) {
#define ROW_CASE(T)                                                                                \
    case sizeof(T):                                                                                \
        for (size_t k = (size_t)thread_idx.x; k < w.columns; k += (size_t)block_dim.x) {           \
            const ptrdiff_t column = (ptrdiff_t)(k * w.step_w) + first;                            \
            const bool is_inside = (size_t)column < width;                                         \
            if (is_near)                                                                           \
                ((T *)out)[to + k] =                                                               \
                    is_inside ? ((const T *)x)[source + first + (ptrdiff_t)k] : 0;                 \
            else                                                                                   \
                ((T *)out)[to + k] =                                                               \
                    is_inside ? ((const T *)x)[source + column * from.stride[3]] : 0;              \
        }                                                                                          \
        break;
            ROW_CASE(uint32_t)
            ROW_CASE(uint64_t)
#undef ROW_CASE
        default: break;
        }
    }
}
