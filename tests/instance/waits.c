// Threads that wait on memory for others: blocks for lower and for higher ones, locks.
// device: ref cpu refuses loops that wait for other threads
// run: -k for_lower -g 6 -b 33 i32[6] i32[6]
// expect: sum: i32[6] = [1, 3, 6, 10, 15, 21]
// expect: flag: i32[6] = [1, 1, 1, 1, 1, 1]
// run: -k for_higher -g 6 -b 33 i32[6] i32[6]
// expect: sum: i32[6] = [21, 20, 18, 15, 11, 6]
// expect: flag: i32[6] = [1, 1, 1, 1, 1, 1]
// run: -k for_both -g 5 -b 1 i32[5] i32[5]
// expect: out: i32[5] = [2, 2, 2, 2, 2]
// expect: flag: i32[5] = [1, 1, 1, 1, 1]
// run: -k ticket_lock -g 3,2 -b 96 i32[2] i32[1]
// expect: lock: i32[2] = [18, 18]
// expect: count: i32[1] = [18]
// run: -k spin_lock -g 3 -b 64 i32[1] i32[1]
// expect: lock: i32[1] = [0]
// expect: count: i32[1] = [6]
// run: -k warp_for_warp -b 96 i32[1]
// expect: out: i32[1] = [321]
// run: -k volatile_flag -g 2 -b 1 i32[1] i32[1]
// expect: flag: i32[1] = [7]
// expect: out: i32[1] = [7]
#include <lanewise/kernel.h>

// A running sum of 1, 2 ... over the blocks, by look-back.
KERNEL void for_lower(int *sum, int *flag)
{
    int b = block_idx.x;
    if (thread_idx.x == 0) {
        int before = 0;
        if (b > 0) {
            while (!atomic_load(&flag[b - 1]))
                ;
            fence_device();
            before = sum[b - 1];
        }
        sum[b] = before + b + 1;
        fence_device();
        atomic_store(&flag[b], 1);
    }
    barrier();
}

KERNEL void for_higher(int *sum, int *flag)
{
    int b = block_idx.x;
    if (thread_idx.x == 0) {
        int above = 0;
        if (b + 1 < grid_dim.x) {
            while (!atomic_load(&flag[b + 1]))
                ;
            fence_device();
            above = sum[b + 1];
        }
        sum[b] = above + b + 1;
        fence_device();
        atomic_store(&flag[b], 1);
    }
    barrier();
}

// Each block says that it is there and waits for its neighbours in a ring.
KERNEL void for_both(int *out, int *flag)
{
    int n = grid_dim.x, b = block_idx.x, seen = 0;
    atomic_store(&flag[b], 1);
    do {
        seen = atomic_load(&flag[(b + 1) % n]) + atomic_load(&flag[(b + n - 1) % n]);
    } while (seen < 2);
    out[b] = seen;
}

// One thread of each warp, 18 in all, counts in turn.
KERNEL void ticket_lock(int *lock, int *count)
{
    if (lane_id() == 5) {
        int mine = atomic_add(&lock[0], 1);
        while (atomic_load(&lock[1]) != mine)
            ;
        fence_device();
        *count += 1;
        fence_device();
        atomic_store(&lock[1], mine + 1);
    }
}

KERNEL void spin_lock(int *lock, int *count)
{
    if (lane_id() == 0) {
        while (atomic_cas(lock, 0, 1) != 0)
            ;
        fence_device();
        *count += 1;
        fence_device();
        atomic_exchange(lock, 0);
    }
}

// Warp 0 waits for warp 1, which waits for warp 2, through block memory.
KERNEL void warp_for_warp(int *out)
{
    SHARED int at;
    if (thread_idx.x == 0)
        atomic_store(&at, 3);
    barrier();
    int turn = warp_id() + 1;
    if (lane_id() == 0) {
        while (atomic_load(&at) != turn)
            ;
        fence_block();
        *out = *out * 10 + turn;
        fence_block();
        atomic_store(&at, turn - 1);
    }
    warp_sync();
}

KERNEL void volatile_flag(int *flag, int *out)
{
    volatile int *seen = flag;
    if (block_idx.x == 1) {
        *seen = 7;
        return;
    }
    while (!*seen)
        ;
    *out = *seen;
}
