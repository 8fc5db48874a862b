// run: -b 128 f32[1] @a.npy @b.npy
/* Solution of puzzle 4: puzzle 1's tree is one call. */
#include <lanewise/kernel.h>

KERNEL void dot_product(float *out, const float *a, const float *b)
{
    int i = thread_idx.x;
    float sum = block_sum(a[i] * b[i]);
    if (i == 0)
        out[0] = sum;
}
