// run: 'f32[8]'
// status: 3
// stderr: bitint.c:8:
// stderr: '_BitInt' is not in the kernel language: integers have 8 to 64 bits
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    _BitInt(7) x = 1;
    out[thread_idx.x] = x;
}
