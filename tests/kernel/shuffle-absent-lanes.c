// A source that is not active in the instance, or that has returned, gives the caller's own value.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// device: !check borrowed values decide branches
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED int values[1024];
SHARED int active[1024];

/* What a lane reads when only the threads with active[] take part. */
static int expected(int me, int source, int threads)
{
    int first = me / 32 * 32;
    if (source < 0 || source > 31 || first + source >= threads || !active[first + source])
        return values[me];
    return values[first + source];
}

static void check(int me, int v, int threads)
{
    int lane = me % 32;
    for (int n = -33; n <= 33; n++) {
        assert(shuffle(v, n) == expected(me, n, threads));
        assert(shuffle_up(v, n) == expected(me, lane - n, threads));
        assert(shuffle_down(v, n) == expected(me, lane + n, threads));
        assert(shuffle_xor(v, n) == expected(me, lane ^ n, threads));
        assert(warp_broadcast(v, n) == expected(me, n, threads));
    }
}

KERNEL void absent(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int v = me * 7 + 1;
    values[me] = v;
    active[me] = me % 3 != 1;
    barrier();
    if (active[me])
        check(me, v, threads);

    /* now two of three lanes return, and what is left is active everywhere */
    barrier();
    atomic_add(checked, 1);
    bool stays = me % 3 == 1;
    active[me] = stays;
    barrier();
    if (!stays)
        return;
    check(me, v, threads);
}
