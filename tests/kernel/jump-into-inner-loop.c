// Always jumped into, the inner loop is never come to from the outer one's begin; the outer one's
// iterations are counted there all the same, and what stands behind the inner one is met by all.
// sizes: 1 2 31 32 33 100 8x8x4
// run: -b @B 2 i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
#include <lanewise/kernel.h>

KERNEL void jump_into_inner(int trips, int *wrong, int *done)
{
    int i = 0, j = 0, met = 0;
    if (1u)
        goto inside;
    for (i = 0; i < trips; i++) {
        for (j = 0; j < (lane_id() & 3); j++) {
        inside:;
        }
        if (warp_exclusive_sum(1) != lane_id())
            atomic_add(wrong, 1);
        met++;
    }
    if (met != trips)
        atomic_add(wrong, 1);
    atomic_add(done, 1);
}
