/* dot_warp - each thread adds up every so-manieth product, a warp its threads' sums by shuffles,
 * and its first lane adds that to the result.
 */
#include <lanewise/kernel.h>

KERNEL void dot_warp(float *out, const float *a, const float *b, int n)
{
    size_t threads = (size_t)grid_dim.x * block_dim.x;
    float sum = 0;
    for (size_t i = global_idx.x; i < (size_t)n; i += threads)
        sum += a[i] * b[i];
    for (int half = 16; half > 0; half /= 2)
        sum += shuffle_down(sum, half);
    if (lane_id() == 0)
        atomic_add(out, sum);
}
