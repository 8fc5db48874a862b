// Lanes of a warp have no progress of their own. A loop that waits for a lane which has left it,
// goes another way, or comes later, is told with both lines, whatever the loop counts.
// run: -k lock -b 32 i32[1] i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'lock': no thread can make progress
// stderr: wait-for-own-warp.c:77 loop waits with 31 threads (first block (0,0,0) thread (1,0,0))
// run: -k left_by_break -b 32 i32[1] i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'left_by_break': no thread can make progress
// stderr: wait-for-own-warp.c:88 loop waits with 31 threads
// run: -k arms -b 32 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'arms': no thread can make progress
// stderr: wait-for-own-warp.c:101 loop waits with 1 thread
// run: -k other_arm -b 32 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'other_arm': no thread can make progress
// stderr: wait-for-own-warp.c:112 loop waits with 1 thread
// run: -k round_it -b 32 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'round_it': no thread can make progress
// stderr: wait-for-own-warp.c:119 loop waits with 1 thread
// run: -k next_trip -b 32 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'next_trip': no thread can make progress
// stderr: wait-for-own-warp.c:130 loop waits with 16 threads
// run: -k each_other -b 32 i32[2]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'each_other': no thread can make progress
// stderr: wait-for-own-warp.c:142 loop waits with 2 threads
// run: -k counts -b 32 i32[1] i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'counts': no thread can make progress
// stderr: wait-for-own-warp.c:151 loop waits with 31 threads
// run: -k votes -b 64 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'votes': no thread can make progress
// stderr: wait-for-own-warp.c:161 loop waits with 64 threads
// run: -k asks_by_max -b 32 i32[1]
// device: !cuda which waits for ever
// status: 4
// stderr: kernel 'asks_by_max': no thread can make progress
// stderr: wait-for-own-warp.c:169 loop waits with 32 threads
// run: -k lock -b 32 i32[1] i32[1]
// device: ref whose lanes are told one by one
// status: 4
// stderr: wait-for-own-warp.c:79 waits with 1 thread (first block (0,0,0) thread (0,0,0)) for lanes of its warp in a loop
// run: -k left_by_break -b 32 i32[1] i32[1]
// device: ref whose lanes are told one by one
// status: 4
// stderr: wait-for-own-warp.c:89 waits with 1 thread (first block (0,0,0) thread (0,0,0)) for lanes of its warp in a loop
// run: -k arms -b 32 i32[1]
// device: ref whose lanes are told one by one
// status: 4
// stderr: wait-for-own-warp.c:104 waits with 31 threads
// run: -k other_arm -b 32 i32[1]
// device: ref whose lanes are told one by one
// status: 4
// stderr: wait-for-own-warp.c:110 waits with 31 threads
// run: -k round_it -b 32 i32[1]
// device: ref whose lanes are told one by one
// status: 4
// stderr: wait-for-own-warp.c:121 waits with 31 threads
#include <lanewise/kernel.h>

KERNEL void lock(int *lock, int *held)
{
    while (atomic_cas(lock, 0, 1))
        ;
    *held += 1;
    fence_device();
    atomic_exchange(lock, 0);
}

/* The arm of a `break` is behind the loop. */
KERNEL void left_by_break(int *lock, int *held)
{
    for (;;) {
        if (atomic_cas(lock, 0, 1) == 0) {
            *held += 1;
            fence_device();
            atomic_exchange(lock, 0);
            break;
        }
    }
}

/* Whichever arm is first in the text. */
KERNEL void arms(int *flag)
{
    if (lane_id() == 7)
        while (!atomic_load(flag))
            ;
    else
        atomic_store(flag, 1);
}

KERNEL void other_arm(int *flag)
{
    if (lane_id() != 7)
        atomic_store(flag, 1);
    else
        while (!atomic_load(flag))
            ;
}

KERNEL void round_it(int *flag)
{
    if (lane_id() == 7)
        while (!atomic_load(flag))
            ;
    atomic_store(flag, 1);
}

/* The others have gone on to the next iteration, and wait there, too. */
KERNEL void next_trip(int *flag)
{
    for (int i = 0; i < 2; i++) {
        if (i == 0 && lane_id() < 16)
            continue;
        while (atomic_load(flag) == 0)
            ;
        atomic_add(flag, 1);
    }
}

/* Each sets its flag when it has seen the other's. */
KERNEL void each_other(int *flags)
{
    const int me = lane_id();
    if (me < 2)
        for (bool done = false; !done;)
            if (atomic_load(&flags[1 - me])) {
                atomic_store(&flags[me], 1);
                done = true;
            }
}

KERNEL void counts(int *lock, int *tries)
{
    int count = 0;
    while (atomic_cas(lock, 0, 1))
        count++;
    barrier();
    *tries += count;
    atomic_exchange(lock, 0);
}

KERNEL void votes(int *flag)
{
    int count = 0;
    while (!warp_any(atomic_load(flag)))
        count++;
    atomic_add(flag, count);
}

/* An operation that changes nothing when it is made again. */
KERNEL void asks_by_max(int *flag)
{
    while (atomic_max(flag, 3) < 7)
        ;
}
