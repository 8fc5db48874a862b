// A warp operation in one arm holds nobody up, so the error is the barrier's.
// run: -b 8 i32[8]
// status: 4
// stderr: kernel 'not_warp': barrier divergence in block (0,0,0)
// stderr: barrier-not-warp.c:14 barrier reached by 5 threads (first thread (3,0,0))
// stderr: barrier-not-warp.c:15 barrier reached by 3 threads (first thread (0,0,0))
#include <lanewise/kernel.h>
KERNEL void not_warp(int *out)
{
    int x = thread_idx.x;
    if (x < 3)
        out[x] = warp_sum(1);
    else
        barrier();
    barrier();
}
