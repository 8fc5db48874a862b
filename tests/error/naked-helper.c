// run: i32[1]
// status: 3
// stderr: naked-helper.c:5:36: error: 'f' is naked, which is not in the kernel language
#include <lanewise/kernel.h>
static __attribute__((naked)) void f(void)
{
}
KERNEL void k(int *out)
{
    f();
}
