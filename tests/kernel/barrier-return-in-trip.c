// A thread that returns from a loop is missed by no barrier of the loop's later iterations.
// run: -k after_barrier -b 2 i32[2] 3
// expect: out: i32[2] = [1, 0]
// run: -k after_barrier -b 70 i32[3] 3
// expect: out: i32[3] = [1, 0, 0]
// run: -k one_a_trip -b 4 i32[4]
// expect: out: i32[4] = [4, 3, 2, 1]
#include <lanewise/kernel.h>

KERNEL void after_barrier(int *out, int trips)
{
    for (int k = 0; k < trips; k++) {
        barrier();
        if (thread_idx.x > 0)
            return;
    }
    barrier();
    out[thread_idx.x] = 1;
}

KERNEL void one_a_trip(int *out)
{
    for (int k = 0;; k++) {
        int there = block_count(1);
        if (thread_idx.x == k) {
            out[k] = there;
            return;
        }
    }
}
