/* One thread works while the others of its block wait: what it did is ordered before them at the
 * barrier. What such a round costs is in bench/results/check-speed.json. */
#include <lanewise/kernel.h>

// run: --schedules 2 -b 1024 -k one_works 100000 i32[1] i32[1024]
KERNEL void one_works(int n, int *x, int *out)
{
    if (thread_idx.x == 0)
        for (int i = 0; i < n; i++)
            atomic_add(x, 1);
    barrier();
    out[thread_idx.x] = *x;
}

// run: --schedules 2 -b 1024 -g 8 -k one_waits 20000 i32[1] i32[8192]
KERNEL void one_waits(int n, int *x, int *out)
{
    if (thread_idx.x == 0) {
        if (block_idx.x == 0)
            for (int i = 0; i < n; i++)
                atomic_add(x, 1);
        else
            while (atomic_load(x) < n)
                ;
    }
    barrier();
    out[global_idx.x] = 1;
}

// run: -b 96 -k one_warp 3000 i32[1] i32[96]
// run: -b 96 -k one_warp -D BAD 3000 i32[1] i32[96]
// finds: race-shared @w2 @w1
KERNEL void one_warp(int n, int *x, int *out)
{
    SHARED int sum;
    if (thread_idx.x < 32)
        for (int i = 0; i < n; i++) {
            int all = warp_sum(i);
            if (thread_idx.x == 0)
                atomic_add(x, all);
        }
    if (thread_idx.x == 0)
        sum = *x; /* @w1 */
#ifndef BAD
    barrier();
#endif
    out[thread_idx.x] = thread_idx.x < 64 && thread_idx.x > 0 ? 0 : sum; /* @w2 */
}
