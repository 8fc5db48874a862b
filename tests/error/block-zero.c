// run: 1
// status: 3
// stderr: block-zero.c:6:
// stderr: BLOCK(0, 1, 1) of kernel 'k': a block has 1 to 1024 threads, z at most 64
#include <lanewise/kernel.h>
KERNEL BLOCK(0) void k(int n)
{
}
