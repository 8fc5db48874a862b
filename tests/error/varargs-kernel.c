// run: 'f32[8]'
// status: 3
// stderr: varargs-kernel.c:6:
// stderr: 'k' takes variable arguments
#include <lanewise/kernel.h>
KERNEL void k(float out[8], ...)
{
    out[thread_idx.x] = 1;
}
