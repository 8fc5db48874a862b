// run: 'f32[8]'
// status: 3
// stderr: complex-literal.c:8:
// stderr: '_Complex' is not in the kernel language: use a pair of numbers
#include <lanewise/kernel.h>
KERNEL void k(float out[8])
{
    __auto_type x = 1.0if;
    out[thread_idx.x] = __imag__ x;
}
