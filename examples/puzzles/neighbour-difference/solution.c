/* Each lane fetches its right neighbour's value, without any memory.
 *
 * All 32 lanes call shuffle_down: a lane gives and takes in the same call. Lane 31 gets its own
 * value back, and must not use it. The choice of what to write comes after the call, not around it.
 */
#include <lanewise/kernel.h>

KERNEL void difference(float *out, const float *in)
{
    int lane = lane_id();
    float mine = in[lane];
    float next = shuffle_down(mine, 1);
    out[lane] = lane < WARP_SIZE - 1 ? next - mine : 0;
}
