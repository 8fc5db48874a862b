// A barrier in one arm, and another later: the second block only, where 4 threads go there.
// run: -g 3 -b 8,2 i32[1]
// status: 4
// stderr: kernel 'one_arm': barrier divergence in block (1,0,0)
// stderr: barrier-one-arm.c:15 barrier reached by 4 threads (first thread (0,1,0))
// stderr: barrier-one-arm.c:16 barrier reached by 12 threads (first thread (0,0,0))
// stderr: barrier-one-arm.c:15: (0,0,0) to (7,0,0), (4,1,0) to (7,1,0)
#include <lanewise/kernel.h>

KERNEL void one_arm(int *out)
{
    int here = block_idx.x == 1 && thread_idx.x < 4 && thread_idx.y == 1;
    *out = 1;
    if (here)
        barrier();
    barrier();
}
