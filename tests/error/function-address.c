// run: 'f32[8]' 3
// status: 3
// stderr: function-address.c:10:
// stderr: the address of function 'twice' is taken
#include <lanewise/kernel.h>
static int twice(int n)
{
    return 2 * n;
}
static int (*const table[1])(int) = {twice};
KERNEL void k(float out[8], int n)
{
    out[thread_idx.x] = table[n] != 0;
}
