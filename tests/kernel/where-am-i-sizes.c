// Every thread of every block runs once, in every shape of block; its lane and warp follow from its
// linear index; only the last warp may be partial.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4 1x1x64 1x1024 4x8x32 3x5x7 2x3x11
// run: -b @B -g 2,3,2 i32[12]
// expect: blocks: i32[12] = [@N, @N, @N, @N, @N, @N, @N, @N, @N, @N, @N, @N]
#include <lanewise/kernel.h>

SHARED int seen[1024];

KERNEL void all(int *blocks)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    assert(thread_idx.x >= 0 && thread_idx.x < block_dim.x && thread_idx.y < block_dim.y);
    assert(thread_idx.z < block_dim.z && me < threads);
    assert(lane_id() == me % 32 && warp_id() == me / 32);
    assert(grid_dim.x == 2 && grid_dim.y == 3 && grid_dim.z == 2);
    assert(global_idx.x == (size_t)(block_idx.x * block_dim.x + thread_idx.x));
    assert(global_idx.y == (size_t)(block_idx.y * block_dim.y + thread_idx.y));
    assert(global_idx.z == (size_t)(block_idx.z * block_dim.z + thread_idx.z));
    seen[me] = 0;
    barrier();
    atomic_add(&seen[me], 1);
    barrier();
    assert(seen[threads - 1 - me] == 1);
    int lanes = threads - me / 32 * 32;
    assert(warp_sum(1) == (lanes < 32 ? lanes : 32));
    atomic_add(&blocks[(block_idx.z * 3 + block_idx.y) * 2 + block_idx.x], 1);
}
