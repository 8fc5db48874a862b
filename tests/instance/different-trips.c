// Lanes leave a loop in different iterations, and reconverge behind it.
// run: -k counted -b 8 i32[8]
// expect: out: i32[8] = [8, 15, 21, 26, 30, 33, 35, 36]
// run: -k broken -b 8 i32[8]
// expect: out: i32[8] = [36, 36, 36, 36, 36, 36, 36, 36]
// run: -k downwards -b 8 i32[8]
// expect: out: i32[8] = [18, 17, 16, 15, 14, 13, 12, 11]
// run: -k behind_arm -b 8 i32[8]
// expect: out: i32[8] = [103, 103, 107, 107, 111, 111, 115, 115]
#include <lanewise/kernel.h>

// Iteration i has the lanes above i, 7 - i; then all 8.
KERNEL void counted(int *out)
{
    int l = lane_id(), v = 0;
    for (int i = 0; i < l; i++)
        v += warp_sum(1);
    out[l] = v + warp_sum(1);
}

KERNEL void broken(int *out)
{
    int l = lane_id(), v = l + 1;
    for (int i = 0; i < 8; i++) {
        int scoped = i;
        if (scoped == l)
            break;
    }
    out[l] = warp_sum(v);
}

// No collective in the loop: 10 + 8 - l, by shuffles from the neighbour behind it.
KERNEL void downwards(int *out)
{
    int l = lane_id(), n = 0;
    while (n < 8 - l)
        n++;
    int next = shuffle_down(n, 1);
    out[l] = 10 + (l < 7 ? next + 1 : n);
}

// The arm is in the iterations; what stands behind the loop is not.
KERNEL void behind_arm(int *out)
{
    int l = lane_id(), v = l + 1, k = 0;
    for (; k < 4; k++)
        if (k == l / 2) {
            v = warp_sum(v);
            break;
        }
    v += 100 * (warp_sum(1) == 8);
    out[l] = v;
}
