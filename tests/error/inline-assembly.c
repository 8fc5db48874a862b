// run: 'f32[8]'
// status: 3
// stderr: inline-assembly.c:8:
// stderr: inline assembly is not in the kernel language
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    __asm__ volatile("nop");
    out[thread_idx.x] = 1;
}
