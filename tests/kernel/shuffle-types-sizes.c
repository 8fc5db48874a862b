// Shuffles and broadcasts of each type in blocks of any size: by numbers that are constant, the
// same in all lanes, or each lane's own; also where lanes of the warp have returned.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// expect: checked: i32[1] = [@N]
// device: !check borrowed values decide branches
// run: -D T=bool -b @B i32[1] 3
// run: -D T=uint16_t -b @B i32[1] 3
// run: -D T=int -b @B i32[1] 3
// run: -D T=_Float16 -b @B i32[1] 3
// run: -D T=double -b @B i32[1] 3
#include <lanewise/kernel.h>

/* What thread i brings: every type has it, and neighbours differ. */
static int brought(int i)
{
    return i % 3 == 2 ? i + 1 : 0;
}

/* Does thread `source` of the warp that begins at `first`, or of the block, take part? */
static bool there(int first, int source, int limit, int threads, int stride)
{
    return source >= 0 && source < limit && first + source < threads &&
           (first + source) % stride == 0;
}

#define MOVES(op, number, source)                                                                  \
    do {                                                                                           \
        int s = (source);                                                                          \
        T wanted = (T)brought(there(first, s, 32, threads, stride) ? first + s : me);              \
        assert(op((T)brought(me), number) == wanted);                                              \
    } while (0)

static void check(int me, int threads, int n, int stride)
{
    int first = me / 32 * 32, lane = me % 32;
    MOVES(shuffle, 30, 30);
    MOVES(shuffle, lane * n - 4, lane * n - 4);
    MOVES(shuffle_up, 18, lane - 18);
    MOVES(shuffle_up, n, lane - n);
    MOVES(shuffle_down, n * lane, lane + n * lane);
    MOVES(shuffle_up, n - lane, 2 * lane - n); /* also by less than 0 */
    MOVES(shuffle_down, n - 2 * lane, n - lane);
    MOVES(shuffle_xor, 17, lane ^ 17);
    MOVES(warp_broadcast, n, n);
}

static void check_block(int me, int threads, int n, int stride)
{
    for (int s = -3; s < threads + 9; s += threads / 4 + 2) {
        int mine = (me * n + s) % (threads + 3);
        T own = (T)brought(me);
        assert(block_broadcast(own, s) ==
               (there(0, s, 1024, threads, stride) ? (T)brought(s) : own));
        assert(block_broadcast(own, mine) ==
               (there(0, mine, 1024, threads, stride) ? (T)brought(mine) : own));
    }
}

KERNEL void moves(int *checked, int n)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    check(me, threads, n, 1);
    check_block(me, threads, n, 1);
    atomic_add(checked, 1);
    if (me % 2)
        return;
    check(me, threads, n, 2);
    check_block(me, threads, n, 2);
}
