// run: 'f32[8]'
// status: 3
// stderr: varargs.c:6:
// stderr: 'sum' takes variable arguments
#include <lanewise/kernel.h>
static int sum(int n, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, n);
    int first = __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return first;
}
KERNEL void k(float out[8])
{
    out[thread_idx.x] = sum(1, 2);
}
