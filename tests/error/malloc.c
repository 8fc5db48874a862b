// run: 'f32[8]' 3
// status: 3
// stderr: malloc.c:8:
// stderr: 'malloc' is not in the kernel language: kernels have no heap
#include <lanewise/kernel.h>
KERNEL void k(float out[8], int n)
{
    float *work = malloc(n);
    out[thread_idx.x] = work[0];
}
