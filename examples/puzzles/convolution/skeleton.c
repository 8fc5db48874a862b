#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 64
#endif

KERNEL BLOCK(SIZE) void convolve(int n, float *out, const float *in, const float w[4])
{
    SHARED float tile[SIZE + 3]; /* this block's elements, and three more */
    int t = thread_idx.x, i = global_idx.x;

    /* YOUR TURN: fill the tile and wait. */

    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += w[k] * 0; /* YOUR TURN: the element that weight k belongs to. */
    if (i < n)
        out[i] = sum;
}
