/* One index for all arrays, one number for all threads.
 *
 * Memory moves 12 bytes for a product and a sum: two floats in, one out. So memory decides how
 * long this takes, on any machine, and not the arithmetic. That holds for most kernels, and is why
 * so much of this track is about memory.
 */
#include <lanewise/kernel.h>

KERNEL void scale_and_add(float *out, float s, const float *x, const float *y)
{
    int i = thread_idx.x;
    out[i] = s * x[i] + y[i];
}
