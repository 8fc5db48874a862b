// run: 'f32[8]'
// status: 3
// stderr: kernel-pointer-to-pointer.c:6:
// stderr: parameter 'x' of kernel 'k' has type 'float **'
#include <lanewise/kernel.h>
KERNEL void k(float **x)
{
    x[0][0] = 1;
}
