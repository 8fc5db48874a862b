// Arms that leave a loop and hold loops themselves.
// run: -k break_arm -b 8 i32[8]
// expect: out: i32[8] = [2, 13, 22, 33, 42, 53, 62, 73]
// run: -k return_arm -b 8 i32[8]
// expect: out: i32[8] = [2, 13, 22, 33, 42, 53, 62, 73]
// run: -k arm_in_arm -b 16 i32[16]
// expect: out: i32[16] = [403, 403, 407, 407, 411, 411, 415, 415, 419, 419, 423, 423, 427, 427, 431, 431]
// run: -k joined -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 10, 10, 14, 14, 18, 18]
// run: -k long_arm -b 8 i32[8]
// expect: out: i32[8] = [12, 12, 12, 12, 12, 12, 12, 12]
#include <lanewise/kernel.h>

// Lanes 2i, 2i + 1 leave in iteration i; both make a first inner one, the odd lane also a second.
KERNEL void break_arm(int *out)
{
    int l = lane_id(), v = 10 * l;
    for (int i = 0; i < 4; i++)
        if (i == l / 2) {
            for (int k = 0; k <= l % 2; k++)
                v += warp_sum(1);
            break;
        }
    out[l] = v;
}

KERNEL void return_arm(int *out)
{
    int l = lane_id(), v = 10 * l, i = 0;
    while (true) {
        int half = l / 2, k = 0;
        if (i++ == half) {
            do {
                int one = 1;
                v += warp_sum(one);
            } while (k++ < l % 2);
            out[l] = v;
            return;
        }
    }
}

// Four lanes in each arm, two in each arm of its loop.
KERNEL void arm_in_arm(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++) {
        if (i == l / 4) {
            for (int k = 0; k < 2; k++)
                if (k == l % 4 / 2) {
                    v = warp_sum(v);
                    break;
                }
            v += 100 * warp_sum(1);
            break;
        }
    }
    out[l] = v;
}

// An if within the arm, before the sum: 3 more for each pair.
KERNEL void joined(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 4; i++)
        if (i == l / 2) {
            if (l % 2)
                v += 1;
            else
                v += 2;
            v = warp_sum(v);
            break;
        }
    out[l] = v;
}

// The iterations of the inner loop count from its entry: 2 lanes in all 5 of them, and 2 before.
KERNEL void long_arm(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0;; i++) {
        if (i != l / 2)
            continue;
        v += warp_sum(1);
        for (int k = 0; k < 5; k++)
            v += warp_sum(1);
        break;
    }
    out[l] = v;
}
