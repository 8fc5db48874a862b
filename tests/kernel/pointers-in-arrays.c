// Arrays of pointers to a thread's own variables and to memory, indexed by lane; some threads only.
// sizes: 1 8 33 8x8x4
// run: -k own -b @B --quiet i32[256]
// run: -k some -b @B --quiet i32[256]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

KERNEL void own(int *out)
{
    int t = ME, a = t, b = -t;
    int *which[3] = {&a, &b, &out[t]};
    *which[t % 3] += 7;
    *which[2] += *which[(t + 1) % 3];
    assert(a == t + 7 * (t % 3 == 0) && b == -t + 7 * (t % 3 == 1));
    int here = 7 * (t % 3 == 2);
    assert(out[t] == here + (t % 3 == 0 ? b : t % 3 == 1 ? here : a));
}

/* Lane 1 alone, then those from 3 on: one pointer is stored by itself. */
KERNEL void some(int *out)
{
    int t = ME;
    if (t & 13) {
        bool no = true, yes = true;
        *((bool *[]){&no, &no})[!(t & 1)] = false;
        *((bool *[]){&yes, &no})[t & 1] = true;
        out[t] = 2 * no + yes;
        assert(out[t] == 2 * (t & 1) + 1);
    }
}
