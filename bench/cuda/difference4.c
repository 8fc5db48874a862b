/* difference4 - out[i] = a[i+1] - a[i], 0 for the last, four elements a thread. n is a multiple of
 * 4.
 */
#include <lanewise/kernel.h>

KERNEL void difference4(float4 *out, const float4 *a, int n)
{
    size_t i = global_idx.x, count = (size_t)n / 4;
    float4 x = i < count ? a[i] : (float4){0, 0, 0, 0};
    float next = shuffle_down(x.x, 1);
    if (i >= count)
        return;
    if (lane_id() == WARP_SIZE - 1 && i + 1 < count)
        next = a[i + 1].x;
    if (i + 1 == count)
        next = x.w;
    out[i] = (float4){x.y - x.x, x.z - x.y, x.w - x.z, next - x.w};
}
