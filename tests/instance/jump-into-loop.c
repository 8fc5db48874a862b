// Loops with two entries: a lane is in the loop's iteration 0 wherever it came in.
// run: -k middle -b 8 i32[8]
// expect: out: i32[8] = [172, 172, 172, 172, 168, 168, 168, 168]
// run: -k duff -b 8 i32[8]
// expect: out: i32[8] = [172, 168, 172, 168, 172, 168, 172, 168]
// run: -k then_break -b 8 i32[8]
// expect: out: i32[8] = [104, 104, 108, 108, 8, 8, 4, 4]
#include <lanewise/kernel.h>

// Iteration 0: 4 lanes, then all 8; iteration 1: 8 and 8.
KERNEL void middle(int *out)
{
    int l = lane_id(), v = 0, i = 0;
    if (l >= 4)
        goto middle;
    for (; i < 2;) {
        v += warp_sum(1);
    middle:
        v += 10 * warp_sum(1);
        i++;
    }
    out[l] = v;
}

KERNEL void duff(int *out)
{
    int l = lane_id(), v = 0, n = 2;
    switch (l % 2) {
    case 0:
        do {
            v += warp_sum(1);
        case 1:
            v += 10 * warp_sum(1);
        } while (--n > 0);
    }
    out[l] = v;
}

// Lanes 0 to 3 enter at the top, 100; in iteration 0 all 8 are in the middle; then 0, 1, 6 and 7
// leave, and lanes 2 to 5 make another iteration.
KERNEL void then_break(int *out)
{
    int l = lane_id(), v = 0, i = 0;
    if (l >= 4)
        goto middle;
    while (true) {
        if (i == 0)
            v = 100;
    middle:
        if (i == 1 || l < 2 || l > 5) {
            v += warp_sum(1);
            break;
        }
        v += 4 * (i++ == 0);
    }
    out[l] = v;
}
