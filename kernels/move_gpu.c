/* move_gpu.c - copies that GPUs have besides those of rows.c.
 *
 *     move_words    rows of words of 16 bytes at any strides, a thread a word
 *     move_flat     short rows of elements of 1, 2, 4 or 8 bytes, a thread an element
 *     move_tiles_BYTES   where the views' fastest axes differ: a transpose by tiles
 *
 * launch   words, flat: any block; tiles: 32 x 4 threads, a block a tile
 */
#include "view.h"

enum { TILE = 32, LINES = 4 }; /* ORDER COPY: src/ops/copy.c */

/* s, from and to count words of 16 bytes; so short that 32 bits divide them. */
KERNEL void move_words(struct shape s, size_t n, struct view from, const void *x, struct view to,
                       void *out)
{
    const uint32_t i = global_idx.x, d = (uint32_t)s.extent[3], c = (uint32_t)s.extent[2],
                   b = (uint32_t)s.extent[1];

    if (i >= n)
        return;
    const uint32_t row = i / d, outer = row / c;
    ((float4 *)out)[view_at(to, outer / b, outer % b, row % c, i % d)] =
        ((const float4 *)x)[view_at(from, outer / b, outer % b, row % c, i % d)];
}

KERNEL void move_flat(struct shape s, size_t n, struct view from, const void *x, struct view to,
                      void *out, int size)
{
    const size_t i = global_idx.x;

    if (i >= n)
        return;
    const struct place p = place_of(s, i);
    const ptrdiff_t source = view_at(from, p.a, p.b, p.c, p.d),
                    target = view_at(to, p.a, p.b, p.c, p.d);
    switch (size) {
#define FLAT_CASE(T)                                                                               \
    case sizeof(T): ((T *)out)[target] = ((const T *)x)[source]; break;
        WIDTHS(FLAT_CASE)
#undef FLAT_CASE
    default: break;
    }
}

#define T uint8_t
#define NAME(kernel) kernel##_1
#include "move_tiles.inc"
#define T uint16_t
#define NAME(kernel) kernel##_2
#include "move_tiles.inc"
#define T uint32_t
#define NAME(kernel) kernel##_4
#include "move_tiles.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "move_tiles.inc"
