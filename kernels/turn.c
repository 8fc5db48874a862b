/* turn.c - copies between two strided views of one shape and dtype on processors, where a warp for
 * a row would find little. Elements are moved as integers of 1, 2, 4 or 8 bytes.
 *
 *     move_short   where rows are short
 *
 * launch   1 thread, a block as many rows as have SHORT_PART elements
 */
#include "view.h"

enum { SHORT_PART = 2048 }; /* ORDER COPY: src/ops/copy.c */

/* Rows of one plane. A length that is known is a loop without a counter. */
#define MOVE_ROWS(T, length)                                                                       \
    for (size_t r = 0; r < rows; r++, source += from.stride[2], target += to.stride[2])            \
        for (size_t j = 0; j < (length); j++)                                                      \
            ((T *)out)[target + (ptrdiff_t)j * to.stride[3]] =                                     \
                ((const T *)x)[source + (ptrdiff_t)j * from.stride[3]];

/* Each row is one element, so often: four at once. */
#define REPEAT_ROWS(T)                                                                             \
    for (size_t r = 0; r < rows; r++, source += from.stride[2], target += to.stride[2]) {          \
        const T value = ((const T *)x)[source];                                                    \
        size_t j = 0;                                                                              \
        for (; j + 4 <= length; j += 4)                                                            \
            for (size_t k = 0; k < 4; k++)                                                         \
                ((T *)out)[target + (ptrdiff_t)(j + k)] = value;                                   \
        for (; j < length; j++)                                                                    \
            ((T *)out)[target + (ptrdiff_t)j] = value;                                             \
    }

KERNEL BLOCK(1) void move_short(struct shape s, size_t n, struct view from, const void *x,
                                struct view to, void *out, int size)
{
    const size_t length = s.extent[3], each = SHORT_PART / length;
    const size_t end = min_size(((size_t)block_idx.x + 1) * each, n / length);
    size_t row = (size_t)block_idx.x * each, rows;

    for (; row < end; row += rows) {
        const size_t c = row % s.extent[2], ab = row / s.extent[2];
        const size_t a = ab / s.extent[1], b = ab % s.extent[1];
        ptrdiff_t source = view_at(from, a, b, c, 0), target = view_at(to, a, b, c, 0);

        rows = min_size(s.extent[2] - c, end - row);
        switch (size) {
#define SHORT_CASE(T)                                                                              \
    case sizeof(T):                                                                                \
        if (length == 2)                                                                           \
            MOVE_ROWS(T, 2)                                                                        \
        else if (length == 3)                                                                      \
            MOVE_ROWS(T, 3)                                                                        \
        else if (length == 4)                                                                      \
            MOVE_ROWS(T, 4)                                                                        \
        else if (from.stride[3] == 0 && to.stride[3] == 1)                                         \
            REPEAT_ROWS(T)                                                                         \
        else                                                                                       \
            MOVE_ROWS(T, length)                                                                   \
        break;
            WIDTHS(SHORT_CASE)
#undef SHORT_CASE
        default: break;
        }
    }
}
