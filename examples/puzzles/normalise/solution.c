/* Reduce to one thread's number, hand it to all, go on in parallel.
 *
 * The broadcast is a call of the whole block, as a barrier is. Each thread passes its `average`;
 * that of thread 0 is the one that all get back. Softmax and the norms of a network are built so.
 */
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
