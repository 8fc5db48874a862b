#include <lanewise/kernel.h>

KERNEL void normalise(float *out, float *mean, float *sum, const float *in)
{
    int i = thread_idx.x;
    float total = block_sum(in[i]);
    float average = 1;
    if (i == 0)
        average = total / block_dim.x;

    /* YOUR TURN: only thread 0 knows the average; give it to every thread. */

    out[i] = in[i] / average;
    float check = block_sum(out[i]);
    if (i == 0) {
        mean[0] = average;
        sum[0] = check;
    }
}
