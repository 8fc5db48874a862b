/* average - out[i] is the mean of a[i] and its two neighbours on the right.
 */
#include <lanewise/kernel.h>

/* Blocks of one dimension, or of two that are counted along x first. */
#ifndef BLOCK_2D
#define ELEMENT global_idx.x
#else
#define ELEMENT (((size_t)block_idx.x * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x)
#endif

KERNEL void average(float *out, const float *a, int n)
{
    size_t i = ELEMENT;
    if (i + 2 < (size_t)n)
        out[i] = (a[i] + a[i + 1] + a[i + 2]) / 3;
}
