// A thread that returns from the inner of two loops with barriers is missed by none, although its
// way out passes where the others go on.
// sizes: 2 31 33 64 100
// run: -b @B i32[1]=3 i32[1]
// expect: out: i32[1] = [6]
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
