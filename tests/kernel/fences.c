// Fences with atomics order across blocks: a flag passed up and down the grid, and between warps
// of a block by fence_block. A block may wait for lower ones; ref also lets it wait for higher
// ones.
// device: ref cpu refuses loops that wait for other threads
// run: -k look_back -b 32 -g 40 i32[40] i32[40]
// expect: total: i32[40] = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406, 435, 465, 496, 528, 561, 595, 630, 666, 703, 741, 780, 820]
// expect: flag: i32[40] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
// run: -k look_ahead -b 32 -g 6 i32[6] i32[6]
// expect: total: i32[6] = [21, 20, 18, 15, 11, 6]
// expect: flag: i32[6] = [1, 1, 1, 1, 1, 1]
// run: -k both_ways -b 64 -g 2 i32[2] i32[2]
// expect: data: i32[2] = [31, 62]
// expect: turn: i32[2] = [5, 5]
// run: -k between_warps -b 64 i32[2]
// expect: out: i32[2] = [42, 43]
// run: -k whole_grid -b 33 -g 2,3,2 i32[12] i32[1]
// expect: out: i32[12] = [12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12]
// expect: arrived: i32[1] = [12]
#include <lanewise/kernel.h>

static void wait_for(const int *flag, int value)
{
    while (atomic_load(flag) < value)
        ;
    fence_device();
}

static void raise_flag(int *flag)
{
    fence_device();
    atomic_add(flag, 1);
}

KERNEL void look_back(int *total, int *flag)
{
    int b = block_idx.x;
    if (thread_idx.x == 0) {
        int before = 0;
        if (b > 0) {
            wait_for(&flag[b - 1], 1);
            before = total[b - 1];
        }
        total[b] = before + b + 1;
        raise_flag(&flag[b]);
    }
}

KERNEL void look_ahead(int *total, int *flag)
{
    int b = block_idx.x;
    if (thread_idx.x == 31) {
        int after = 0;
        if (b + 1 < grid_dim.x) {
            wait_for(&flag[b + 1], 1);
            after = total[b + 1];
        }
        total[b] = after + b + 1;
        raise_flag(&flag[b]);
    }
}

/* Two blocks in turns: block 0 adds 1 to what block 1 left, block 1 doubles what block 0 left. */
KERNEL void both_ways(int *data, int *turn)
{
    int b = block_idx.x;
    for (int i = 0; i < 5; i++) {
        if (thread_idx.x == 40) {
            wait_for(&turn[1 - b], i + b);
            data[b] = b ? data[0] * 2 : data[1] + 1;
            raise_flag(&turn[b]);
        }
        barrier();
    }
}

KERNEL void between_warps(int *out)
{
    SHARED int value[2], ready[2];
    int w = warp_id();
    if (lane_id() == 0)
        ready[w] = 0;
    barrier();
    if (lane_id() == 0) {
        value[w] = 42 + w;
        fence_block();
        atomic_store(&ready[w], 1);
        while (!atomic_load(&ready[1 - w]))
            ;
        fence_block();
        out[1 - w] = value[1 - w];
    }
}

/* A barrier of the whole grid by one counter. */
KERNEL void whole_grid(int *out, int *arrived)
{
    int blocks = grid_dim.x * grid_dim.y * grid_dim.z;
    barrier();
    if (thread_idx.x == 0) {
        raise_flag(arrived);
        wait_for(arrived, blocks);
        out[(block_idx.z * grid_dim.y + block_idx.y) * grid_dim.x + block_idx.x] =
            atomic_load(arrived);
    }
}
