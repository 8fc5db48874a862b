// Threads that returned are not waited for; those that go elsewhere are missing.
// run: -b 64 i32[1]
// status: 4
// stderr: kernel 'returned': barrier divergence in block (0,0,0)
// stderr: barrier-returned.c:15 barrier reached by 16 threads (first thread (16,0,0))
// stderr: barrier-returned.c:16 barrier reached by 32 threads (first thread (32,0,0))
// stderr: 16 threads have returned
#include <lanewise/kernel.h>

KERNEL void returned(int *out)
{
    if (thread_idx.x < 16)
        return;
    if (thread_idx.x < 32)
        barrier();
    barrier();
    *out = 1;
}
