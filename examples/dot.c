/* dot.c - the dot product of two vectors of any length: out[0] = a[0] b[0] + a[1] b[1] + ...
 *
 *     lanewise run dot.c -g 64 f64[1] @a.npy @b.npy 1048576
 *
 * Each thread of the grid adds up every so-manieth product, the block adds its threads' sums, and
 * the blocks meet in one number. The sums are double, so a million floats lose nothing.
 */
#include <lanewise/kernel.h>

KERNEL void dot(double *out, const float *a, const float *b, int n)
{
    double sum = 0;
    for (size_t i = global_idx.x; i < (size_t)n; i += (size_t)grid_dim.x * block_dim.x)
        sum += (double)a[i] * b[i];

    sum = block_sum(sum);
    if (thread_idx.x == 0)
        atomic_add(out, sum);
}
