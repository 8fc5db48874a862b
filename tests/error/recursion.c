// run: 'f32[8]' 3
// status: 3
// stderr: recursion.c:8:
// stderr: recursion: 'factorial' calls itself
#include <lanewise/kernel.h>
static int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}
KERNEL void k(float out[8], int n)
{
    out[thread_idx.x] = factorial(n);
}
