// A message about a parameter has the line and the column of its name, one about a kernel that of
// the kernel's.
// run: -k pointers 'i32[8]' 3
// status: 3
// stderr: column-of-parameter.c:11:25: error: parameter 'q' of kernel 'pointers'
// stderr: column-of-parameter.c:16:12: error: kernel 'result' must return void
#include <lanewise/kernel.h>
KERNEL
void pointers(
    int *o,
    int         *const *q)
{
    o[0] = **q;
}

KERNEL int result(int *o)
{
    return o[0];
}
