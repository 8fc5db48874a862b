// Barriers and block operations in loops that all threads run alike, or have returned from.
// run: -k tree -b 64 i32[1]
// expect: out: i32[1] = [2080]
// run: -k returned -b 48 i32[4]
// expect: out: i32[4] = [0, 36, 60, 72]
// run: -k by_return -b 64 i32[64] i32[1]
// expect: out: i32[64] = [32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64, 32, 64]
// expect: total: i32[1] = [96]
// run: -k all_leave -b 40 i32[1]
// expect: out: i32[1] = [40]
// run: -k warps_apart -b 96 i32[3] i32[1]
// expect: out: i32[3] = [32, 64, 96]
// expect: total: i32[1] = [192]
// run: -k nested -b 40 i32[1]
// expect: out: i32[1] = [240]
#include <lanewise/kernel.h>

// 1 + 2 + ... + 64.
KERNEL void tree(int *out)
{
    SHARED int t[64];
    int x = thread_idx.x;
    t[x] = x + 1;
    for (int s = 32; s > 0; s /= 2) {
        barrier();
        if (x < s)
            t[x] += t[x + s];
    }
    if (x == 0)
        *out = t[0];
}

// Threads x with x % 4 == i return in iteration i: 36, 24 and 12 are left.
KERNEL void returned(int *out)
{
    int x = thread_idx.x, sum = 0;
    for (int i = 0; i < 4; i++) {
        if (x % 4 == i) {
            if (x < 4)
                out[x] = sum;
            return;
        }
        sum += block_sum(1);
    }
}

// Even threads return in iteration 1, before its count: 64 in iteration 0, 32 in iteration 1.
KERNEL void by_return(int *out, int *total)
{
    int x = thread_idx.x, sum = 0;
    for (int i = 0; i < 2; i++) {
        if (i == 1 && x % 2 == 0) {
            out[x] = sum / 2;
            return;
        }
        int all = block_count(true);
        sum += all;
        if (i == 0)
            out[x] = all;
    }
    if (x == 1)
        *total = sum;
}

// All threads leave in the same iteration, by an arm with a block operation in it.
KERNEL void all_leave(int *out)
{
    for (int i = 0;; i++) {
        int five = 5;
        if (i == five) {
            int sum = block_sum(1);
            if (thread_idx.x == 0)
                *out = sum;
            return;
        }
    }
}

// Warps make different numbers of iterations with warp operations, and reconverge behind them.
KERNEL void warps_apart(int *out, int *total)
{
    int sum = 0;
    for (int i = 0; i <= warp_id(); i++)
        sum += warp_sum(1);
    if (lane_id() == 0)
        out[warp_id()] = sum;
    int all = block_sum(lane_id() == 0 ? sum : 0);
    if (thread_idx.x == 0)
        *total = all;
}

KERNEL void nested(int *out)
{
    int sum = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            barrier();
            sum += block_sum(1);
        }
    if (thread_idx.x == 0)
        *out = sum;
}
