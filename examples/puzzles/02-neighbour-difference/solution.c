// run: -b 32 f32[32] @squares.npy
/* Solution of puzzle 2: each lane fetches its right neighbour's value, without any memory. */
#include <lanewise/kernel.h>

KERNEL void difference(float *out, const float *in)
{
    int lane = lane_id();
    float mine = in[lane];
    float next = shuffle_down(mine, 1);
    out[lane] = lane < WARP_SIZE - 1 ? next - mine : 0;
}
