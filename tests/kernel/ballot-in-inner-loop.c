// A ballot in the inner of two loops: lanes that are in the next iteration of the outer one are not
// among those of this iteration.
// sizes: 1 4 32 40 64
// run: -b @B i32[1] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

static int outer_of(int t)
{
    return t % 5;
}

static int inner_of(int t)
{
    return 1 + t * 7 % 4;
}

KERNEL void inner(int *wrong, const int *zeros)
{
    int t = thread_idx.x, i = -1;
    while (++i < outer_of(t) + zeros[t]) {
        int k = 0;
        do {
            uint32_t together = ballot(true), expected = 0;
            for (int lane = 0; lane < 32; lane++) {
                int other = t / 32 * 32 + lane;
                if (other < (int)block_dim.x && i < outer_of(other) && k < inner_of(other))
                    expected |= 1u << lane;
            }
            if (together != expected)
                atomic_add(wrong, 1);
        } while (++k < inner_of(t) + zeros[t]);
    }
}
