// Nested loops: the iterations of both tell instances apart; an arm leaves the inner loop or both.
// run: -k inner_break -b 8 i32[8]
// expect: out: i32[8] = [222, 222, 230, 230, 238, 238, 246, 246]
// run: -k return_both -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k triangle -b 4 i32[4]
// expect: out: i32[4] = [4, 10, 16, 20]
// run: -k both_ways -b 8 i32[8]
// expect: out: i32[8] = [9, 1001, 11, 1001, 11, 1001, 11, 1001]
#include <lanewise/kernel.h>

// Pairs sum 4 p + 3 in the first outer iteration, 200 more in the second; eight lanes after each.
KERNEL void inner_break(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 4; j++)
            if (j == l / 2) {
                v += warp_sum(l + 1 + 100 * i);
                break;
            }
        v += warp_sum(1);
    }
    out[l] = v;
}

KERNEL void return_both(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int trip = 2 * i + j;
            if (trip == l / 2) {
                out[l] = warp_sum(v);
                return;
            }
        }
    out[l] = -1;
}

// The lanes of instance (i, j) are those from i + j on, so 4 - (i + j). Lane l is in s + 1 of them
// for each s = i + j up to l: 4, then 2 * 3, 3 * 2 and 4 * 1 more.
KERNEL void triangle(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i <= l; i++)
        for (int j = 0; j <= l - i; j++)
            v += warp_sum(1);
    out[l] = v;
}

// Odd lanes return from both in (0, 0); lane 0 breaks the inner loop in (0, 1), the other even ones
// in (0, 2). Behind the inner loop the four even lanes reconverge twice.
KERNEL void both_ways(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            if (l % 2 && j == 0) {
                out[l] = 1000 + warp_sum(1) / 4;
                return;
            }
            if (i == 0 && (l == 0 ? j == 1 : j == 2)) {
                v += warp_sum(1);
                break;
            }
        }
        v += warp_sum(1);
    }
    out[l] = v;
}
