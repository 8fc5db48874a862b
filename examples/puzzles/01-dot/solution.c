// run: -b 8 f32[1] f32[8]=iota f32[8]=iota
/* Solution of puzzle 1: eight products, added by a tree in block memory. */
#include <lanewise/kernel.h>

KERNEL void dot_product(float *out, const float *a, const float *b)
{
    SHARED float part[8];
    int i = thread_idx.x;
    part[i] = a[i] * b[i];
    barrier();
    for (int half = 4; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        barrier();
    }
    if (i == 0)
        out[0] = part[0];
}
