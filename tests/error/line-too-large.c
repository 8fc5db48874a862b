// run: i32[1]
// status: 3
// stderr: line-too-large.c: error: use of undeclared identifier 'y'
#include <lanewise/kernel.h>
KERNEL void k(int *out)
{
#line 4000000000
    out[0] = y;
}
