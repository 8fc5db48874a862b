// A branch on a value that C leaves undefined takes one way or the other, and the program goes on,
// also where the compiler sees what is wrong.
// device: !check it tells of divisions by zero and of shifts
// run: -k k -b 1 i32[5]
// expect: out: i32[5] = [5, 1, 3, 1, 9]
// run: -k seen_later -b 1 i32[4] 40
// expect: out: i32[4] = [1, 3, 0, 9]
// run: -k written_down -b 1 i32[3]
// expect: out: i32[3] = [1, 1, 9]
#include <lanewise/kernel.h>

static int shifted(int by)
{
    return 1 << by;
}

static int divided(int by)
{
    return 7 / by;
}

static int beyond(int by)
{
    return INT_MAX + by;
}

KERNEL void k(int *out)
{
    out[0] = 5;
    if (shifted(40) == 3)
        out[1] = 1;
    else
        out[1] = 1;
    for (int i = 0; i < 3; i++)
        if (divided(i) > 1)
            out[2] += 1;
        else
            out[2] += 1;
    switch (beyond(1) + (int)NAN) {
    case 1: out[3] = 1; break;
    case 2: out[3] = 1; break;
    default: out[3] = 1;
    }
    if (divided(0) == 5)
        printf("%s", "");
    out[4] = 9;
}

KERNEL void seen_later(int *out, int by)
{
    out[0] = (by << by > 7) | 1;
    for (int i = 0; i < 3; i++)
        out[1] += shifted(32 + i) == 77 ? 1 : 1;
    if ((unsigned)(by * 1e20f) > 5)
        out[2] = 0;
    out[3] = 9;
}

KERNEL void written_down(int *out)
{
    if ((1 << 40) == 3)
        out[0] = 1;
    else
        out[0] = 1;
    switch (7 / 0) {
    case 1: out[1] = 1; break;
    default: out[1] = 1;
    }
    out[2] = 9;
}
