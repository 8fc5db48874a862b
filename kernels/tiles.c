/* tiles.c - copies between two strided views of one shape and dtype, whose fastest axes differ, on
 * processors: a transpose. Elements are moved as integers of 1, 2, 4 or 8 bytes.
 *
 *     move_tiles_BYTES   a block a tile of `high` lines of `to`, LONG elements of each
 *
 * launch   WIDE threads, which 256-bit registers have room for: more only spill
 * idea     WIDE words of as many lines are turned in registers, by the bits of thread and line;
 *          elements of 1 and 2 bytes within words before. A tile is long, so that few pages are
 *          written to at a time
 */
#include "view.h"

enum { WIDE = 8, LONG = 256 }; /* ORDER COPY: src/ops/copy.c */
enum { LINE_BYTES = 64 };

/* w[e] gets the e-th elements of all; a word has `each`. */
DEVICE static void turn_word(void *words, int each)
{
    uint32_t *w = words;

    if (each == 2) {
        const uint32_t a = w[0], b = w[1];
        w[0] = (a & 0xffff) | b << 16;
        w[1] = a >> 16 | (b & 0xffff0000);
    } else if (each == 4) {
        const uint32_t even = 0x00ff00ff, odd = 0xff00ff00;
        const uint32_t a = (w[0] & even) | (w[1] & even) << 8, b = (w[0] & odd) >> 8 | (w[1] & odd);
        const uint32_t c = (w[2] & even) | (w[3] & even) << 8, d = (w[2] & odd) >> 8 | (w[3] & odd);
        w[0] = (a & 0xffff) | c << 16;
        w[1] = (b & 0xffff) | d << 16;
        w[2] = a >> 16 | (c & 0xffff0000);
        w[3] = b >> 16 | (d & 0xffff0000);
    }
}

#define T uint8_t
#define WORD uint32_t
#define EACH 4
#define NAME(kernel) kernel##_1
#include "tiles.inc"
#define T uint16_t
#define WORD uint32_t
#define EACH 2
#define NAME(kernel) kernel##_2
#include "tiles.inc"
#define T uint32_t
#define WORD uint32_t
#define EACH 1
#define NAME(kernel) kernel##_4
#include "tiles.inc"
#define T uint64_t
#define WORD uint64_t
#define EACH 1
#define NAME(kernel) kernel##_8
#include "tiles.inc"
