// Helpers are as if written where they are called: each call is a place of its own.
// run: -k two_calls -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 6, 10, 10, 10, 10, 10]
// run: -k called_in_loop -b 8 i32[8]
// expect: out: i32[8] = [8, 12, 8, 12, 12, 18, 12, 18]
// run: -k early_return -b 8 i32[8]
// expect: out: i32[8] = [11, 11, 15, 15, 19, 19, 23, 23]
// run: -k early_return_in_loop -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 14, 14, 22, 22, 30, 30]
// run: -k return_of_two -b 8 i32[8]
// expect: out: i32[8] = [11, 11, 11, 58, 58, 58, 58, 58]
// run: -k sum_behind -b 8 i32[8]
// expect: out: i32[8] = [43, 43, 47, 47, 51, 51, 55, 55]
// run: -k in_arm -b 8 i32[8]
// expect: out: i32[8] = [24, 3, 3, 24, 24, 24, 11, 24]
// run: -k deep -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
#include <lanewise/kernel.h>

static int count(int v, int trips)
{
    for (int k = 0; k < trips; k++)
        v += warp_sum(1);
    return v;
}

// 3 lanes twice, 5 lanes twice.
KERNEL void two_calls(int *out)
{
    int l = lane_id();
    out[l] = l < 3 ? count(0, 2) : count(0, 2);
}

// Outer iteration 0: 8 lanes, then the 4 with l / 4; 1, odd lanes only: 4, then 2 with l / 4.
KERNEL void called_in_loop(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i <= l % 2; i++)
        v = count(v, 1 + l / 4);
    out[l] = v;
}

static int sum_of_pair(int l)
{
    for (int k = 0; k < 4; k++) {
        int half = l / 2;
        if (k == half)
            return warp_sum(l + 1);
    }
    return -1;
}

// Pairs, and 8 lanes behind the call.
KERNEL void early_return(int *out)
{
    int l = lane_id(), v = sum_of_pair(l);
    out[l] = v + warp_sum(1);
}

KERNEL void early_return_in_loop(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i < 2; i++)
        v += sum_of_pair(l);
    out[l] = v;
}

static int pick(int l)
{
    if (l < 3)
        return warp_sum(1);
    return 10 * warp_sum(1);
}

KERNEL void return_of_two(int *out)
{
    int l = lane_id(), v = pick(l);
    out[l] = v + warp_sum(1);
}

static int leave_last(int l)
{
    int v = l + 1, i = 0;
    while (true) {
        if (i++ == l / 2) {
            v = warp_sum(v);
            break;
        }
    }
    return v;
}

// The arm is the last of the helper; what follows the call is in no loop: 5 * 8.
KERNEL void sum_behind(int *out)
{
    int l = lane_id(), v = leave_last(l);
    out[l] = v + 5 * warp_sum(1);
}

static int in_trip(int l, int i)
{
    return warp_sum(l + i);
}

// Lanes 1 and 2 leave in iteration 0: 3. 0 3 4 5 7 leave in 1: 19 + 5. Lane 6 leaves in 5: 11.
KERNEL void in_arm(int *out)
{
    int l = lane_id(), v = -1;
    for (int i = 0; i < 6; i++)
        if (l == 6 ? i == 5 : l == 1 || l == 2 || i == 1) {
            v = in_trip(l, i);
            break;
        }
    out[l] = v;
}

static int leave_from(int l, int i)
{
    while (true) {
        int half = l / 2;
        if (half == i)
            return warp_sum(l + 1);
        i++;
    }
}

static int leave_through(int l)
{
    for (int i = 0;; i++) {
        int half = l / 2;
        if (i == 1)
            return leave_from(l, half);
    }
}

// The innermost loop is left in its iteration 0 by all, so not by iterations: all eight would sum
// to 36, were it not for the arms here.
KERNEL void deep(int *out)
{
    int l = lane_id();
    for (int i = 0;; i++) {
        int half = l / 2;
        if (i == half) {
            out[l] = leave_through(l);
            return;
        }
    }
}
