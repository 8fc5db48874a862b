// What atomic_cas has found in the last iteration; lanes leave the loop in different iterations.
// sizes: 1 2 32 33 64
// run: -b @B i32[1] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void across_trips(int *wrong, const int *zeros)
{
    SHARED uint8_t cells[64];
    int t = thread_idx.x, trip = 0;
    uint8_t found = 9;
    cells[t] = 0;
    do
        found = atomic_cas(&cells[t], (uint8_t)trip, (uint8_t)(trip + 1 + zeros[t]));
    while (++trip < (t & 3) + zeros[t]);
    if (found != trip - 1)
        atomic_add(wrong, 1);
}
