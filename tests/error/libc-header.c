// run: 'f32[8]'
// status: 3
// stderr: libc-header.c:6:
// stderr: kernels have no C library; <lanewise/kernel.h> supplies its names
#include <lanewise/kernel.h>
#include <string.h>
KERNEL void k(float out[8])
{
    out[thread_idx.x] = exp(1.0f);
}
