// run: -k outer i32[1]
// status: 3
// stderr: 10:5: error: 'inner' is a KERNEL: kernels are launched, not called
#include <lanewise/kernel.h>

KERNEL void inner(int *p) { p[0] = 1; }

KERNEL void outer(int *p)
{
    inner(p);
}
