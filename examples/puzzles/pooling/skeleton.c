#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 64
#endif

KERNEL BLOCK(SIZE) void largest_of_three(int n, float *out, const float *in)
{
    SHARED float tile[SIZE + 2]; /* two elements of the block before, then those of this one */
    int t = thread_idx.x, i = global_idx.x;

    /* YOUR TURN: fill the tile, wait, and take the largest of three. */
    tile[t + 2] = i < n ? in[i] : -INFINITY;

    if (i < n)
        out[i] = tile[t + 2];
}
