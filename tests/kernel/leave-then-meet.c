// Lanes that leave a loop with barriers in different trips, behind its last barrier, meet behind
// it: what stands there before the return does not belong to the trip that each leaves.
// sizes: 1 7 32 40 100
// run: -k then_assert -b @B 6 2 --quiet i32[100]
// run: -k then_loop -b @B 6 2 --quiet i32[100]
// run: -k trip_and_all -b @B 6 2 --quiet i32[100]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

static int lanes(void)
{
    int n = block_dim.x - warp_id() * WARP_SIZE;
    return n < WARP_SIZE ? n : WARP_SIZE;
}

KERNEL void then_assert(int trips, int n, int *out)
{
    int i = 0;
    for (; i < trips; i++) {
        if (i < n)
            barrier();
        if (lane_id() == i - n)
            break;
        out[ME] = i;
    }
    int sum = warp_sum(1);
    out[ME] = i;
    assert(sum == lanes());
}

KERNEL void then_loop(int trips, int n, int *out)
{
    int i = 0;
    for (; i < trips; i++) {
        if (i < n)
            barrier();
        if (lane_id() == i - n)
            break;
        out[ME] = i;
    }
    int sum = warp_sum(1);
    for (int k = 0; k < sum; k++)
        out[ME] = k;
    assert(out[ME] == lanes() - 1);
}

/* Those of a trip meet, and then all. */
KERNEL void trip_and_all(int trips, int n, int *out)
{
    int there = 0;
    for (int i = 0;; i++) {
        if (i < n)
            barrier();
        if (lane_id() % 4 == i - n || i >= trips) {
            there = warp_sum(1);
            break;
        }
        out[ME] = i;
    }
    int sum = warp_sum(1);
    out[ME] = there;
    assert(sum == lanes());
    assert(there == (lanes() + 3 - lane_id() % 4) / 4);
}
