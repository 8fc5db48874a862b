// What is reserved for later is a clear error until it is built; the name stays free for a helper.
// run: -D LATER -b 1 i32[1]
// status: 3
// stderr: later.c:22
// stderr: 'trace'
// stderr: reserved
// run: -b 1 i32[1]
// expect: out: i32[1] = [5]
#include <lanewise/kernel.h>

#ifndef LATER
static int trace(const int m[2][2])
{
    return m[0][0] + m[1][1];
}
#endif

KERNEL void k(int *out)
{
    const int m[2][2] = {{1, 2}, {3, 4}};
#ifdef LATER
    trace("m", m);
#else
    *out = trace(m);
#endif
}
