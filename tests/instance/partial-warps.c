// The last warp may have fewer lanes, here 3: those absent take no part.
// run: -k sums -b 35 i32[2] u32[2]
// expect: sum: i32[2] = [32, 3]
// expect: mask: u32[2] = [4294967295, 7]
// run: -k trips -b 35 i32[2]
// expect: out: i32[2] = [528, 6]
// run: -k arms -b 35 i32[4]
// expect: out: i32[4] = [16, 16, 2, 1]
// run: -k neighbours -b 35 i32[3]
// device: !check borrowed values decide branches
// expect: out: i32[3] = [33, 34, 34]
// run: -k rows -b 5,7 u32[2]
// expect: out: u32[2] = [3186588638, 7]
#include <lanewise/kernel.h>

KERNEL void sums(int *sum, uint32_t *mask)
{
    int total = warp_sum(1);
    uint32_t here = ballot(true);
    if (lane_id() == 0) {
        sum[warp_id()] = total;
        mask[warp_id()] = here;
    }
}

// A lane ends in iteration l, with those from it on: 32 + 31 + ... + 1, and 3 + 2 + 1.
KERNEL void trips(int *out)
{
    int last = 0;
    for (int i = 0; i <= lane_id(); i++)
        last = warp_sum(1);
    int total = warp_sum(last);
    if (lane_id() == 0)
        out[warp_id()] = total;
}

KERNEL void arms(int *out)
{
    int n;
    if (lane_id() % 2)
        n = warp_sum(1);
    else
        n = warp_sum(1);
    if (lane_id() < 2)
        out[2 * warp_id() + lane_id()] = n;
}

// Lane 2 of the last warp has no neighbour above, and keeps its own: 34.
KERNEL void neighbours(int *out)
{
    int v = shuffle_down((int)thread_idx.x, 1);
    if (warp_id() == 1)
        out[lane_id()] = v;
}

// Rows of 5: in warp 0 lanes 0, 5, ... 30 are in column 0; warp 1 has columns 2, 3 and 4.
KERNEL void rows(uint32_t *out)
{
    uint32_t mask = ballot(thread_idx.x != 0);
    if (lane_id() == 0)
        out[warp_id()] = mask;
}
