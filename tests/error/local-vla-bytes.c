// run: 'f32[8]' 3
// status: 3
// stderr: local-vla-bytes.c:8:
// stderr: a local variable-length array is not in the kernel language
#include <lanewise/kernel.h>
KERNEL void k(float out[8], int n)
{
    char work[n][2];
    work[0][1] = 1;
    out[thread_idx.x] = work[n - 1][0];
}
