/* After the round with m all lanes whose numbers differ in the bits so far hold the same sum.
 *
 * Five bits are 32 lanes, so five rounds are enough. Each lane works in every round, while in the
 * tree in block memory half of them stop in each. That costs nothing, since a warp takes the same
 * time for one lane as for all, and saves handing the result back.
 */
#include <lanewise/kernel.h>

KERNEL void sum_of_warp(float *out, const float *in)
{
    size_t i = global_idx.x;
    float v = in[i];
    for (int m = WARP_SIZE / 2; m > 0; m /= 2)
        v += shuffle_xor(v, m);
    out[i] = v;
}
