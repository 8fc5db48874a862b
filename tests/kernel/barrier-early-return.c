// Threads that have returned are not waited for, at any barrier or block operation; whole warps
// may go.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

KERNEL void leaving(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    for (int i = 0; i < threads; i = i * 2 + 3) {
        if (me < i) {
            atomic_add(checked, 1);
            return;
        }
        barrier();
        assert(block_count(1) == threads - i && block_sum(1) == threads - i);
        assert(block_min(me) == i && block_inclusive_sum(1) == me - i + 1);
        int lower = me / 32 * 32 > i ? me / 32 * 32 : i;
        int upper = me / 32 * 32 + 32 < threads ? me / 32 * 32 + 32 : threads;
        assert(warp_sum(1) == upper - lower && warp_inclusive_sum(1) == me - lower + 1);
    }
    atomic_add(checked, 1);
}
