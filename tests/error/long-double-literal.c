// run: 'f32[8]'
// status: 3
// stderr: long-double-literal.c:8:
// stderr: 'long double' is not in the kernel language: use double
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    out[thread_idx.x] = out[0] * 0.1L;
}
