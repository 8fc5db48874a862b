// Lanes that reach one place by different paths converge: && and ?: and switch do not split arms.
// run: -k and_else -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 6, 6, 6, 6, -1, -1]
// run: -k or_then -b 8 i32[8]
// expect: out: i32[8] = [6, 6, 6, 6, -1, -1, 6, 6]
// run: -k conditional -b 8 i32[8]
// expect: out: i32[8] = [8, 8, 8, 8, 8, 8, 8, 8]
// run: -k cases -b 8 i32[8]
// expect: out: i32[8] = [4, 4, 2, 2, 4, 4, 2, 2]
// run: -k after_if -b 8 i32[8]
// expect: out: i32[8] = [28, 28, 28, 28, 28, 28, 28, 28]
#include <lanewise/kernel.h>

KERNEL void and_else(int *out)
{
    int i = thread_idx.x, v = 1;
    bool a = i >= 4, b = i >= 6;
    if (a && b)
        v = -1;
    else
        v = warp_sum(v);
    out[i] = v;
}

KERNEL void or_then(int *out)
{
    int i = thread_idx.x, v = 1;
    if (i < 4 || i >= 6)
        v = warp_sum(v);
    else
        v = -1;
    out[i] = v;
}

KERNEL void conditional(int *out)
{
    int i = thread_idx.x;
    out[i] = warp_sum(i < 3 ? 1 : i < 5 ? 1 : 1);
}

/* 0 and 1 share a body; 2 falls through into that of 3 */
KERNEL void cases(int *out)
{
    int i = thread_idx.x, v = 1;
    switch (i % 4) {
    case 0:
    case 1: v = warp_sum(v); break;
    case 2: v = 1;
    default: v = warp_sum(v);
    }
    out[i] = i % 4 < 2 ? v : v / 2;
}

KERNEL void after_if(int *out)
{
    int i = thread_idx.x, v = i;
    if (i % 2)
        v = i + 0;
    else if (i == 4)
        v = 4;
    out[i] = warp_sum(v);
}
