// A block operation reached from two calls of a helper: the lines are the helper's.
// run: -k two_calls -b 8 i32[8]
// status: 4
// stderr: kernel 'two_calls': barrier divergence in block (0,0,0)
// stderr: block-sum-places.c:15 block_sum reached by 3 threads (first thread (0,0,0))
// stderr: block-sum-places.c:15 block_sum reached by 5 threads (first thread (3,0,0))
// run: -k two_operations -b 8 i32[8]
// status: 4
// stderr: kernel 'two_operations': barrier divergence in block (0,0,0)
// stderr: block-sum-places.c:26 block_sum reached by 3 threads (first thread (0,0,0))
// stderr: block-sum-places.c:28 block_max reached by 5 threads (first thread (3,0,0))
#include <lanewise/kernel.h>
static int total(int v)
{
    return block_sum(v);
}

KERNEL void two_calls(int *out)
{
    out[thread_idx.x] = thread_idx.x < 3 ? total(1) : total(2);
}

KERNEL void two_operations(int *out)
{
    if (thread_idx.x < 3)
        out[thread_idx.x] = block_sum(1);
    else
        out[thread_idx.x] = block_max(1);
}
