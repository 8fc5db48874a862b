// thread_idx, block_idx, block_dim, grid_dim, lane_id, warp_id and global_idx in three
// dimensions; a warp is cut from the block in x-fastest order.
// run: -k listing -b 2,1,2 -g 2,2,1 i32[16]
// expect: out: i32[16] = [0, 1, 200, 201, 1000, 1001, 1200, 1201, 10000, 10001, 10200, 10201, 11000, 11001, 11200, 11201]
// run: -k self -b 1 -g 65535 i32[1] 65535 1 1
// expect: count: i32[1] = [65535]
// run: -k self -b 1 -g 1,3,700 i32[1] 1 3 700
// expect: count: i32[1] = [2100]
// run: -k types -b 1 i32[1]
// expect: out: i32[1] = [1]
#include <lanewise/kernel.h>

/* For each block the digits yx of the block, then zyx of the thread. */
KERNEL void listing(int *out)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int block = (block_idx.z * grid_dim.y + block_idx.y) * grid_dim.x + block_idx.x;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    out[block * threads + me] = block_idx.y * 10000 + block_idx.x * 1000 + thread_idx.z * 200 +
                                thread_idx.y * 10 + thread_idx.x;
}

KERNEL void self(int *count, int x, int y, int z)
{
    assert(grid_dim.x == x && grid_dim.y == y && grid_dim.z == z);
    assert(global_idx.x == (size_t)block_idx.x && global_idx.z == (size_t)block_idx.z);
    assert(block_idx.x < x && block_idx.y < y && block_idx.z < z);
    atomic_add(count, 1);
}

KERNEL void types(int *out)
{
    *out = _Generic(thread_idx.x, int: 1) && _Generic(block_idx.y, int: 1) &&
           _Generic(block_dim.z, int: 1) && _Generic(grid_dim.x, int: 1) &&
           _Generic(lane_id(), int: 1) && _Generic(warp_id(), int: 1) &&
           _Generic(global_idx.x, size_t: 1) && _Generic(global_idx.y, size_t: 1) &&
           _Generic(global_idx.z, size_t: 1) && WARP_SIZE == 32;
}
