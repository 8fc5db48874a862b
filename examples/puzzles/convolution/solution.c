/* A tile with a tail, then a loop over the weights.
 *
 * Every element is used four times and comes from global memory once. The zeros beyond the end are
 * put into the tile, so that the loop has no cases. The weights are the same for all threads: a
 * warp that reads w[k] gets it by one access for 32 lanes.
 */
#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 64
#endif

KERNEL BLOCK(SIZE) void convolve(int n, float *out, const float *in, const float w[4])
{
    SHARED float tile[SIZE + 3]; /* this block's elements, and three more */
    int t = thread_idx.x, i = global_idx.x;

    tile[t] = i < n ? in[i] : 0;
    if (t < 3)
        tile[SIZE + t] = i + SIZE < n ? in[i + SIZE] : 0;
    barrier();

    float sum = 0;
    for (int k = 0; k < 4 && i < n; k++)
        sum += w[k] * tile[t + k];
    if (i < n)
        out[i] = sum;
}
