// Lanes that make different numbers of iterations converge in each, behind a loop in which they did
// so too: between two of these points they diverge, and the next finds all of them again.
// sizes: 4 31 32 96
// run: -b @B i32[1]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void trips(int *wrong)
{
    const int lane = lane_id();
    int seen[2] = {0, 0};
    for (int i = 0; i < lane; i++)
        warp_sync();
    if (lane & 1) {
        int trips = 0, *mine = &seen[lane >> 1 & 1];
        float product;
        *mine = lane;
        do
            product = warp_prod((float)lane);
        while (++trips < lane);
        *mine += product > 0 ? trips : 0;
    }
    atomic_add(wrong, seen[0] + seen[1] != (lane & 1 ? 2 * lane : 0));
}
