// shuffle and warp_broadcast: any lane may be read, each by its own number; an int value that is no
// lane of this warp, or a lane that is not there, gives the caller's own value.
// sizes: 1 31 32 33 64 72 100 256 1000 1024 8x8x4
// device: !check borrowed values decide branches
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED int values[1024];

/* What the lane of thread me reads from `source`, the slow way. */
static int expected(int me, long source, int threads)
{
    int first = me / 32 * 32;
    bool absent = source < 0 || source > 31 || first + source >= threads;
    return values[absent ? me : first + source];
}

KERNEL void shuffles(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int lane = me % 32;
    int v = me * 1000 + 7;
    values[me] = v;
    barrier();
    for (int n = -40; n <= 40; n++) {
        assert(shuffle(v, n) == expected(me, n, threads));
        assert(shuffle(v, lane * n) == expected(me, lane * n, threads));
        assert(shuffle_up(v, n) == expected(me, lane - n, threads));
        assert(shuffle_down(v, n) == expected(me, lane + n, threads));
        assert(shuffle_xor(v, n) == expected(me, lane ^ n, threads));
        assert(warp_broadcast(v, n) == expected(me, n, threads));
    }
    assert(shuffle_up(v, lane) == values[me - lane]);
    assert(shuffle(v, INT_MAX) == v && shuffle(v, INT_MIN) == v);
    assert(shuffle_up(v, INT_MAX) == v && shuffle_up(v, INT_MIN) == v);
    assert(shuffle_down(v, INT_MAX) == v && shuffle_down(v, INT_MIN) == v);
    assert(shuffle_xor(v, INT_MAX) == v && shuffle_xor(v, INT_MIN) == v);
    assert(warp_broadcast(v, INT_MAX) == v && warp_broadcast(v, INT_MIN) == v);
    atomic_add(checked, 1);
}
