// Threads that leave in different iterations do not reach the barrier of the arm together.
// run: -b 64 i32[64]
// status: 4
// stderr: kernel 'other_trip': barrier divergence in block (0,0,0)
// stderr: barrier-in-arm.c:14 barrier in iteration 0 reached by 32 threads (first thread (0,0,0))
// stderr: barrier-in-arm.c:14 barrier in iteration 1 reached by 32 threads (first thread (32,0,0))
// stderr: barrier-in-arm.c:14: (32,0,0) to (63,0,0)
#include <lanewise/kernel.h>

KERNEL void other_trip(int *out)
{
    for (int i = 0; i < 2; i++)
        if (i == warp_id()) {
            barrier();
            break;
        }
    out[thread_idx.x] = 1;
}
