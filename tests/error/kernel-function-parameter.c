// run: 1
// status: 3
// stderr: kernel-function-parameter.c:6:
// stderr: function pointers are not in the kernel language
#include <lanewise/kernel.h>
KERNEL void k(int (*f)(int))
{
    (void)f;
}
