// The arms of && || ! and ?: are not split further: lanes that reach an arm converge there.
// run: -k both -b 8 u32[8]
// expect: out: u32[8] = [87, 87, 87, 168, 87, 168, 87, 168]
// run: -k either -b 8 u32[8]
// expect: out: u32[8] = [171, 171, 84, 171, 84, 171, 84, 171]
// run: -k mixed -b 8 u32[8]
// expect: out: u32[8] = [65, 190, 190, 190, 190, 190, 65, 190]
// run: -k conditional -b 8 u32[8]
// expect: out: u32[8] = [7, 7, 7, 248, 248, 248, 248, 248]
// run: -k nested_conditional -b 8 u32[8]
// expect: out: u32[8] = [221, 34, 221, 221, 221, 34, 221, 221]
// run: -k right_operand -b 8 u32[16]
// expect: out: u32[16] = [7, 7, 7, 248, 248, 248, 248, 248, 1, 1, 1, 0, 0, 0, 0, 0]
// run: -k values -b 8 i32[8]
// expect: out: i32[8] = [0, 3, 3, 3, 24, 24, 24, 24]
#include <lanewise/kernel.h>

KERNEL void both(uint32_t *out)
{
    int l = lane_id();
    if (l >= 2 && l % 2)
        out[l] = ballot(true); // 3 5 7
    else
        out[l] = ballot(true); // 0 1 2 4 6
}

KERNEL void either(uint32_t *out)
{
    int l = lane_id();
    if (l < 2 || l % 2)
        out[l] = ballot(true); // 0 1 3 5 7
    else
        out[l] = ballot(true); // 2 4 6
}

KERNEL void mixed(uint32_t *out)
{
    int l = lane_id();
    if ((l < 2 || !(l <= 5)) && l % 2 == 0)
        out[l] = ballot(true); // 0 6
    else
        out[l] = ballot(true); // 1 2 3 4 5 7
}

KERNEL void conditional(uint32_t *out)
{
    int l = lane_id();
    out[l] = l < 3 ? ballot(true) : ballot(true); // two places
}

KERNEL void nested_conditional(uint32_t *out)
{
    int l = lane_id();
    if (l < 3 ? l == 1 : l == 5)
        out[l] = ballot(true); // 1 5
    else
        out[l] = ballot(true); // 0 2 3 4 6 7
}

// The right operand is a place of its own, reached by lanes 3 to 7: 3 + 4 + 5 + 6 + 7.
KERNEL void right_operand(uint32_t *out)
{
    int l = lane_id();
    if (l > 2 && warp_sum(l) == 25)
        out[l] = ballot(true); // 3 to 7
    else
        out[l] = ballot(true), out[8 + l] = 1; // 0 1 2
}

// Both operands: lanes 1 to 3 come by the left one only.
KERNEL void values(int *out)
{
    int l = lane_id(), v = 0;
    if (l > 0 && (l < 4 || warp_sum(l) == 22))
        v = l < 4 ? warp_sum(1) : warp_sum(6); // 3 lanes; 4 lanes
    out[l] = v;
}
