// A thread that has returned from a loop takes no part in what the others do in later iterations,
// also where it had the largest value and is the last lane of its warp.
// sizes: 1 32 33 64 70 100 256
// run: -k largest -b @B 3 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

static bool comes(int t, int trip)
{
    return t % 32 != 3 && (trip < 1 || t % 4 != 3) && (trip < 2 || t % 4 == 0);
}

KERNEL void largest(int trips, int *wrong, const int *zeros)
{
    int t = thread_idx.x;
    for (int trip = 0; trip < trips; trip++) {
        if (!comes(t + zeros[t], trip))
            return;
        barrier();
        int last = block_dim.x - 1;
        while (!comes(last, trip))
            last--;
        int most = block_max(t + zeros[t]);
        int first = block_broadcast(100 * trip + t, 0);
        if (most != last || first != 100 * trip)
            atomic_add(wrong, 1);
    }
}
