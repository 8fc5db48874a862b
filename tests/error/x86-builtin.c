// run: 'f32[8]'
// status: 3
// stderr: x86-builtin.c:8:
// stderr: a builtin of x86 processors
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    out[thread_idx.x] = __builtin_ia32_rdtsc();
}
