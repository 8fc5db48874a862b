// What threads do together as they leave a loop, those do that leave it in the same iteration,
// whichever of two conditions ended it.
// sizes: 1 8 32 40 64
// run: -b @B i32[1] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

/* The iteration in which thread t leaves, and by which condition. */
static int trips_of(int t)
{
    return t % 5;
}

static int limit_of(int t)
{
    return t % 3 ? 7 : trips_of(t);
}

KERNEL void two_ways(int *wrong, const int *zeros)
{
    int t = thread_idx.x;
    for (int trip = 0;; trip++) {
        if (!(trip < limit_of(t) + zeros[t] && trip != trips_of(t) + zeros[(t + trip) % 64])) {
            uint32_t together = ballot(true), expected = 0;
            for (int k = 0; k < 32; k++)
                if (t / 32 * 32 + k < (int)block_dim.x && trips_of(t / 32 * 32 + k) == trip)
                    expected |= 1u << k;
            if (together != expected)
                atomic_add(wrong, 1);
            break;
        }
        if (zeros[t])
            return;
    }
}
