// A barrier that all come to, behind an arm of some, and behind it an operation of the warp whose
// value is a constant for those: it is one barrier, and one operation, for both.
// sizes: 3 31
// run: -b @B i32[1]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

SHARED int seen;

KERNEL void meet(int *wrong)
{
    int lane = lane_id();
    if (lane == 0)
        seen = 7;
    barrier();
    int least = warp_min(lane);
    atomic_add(wrong, least != 0 || seen != 7);
}
