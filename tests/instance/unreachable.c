// Collectives that no thread can reach are in nobody's way.
// run: -k behind_return -b 8 i32[8]
// expect: out: i32[8] = [8, 8, 8, 8, 8, 8, 8, 8]
// run: -k behind_loop -b 8 i32[8]
// expect: out: i32[8] = [8, 8, 8, 8, 8, 8, 8, 8]
// run: -k behind_jumps -b 8 i32[8]
// expect: out: i32[8] = [11, 15, 11, 15, 11, 15, 11, 15]
#include <lanewise/kernel.h>

KERNEL void behind_return(int *out)
{
    out[lane_id()] = warp_sum(1);
    return;
    barrier();
    out[lane_id()] = warp_sum(1);
}

KERNEL void behind_loop(int *out)
{
    do {
        out[lane_id()] = warp_sum(1);
        return;
    } while (0);
    out[lane_id()] = warp_sum(2);
}

// Even lanes 4 and 1, twice, odd ones 4 and 3, twice; 1 each.
KERNEL void behind_jumps(int *out)
{
    int v = 1;
    for (int i = 0; i < 2; i++) {
        switch (lane_id() % 2) {
            v += warp_sum(5);
        case 0:
            v += warp_sum(1) + 1;
            break;
            v += warp_sum(4);
        default:
            v += warp_sum(1) + 3;
        }
        continue;
        v += warp_sum(v);
    }
    out[lane_id()] = v;
}
