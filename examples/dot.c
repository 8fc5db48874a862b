/* dot.c - the dot product of two vectors of any length: out[0] = a[0] b[0] + a[1] b[1] + ...
 *
 *     lanewise run dot.c 'f64[1]' 'f32[8]=iota' 'f32[8]=iota' 8
 *     lanewise run dot.c 'f64[1]' @a.npy @b.npy 1048576
 *
 * One block: thread t of T adds up the products t, t + T, t + 2T ..., and the block adds its
 * threads' sums. The order is fixed, so each run has the same bits. The sums are double, so a
 * million floats lose nothing.
 */
#include <lanewise/kernel.h>

KERNEL void dot(double *out, const float *a, const float *b, int n)
{
    double sum = 0;
    for (int i = thread_idx.x; i < n; i += block_dim.x)
        sum += (double)a[i] * b[i];
    sum = block_sum(sum);
    if (thread_idx.x == 0)
        out[0] = sum;
}
