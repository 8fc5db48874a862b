// Everything that is wrong is told, not only the first.
// run: 'f32[8]' 3
// status: 3
// stderr: several.c:10:
// stderr: several.c:14:
// stderr: several.c:15:
// stderr: several.c:17:
#include <lanewise/kernel.h>

int total;

KERNEL void k(float out[8], int n)
{
    long double x = n;
    float work[n];
    work[0] = x;
    out[thread_idx.x] = work[0] + *(int *)__builtin_alloca(4) + total;
}
