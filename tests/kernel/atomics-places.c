// The old values of sums at one address are places: each active thread has its own, and together
// they are all there are. With operands of their own, under a mask, downwards, of every width.
// sizes: 1 31 33 256 1000 8x8x4
// run: -b @B -g 2 i32[2]
// expect: left: i32[2] = [0, 0]
#include <lanewise/kernel.h>

SHARED unsigned taken[8192];
SHARED int places, down;
SHARED unsigned char bytes;
SHARED unsigned long wide;

KERNEL void place(int *left)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int want = me % 5, all = threads / 5 * 10;
    for (int k = 0; k < threads % 5; k++)
        all += k;
    for (int k = me; k < 8192; k += threads)
        taken[k] = 0;
    if (me == 0) {
        places = 0;
        down = all;
        bytes = 0;
        wide = 0;
    }
    barrier();
    /* a row of `want` places, for those that want some */
    int first = 0;
    if (want)
        first = atomic_add(&places, want);
    for (int k = 0; k < want; k++)
        atomic_add(&taken[first + k], 1);
    barrier();
    assert(places == all);
    for (int k = me; k < all; k += threads)
        assert(taken[k] == 1);
    barrier();
    /* the same from the end */
    first = atomic_sub(&down, want) - want;
    for (int k = 0; k < want; k++)
        atomic_add(&taken[first + k], 1);
    barrier();
    assert(down == 0);
    for (int k = me; k < all; k += threads)
        assert(taken[k] == 2);
    /* a byte wraps around, a long does not */
    atomic_add(&bytes, 3);
    unsigned long far = atomic_add(&wide, 1ul << 33);
    barrier();
    assert(far % (1ul << 33) == 0 && far >> 33 < threads);
    assert(bytes == (unsigned char)(3 * threads) && wide == (unsigned long)threads << 33);
    atomic_add(&left[0], 1);
    if (atomic_add(&left[1], 1) == 2 * threads - 1)
        left[0] = left[1] = 0;
}
