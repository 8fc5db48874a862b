// run: 'f32[8]' 3
// status: 3
// stderr: local-vla.c:8:
// stderr: a local variable-length array is not in the kernel language
#include <lanewise/kernel.h>
KERNEL void k(float out[8], int n)
{
    float work[n];
    work[0] = 1;
    out[thread_idx.x] = work[n - 1];
}
