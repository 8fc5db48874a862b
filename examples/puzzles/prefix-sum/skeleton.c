#include <lanewise/kernel.h>

KERNEL void running_sum(int *out, const int *in)
{
    SHARED int sum[1024];
    int i = thread_idx.x;
    sum[i] = in[i];
    barrier();

    /* YOUR TURN: rounds with distance 1, 2, 4 ... */

    out[i] = sum[i];
}
