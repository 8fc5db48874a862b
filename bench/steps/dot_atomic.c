/* dot_atomic - a product a thread, all added to one number: right, and the slowest way on a GPU.
 */
#include <lanewise/kernel.h>

KERNEL void dot_atomic(float *out, const float *a, const float *b, int n)
{
    size_t i = global_idx.x;
    if (i < (size_t)n)
        atomic_add(out, a[i] * b[i]);
}
