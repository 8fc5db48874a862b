/* Each lane averages what it holds with what two neighbours hold.
 *
 * Both shuffles are calls of all lanes, so they stand before the cases. A lane at the end of the
 * warp gets values that are not its neighbours'; it does not look at them.
 */
#include <lanewise/kernel.h>

KERNEL void moving_average(float *out, const float *in)
{
    size_t i = global_idx.x;
    int last = WARP_SIZE - 1;
    float first = in[i];
    float second = shuffle_down(first, 1);
    float third = shuffle_down(first, 2);

    if (lane_id() + 2 <= last)
        out[i] = (first + second + third) / 3;
    else if (lane_id() + 1 <= last)
        out[i] = (first + second) / 2;
    else
        out[i] = first;
}
