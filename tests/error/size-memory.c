// run: 'i32[1]=4' 'f32[8]'
// status: 3
// stderr: size-memory.c:6:
// stderr: the declared sizes of kernel 'k' depend on memory
#include <lanewise/kernel.h>
KERNEL void k(int *n, float out[n[0]])
{
    out[0] = 1;
}
