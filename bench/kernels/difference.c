/* difference - out[i] = a[i+1] - a[i]. The neighbour's value comes through registers; only the last
 * lane of a warp reads it.
 */
#include <lanewise/kernel.h>

/* Blocks of one dimension, or of two that are counted along x first. */
#ifndef BLOCK_2D
#define ELEMENT global_idx.x
#else
#define ELEMENT (((size_t)block_idx.x * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x)
#endif

KERNEL void difference(float *out, const float *a, int n)
{
    size_t i = ELEMENT;
    float mine = i < (size_t)n ? a[i] : 0;
    float next = shuffle_down(mine, 1);
    if (i + 1 < (size_t)n) {
        if (lane_id() == WARP_SIZE - 1)
            next = a[i + 1];
        out[i] = next - mine;
    }
}
