// WARP_REDUCE and BLOCK_REDUCE are loops, and themselves collectives under divergence.
// run: -k two_arms -b 8 i32[8]
// expect: out: i32[8] = [16, 20, 16, 20, 16, 20, 16, 20]
// run: -k ends -b 8 i32[8] i32[8]
// expect: first: i32[8] = [1, 2, 1, 2, 1, 2, 1, 2]
// expect: last: i32[8] = [7, 8, 7, 8, 7, 8, 7, 8]
// run: -k break_arm -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k partial_warp -b 35 i32[2] i32[2]
// expect: first: i32[2] = [1, 33]
// expect: last: i32[2] = [32, 35]
// run: -k of_each_other -b 8 i32[8]
// expect: out: i32[8] = [288, 288, 288, 288, 288, 288, 288, 288]
// run: -k block_in_loop -b 70 i32[2]
// expect: out: i32[2] = [1, 70]
#include <lanewise/kernel.h>

KERNEL void two_arms(int *out)
{
    int l = lane_id(), v = l + 1;
    if (l % 2)
        out[l] = WARP_REDUCE(v, 0, a, b, a + b); // 2 4 6 8
    else
        out[l] = WARP_REDUCE(v, 0, a, b, a + b); // 1 3 5 7
}

// The operators "the first that is not 0" and "the last" do not commute.
KERNEL void ends(int *first, int *last)
{
    int l = lane_id(), v = l + 1;
    if (l % 2) {
        first[l] = WARP_REDUCE(v, 0, a, b, a ? a : b);
        last[l] = WARP_REDUCE(v, 0, a, b, b ? b : a);
    } else {
        first[l] = WARP_REDUCE(v, 0, a, b, a ? a : b);
        last[l] = WARP_REDUCE(v, 0, a, b, b ? b : a);
    }
}

KERNEL void break_arm(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++) {
        int half = l / 2;
        if (i == half) {
            v = WARP_REDUCE(v, 0, a, b, a + b);
            break;
        }
    }
    out[l] = v;
}

KERNEL void partial_warp(int *first, int *last)
{
    int v = thread_idx.x + 1;
    int low = WARP_REDUCE(v, 0, a, b, a ? a : b), high = WARP_REDUCE(v, 0, a, b, b ? b : a);
    if (lane_id() == 0) {
        first[warp_id()] = low;
        last[warp_id()] = high;
    }
}

// 36, eight times.
KERNEL void of_each_other(int *out)
{
    int l = lane_id(), v = l + 1;
    out[l] = WARP_REDUCE(WARP_REDUCE(v, 0, a, b, a + b), 0, a, b, a + b);
}

KERNEL void block_in_loop(int *out)
{
    int v = thread_idx.x + 1, low = v, high = v;
    for (int i = 0; i < 3; i++) {
        low = BLOCK_REDUCE(low, 0, a, b, a ? a : b);
        high = BLOCK_REDUCE(high, 0, a, b, b ? b : a);
    }
    if (thread_idx.x == 35) {
        out[0] = low;
        out[1] = high;
    }
}
