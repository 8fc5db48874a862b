// A loop ends for all in the same iteration, but some lanes have left it before by `break`: what
// they have is another value behind it.
// sizes: 1 2 32 33 64
// run: -b @B 3 i32[1]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

KERNEL void break_or_end(int trips, int *wrong)
{
    int t = thread_idx.x, left = 1, last = 0;
    for (int i = 0; i < trips; i++) {
        if (lane_id() % 3 == 1) {
            left = 0;
            break;
        }
        last = i;
    }
    if (left + 2 * last != (t % 32 % 3 == 1 ? 0 : 5))
        atomic_add(wrong, 1);
}
