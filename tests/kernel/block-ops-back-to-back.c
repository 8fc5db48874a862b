// block_* may be called again at once, in a loop, without a barrier between; each also orders all
// memory of the block, so what was stored before it is seen after it.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED int cell[1024];

KERNEL void back_to_back(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    for (int i = 0; i < 20; i++) {
        int last = threads - 1;
        cell[me] = me + i;
        assert(block_max(me + i) == last + i);
        assert(cell[last - me] == last - me + i);
        assert(block_min(me + i) == i);
        assert(block_sum(i) == i * threads);
        assert(block_broadcast(me * i, last) == last * i);
        cell[me] = -me - i;
        assert(block_inclusive_sum(i) == (me + 1) * i);
        assert(cell[last - me] == me - last - i);
        assert(block_exclusive_sum(i) == me * i);
        assert(block_count(me > i) == (threads > i + 1 ? threads - i - 1 : 0));
        cell[me] = me * i;
        assert(block_any(me == i) == (i < threads) && block_all(me >= i) == (i == 0));
        assert(cell[last - me] == (last - me) * i);
        assert(BLOCK_REDUCE(me, -1, a, b, b < 0 ? a : b) == last);
    }
    atomic_add(checked, 1);
}
