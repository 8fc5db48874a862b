// The arms of a switch: labels that share one do not split it, falling through joins the next.
// run: -k fall_through -b 8 u32[8] u32[8] u32[8]
// expect: first: u32[8] = [17, 51, 68, 136, 17, 51, 68, 136]
// expect: last: u32[8] = [51, 51, 68, 136, 51, 51, 68, 136]
// expect: after: u32[8] = [255, 255, 255, 255, 255, 255, 255, 255]
// run: -k shared_label -b 8 u32[8]
// expect: out: u32[8] = [155, 155, 100, 155, 155, 100, 100, 155]
// run: -k no_default -b 8 u32[8]
// expect: out: u32[8] = [0, 34, 0, 0, 0, 34, 0, 0]
// run: -k in_loop -b 8 i32[8]
// expect: out: i32[8] = [240, 240, 240, 240, 401, 401, 401, 401]
// run: -k out_of_loop -b 8 i32[8]
// expect: out: i32[8] = [3, 3, 7, 7, 11, 11, 15, 15]
#include <lanewise/kernel.h>

KERNEL void fall_through(uint32_t *first, uint32_t *last, uint32_t *after)
{
    int l = lane_id();
    switch (l % 4) {
    case 0:
        first[l] = ballot(true); // 0 4
        // fall through
    case 1:
        last[l] = ballot(true); // 0 1 4 5
        if (l % 4)
            first[l] = last[l];
        break;
    case 2:
        first[l] = last[l] = ballot(true); // 2 6
        break;
    default:
        first[l] = last[l] = ballot(true); // 3 7
    }
    after[l] = ballot(true);
}

KERNEL void shared_label(uint32_t *out)
{
    int l = lane_id();
    switch (l) {
    case 0:
    case 1:
    case 7:
    case 3 ... 4:
        out[l] = ballot(true); // 0 1 3 4 7
        break;
    default:
        out[l] = ballot(true); // 2 5 6
    }
}

KERNEL void no_default(uint32_t *out)
{
    int l = lane_id();
    switch (l % 4) {
    case 1: out[l] = ballot(true); // 1 5
    }
}

// break leaves the switch, continue goes to the next iteration: 4 lanes in each arm and 4 behind
// the switch, in 2 iterations.
KERNEL void in_loop(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i < 2; i++) {
        switch (l / 4) {
        case 0:
            v += 20 * warp_sum(1);
            break;
        default:
            v += 50 * warp_sum(1);
            v += i;
            continue;
        }
        v += 10 * warp_sum(1);
    }
    out[l] = v;
}

KERNEL void out_of_loop(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0;; i++) {
        int half = l / 2;
        switch (half - i) {
        case 0:
            v = warp_sum(v);
            goto done;
        case 1:
            half++;
            break;
        }
    }
done:
    out[l] = v;
}
