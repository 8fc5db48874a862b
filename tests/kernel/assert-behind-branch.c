// What ends in a failed assertion, with lanes that part on the way there, is left to from loops
// that begin where another one ends: it is a part of all of them.
// sizes: 1 31 32 33 64 100
// run: -b @B i32[64] 3 i32[1] i32[1]
// expect: odd: i32[1] = [0]
// expect: done: i32[1] = [@N]
#include <lanewise/kernel.h>

KERNEL void behind_branch(const int *in, int trips, int *odd, int *done)
{
    int bad = 0;
    for (int i = 0; i < trips + in[thread_idx.x & 63]; i++) {
        for (int j = 0; j < in[(thread_idx.x + i) & 63] + 2; j++) {
            if (in[(thread_idx.x + j) & 63] > 5) {
                bad = j;
                goto failed;
            }
        }
        if (in[(thread_idx.x + 7 * i) & 63] > 6)
            goto failed;
    }
    for (int i = 0; i < in[thread_idx.x & 63] + 4; i++)
        if (in[i & 63] > 9)
            goto failed;
    atomic_add(done, 1);
    return;
failed:
    if (in[bad & 63] & 1)
        atomic_add(odd, 1);
    barrier();
    assert(bad < 0);
}
