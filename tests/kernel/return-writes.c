// What a thread wrote before it returned, the others see after a barrier.
// sizes: 2 33 64 100 256
// run: -k at_once -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k before_loop -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k in_loop -b @B 3 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k unrolled -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k unrolled_choice -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k early_and_late -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k in_turns -b @B 3 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k vote_at_once -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k vote_unrolled -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k vote_pairs -b @B 3 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k vote_between -b @B 3 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k behind_atomic -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k behind_loop -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void at_once(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    if (zeros[t] + t % 2) {
        row[t] = t;
        return;
    }
    barrier();
    if (row[t + 1 < (int)block_dim.x ? t + 1 : 1] != (t + 1 < (int)block_dim.x ? t + 1 : 1))
        atomic_add(wrong, 1);
}

KERNEL void before_loop(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    if (zeros[t] == t % 2) {
        for (int trip = 0; trip < 2; trip++) {
            barrier();
            if (row[1] != 1)
                atomic_add(wrong, 1);
        }
    } else {
        row[t] = t;
    }
}

KERNEL void in_loop(int trips, int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    for (int trip = 0; trip < trips; trip++) {
        if (zeros[t] + t % 4 == trip + 1) {
            row[t] = trip + 1;
            return;
        }
        barrier();
        if (trip < (int)block_dim.x - 1 && row[trip + 1] != trip + 1)
            atomic_add(wrong, 1);
    }
}

/* As in_loop, where the iterations become straight code. */
KERNEL void unrolled(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
#pragma unroll
    for (int trip = 0; trip < 3; trip++) {
        if (zeros[t] + t % 4 == trip + 1) {
            row[t] = trip + 1;
            return;
        }
        barrier();
        if (trip < (int)block_dim.x - 1 && row[trip + 1] != trip + 1)
            atomic_add(wrong, 1);
    }
}

/* What is done before the return has ways of its own, and a loop. */
KERNEL void unrolled_choice(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
#pragma unroll
    for (int trip = 0; trip < 3; trip++) {
        if (zeros[t] + t % 4 == trip + 1) {
            int sum = 0;
            if (zeros[t] + t % 8 > 4) {
                row[t] = trip + 11;
                return;
            }
            for (int k = zeros[t]; k <= trip; k++)
                sum += 1 + zeros[k];
            row[t] = sum;
            return;
        }
        barrier();
        if (trip < (int)block_dim.x - 1 && row[trip + 1] != trip + 1)
            atomic_add(wrong, 1);
        if (trip < (int)block_dim.x - 5 && row[trip + 5] != trip + 11)
            atomic_add(wrong, 1);
    }
}

/* The same code ends the threads that leave early and those that meet. */
KERNEL void early_and_late(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x, mine = 1;
    row[t] = 0;
    if (zeros[t] + t % 2)
        goto end;
    barrier();
    if (t + 1 < (int)block_dim.x && row[t + 1] != 1)
        atomic_add(wrong, 1);
    barrier();
    mine = 2;
end:
    row[t] = mine;
}

/* In one iteration of a loop that stays one, from two places. */
KERNEL void in_turns(int trips, int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x, trip;
    row[t] = 0;
    for (trip = 0; trip < trips; trip++) {
        if (zeros[t] + t % 8 == 2 * trip + 1)
            goto end;
        barrier();
        if (2 * trip + 1 < (int)block_dim.x && row[2 * trip + 1] != trip + 1)
            atomic_add(wrong, 1);
        if (2 * trip + 2 < (int)block_dim.x && row[2 * trip + 2] != 0)
            atomic_add(wrong, 1);
        barrier();
        if (zeros[t] + t % 8 == 2 * trip + 2)
            goto end;
        barrier();
        if (2 * trip + 2 < (int)block_dim.x && row[2 * trip + 2] != trip + 1)
            atomic_add(wrong, 1);
    }
    return;
end:
    row[t] = trip + 1;
}

/* A collective of the warp on the way: lanes that return execute it, before the others' barrier. */
KERNEL void vote_at_once(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    if (zeros[t] + lane_id()) {
        row[t] = warp_any(zeros[t]) + t;
        return;
    }
    barrier();
    if (t + 1 < (int)block_dim.x && row[t + 1] != t + 1)
        atomic_add(wrong, 1);
}

/* Those of each iteration converge separately, and return before the others go on. */
#define VOTE_IN_TRIPS(trips)                                                                       \
    for (int trip = 0; trip < trips; trip++) {                                                     \
        barrier();                                                                                 \
        for (int k = 1; k < 4; k++)                                                                \
            if (k < (int)block_dim.x && row[k] != (k <= trip ? 10 * k + 1 : 0))                    \
                atomic_add(wrong, 1);                                                              \
        barrier();                                                                                 \
        if (zeros[t] + t % 32 == trip + 1) {                                                       \
            row[t] = 10 * (trip + 1) + warp_sum(1);                                                \
            return;                                                                                \
        }                                                                                          \
    }

KERNEL void vote_unrolled(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    VOTE_IN_TRIPS(3)
}

KERNEL void vote_pairs(int trips, int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
#pragma unroll 2
    VOTE_IN_TRIPS(trips)
}

KERNEL void vote_between(int trips, int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    for (int trip = 0; trip < trips; trip++) {
        barrier();
        if (zeros[t] + t % 32 == trip + 1) {
            row[t] = 10 * (trip + 1) + warp_sum(1);
            return;
        }
        barrier();
        for (int k = 1; k < 4; k++)
            if (k < (int)block_dim.x && row[k] != (k <= trip + 1 ? 10 * k + 1 : 0))
                atomic_add(wrong, 1);
    }
}

/* The maximum is a loop of one block, which leads to itself. */
KERNEL void behind_atomic(int *wrong, const int *zeros)
{
    SHARED int row[256];
    SHARED double most;
    int t = thread_idx.x;
    row[t] = 0;
    most = 0;
    barrier();
    if (t % 2 == 0) {
        barrier();
        if (t + 1 < (int)block_dim.x && row[t + 1] != t + 1)
            atomic_add(wrong, 1);
    } else {
        atomic_max(&most, 1.0);
        if (zeros[t] == 0)
            row[t] = t;
    }
}

KERNEL void behind_loop(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    if (t % 2 == 0) {
        barrier();
        if (t + 1 < (int)block_dim.x && row[t + 1] != t + 1)
            atomic_add(wrong, 1);
    } else {
        int n = t;
        while (n > 0)
            n -= zeros[n] + 1;
        if (zeros[t] == n)
            row[t] = t;
    }
}
