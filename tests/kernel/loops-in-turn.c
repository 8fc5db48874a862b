// Two loops that make several iterations under one test on `cuda`, the second one, which is larger,
// right behind the first.
// sizes: 1 33 100 8x8x4
// run: -b @B 4 7 i32[7]=1,2,3,4,5,6,7 i32[7]=7,6,5,4,3,2,1 i32[1]
// expect: out: i32[1] = [52]
#include <lanewise/kernel.h>

KERNEL void loops(int step, int n, const int *a, const int *b, int *out)
{
    int sum = 0;
    for (int i = 0; i < n; i += step / 4)
        sum += a[i];
    for (int i = 0; i < n; i += step / 4)
        if (b[i] > 1)
            sum += b[i] < 4 ? 1 : b[i];
    if (!warp_id() && !lane_id())
        *out = sum;
}
