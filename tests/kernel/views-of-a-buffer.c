// One buffer seen as vectors of two sizes, both read at one index, far behind the first use of it.
// run: -g 1 -b 8 i32[100]=iota i32[16]
// expect: out: i32[16] = [44089, 38077, 32065, 26053, 20041, 14029, 8017, 2005, -572653477, -1420176174, 5631683, 835858116, 961354027, 1229733782, 652549139, -448]
#include <lanewise/kernel.h>

KERNEL void views(const int *in, int *out)
{
    const int i = lane_id() * -3 + 22;
    const int4 *fours = (const int4 *)in;
    const int2 *twos = (const int2 *)in;
    int v = fours[i].w;
#pragma unroll
    for (int k = 1; k <= 64; k++)
        v ^= v * i + k * lane_id(); // lanewise-allow: overflow
    out[lane_id() + 8] = v;
    out[lane_id()] = twos[i].x * 1000 + fours[i].y;
}
