// trace() takes numbers: an array or a pointer is refused.
// run: -b 1 f32[4]
// status: 3
// stderr: trace-types.c:11:
// stderr: it takes a number or an element of an array
#include <lanewise/kernel.h>

KERNEL void k(float *x)
{
    x[0] = 1;
    trace("x", x);
}
