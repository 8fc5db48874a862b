/* row.h - sums along rows in the order of docs/order.md, a warp a row or a leaf. Thread t is the
 * lanes t and t + 32 of a leaf; later it is leaf t of the row.
 */
#ifndef LW_KERNELS_ROW_H
#define LW_KERNELS_ROW_H
#include "view.h"

enum { LEAF = 1024, TERMS = LEAF / WARP_SIZE, ROW_LEAVES = WARP_SIZE };

/* Before a loop over the terms: GPUs keep them in registers, so no index may be left. */
#ifdef GPU
#define EACH_TERM _Pragma("unroll")
#else
#define EACH_TERM _Pragma("nounroll")
#endif

/* The row, or whatever else, that a warp is for: blocks are 32 threads wide. */
DEVICE static size_t warp_index(void)
{
    return (size_t)block_idx.x * block_dim.y + thread_idx.y;
}

#endif
