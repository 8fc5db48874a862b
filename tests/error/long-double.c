// run: 'f32[8]'
// status: 3
// stderr: long-double.c:8:
// stderr: 'long double' is not in the kernel language: use double
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    long double x = out[0];
    out[thread_idx.x] = x * 2;
}
