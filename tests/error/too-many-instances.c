// A collective in helpers that call the one below in both arms of a branch has two to the power of
// their depth instances, all in different code. So many are refused at once.
// run: -D K=f5 -b 4 i32[4]=iota
// expect: o: i32[4] = [28, 28, 28, 28]
// run: -D K=f13 -b 4 i32[4]=iota
// status: 3
// stderr: too-many-instances.c:30:23: error: this call of 'f13' leads to 8192 instances
// stderr: each by another way through helpers; a kernel may have 4096
#include <lanewise/kernel.h>

static int f0(int x) { return x * 3 + warp_sum(x & 7); }
#define LEVEL(k, below)                                                                            \
    static int f##k(int x) { return x & k ? f##below(x) : f##below(x + k); }
LEVEL(1, 0)
LEVEL(2, 1)
LEVEL(3, 2)
LEVEL(4, 3)
LEVEL(5, 4)
LEVEL(6, 5)
LEVEL(7, 6)
LEVEL(8, 7)
LEVEL(9, 8)
LEVEL(10, 9)
LEVEL(11, 10)
LEVEL(12, 11)
LEVEL(13, 12)

KERNEL void k(int *o)
{
    o[thread_idx.x] = K(o[thread_idx.x]);
}
