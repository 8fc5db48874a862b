/* What is known of thousands of threads is kept right where most of it is shared. What it costs is
 * in bench/results/check-speed.json. The first is right without -D BAD. */
#include <lanewise/kernel.h>

// run: -k last_block -b 1 -g 40000 i32[40000] u32[1] i32[1]
// run: -k last_block -b 1 -g 40000 -D BAD i32[40000] u32[1] i32[1]
// finds: race-global @l2 @l1
KERNEL void last_block(int *part, uint32_t *done, int *out)
{
    part[block_idx.x] = (int)block_idx.x; /* @l1 */
    fence_device();
    if (atomic_add(done, 1) != grid_dim.x - 1)
        return;
#ifndef BAD
    fence_device();
#endif
    int sum = 0;
    for (uint32_t b = 0; b < grid_dim.x; b++)
        sum += part[b]; /* @l2 */
    out[0] = sum;
}

// run: -k lock -b 256 -g 128 3 i32[1] i32[1]
KERNEL void lock(int n, int *held, int *count)
{
    if (lane_id() != 0)
        return;
    for (int i = 0; i < n; i++) {
        while (atomic_cas(held, 0, 1) != 0)
            ;
        fence_device();
        *count += 1;
        fence_device();
        atomic_store(held, 0);
    }
}

// run: -k queue -b 1024 -g 16 20000 i32[1] i32[20000]=iota i32[20000]
KERNEL void queue(int n, int *next, int *work, int *out)
{
    for (;;) {
        int i = 0;
        if (lane_id() == 0)
            i = atomic_add(next, 1);
        i = warp_broadcast(i, 0);
        if (i >= n)
            break;
        if (lane_id() == 0) {
            fence_device();
            out[i] = work[i] * 2;
            fence_device();
        }
        warp_sync();
    }
}
