#include <lanewise/kernel.h>

KERNEL void keep_positive(float *kept, int *count, const float *in)
{
    int t = thread_idx.x;
    float v = in[t];
    int keep = v > 0;

    int place = t; /* YOUR TURN: how many before this one are kept? */

    if (keep)
        kept[place] = v;
    if (t == block_dim.x - 1)
        count[0] = place + keep;
}
