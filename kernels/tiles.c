/* tiles.c - copies between two strided views of one shape and dtype, whose fastest axes differ: a
 * transpose by tiles. Elements are moved as integers of 4 or 8 bytes.
 *
 *     move_tiles_BYTES
 *
 * launch   32 x 4 threads, a block a tile
 */
#include "view.h"

enum { TILE = 32, LINES = 4 }; /* ORDER COPY: src/ops/copy.c */

#define T uint32_t
#define NAME(kernel) kernel##_4
#include "move_tiles.inc"
#define T uint64_t
#define NAME(kernel) kernel##_8
#include "move_tiles.inc"
