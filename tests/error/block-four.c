// run: i32[1]
// status: 3
// stderr: BLOCK of kernel 'k' has 4 sizes, 1 to 3 are possible
#include <lanewise/kernel.h>

KERNEL BLOCK(1, 2, 3, 4) void k(int *p) { p[0] = 1; }
