// A short vector that goes around a loop on the right of an operator that does not commute: one
// element of it is taken afterwards.
// run: -g 1 -b 1 u64[1] i32[1] f32[1] 1
// expect: u: u64[1] = [1]
// expect: i: i32[1] = [3]
// expect: f: f32[1] = [8.0]
#include <lanewise/kernel.h>

KERNEL void last(uint64_t *u, int *i, float *f, int trips)
{
    ulong4 a = {0, 0, 0, 0}, one = {0, 1, 0, 0};
    int4 b = {2, 2, 2, 2}, thirteen = {0, 0, 13, 0};
    float4 c = {2, 2, 2, 2}, sixteen = {0, 0, 0, 16};
    for (int k = -1; ++k < (1 & 3);)
        a = one - a;
    for (int k = 0; k < trips; k++)
        b = (thirteen / b) / b;
    for (int k = 0; k < trips; k++)
        c = sixteen / c;
    *u = a.y;
    *i = b.z;
    *f = c.w;
}
