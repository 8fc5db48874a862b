// run: 1
// status: 3
// stderr: kernel-long-double.c:6:
// stderr: 'long double' is not in the kernel language: use double
#include <lanewise/kernel.h>
KERNEL void k(long double x)
{
    (void)x;
}
