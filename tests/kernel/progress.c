// Warps of a block progress independently, in both directions; waiting for a lane of the same
// warp in a loop it has not left is an error that names the waiting line.
// run: -k warps -b 96 i32[1]
// expect: out: i32[1] = [96]
// run: -k waits_for_barrier -b 64 i32[1]
// expect: out: i32[1] = [64]
// run: -k own_warp -b 32 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: no thread can make progress
// stderr: progress.c:
// run: -k nobody -b 32 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: no thread can make progress
// stderr: progress.c:
// run: -k behind_barrier -b 64 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: no thread can make progress
// stderr: progress.c:
#include <lanewise/kernel.h>

SHARED int flags[3];

/* warp 0 waits for 2, 2 for 1; then 1 waits for 0 */
KERNEL void warps(int *out)
{
    int w = warp_id();
    if (lane_id() == 0)
        flags[w] = 0;
    barrier();
    if (w == 0)
        while (!atomic_load(&flags[2]))
            ;
    if (w == 2)
        while (!atomic_load(&flags[1]))
            ;
    warp_sync();
    atomic_store(&flags[w], 1);
    if (w == 1)
        while (!atomic_load(&flags[0]))
            ;
    atomic_add(out, 1);
}

/* lanes that spin do not keep the other warp from its work before the barrier */
KERNEL void waits_for_barrier(int *out)
{
    if (thread_idx.x == 0)
        flags[0] = 0;
    barrier();
    if (warp_id() == 0)
        while (!atomic_load(&flags[0]))
            ;
    else if (warp_sum(1) == 32)
        atomic_store(&flags[0], 1);
    barrier();
    atomic_add(out, 1);
}

/* lane 1 waits for lane 0, which waits for it in the same loop */
KERNEL void own_warp(int *out)
{
    for (int i = 0; i < 2; i++) {
        if (thread_idx.x == 1)
            while (!atomic_load(out))
                ;
        warp_sync();
    }
    if (thread_idx.x == 0)
        atomic_store(out, 1);
}

/* nobody ever sets it */
KERNEL void nobody(int *out)
{
    if (thread_idx.x == 0)
        while (!atomic_load(out))
            ;
    barrier();
}

/* the other warp waits at a barrier for the one that waits for it */
KERNEL void behind_barrier(int *out)
{
    if (warp_id() == 0)
        while (!atomic_load(out))
            ;
    barrier();
    atomic_store(out, 1);
}
