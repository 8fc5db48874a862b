// Threads that leave a loop with barriers to return: what they have computed in the iteration that
// they leave is there while others go on, also where the way to the return has a loop of its own.
// sizes: 1 33 8x8x4
// run: -k inner -b @B --quiet i32[256] i32[4]=0,3,40,7 5
// run: -k loaded -b @B --quiet i32[256] i32[64]=iota 5
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

KERNEL void inner(int *out, const int *in, int n)
{
    for (int i = 0; i < n; i++) {
        barrier();
        out[ME] = i;
        if (lane_id() & 8) {
            for (int j = 0;; j++) {
                if (j >= in[1]) {
                    if (i * 2 < in[0] + 1)
                        out[ME] = 100 + i;
                    break;
                }
                if (warp_any(j > 77))
                    out[ME] = -1;
            }
            assert(out[ME] == 100);
            return;
        }
    }
    assert(out[ME] == n - 1);
}

/* A value that is the same for all who leave in one iteration, from memory, and of i. */
KERNEL void loaded(int *out, const int *in, int n)
{
    for (int i = 0; i < n; i++) {
        barrier();
        if (lane_id() % 4 == i) {
            int x = in[i + 3], y = i * 10 + n;
            for (int j = 0; j < 3; j++)
                if (warp_any(j == in[2]))
                    y++;
            out[ME] = x + y;
            assert(out[ME] == lane_id() % 4 * 11 + 3 + n + 1);
            return;
        }
    }
}
