/* dot - out[block] is the block's part of the sum of a[i] b[i]; the host adds the parts up. A block
 * for each worker is enough: each thread of the grid takes every so-manieth product.
 */
#include <lanewise/kernel.h>

/* Blocks of one dimension, or of two that are counted along x first. */
#ifndef BLOCK_2D
#define ELEMENT global_idx.x
#else
#define ELEMENT (((size_t)block_idx.x * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x)
#endif

#ifndef T
#define T float
#endif

KERNEL void dot(float *out, const float *a, const T *b, int n)
{
    size_t threads = (size_t)grid_dim.x * block_dim.x * block_dim.y;
    float sum = 0;
    for (size_t i = ELEMENT; i < (size_t)n; i += threads)
        sum += a[i] * b[i];
    sum = block_sum(sum);
    if (thread_idx.x == 0 && thread_idx.y == 0)
        out[block_idx.x] = sum;
}
