/* move.c - a copy between any two strided views of one shape and dtype. Elements are moved as
 * integers of 1, 2, 4 or 8 bytes.
 *
 *     copy_words            both lie whole and in C order: 16 bytes a thread
 *     move_rows_BYTES       row by row
 *     move_tiles_BYTES      where the views' fastest axes differ: a transpose by tiles
 *     move_short            where rows are short, on processors: one thread, element by element
 *
 * launch   rows: 32 threads, a block a part of ROW_PART elements of a row; tiles: 32 x 4 threads, a
 *          block a tile; short: 1, a block SHORT_PART elements; words: any block
 */
#include "view.h"

enum { ROW_THREADS = 32, ROW_PART = 1024, TILE = 32, LINES = 4, SHORT_PART = 2048 };

/* n words of 16 bytes */
KERNEL void copy_words(size_t n, const void *x, size_t from, void *out, size_t to)
{
    const float4 *source = (const float4 *)((const char *)x + from);
    float4 *target = (float4 *)((char *)out + to);
    const size_t step = (size_t)grid_dim.x * block_dim.x;

    for (size_t i = global_idx.x; i < n; i += step)
        target[i] = source[i];
}

#define T uint8_t
#define NAME(kernel) kernel##_1
#include "move.inc"
#define T uint16_t
#define NAME(kernel) kernel##_2
#include "move.inc"
#define T uint32_t
#define NAME(kernel) kernel##_4
#include "move.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "move.inc"

/* The place of the row behind that of p. */
DEVICE static struct place next_row(struct shape s, struct place p)
{
    p.d = 0;
    if (++p.c < s.extent[2])
        return p;
    p.c = 0;
    if (++p.b < s.extent[1])
        return p;
    p.b = 0;
    p.a++;
    return p;
}

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
