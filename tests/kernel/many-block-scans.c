// Kernels whose code for a whole block would be too long, so that a block runs in smaller parts:
// many operations of the block one after the other, in a loop, beside barriers and an early return;
// and many operations of warps, where nothing concerns the block.
// sizes: 1 33 100 256 1000 1024 32x32 40x25 8x8x16
// run: -k scans -b @B i32[1]
// expect: checked: i32[1] = [@N]
// run: -k returns -b @B i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [1]
// run: -k warps -b @B i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
#include <lanewise/kernel.h>

SHARED int cell[1024];

#define TWICE(x) x x
#define FOUR(x) TWICE(x) TWICE(x)
#define SIXTEEN(x) FOUR(x) FOUR(x) FOUR(x) FOUR(x)

static int linear(void)
{
    return (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
}

static int threads(void)
{
    return block_dim.x * block_dim.y * block_dim.z;
}

/* The threads' numbers are summed up and taken apart again. */
KERNEL void scans(int *checked)
{
    const int me = linear(), last = threads() - 1;
    int a = me;
    for (int i = 0; i < 3; i++) {
        // clang-format off
        SIXTEEN(TWICE(
            a = block_inclusive_sum(a);
            cell[me] = a;
            barrier();
            a -= me ? cell[me - 1] : 0;
            barrier();
        ))
        // clang-format on
        assert(a == me);
        assert(block_max(a ^ i) >= i && block_broadcast(a, last) == last);
    }
    atomic_add(checked, 1);
}

/* Some threads return, and the others go on. */
KERNEL void returns(int *wrong, int *done)
{
    const int me = linear(), gone = (threads() - 1) / 3, rest = threads() - gone;
    if (me % 3 == 1 && me / 3 < gone)
        return;
    const int before = block_exclusive_sum(1);
    bool right = true;
    SIXTEEN(TWICE(right &= block_inclusive_sum(1) == before + 1;))
    if (!right)
        atomic_add(wrong, 1);
    if (block_sum(1) != rest)
        atomic_add(wrong, 1);
    if (!before)
        atomic_add(done, 1);
}

KERNEL void warps(int *wrong, int *done)
{
    const int me = linear();
    float x = (float)lane_id();
    // clang-format off
    SIXTEEN(SIXTEEN(SIXTEEN(
        x = shuffle(x, (lane_id() + 1) & 31);
        x = x * 1.0f + 0.0f;
    )))
    // clang-format on
    if (threads() % WARP_SIZE == 0 && x != (float)lane_id())
        atomic_add(wrong, 1);
    if (me < threads())
        atomic_add(done, 1);
}
