// run: 'f32[8]' 0
// status: 3
// stderr: computed goto is not in the kernel language: use switch
#include <lanewise/kernel.h>
KERNEL void k(float out[8], int n)
{
    const void *const where[2] = {&&one, &&two};
    goto *where[n];
one:
    out[0] = 1;
two:
    out[1] = 2;
}
