#include <lanewise/kernel.h>

KERNEL void moving_average(float *out, const float *in)
{
    size_t i = global_idx.x;
    float first = in[i];

    /* YOUR TURN: the two values to the right, and the average of as many as the warp has. */

    out[i] = first;
}
