// A division that only some lanes make, by their place, by what is 0 for others: it says nothing of
// those.
// sizes: 1 2 8 31 33 64 100 1023 8x8x4
// run: -k quotient -b @B --quiet 0
// run: -k remainder -b @B --quiet 0
// run: -k smallest -b @B --quiet i32[1024]=const:-2147483648 0
#include <lanewise/kernel.h>

KERNEL void quotient(int zero)
{
    int lane = lane_id(), all = -1;
    int x = lane & 1 ? all / ((lane & 255) | 1) : lane != 0;
    int hidden = lane + zero;
    assert(x == (hidden & 1 ? -(hidden == 1) : hidden > 0));
}

KERNEL void remainder(int zero)
{
    int lane = lane_id();
    unsigned x = lane & 1 ? 1u % ((lane & 255u) | 1) : lane != 0;
    int hidden = lane + zero;
    assert(x == (hidden & 1 ? hidden > 1 : hidden > 0));
}

KERNEL void smallest(const int *a, int zero)
{
    int lane = lane_id(), x = a[lane] + (lane & 1);
    int q = lane & 1 ? x / -1 : x == INT_MIN;
    int hidden = lane + zero;
    assert(q == (hidden & 1 ? INT_MAX : 1));
}
