// run: 1
// status: 3
// stderr: block-without-kernel.c:6:
// stderr: BLOCK(...) belongs to a KERNEL
#include <lanewise/kernel.h>
BLOCK(32) void helper(void)
{
}
KERNEL void k(int n)
{
    helper();
}
