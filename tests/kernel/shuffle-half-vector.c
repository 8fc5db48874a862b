// Shuffles in blocks whose last vector of sixteen has eight lanes, and so many masks at a time that
// some are kept in memory.
// sizes: 72 248 504
// device: !check borrowed values decide branches
// run: -b @B i32[1] 3
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

/* What thread i brings: every type has it, and neighbours differ. */
static int brought(int i)
{
    return i % 3 == 2 ? i + 1 : 0;
}

/* Is thread `source` of the warp that begins at `first` there? */
static bool there(int first, int source, int threads)
{
    return source >= 0 && source < 32 && first + source < threads;
}

#define MOVES(op, number, source)                                                                  \
    do {                                                                                           \
        int s = (source);                                                                          \
        uint16_t wanted = (uint16_t)brought(there(first, s, threads) ? first + s : me);            \
        assert(op((uint16_t)brought(me), number) == wanted);                                       \
    } while (0)

KERNEL void moves(int *checked, int n)
{
    int threads = block_dim.x, me = thread_idx.x;
    int first = me / 32 * 32, lane = me % 32;
    MOVES(shuffle, 30, 30);
    MOVES(shuffle, lane * n - 4, lane * n - 4);
    MOVES(shuffle_up, 18, lane - 18);
    MOVES(shuffle_up, n, lane - n);
    MOVES(shuffle_down, n * lane, lane + n * lane);
    MOVES(shuffle_xor, 17, lane ^ 17);
    MOVES(warp_broadcast, n, n);
    atomic_add(checked, 1);
}
