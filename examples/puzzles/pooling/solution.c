/* Fill a tile with a halo, meet, look at the neighbours.
 *
 * Two threads load twice, the others once. That costs one more step for the first warp and none
 * for the others. The barrier stands outside of every if: threads beyond n have filled a place of
 * the tile with -INFINITY, and wait like all.
 */
#include <lanewise/kernel.h>

#ifndef SIZE
#define SIZE 64
#endif

KERNEL BLOCK(SIZE) void largest_of_three(int n, float *out, const float *in)
{
    SHARED float tile[SIZE + 2]; /* two elements of the block before, then those of this one */
    int t = thread_idx.x, i = global_idx.x;

    tile[t + 2] = i < n ? in[i] : -INFINITY;
    if (t < 2)
        tile[t] = i >= 2 ? in[i - 2] : -INFINITY;
    barrier();

    if (i < n)
        out[i] = max(max(tile[t], tile[t + 1]), tile[t + 2]);
}
