// Early returns and partial warps together: of the lanes that are left each operation sees just
// these, warp by warp, however ragged.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED int alive[1024];

KERNEL void ragged(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int first = me / 32 * 32, end = first + 32 < threads ? first + 32 : threads;
    unsigned leaves_at = (me * 2654435761u >> 28) % 6;
    alive[me] = 1;
    barrier();
    for (unsigned round = 0; round < 6; round++) {
        int rank = 0, count = 0, in_block = 0, before = 0, lowest = -1;
        for (int i = first; i < end; i++) {
            rank += alive[i] && i <= me;
            count += alive[i];
            if (alive[i] && lowest < 0)
                lowest = i;
        }
        for (int i = 0; i < threads; i++) {
            in_block += alive[i];
            before += alive[i] && i < me;
        }
        assert(warp_sum(1) == count && popcount(ballot(1)) == count &&
               warp_inclusive_sum(1) == rank);
        assert(warp_min(me) == lowest && warp_broadcast(me, lowest % 32) == lowest);
        assert(block_count(1) == in_block && block_exclusive_sum(1) == before);
        assert(block_max(-me) <= 0 && block_all(alive[me]));
        assert(WARP_REDUCE(1, 0, a, b, a + b) == count &&
               BLOCK_REDUCE(1, 0, a, b, a + b) == in_block);
        barrier();
        alive[me] = round < leaves_at;
        barrier();
        if (!alive[me])
            break;
    }
    atomic_add(checked, 1);
}
