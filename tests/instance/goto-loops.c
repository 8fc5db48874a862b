// A loop made by goto reaches from its label to the last jump back.
// run: -k leave_by_return -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k leave_by_goto -b 8 i32[8] i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// expect: count: i32[8] = [8, 8, 8, 8, 8, 8, 8, 8]
// run: -k run_out -b 8 i32[8]
// expect: out: i32[8] = [8, 15, 21, 26, 30, 33, 35, 36]
// run: -k two_jumps -b 8 i32[8]
// expect: out: i32[8] = [14, 14, 14, 14, 14, 14, 14, 14]
#include <lanewise/kernel.h>

KERNEL void leave_by_return(int *out)
{
    int l = lane_id(), v = l + 1, i = 0;
again:
    if (i == l / 2) {
        out[l] = warp_sum(v);
        return;
    }
    i++;
    goto again;
}

KERNEL void leave_by_goto(int *out, int *count)
{
    int l = lane_id(), v = l + 1, i = 0;
again:
    if (i == l / 2) {
        v = warp_sum(v);
        goto done;
    }
    i++;
    if (i < 4)
        goto again;
    v = -1;
done:
    out[l] = v;
    count[l] = warp_sum(1);
}

// As a for loop of l iterations: 7 lanes in the first, one less in each next, 8 behind it.
KERNEL void run_out(int *out)
{
    int l = lane_id(), v = 0, i = 0;
again:
    if (i < l) {
        v += warp_sum(1);
        i++;
        goto again;
    }
    out[l] = v + warp_sum(1);
}

// Iteration 0: all 8; lanes 0 to 3 jump back from the first goto, the others from the second.
// Iteration 1: all 8 again. v starts at -2.
KERNEL void two_jumps(int *out)
{
    int l = lane_id(), v = -2, i = 0;
again:
    v += warp_sum(1);
    i++;
    if (l < 4 && i < 2)
        goto again;
    if (i < 2)
        goto again;
    out[l] = v;
}
