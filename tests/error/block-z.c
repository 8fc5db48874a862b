// run: 1
// status: 3
// stderr: block-z.c:6:
// stderr: BLOCK(1, 1, 65) of kernel 'k': a block has 1 to 1024 threads, z at most 64
#include <lanewise/kernel.h>
KERNEL BLOCK(1, 1, 65) void k(int n)
{
}
