// Lanes leave a loop with barriers in an iteration that the compiler knows, and reconverge before
// they return: no barrier of later iterations waits for them, nor they for lanes that make more.
// sizes: 1 2 33 100 8x8x4
// run: -k first -b @B 3 --quiet i32[256]
// run: -k equal -b @B 3 1 --quiet i32[256]
// run: -k inner -b @B 3 1 --quiet i32[256]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

static int lanes(void)
{
    int n = block_dim.x * block_dim.y * block_dim.z - warp_id() * WARP_SIZE;
    return n < WARP_SIZE ? n : WARP_SIZE;
}

KERNEL void first(int trips, int *out)
{
    for (int i = 0; i < trips; i++) {
        barrier();
        out[ME] = i;
        if (lane_id()) {
            uint32_t who = ballot(true);
            assert(__builtin_popcount(who) == lanes() - 1);
            return;
        }
    }
    assert(out[ME] == trips - 1);
}

KERNEL void equal(int trips, int n, int *out)
{
    for (int i = 0; i < trips; i++) {
        barrier();
        if (lane_id() && i == n) {
            out[ME] = warp_sum(1);
            assert(out[ME] == lanes() - 1);
            return;
        }
    }
    out[ME] = warp_sum(1);
    assert(out[ME] == 1);
}

KERNEL void inner(int trips, int n, int *out)
{
    for (int i = 0; i < trips; i++) {
        for (int k = 0; k < 2; k++) {
            if (lane_id() && i == n) {
                out[ME] = warp_sum(1);
                assert(out[ME] == lanes() - 1);
                return;
            }
            barrier();
        }
    }
    out[ME] = warp_sum(1);
    assert(out[ME] == 1);
}
