// A continue arm is in the iteration it ends. Lanes below 3 + i take the arm in iteration i.
// run: -k for_loop -b 8 i32[8]
// expect: out: i32[8] = [7, 7, 7, 54, 90, 90, 90, 90]
// run: -k while_loop -b 8 i32[8]
// expect: out: i32[8] = [7, 7, 7, 54, 90, 90, 90, 90]
// run: -k do_loop -b 8 i32[8]
// expect: out: i32[8] = [7, 7, 7, 54, 90, 90, 90, 90]
// run: -k outer_loop -b 8 i32[8]
// expect: out: i32[8] = [1606, 1606, 1614, 1614, 1622, 1622, 1630, 1630]
#include <lanewise/kernel.h>

KERNEL void for_loop(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i < 2; i++) {
        int limit = 3 + i;
        if (l < limit) {
            v += warp_sum(1);
            continue;
        }
        v += 10 * warp_sum(1);
    }
    out[l] = v;
}

KERNEL void while_loop(int *out)
{
    int l = lane_id(), v = 0, i = 0;
    while (i < 2) {
        int limit = 3 + i++;
        if (l < limit) {
            v += warp_sum(1);
            continue;
        }
        v += 10 * warp_sum(1);
    }
    out[l] = v;
}

KERNEL void do_loop(int *out)
{
    int l = lane_id(), v = 0, i = 0;
    do {
        int limit = 3 + i;
        if (l < limit) {
            v += warp_sum(1);
            continue;
        }
        v += 10 * warp_sum(1);
    } while (++i < 2);
    out[l] = v;
}

// A goto to the end of the outer body leaves the inner loop only: sums of two lanes in each of two
// iterations, and eight lanes at the label.
KERNEL void outer_loop(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 4; j++)
            if (j == l / 2) {
                v += warp_sum(l + 1);
                goto next;
            }
        v += 10000;
    next:
        v += 100 * warp_sum(1);
    }
    out[l] = v;
}
