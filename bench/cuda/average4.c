/* average4 - out[i] is the mean of a[i-1], a[i] and a[i+1], four elements a thread; what is outside
 * is 0. n is a multiple of 4.
 */
#include <lanewise/kernel.h>

KERNEL void average4(float4 *out, const float4 *a, int n)
{
    size_t i = global_idx.x, count = (size_t)n / 4;
    float4 x = i < count ? a[i] : (float4){0, 0, 0, 0};
    float before = shuffle_up(x.w, 1), after = shuffle_down(x.x, 1);
    if (i >= count)
        return;
    if (lane_id() == 0)
        before = i > 0 ? a[i - 1].w : 0;
    if (lane_id() == WARP_SIZE - 1 || i + 1 == count)
        after = i + 1 < count ? a[i + 1].x : 0;
    const float third = 1.0f / 3;
    out[i] = (float4){(before + x.x + x.y) * third, (x.x + x.y + x.z) * third,
                      (x.y + x.z + x.w) * third, (x.z + x.w + after) * third};
}
