// Threads wait in loops for what others write: for the block before (a scan of the grid in one pass
// by look-back), for a lock, for their turn, for another warp between barriers.
// sizes: 1 31 32 33 64 100 256 1000 1024 16x16 8x8x4
// run: -k look_back -b @B -g 37 i32[1] i32[37] i32[37] i32[37]
// expect: blocks: i32[1] = [37]
// expect: state: i32[37] = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
// expect: total: i32[37] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37]
// expect: prefix: i32[37] = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406, 435, 465, 496, 528, 561, 595, 630, 666, 703]
// run: -k lock -b @B -g 11 i32[1] i32[2]
// expect: blocks: i32[1] = [11]
// expect: held: i32[2] = [0, 11]
// run: -k turns -b @B -g 3 i32[1]
// expect: blocks: i32[1] = [3]
// run: -k asks -b @B -g 3 i32[1]
// expect: blocks: i32[1] = [3]
// run: -k rounds -b @B -g 5 i32[1]
// expect: blocks: i32[1] = [5]
// run: -k chain -b 8 -g 5000 i32[1] i32[2]
// expect: last: i32[1] = [5000]
// expect: done: i32[2] = [5000, 0]
#include <lanewise/kernel.h>

static int thread(void)
{
    return (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
}

static int threads(void)
{
    return block_dim.x * block_dim.y * block_dim.z;
}

static int warps(void)
{
    return (threads() + 31) / 32;
}

enum { NOTHING, SUM, PREFIX };

/* The sum of all lower blocks; each says its own as soon as it has it. */
KERNEL void look_back(int *blocks, int state[37], int total[37], int prefix[37])
{
    int b = block_idx.x, mine = block_sum(thread() == 0 ? b + 1 : 0), before = 0;
    if (thread() == 0) {
        total[b] = mine;
        fence_device();
        atomic_store(&state[b], SUM);
        for (int j = b - 1; j >= 0; j--) {
            int seen;
            while ((seen = atomic_load(&state[j])) == NOTHING)
                ;
            fence_device();
            before += seen == PREFIX ? prefix[j] : total[j];
            if (seen == PREFIX)
                break;
        }
        prefix[b] = before + mine;
        fence_device();
        atomic_store(&state[b], PREFIX);
    }
    before = block_broadcast(before, 0);
    assert(before == b * (b + 1) / 2);
    if (block_count(1) == threads() && thread() == 0)
        atomic_add(blocks, 1);
}

/* One warp at a time, of all blocks, may change the second number; the first of each block does. */
KERNEL void lock(int *blocks, int held[2])
{
    if (lane_id() == 0) {
        while (atomic_cas(&held[0], 0, 1) != 0)
            ;
        fence_device();
        atomic_store(&held[1], atomic_load(&held[1]) + (warp_id() == 0));
        fence_device();
        atomic_store(&held[0], 0);
    }
    barrier();
    if (thread() == 0) {
        while (atomic_load(&held[1]) < block_idx.x + 1)
            ;
        atomic_add(blocks, 1);
    }
}

SHARED int turn, order[32];

/* The last warp first. */
KERNEL void turns(int *blocks)
{
    if (thread() == 0)
        turn = warps() - 1;
    barrier();
    while (atomic_load(&turn) != warp_id())
        ;
    fence_block();
    warp_sync();
    if (lane_id() == 0) {
        order[warp_id()] = warps() - 1 - turn;
        fence_block();
        atomic_store(&turn, warp_id() - 1);
    }
    barrier();
    for (int w = 0; w < warps(); w++)
        assert(order[w] == warps() - 1 - w);
    if (thread() == 0)
        atomic_add(blocks, 1);
}

SHARED int flags[8];

/* Warps take turns, last to first; they ask by operations that change nothing. */
KERNEL void asks(int *blocks)
{
    SHARED uint32_t turn;
    SHARED int sum;
    if (thread() == 0) {
        turn = (uint32_t)warps() - 1;
        sum = 0;
    }
    barrier();
    if (lane_id() == 0) {
        if (warp_id() % 3 == 0)
            while (atomic_add(&turn, 0) != (uint32_t)warp_id())
                ;
        else if (warp_id() % 3 == 1)
            while (atomic_or(&turn, 0) != (uint32_t)warp_id())
                ;
        else
            while (atomic_and(&turn, ~0u) != (uint32_t)warp_id())
                ;
        fence_block();
        sum = 2 * sum % 10007 + warp_id();
        fence_block();
        atomic_sub(&turn, 1);
    }
    barrier();
    int expected = 0;
    for (int w = warps() - 1; w >= 0; w--)
        expected = 2 * expected % 10007 + w;
    if (thread() == 0 && sum == expected)
        atomic_add(blocks, 1);
}

/* In each round another warp is waited for; those that are done execute operations of the block,
 * and threads return on the way. */
KERNEL void rounds(int *blocks)
{
    if (thread() < 8)
        flags[thread()] = 0;
    barrier();
    for (int r = 0; r < 5; r++) {
        if (warp_id() == r % warps()) {
            if (lane_id() == 0)
                atomic_store(&flags[r], r + 1);
        } else {
            while (atomic_load(&flags[r]) == 0)
                ;
        }
        int live = block_count(thread() >= 0);
        assert(block_sum(r + 1) == (r + 1) * live);
        assert(block_max(thread()) == threads() - 1);
        if (r == 2 && thread() == 5 && threads() > 6)
            return;
    }
    if (thread() == 0)
        atomic_add(blocks, 1);
}

/* Each block waits for the one before, whichever thread of the machine runs it. */
KERNEL void chain(int *last, int done[2])
{
    if (thread_idx.x == 0) {
        while (atomic_load(&done[0]) != block_idx.x)
            ;
        fence_device();
        *last = block_idx.x + 1;
        fence_device();
        atomic_store(&done[0], block_idx.x + 1);
    }
}
