// run: 'f32[8]'
// status: 3
// stderr: int128.c:8:
// stderr: '__int128' is not in the kernel language: integers have 8 to 64 bits
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    __int128 x = 1;
    out[thread_idx.x] = x;
}
