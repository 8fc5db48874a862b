#include <lanewise/kernel.h>

KERNEL void difference(float *out, const float *in)
{
    int lane = lane_id();
    float mine = in[lane];

    float next = mine; /* YOUR TURN: the value of the lane one further on, through no memory. */

    out[lane] = lane < WARP_SIZE - 1 ? next - mine : 0;
}
