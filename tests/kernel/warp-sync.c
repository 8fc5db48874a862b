// warp_sync orders the memory of the warp: lanes exchange through block memory without a barrier,
// in warps that run different lengths of loop.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED int cell[1024];

KERNEL void exchange(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int first = me / 32 * 32, lanes = threads - first < 32 ? threads - first : 32;
    int next = first + (me - first + 1) % lanes;
    cell[me] = me;
    for (int i = 0; i < 5 + warp_id(); i++) {
        warp_sync();
        int got = cell[next];
        warp_sync();
        cell[me] = got;
    }
    assert(cell[me] == first + (me - first + 5 + warp_id()) % lanes);
    atomic_add(checked, 1);
}
