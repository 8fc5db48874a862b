// Two barriers are two places, though each thread comes to one.
// run: -b 40 i32[1]
// status: 4
// stderr: kernel 'two_arms': barrier divergence in block (0,0,0)
// stderr: barrier-two-arms.c:16 barrier reached by 10 threads (first thread (0,0,0))
// stderr: barrier-two-arms.c:18 barrier reached by 30 threads (first thread (10,0,0))
// stderr: missing at
// stderr: barrier-two-arms.c:16: (10,0,0) to (39,0,0)
#include <lanewise/kernel.h>

KERNEL void two_arms(int *out)
{
    int x = thread_idx.x;
    *out = 1;
    if (x < 10)
        barrier();
    else
        barrier();
}
