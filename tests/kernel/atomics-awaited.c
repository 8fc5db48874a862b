// Some lanes wait at a barrier; the others go on and return, and on their way come to an atomic
// operation of bytes by themselves, which processors that have none make a loop of.
// sizes: 8 31 32 48 96 1024
// run: -b @B 2 i32[1]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

SHARED uint8_t bytes[1024];

KERNEL void others_return(int warps, int *wrong)
{
    const int thread = warp_id() * WARP_SIZE + lane_id();
    bytes[thread] = 7;
    if (warp_id() >= warps) /* the same for a warp, not for the block */
        return;
    const bool waits = lane_id() % 4 == 0;
    if (waits)
        barrier();
    const int before = atomic_add(&bytes[thread], 5);
    if (before != 7)
        atomic_add(wrong, 1);
    if (!waits)
        return;
    barrier();
    if (bytes[thread] != 12)
        atomic_add(wrong, 1);
}
