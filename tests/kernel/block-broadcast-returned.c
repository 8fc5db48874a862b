// What the threads ask for that are left: those that have returned ask for nothing.
// sizes: 2 33 64 100
// expect: wrong: i32[1] = [0]
// device: !check borrowed values decide branches
// run: -b @B i32[1] i32[1]
// run: -b @B i32[1] i32[1]=1
#include <lanewise/kernel.h>

KERNEL void left(int *wrong, const int *who)
{
    int t = thread_idx.x;
    if (1 >> (t & 31))
        return;
    if (block_broadcast((int8_t)t, who[0] & 1) != (who[0] ? 1 : (int8_t)t))
        atomic_add(wrong, 1);
}
