// Each lane of a warp takes a lock, or waits for its turn, in a loop whose body has all that it
// does while it holds it: so no lane has left the loop while another waits for it. And a wait for
// lanes of the own warp is over if all of them came before the loop.
// sizes: 1 31 32 33 64 100 256
// run: -k lock -b @B i32[1] i32[1]
// expect: lock: i32[1] = [0]
// expect: held: i32[1] = [@N]
// run: -k tries -b @B i32[1] i32[1]
// expect: lock: i32[1] = [0]
// expect: held: i32[1] = [@N]
// run: -k turns -b @B i32[1] i32[1]
// expect: now: i32[1] = [@N]
// expect: done: i32[1] = [@N]
// run: -k arrive -b @B i32[1] i32[1]
// expect: arrived: i32[1] = [@N]
// expect: left: i32[1] = [@N]
// run: -k hand_over -b @B i32[1]
// expect: seen: i32[1] = [@N]
// run: -k hand_back -b @B i32[1]
// expect: seen: i32[1] = [@N]
// run: -k late_sum -b @B i32[1] i32[1]
// expect: arrived: i32[1] = [@N]
// expect: left: i32[1] = [@N]
#include <lanewise/kernel.h>

KERNEL void lock(int *lock, int *held)
{
    for (bool done = false; !done;)
        if (!atomic_cas(lock, 0, 1)) {
            fence_device();
            *held += 1;
            fence_device();
            atomic_exchange(lock, 0);
            done = true;
        }
}

/* what it counts does not matter */
KERNEL void tries(int *lock, int *held)
{
    int tries = 0;
    bool done = false;
    while (!done) {
        tries++;
        if (atomic_cas(lock, 0, 1))
            continue;
        fence_device();
        *held += 1;
        fence_device();
        atomic_exchange(lock, 0);
        done = true;
    }
    assert(tries > 0);
}

/* the last first */
KERNEL void turns(int *now, int *done)
{
    const int mine = block_dim.x - 1 - thread_idx.x;
    for (bool is_done = false; !is_done;)
        if (atomic_load(now) == mine) {
            fence_device();
            *done = mine + 1;
            fence_device();
            atomic_store(now, mine + 1);
            is_done = true;
        }
}

KERNEL void arrive(int *arrived, int *left)
{
    if (lane_id() % 3 == 0)
        atomic_add(arrived, 1);
    else
        atomic_add(arrived, 1);
    while (atomic_load(arrived) < block_dim.x)
        ;
    atomic_add(left, 1);
}

SHARED int flag[32];

static void clear_flag(void)
{
    if (lane_id() == 0)
        atomic_store(&flag[warp_id()], 0);
    warp_sync();
}

/* one lane for the others, and the others for one: warp_sync() is between */
KERNEL void hand_over(int *seen)
{
    clear_flag();
    if (lane_id() == 0)
        atomic_store(&flag[warp_id()], 1);
    warp_sync();
    if (lane_id() != 0)
        while (!atomic_load(&flag[warp_id()]))
            ;
    atomic_add(seen, 1);
}

KERNEL void hand_back(int *seen)
{
    clear_flag();
    if (lane_id() != 0 || block_dim.x % 32 == 1) /* or there may be no other */
        atomic_store(&flag[warp_id()], 1);
    warp_sync();
    if (lane_id() == 0)
        while (!atomic_load(&flag[warp_id()]))
            ;
    atomic_add(seen, 1);
}

/* some lanes have more to do before they arrive */
KERNEL void late_sum(int *arrived, int *left)
{
    int v = 1;
    if (lane_id() < 16)
        v = warp_sum(1);
    atomic_add(arrived, v > 0);
    while (atomic_load(arrived) < block_dim.x)
        ;
    atomic_add(left, 1);
}
