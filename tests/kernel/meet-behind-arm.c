// A barrier that all come to, behind an arm of some, and behind it an operation of the warp whose
// value is another constant for those: it is one barrier, and one operation, for both.
// sizes: 1 3 31 33 64
// run: -b @B i32[1]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

SHARED int seen[2];

KERNEL void meet(int *wrong)
{
    int lane = lane_id(), warp = warp_id();
    if (lane == 0)
        seen[warp] = warp + 1;
    barrier();
    int least = warp_min(lane);
    atomic_add(wrong, least != 0 || seen[warp] != warp + 1);
}
