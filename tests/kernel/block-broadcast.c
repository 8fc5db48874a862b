// block_broadcast: every thread may read another's value, by linear index; a number that is no
// thread of the block, or that of a thread that has returned, gives the caller's own value.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// device: !check borrowed values decide branches
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

KERNEL void broadcast(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int v = me * 3 + 1;
    assert(block_broadcast(v, 0) == 1 && block_broadcast(v, threads - 1) == threads * 3 - 2);
    assert(block_broadcast(v, threads / 2) == threads / 2 * 3 + 1);
    assert(block_broadcast(v, threads - 1 - me) == (threads - 1 - me) * 3 + 1);
    assert(block_broadcast(v, -1) == v && block_broadcast(v, threads) == v);
    assert(block_broadcast(v, me - 1) == (me ? v - 3 : v));
    assert(block_broadcast(v, me + 1) == (me + 1 < threads ? v + 3 : v));
    assert(block_broadcast(v, INT_MAX) == v && block_broadcast(v, INT_MIN) == v);
    atomic_add(checked, 1);
    if (me % 4 == 1)
        return;
    for (int i = 0; i < threads; i += 5)
        assert(block_broadcast(v, i) == (i % 4 == 1 ? v : i * 3 + 1));
}
