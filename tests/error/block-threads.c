// run: 1
// status: 3
// stderr: block-threads.c:6:
// stderr: BLOCK(32, 33, 1) of kernel 'k': a block has 1 to 1024 threads, z at most 64
#include <lanewise/kernel.h>
KERNEL BLOCK(32, 33) void k(int n)
{
}
