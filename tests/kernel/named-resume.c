// A kernel may be called what the compiler calls its own functions.
// run: -k resume -b 40 2 i32[40] --quiet
// run: -k common -b 3 i32[3]
// expect: out: i32[3] = [3, 3, 3]
// run: -k apart -b 3 i32[3]
// expect: out: i32[3] = [2, 2, 2]
#include <lanewise/kernel.h>

KERNEL void resume(int trips, int *out)
{
    SHARED int row[64];
    const int t = thread_idx.x, next = (t + 1) % (int)block_dim.x;
    for (int i = 0; i < trips; i++) {
        row[t] = t + i;
        barrier();
        out[t] += row[next];
        barrier();
        while (atomic_load(&row[t]) != t + i) /* in gangs */
            ;
    }
    assert(out[t] == 2 * next + 1);
}

KERNEL void common(int *out)
{
    out[thread_idx.x] = warp_sum(1);
}

KERNEL void apart(int *out)
{
    out[thread_idx.x] = warp_max(2);
}
