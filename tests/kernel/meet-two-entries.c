// Lanes that make different numbers of trips meet in each, and what each does between two meetings
// has them apart: the next finds all of them again.
// sizes: 31 32 96
// run: -b @B i32[1]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void trips(int *wrong)
{
    const int lane = lane_id();
    int left = 0;
    fence_device();
    if ((lane & 1) == 0) {
        int trips = 0;
        left = lane;
        do {
            if (warp_prod(1.0f + (float)(lane & 2)) < 3)
                continue;
        } while (++trips < (lane & 7) && (lane & 3));
        left += 100 * trips;
    }
    const int expected = lane & 1 ? 0 : lane + 100 * (lane & 3 ? lane & 7 : 1);
    atomic_add(wrong, left != expected);
}
