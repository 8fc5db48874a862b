// The examples of the language's reference, "Who takes part: the instance"; v is lane + 1.
// run: -k conditions -b 8 i32[8]
// expect: out: i32[8] = [18, 18, 18, 0, 18, 0, 18, 0]
// run: -k leaving -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k after -b 8 i32[8]
// expect: out: i32[8] = [66, 66, 66, 66, 66, 66, 66, 66]
#include <lanewise/kernel.h>

// Lanes 0 and 1 fail the first condition, 2, 4 and 6 the second: 1 + 2 + 3 + 5 + 7.
KERNEL void conditions(int *out)
{
    int l = lane_id(), v = l + 1;
    if (l >= 2 && l % 2)
        v = 0;
    else
        v = warp_sum(v);
    out[l] = v;
}

// Two lanes leave in each iteration.
KERNEL void leaving(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++)
        if (i == l / 2) {
            v = warp_sum(v);
            break;
        }
    out[l] = v;
}

// 36, and 30 from the three lanes of the arm.
KERNEL void after(int *out)
{
    int l = lane_id(), v = l + 1;
    if (l < 3)
        v += 10;
    out[l] = warp_sum(v);
}
