// One lane, which is known and not its piece's first, stores what only its own lane has.
// sizes: 33 64 100
// run: -b @B i32[5]=1,2,3,40,5 i32[1]
// expect: out: i32[1] = [1603]
#include <lanewise/kernel.h>

KERNEL void store_of_one_lane(const int *in, int *out)
{
    const int me = thread_idx.x, mine = in[me % 5] * in[me % 5];
    if ((me | 1) == 3 && me % 32 / 3 == 1)
        *out = mine + me;
}
