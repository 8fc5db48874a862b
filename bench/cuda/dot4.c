/* dot4 - as kernels/dot.c, four elements at a time: 16 bytes an access keep a GPU's memory busy.
 * FOUR is the type of four of b's elements: float4, or uchar4 for bytes that are 0 or 1.
 */
#include <lanewise/kernel.h>

#ifndef FOUR
#define FOUR float4
#endif

KERNEL void dot4(float *out, const float4 *a, const FOUR *b, int n)
{
    size_t threads = (size_t)grid_dim.x * block_dim.x;
    float4 sum = {0, 0, 0, 0};
    for (size_t i = global_idx.x; i < (size_t)n / 4; i += threads) {
        float4 x = a[i];
        FOUR y = b[i];
        sum.x = fma(x.x, (float)y.x, sum.x);
        sum.y = fma(x.y, (float)y.y, sum.y);
        sum.z = fma(x.z, (float)y.z, sum.z);
        sum.w = fma(x.w, (float)y.w, sum.w);
    }
    float all = block_sum((sum.x + sum.y) + (sum.z + sum.w));
    if (thread_idx.x == 0)
        out[block_idx.x] = all;
}
