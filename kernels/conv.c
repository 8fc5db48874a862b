/* conv.c - what the terms of a convolution are multiplied with, as a matrix: a row for each term, a
 * column for each element of the result. What lies in the padding is 0.
 *
 *     conv_columns   rows of the result `first` up to first + rows, for each image
 *
 * shapes   x: images, channels, height, width, a view; out: images x terms x (rows width)
 * launch   any number of threads; a block some rows of one term of one image
 * reads    elements of 4 or 8 bytes, moved as integers
 */
#include "view.h"

struct window {
    size_t channels, height, width; /* of an image */
    size_t kh, kw;                  /* of a filter */
    size_t rows, columns, first;    /* of the result; the rows from `first` on */
    size_t pad_h, pad_w, step_h, step_w;
    size_t rows_each; /* of a block */
};

KERNEL void conv_columns(struct window w, struct view from, const void *x, void *out, int size)
{
    const size_t parts = (w.rows + w.rows_each - 1) / w.rows_each;
    const size_t part = (size_t)block_idx.x % parts, line = (size_t)block_idx.x / parts;
    const size_t j = line % w.kw, i = line / w.kw % w.kh, c = line / (w.kw * w.kh) % w.channels,
                 image = line / (w.kw * w.kh * w.channels);
    const size_t end = min_size((part + 1) * w.rows_each, w.rows) * w.columns;

    for (size_t at = part * w.rows_each * w.columns + (size_t)thread_idx.x; at < end;
         at += (size_t)block_dim.x) {
        /* a place above or left of the image wraps, and is then not below its extent */
        const size_t row = (w.first + at / w.columns) * w.step_h + i - w.pad_h,
                     column = at % w.columns * w.step_w + j - w.pad_w;
        const bool is_inside = row < w.height && column < w.width;
        const ptrdiff_t source = is_inside ? view_at(from, image, c, row, column) : 0;
        const size_t to = line * w.rows * w.columns + at;
        if (size == 4)
            ((uint32_t *)out)[to] = is_inside ? ((const uint32_t *)x)[source] : 0;
        else
            ((uint64_t *)out)[to] = is_inside ? ((const uint64_t *)x)[source] : 0;
    }
}
