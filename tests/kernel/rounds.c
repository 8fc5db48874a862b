// Large blocks in which nothing concerns more than a warp: places, early returns, private arrays,
// warps' operations and atomics of threads that come later, at shapes that fit into rows and planes
// of threads in every way, or not at all.
// sizes: 1 33 160 256 512 544 1000 1024 32x32 16x48 48x16 40x16 64x3x4 4x4x32 2x2x64 128x2x4
// run: -k places -b @B -g 2 i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
// run: -k returns -b @B i32[1] i32[1]
// device: !check borrowed values decide branches
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
// run: -k arrays -b @B i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
#include <lanewise/kernel.h>

static int linear(void)
{
    return (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
}

KERNEL void places(int *wrong, int *done)
{
    int mine = warp_id() * WARP_SIZE + lane_id();
    bool right = mine == linear() && thread_idx.x >= 0 && thread_idx.x < block_dim.x &&
                 thread_idx.y >= 0 && thread_idx.y < block_dim.y && thread_idx.z >= 0 &&
                 thread_idx.z < block_dim.z;
    if (!right || global_idx.x != (size_t)block_idx.x * block_dim.x + thread_idx.x)
        atomic_add(wrong, 1);
    if (block_idx.x == 1)
        atomic_add(done, 1);
}

/* Threads leave in the order of their numbers, by the way that data decides. */
KERNEL void returns(int *wrong, int *done)
{
    int mine = linear(), threads = block_dim.x * block_dim.y * block_dim.z;
    int in_warp = threads - warp_id() * WARP_SIZE;
    if (in_warp > WARP_SIZE)
        in_warp = WARP_SIZE;
    atomic_add(done, 1);
    if (mine % 5 == 1)
        return;
    int there = 0;
    for (int lane = 0; lane < in_warp; lane++)
        there += (warp_id() * WARP_SIZE + lane) % 5 != 1;
    if (warp_sum(1) != there)
        atomic_add(wrong, 1);
    for (int i = 0; i < mine % 7; i++) {
        int first = warp_min(mine);
        if (first > mine || first / WARP_SIZE != warp_id())
            atomic_add(wrong, 1);
    }
    if (mine >= threads / 2)
        return;
    if (shuffle_xor(mine, 1) / WARP_SIZE != warp_id())
        atomic_add(wrong, 1);
}

/* Small ones on the stack, large ones in a frame of their own; each thread finds its own there. */
KERNEL void arrays(int *wrong, int *done)
{
    int mine = linear();
    short few[8];
    int many[600];
    for (int i = 0; i < 8; i++)
        few[i] = (short)(mine + i);
    for (int i = 0; i < 600; i++)
        many[i] = mine * i;
    for (int i = 0; i < 8; i++)
        if (few[(i + mine) & 7] != (short)(mine + ((i + mine) & 7)))
            atomic_add(wrong, 1);
    for (int i = 0; i < 600; i += 7)
        if (many[(i + mine) % 600] != mine * ((i + mine) % 600))
            atomic_add(wrong, 1);
    atomic_add(done, 1);
}
