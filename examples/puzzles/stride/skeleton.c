#include <lanewise/kernel.h>

KERNEL void halve(int n, float *x)
{
    size_t i = global_idx.x; /* this thread's number over all blocks */

    /* YOUR TURN: all elements of this thread, not only the first. */
    if (i < (size_t)n)
        x[i] /= 2;
}
