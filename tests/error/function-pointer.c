// run: 'f32[8]' 3
// status: 3
// stderr: function-pointer.c:13:
// stderr: call through a pointer: function pointers are not in the kernel language
#include <lanewise/kernel.h>
static int twice(int n)
{
    return 2 * n;
}
KERNEL void k(float out[8], int n)
{
    int (*f)(int) = twice;
    out[thread_idx.x] = f(n);
}
