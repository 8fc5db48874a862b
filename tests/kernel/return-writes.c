// What a thread wrote before it returned, the others see behind a barrier that they meet at.
// sizes: 2 33 64 100 256
// run: -k at_once -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k before_loop -b @B i32[1] i32[256]
// expect: wrong: i32[1] = [0]
// run: -k in_loop -b @B 3 i32[1] i32[256]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void at_once(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    if (zeros[t] + t % 2) {
        row[t] = t;
        return;
    }
    barrier();
    if (row[t + 1 < (int)block_dim.x ? t + 1 : 1] != (t + 1 < (int)block_dim.x ? t + 1 : 1))
        atomic_add(wrong, 1);
}

KERNEL void before_loop(int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    if (zeros[t] == t % 2) {
        for (int trip = 0; trip < 2; trip++) {
            barrier();
            if (row[1] != 1)
                atomic_add(wrong, 1);
        }
    } else {
        row[t] = t;
    }
}

KERNEL void in_loop(int trips, int *wrong, const int *zeros)
{
    SHARED int row[256];
    int t = thread_idx.x;
    row[t] = 0;
    for (int trip = 0; trip < trips; trip++) {
        if (zeros[t] + t % 4 == trip + 1) {
            row[t] = trip + 1;
            return;
        }
        barrier();
        if (trip < (int)block_dim.x - 1 && row[trip + 1] != trip + 1)
            atomic_add(wrong, 1);
    }
}
