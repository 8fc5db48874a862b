// Waiting for what nobody does is found, whatever the loop looks like.
// run: -k flag -g 2 -b 3 i32[1]
// status: 4
// stderr: kernel 'flag': no thread can make progress
// stderr: wait-for-ever.c:29 loop waits with 6 threads (first block (0,0,0) thread (0,0,0))
// run: -k counting -b 2 i32[1]
// status: 4
// stderr: kernel 'counting': no thread can make progress
// stderr: wait-for-ever.c:37 loop waits with 2 threads (first block (0,0,0) thread (0,0,0))
// run: -k cas -b 2 i32[1]=1
// status: 4
// stderr: kernel 'cas': no thread can make progress
// stderr: wait-for-ever.c:47 loop waits with 2 threads (first block (0,0,0) thread (0,0,0))
// run: -k same_warp -b 4 i32[1]
// status: 4
// stderr: kernel 'same_warp': no thread can make progress
// stderr: wait-for-ever.c:54 loop waits with 1 thread (first block (0,0,0) thread (0,0,0))
// stderr: wait-for-ever.c:56 warp_sync waits with 3 threads (first block (0,0,0) thread (1,0,0))
// run: -k over_barrier -b 64 i32[1]
// status: 4
// stderr: kernel 'over_barrier': no thread can make progress
// stderr: wait-for-ever.c:65 loop waits with 32 threads (first block (0,0,0) thread (32,0,0))
// stderr: wait-for-ever.c:67 barrier waits with 32 threads (first block (0,0,0) thread (0,0,0))
#include <lanewise/kernel.h>

// Nobody sets it, in no block.
KERNEL void flag(int *f)
{
    while (!atomic_load(f))
        ;
}

// Private variables change, but come back to what they were.
KERNEL void counting(int *f)
{
    int turn = 0;
    while (atomic_load(f) == 0)
        turn = (turn + 1) % 5;
    atomic_store(f, turn);
}

// The lock was never free.
KERNEL void cas(int *lock)
{
    int seen;
    do
        seen = atomic_cas(lock, 0, 1);
    while (seen != 0);
}

KERNEL void same_warp(int *f)
{
    if (lane_id() == 0)
        while (!atomic_load(f))
            ;
    warp_sync();
    if (lane_id() == 1)
        atomic_store(f, 1);
}

// The flag is set behind a barrier that the waiting warp has not reached.
KERNEL void over_barrier(int *f)
{
    if (warp_id() == 1)
        while (!atomic_load(f))
            ;
    barrier();
    if (thread_idx.x == 0)
        atomic_store(f, 1);
}
