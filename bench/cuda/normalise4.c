/* normalise4 - each block divides its elements, four a thread, by their mean. n is a multiple of a
 * block's elements.
 */
#include <lanewise/kernel.h>

KERNEL void normalise4(float4 *out, const float4 *a)
{
    size_t i = global_idx.x;
    float4 x = a[i];
    float mean = block_sum((x.x + x.y) + (x.z + x.w)) / (float)(4 * block_dim.x);
    out[i] = (float4){x.x / mean, x.y / mean, x.z / mean, x.w / mean};
}
