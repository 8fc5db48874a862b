/* matmul_gpu.c - products of matrices for GPUs: see matmul.c.
 *
 *     matmul_tiled_SIZE_A    a block makes a tile of elements; large for many, small and tiny so
 *                            that fewer still occupy the whole GPU
 *     matmul_naive_A         a thread an element, where there are few
 *     matmul_pad_A           operands that are no whole tiles, or lie otherwise, made so
 *
 * numeric  docs/order.md, contractions. ORDER TILES: src/ops/matmul_launch.c
 */
#include "matmul.h"

#define FEW 64

#include "matmul_float.inc"
#include "matmul_merge.inc"
#include "matmul_naive.inc"
#include "matmul_pad.inc"
#include "tile.inc"
#define TILED(kernel) NAME(kernel##_large)
#define TILE_ROWS 128
#define TILE_COLUMNS 128
#define TALL 8
#define WIDE 8
#define DEEP 8
#include "matmul_tiled.inc"
#define TILED(kernel) NAME(kernel##_small)
#define TILE_ROWS 64
#define TILE_COLUMNS 64
#define TALL 8
#define WIDE 4
#define DEEP 8
#include "matmul_tiled.inc"
#define TILED(kernel) NAME(kernel##_tiny)
#define TILE_ROWS 32
#define TILE_COLUMNS 64
#define TALL 4
#define WIDE 4
#define DEEP 16
#include "matmul_tiled.inc"

#include "matmul_double.inc"
#include "matmul_merge.inc"
#include "matmul_naive.inc"
#include "matmul_pad.inc"
#include "tile.inc"
#define TILED(kernel) NAME(kernel##_small)
#define TILE_ROWS 64
#define TILE_COLUMNS 64
#define TALL 4
#define WIDE 4
#define DEEP 16
#include "matmul_tiled.inc"

#include "matmul_int64.inc"
#include "matmul_merge.inc"
#include "matmul_naive.inc"
#include "matmul_pad.inc"
#include "tile.inc"
#define TILED(kernel) NAME(kernel##_small)
#define TILE_ROWS 64
#define TILE_COLUMNS 64
#define TALL 4
#define WIDE 4
#define DEEP 16
#include "matmul_tiled.inc"
