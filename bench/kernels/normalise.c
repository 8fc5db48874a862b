/* normalise - each block divides its elements by their mean.
 */
#include <lanewise/kernel.h>

KERNEL void normalise(float *out, const float *a, int n)
{
    size_t i = global_idx.x;
    float mine = i < (size_t)n ? a[i] : 0;
    float mean = block_sum(mine) / block_dim.x;
    if (i < (size_t)n)
        out[i] = mine / mean;
}
