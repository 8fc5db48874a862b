// A sum of one lane's number, where it is known which lane it is but not whether it is there.
// run: -k apart -b 8 --quiet i32[8]=iota i32[8]
// run: -k apart -b 33 --quiet i32[33]=iota i32[33]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

KERNEL void apart(const int *in, int *out)
{
    int t = ME;
    if (in[t] % 8 == 0)
        return;
    barrier();
    if (lane_id() == 1) {
        out[t] = warp_sum(1);
        assert(out[t] == 1);
        return;
    }
    barrier();
    if (lane_id() == 3) {
        out[t] = warp_sum(1);
        assert(out[t] == 1);
    }
}
