// Collectives in conditions and increments of loops are in the iteration that they end or allow.
// run: -k while_condition -b 8 i32[8]
// expect: out: i32[8] = [0, 1, 2, 3, 4, 4, 4, 4]
// run: -k do_condition -b 8 i32[8]
// expect: out: i32[8] = [1, 1, 2, 3, 4, 4, 4, 4]
// run: -k increment -b 8 i32[8]
// expect: out: i32[8] = [0, 2, 2, 3, 4, 5, 6, 7]
// run: -k any_left -b 8 i32[8] i32[8]
// expect: out: i32[8] = [0, 1, 2, 3, 4, 5, 6, 7]
// expect: trips: i32[8] = [7, 7, 7, 7, 7, 7, 7, 7]
// run: -k break_condition -b 8 i32[8]
// expect: out: i32[8] = [4, 4, 4, 4, 4, 4, 4, 4]
// run: -k first_value -b 8 i32[8]
// expect: out: i32[8] = [0, 0, 0, 1, 2, 3, 4, 5]
#include <lanewise/kernel.h>

// Iteration t is asked for by the lanes above t, 7 - t: lanes 5 to 7 are three and stop with 4.
KERNEL void while_condition(int *out)
{
    int l = lane_id(), n = 0;
    while (n < l && warp_sum(1) > 3)
        n++;
    out[l] = n;
}

KERNEL void do_condition(int *out)
{
    int l = lane_id(), n = 0;
    do {
        n++;
    } while (n < l && warp_sum(1) > 3);
    out[l] = n;
}

// 7 lanes: 2 on; then 5, 4, 3 ... lanes: 1 on each.
KERNEL void increment(int *out)
{
    int l = lane_id(), i;
    for (i = 0; i < l; i += 1 + (warp_sum(1) > 5))
        ;
    out[l] = i;
}

// All stay until the last one has done.
KERNEL void any_left(int *out, int *trips)
{
    int l = lane_id(), n = 0, trip = 0;
    while (warp_any(n < l)) {
        n += n < l;
        trip++;
    }
    out[l] = n;
    trips[l] = trip;
}

// 7 lanes are above 0, 6 above 1 ... 3 above 4.
KERNEL void break_condition(int *out)
{
    int l = lane_id(), i;
    for (i = 0;; i++)
        if (warp_sum(l > i ? 1 : 0) <= 3)
            break;
    out[l] = i;
}

// The start is in no iteration: 8 lanes. i goes from there to l + 6 only.
KERNEL void first_value(int *out)
{
    int l = lane_id(), n = 0;
    for (int i = warp_sum(1); i < l + 6; i++)
        n++;
    out[l] = n;
}
