// run: 'f32[8]'
// status: 3
// stderr: complex.c:8:
// stderr: '_Complex' is not in the kernel language: use a pair of numbers
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    float _Complex x = 1;
    out[thread_idx.x] = __real__ x;
}
