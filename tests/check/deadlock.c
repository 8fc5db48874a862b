/* Waiting for what nobody does. Each kernel ends without -D BAD. */
#include <lanewise/kernel.h>
#define ME ((int)thread_idx.x)

#ifdef BAD
#define DONE 2
#else
#define DONE 1
#endif

// run: -k nobody -b 1 i32[1]
// run: -k nobody -b 1 -D BAD i32[1]
// finds: deadlock @n1
KERNEL void nobody(int *flag)
{
    atomic_store(flag, 1);
    while (atomic_load(flag) != DONE) /* @n1 */
        ;
}

// run: -k later_block -b 1 -g 2 i32[1]
// run: -k later_block -b 1 -g 2 -D BAD i32[1]
// finds: deadlock @l1
KERNEL void later_block(int *flag)
{
    if (block_idx.x == 1)
        atomic_store(flag, 1);
    else
        while (atomic_load(flag) != DONE) /* @l1 */
            ;
}

// run: -k held -b 1 -g 2 i32[1]
// run: -k held -b 1 -g 2 -D BAD i32[1]
// finds: deadlock @h1
KERNEL void held(int *lock)
{
    while (atomic_cas(lock, 0, 1)) /* @h1 */
        ;
#ifndef BAD
    atomic_store(lock, 0);
#endif
}

// run: -k other_warp -b 64 i32[1]
// run: -k other_warp -b 64 -D BAD i32[1]
// finds: deadlock @o1
KERNEL void other_warp(int *flag)
{
    if (ME == 0)
        atomic_store(flag, 1);
    if (ME == 32)
        while (atomic_load(flag) != DONE) /* @o1 */
            ;
}

// run: -k count -b 4 i32[1]
// run: -k count -b 4 -D BAD i32[1]
// finds: deadlock @c1
KERNEL void count(int *arrived)
{
    atomic_add(arrived, 1);
    if (ME == 0)
        while (atomic_load(arrived) != 4 * DONE) /* @c1 */
            ;
}

// run: -k own_warp -b 32 i32[1] i32[1]
// run: -k own_warp -b 32 -D BAD i32[1] i32[1]
// finds: deadlock @w1 @w2
KERNEL void own_warp(int *lock, int *held)
{
    for (bool done = false; !done;)
        if (atomic_cas(lock, 0, 1) == 0) { /* @w1 */
            fence_device(); /* @w2 */
            *held += 1;
            fence_device();
            atomic_exchange(lock, 0);
#ifdef BAD
            break; /* this lane has left the loop before it does the above */
#else
            done = true;
#endif
        }
}

// run: -k other_arm -b 32 i32[1] i32[1]
// run: -k other_arm -b 32 -D BAD i32[1] i32[1]
// finds: deadlock @a1 @a2
KERNEL void other_arm(int *flag, int *seen)
{
    if (ME != 0)
        atomic_store(flag, 1); /* @a2 */
#ifdef BAD
    else
#else
    warp_sync(); /* all of them have done so */
    if (ME == 0)
#endif
        while (atomic_load(flag) == 0) /* @a1 */
            ;
    atomic_add(seen, 1);
}

// run: -k counts -b 32 i32[1] i32[1]
// run: -k counts -b 32 -D BAD i32[1] i32[1]
// finds: deadlock @t1
KERNEL void counts(int *flag, int *trips)
{
    int count = 0;
    atomic_store(flag, 1);
    while (atomic_load(flag) != DONE) /* @t1 */
        count++;
    atomic_add(trips, count);
}
