// run: 'f32[8]'
// status: 3
// stderr: int128-mode.c:9:
// stderr: '__int128' is not in the kernel language: integers have 8 to 64 bits
#include <lanewise/kernel.h>
typedef unsigned wide __attribute__((mode(TI)));
KERNEL void k(float out[8])
{
    wide x = 1;
    out[thread_idx.x] = x;
}
