// The way from a loop with barriers to the return is a loop, or the end of an iteration of another:
// it belongs to the iteration that each thread leaves.
// sizes: 2 31 33 100
// run: -k counted -b @B 4 --quiet i32[100]
// run: -k counted_apart -b @B 4 --quiet i32[100]
// run: -k next_trip -b @B 4 1 5 --quiet i32[100]
// run: -k next_trip -b @B 4 2 10 --quiet i32[100]
// run: -k next_trip -b @B 4 3 15 --quiet i32[100]
#include <lanewise/kernel.h>

#define ME (warp_id() * WARP_SIZE + lane_id())

/* A thread that returns counts itself first; those that stay see in each iteration who has. */
KERNEL void counted(int n, int *out)
{
    SHARED int cell;
    if (thread_idx.x == 0)
        cell = 0;
    barrier();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if ((int)thread_idx.x == i + 1) {
            int old = atomic_load(&cell), now;
            while ((now = atomic_cas(&cell, old, old + 1)) != old)
                old = now;
            return;
        }
        barrier();
        sum = sum * 10 + cell;
        barrier();
    }
    int expected = 0;
    for (int i = 0; i < n; i++)
        expected = expected * 10 + (i + 1 < (int)block_dim.x ? i + 1 : (int)block_dim.x - 1);
    out[ME] = sum;
    assert(sum == expected);
}

/* The same, each with iterations of its own, before which it computes something. */
KERNEL void counted_apart(int n, int *out)
{
    SHARED int cells[100];
    const int me = thread_idx.x;
    cells[me] = 0;
    barrier();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (me % 7 == i + 1) {
            const int step = me % 3 + 1;
            for (int k = 0; k < me; k += step)
                cells[me] += step;
            return;
        }
        barrier();
        for (int k = 0; k < (int)block_dim.x; k++)
            sum += cells[k];
        barrier();
    }
    int expected = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < (int)block_dim.x; k++)
            if (k % 7 > 0 && k % 7 <= i + 1)
                expected += (k + k % 3) / (k % 3 + 1) * (k % 3 + 1);
    out[me] = sum;
    assert(sum == expected);
}

/* Lane 0 leaves the inner loop in its second iteration, and goes on with the outer one. */
KERNEL void next_trip(int n, int m, int most, int *out)
{
    int flag = 0, j = 0, sum = 0;
    do {
        for (int i = 0; i < n; i++) {
            if (i > 0 && lane_id() == 0) {
                warp_sync();
                break;
            }
            if (i < 1 && j < 1)
                barrier();
            sum += flag;
        }
        flag = 5;
    } while (++j < m);
    out[ME] = sum;
    assert(sum == (lane_id() == 0 ? most - 5 : n * (most - 5)));
}
