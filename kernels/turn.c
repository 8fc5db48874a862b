/* turn.c - copies between two strided views of one shape and dtype on processors, where a warp for
 * a row would find little. Elements are moved as integers of 1, 2, 4 or 8 bytes.
 *
 *     move_turned  where the views' fastest axes differ: a transpose by tiles, of 1 or 2 bytes
 *     move_short   where rows are short
 *
 * launch   1 thread; turned: a block a tile; short: a block SHORT_PART elements
 */
#include "view.h"

enum { TILE = 32, SHORT_PART = 2048 }; /* ORDER COPY: src/ops/copy.c */

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

/* Axis 3 is the fastest of `to`, axis 2 that of `from`; both their strides are 1. */
KERNEL BLOCK(1) void move_turned(struct shape s, struct view from, const void *x, struct view to,
                                 void *out, int size)
{
    const size_t c = (size_t)block_idx.x * TILE, d = (size_t)block_idx.y * TILE;
    const size_t a = (size_t)block_idx.z / s.extent[1], b = (size_t)block_idx.z % s.extent[1];
    const size_t height = min_size(TILE, s.extent[2] - c), width = min_size(TILE, s.extent[3] - d);
    const ptrdiff_t source = view_at(from, a, b, c, d), target = view_at(to, a, b, c, d);

    switch (size) {
#define TILE_CASE(T)                                                                               \
    case sizeof(T):                                                                                \
        for (size_t i = 0; i < height; i++)                                                        \
            for (size_t k = 0; k < width; k++)                                                     \
                ((T *)out)[target + (ptrdiff_t)i * to.stride[2] + (ptrdiff_t)k] =                  \
                    ((const T *)x)[source + (ptrdiff_t)k * from.stride[3] + (ptrdiff_t)i];         \
        break;
        TILE_CASE(uint8_t)
        TILE_CASE(uint16_t)
#undef TILE_CASE
    default: break;
    }
}
