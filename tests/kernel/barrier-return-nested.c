// A thread that returns from the inner of two loops with barriers is missed by none, although its
// way out passes where the others go on.
// sizes: 2 31 33 64 100
// run: -k nested -b @B i32[1]=3 i32[1]
// expect: out: i32[1] = [6]
// run: -k twice -b @B i32[1]=3 i32[1]
// expect: out: i32[1] = [4]
#include <lanewise/kernel.h>

KERNEL void nested(const int *n, int *out)
{
    for (int i = 0; i < 2; i++) {
        int met = 0;
        for (int k = 0; k < 3; k++) {
            met += n[0];
            if (lane_id() || warp_id())
                return;
            barrier();
        }
        *out += met / 3;
    }
}

/* The same with values that differ by the way: the condition is asked twice. */
KERNEL void twice(const int *n, int *out)
{
    int i = -1, met;
    while (++i < 2) {
        met = 0;
        for (int k = 0; k < 3; k++) {
            met = n[k & 0];
            if ((int)(uint8_t)(warp_id() * 32 + lane_id()))
                return;
            barrier();
        }
        out[block_idx.x] = met + i;
    }
}
