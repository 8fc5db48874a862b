// After each if its lanes are together again, the lanes of the outer arm first.
// run: -b 8 u32[24]
// expect: out: u32[24] = [3, 3, 12, 12, 240, 240, 240, 240, 15, 15, 15, 15, 240, 240, 240, 240, 255, 255, 255, 255, 255, 255, 255, 255]
#include <lanewise/kernel.h>

KERNEL void nested(uint32_t *out)
{
    int l = lane_id();
    if (l < 4) {
        if (l < 2)
            out[l] = ballot(true);
        else
            out[l] = ballot(true);
        out[8 + l] = ballot(true);
    } else {
        out[l] = ballot(true);
        out[8 + l] = ballot(true);
    }
    out[16 + l] = ballot(true);
}
