// Lanes that are done with the inner loop and come into it again, in the outer one's next
// iteration, do not join those that are still in it.
// sizes: 4 33 64
// run: -b @B i32[1] i32[64]=iota
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

/* Of the lanes of this warp: how many make iteration i of the outer loop and j of the inner one? */
static int partners(int count, int i, int j)
{
    int sum = 0;
    for (int lane = 0; lane < count; lane++)
        sum += i < (~lane & 3) && (!j || j < (lane & 7));
    return sum;
}

KERNEL void nested(int *wrong, const int *numbers)
{
    int lane = numbers[lane_id()], left = (int)block_dim.x - (int)warp_id() * WARP_SIZE;
    int count = left < WARP_SIZE ? left : WARP_SIZE, differ = 0;
    for (int i = 0; i < (~lane & 3); i++) {
        int j = 0;
        do {
            differ |= warp_sum(1) != partners(count, i, j);
        } while (++j < (lane & 7));
    }
    if (differ)
        atomic_add(wrong, 1);
}
