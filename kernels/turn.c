/* turn.c - copies between two strided views of one shape and dtype on processors, where a warp for
 * a row would find little. Elements are moved as integers of 1, 2, 4 or 8 bytes.
 *
 *     move_short   where rows are short
 *
 * launch   1 thread, a block SHORT_PART elements
 */
#include "view.h"

enum { SHORT_PART = 2048 }; /* ORDER COPY: src/ops/copy.c */

KERNEL BLOCK(1) void move_short(struct shape s, size_t n, struct view from, const void *x,
                                struct view to, void *out, int size)
{
    const size_t first = (size_t)block_idx.x * SHORT_PART, end = min_size(first + SHORT_PART, n);
    struct place p = place_of(s, first);
    size_t run;

    for (size_t i = first; i < end; i += run, p = next_row(s, p)) {
        const ptrdiff_t source = view_at(from, p.a, p.b, p.c, p.d),
                        target = view_at(to, p.a, p.b, p.c, p.d);
        run = min_size(s.extent[3] - p.d, end - i);
        switch (size) {
#define SHORT_CASE(T)                                                                              \
    case sizeof(T):                                                                                \
        for (size_t j = 0; j < run; j++)                                                           \
            ((T *)out)[target + (ptrdiff_t)j * to.stride[3]] =                                     \
                ((const T *)x)[source + (ptrdiff_t)j * from.stride[3]];                            \
        break;
            WIDTHS(SHORT_CASE)
#undef SHORT_CASE
        default: break;
        }
    }
}
