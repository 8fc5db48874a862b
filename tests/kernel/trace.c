// trace() does nothing on devices that draw no picture; a file's own function of that name is the
// file's.
// run: -b 4 f32[4]=iota i32[1]
// expect: x: f32[4] = [1.0, 2.0, 3.0, 4.0]
// expect: out: i32[1] = [5]
// run: -D OWN -b 4 f32[4]=iota i32[1]
// expect: x: f32[4] = [1.0, 2.0, 3.0, 4.0]
// expect: out: i32[1] = [5]
#include <lanewise/kernel.h>

#ifdef OWN
static int trace(const int m[2][2])
{
    return m[0][0] + m[1][1];
}
#endif

KERNEL void k(float *x, int *out)
{
    SHARED float part[4];
    int t = thread_idx.x;
    part[t] = x[t];
    barrier();
#ifdef OWN
    const int m[2][2] = {{1, 2}, {3, 4}};
    if (t == 0)
        *out = trace(m);
#else
    trace("part", part[t]);
    trace("thread", t);
    trace("small", (_Float16)part[t]);
    trace("brain", (__bf16)1.5f);
    trace("wide", (double)part[t] / 3);
    trace("bool", t > 1);
    if (t == 0)
        *out = 5;
#endif
    x[t] = part[t] + 1;
}
