/* scan - inclusive sums within each block.
 */
#include <lanewise/kernel.h>

KERNEL void scan(float *out, const float *a, int n)
{
    size_t i = global_idx.x;
    float sum = block_inclusive_sum(i < (size_t)n ? a[i] : 0);
    if (i < (size_t)n)
        out[i] = sum;
}
