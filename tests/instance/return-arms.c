// A return arm belongs to the iteration it leaves; whoever returned is in no later instance.
// run: -k alone -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k odd_lanes -b 8 i32[8]
// expect: out: i32[8] = [16, 2, 16, 4, 16, 6, 16, 8]
// run: -k break_or_return -b 16 i32[16]
// expect: out: i32[16] = [40, 6, 40, 6, 120, 14, 120, 14, 200, 22, 200, 22, 280, 30, 280, 30]
// run: -k endless -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
// run: -k guard -b 8 u32[8]
// expect: out: u32[8] = [31, 31, 31, 31, 31, 0, 0, 0]
#include <lanewise/kernel.h>

KERNEL void alone(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++)
        if (i == l / 2) {
            out[l] = warp_sum(v);
            return;
        }
    out[l] = -1;
}

// One lane returns in each iteration; the even lanes reconverge behind the loop: 1 + 3 + 5 + 7.
KERNEL void odd_lanes(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++) {
        int scoped = v;
        if (i == l / 2 && l % 2) {
            out[l] = warp_sum(scoped);
            return;
        }
    }
    out[l] = warp_sum(v);
}

// Lanes 4i to 4i + 3 leave in iteration i, by two places.
KERNEL void break_or_return(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++)
        if (i == l / 4) {
            if (l % 2) {
                v = warp_sum(v);
                break;
            }
            out[l] = 10 * warp_sum(v);
            return;
        }
    out[l] = v;
}

KERNEL void endless(int *out)
{
    int l = lane_id();
    for (int i = 0;; i++) {
        int v = l + 1;
        if (i == l / 2) {
            out[l] = warp_sum(v);
            return;
        }
    }
}

KERNEL void guard(uint32_t *out)
{
    int l = lane_id();
    if (l >= 5)
        return;
    out[l] = ballot(true);
}
