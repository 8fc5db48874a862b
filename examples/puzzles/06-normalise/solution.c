// run: -b 128 f32[128] f32[1] f32[1] @values.npy
/* Solution of puzzle 6: reduce to one thread's number, hand it to all, go on in parallel. */
#include <lanewise/kernel.h>

KERNEL void normalise(float *out, float *mean, float *sum, const float *in)
{
    int i = thread_idx.x;
    float total = block_sum(in[i]);
    float average = 0;
    if (i == 0)
        average = total / block_dim.x;
    average = block_broadcast(average, 0);

    out[i] = in[i] / average;
    float check = block_sum(out[i]);
    if (i == 0) {
        mean[0] = average;
        sum[0] = check;
    }
}
