// A barrier in a loop of different trip counts: all threads make iteration 0, the odd ones also 1.
// run: -b 6 i32[1]
// status: 4
// stderr: kernel 'trips': barrier divergence in block (0,0,0)
// stderr: barrier-trips.c:14 barrier in iteration 1 reached by 3 threads (first thread (1,0,0))
// stderr: barrier-trips.c:15 barrier reached by 3 threads (first thread (0,0,0))
// stderr: barrier-trips.c:14: (0,0,0), (2,0,0), (4,0,0)
#include <lanewise/kernel.h>

KERNEL void trips(int *out)
{
    *out = 1;
    for (int i = 0; i <= thread_idx.x % 2; i++)
        barrier();
    barrier();
}
