/* dot_atomic - each thread sums its products and adds them to one number: right, and the slowest
 * way on a GPU, where the threads of the whole grid take turns.
 */
#include <lanewise/kernel.h>

KERNEL void dot_atomic(float *out, const float *a, const float *b, int n)
{
    float sum = 0;
    for (size_t i = global_idx.x; i < (size_t)n; i += (size_t)grid_dim.x * block_dim.x)
        sum += a[i] * b[i];
    atomic_add(out, sum);
}
