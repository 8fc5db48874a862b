// A branch by the thread's place, of which one arm goes on with a loop around: what it decides does
// not end where the arms join.
// run: -k jumps_in -b 8 --quiet i32[1]=3 i32[1] i32[8]
#include <lanewise/kernel.h>

static int sum_of(const int *trips, const int *zero)
{
    int i = -1, k = 0, sum = 0;
    goto entry;
    while (++i < *trips && warp_max(*zero) < 10) {
        for (k = 0; k < 2 && *zero >= i - 8; k++) {
            if (lane_id() & 3) {
                sum += 1;
                break;
            }
        entry:;
        }
        if (*trips == *zero)
            break;
    }
    return sum;
}

KERNEL void jumps_in(const int *trips, const int *zero, int *sums)
{
    sums[lane_id()] = sum_of(trips, zero);
    assert(sums[lane_id()] == (lane_id() & 3 ? *trips + 1 : 0));
}
