// run: 'f32[8]' 3
// status: 3
// stderr: alloca.c:8:
// stderr: 'alloca' is not in the kernel language: use an array of constant size
#include <lanewise/kernel.h>
KERNEL void k(float out[8], int n)
{
    float *work = alloca(n);
    out[thread_idx.x] = work[n - 1];
}
