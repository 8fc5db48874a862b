// run: 'f32[8]'
// status: 3
// stderr: inline-assembly-file.c:6:
// stderr: inline assembly is not in the kernel language
#include <lanewise/kernel.h>
__asm__(".globl x");
KERNEL void k(float out[8])
{
    out[thread_idx.x] = 1;
}
