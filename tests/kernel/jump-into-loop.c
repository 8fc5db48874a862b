// Threads that jump into a loop are in its first iteration, with those that have come in at its
// top: each counts who must be there, from the threads' numbers alone.
// sizes: 1 2 31 32 33 64 100 16x4 256
// run: -k duff -b @B -g 2 i32[1]=zeros
// device: !check borrowed values decide branches
// expect: wrong: i32[1] = [0]
// run: -k nested -b @B -g 2 i32[1]=zeros
// expect: wrong: i32[1] = [0]
// run: -k inner_of_two -b @B -g 2 i32[1]=zeros
// expect: wrong: i32[1] = [0]
// run: -k never_at_top -b @B -g 2 i32[1]=zeros
// expect: wrong: i32[1] = [0]
// run: -k block -b @B -g 2 i32[1]=zeros
// expect: wrong: i32[1] = [0]
// run: -k helper -b @B -g 2 i32[1]=zeros
// expect: wrong: i32[1] = [0]
// run: -k waiting -b @B -g 2 i32[1]=zeros i32[2]=zeros
// expect: wrong: i32[1] = [0]
// expect: turn: i32[2] = [@N, @N]
// run: -k leaves -b @B -g 2 i32[1]=zeros
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

static int number(void)
{
    return thread_idx.x + block_dim.x * thread_idx.y;
}

static int threads(void)
{
    return block_dim.x * block_dim.y;
}

static int lanes(void)
{
    int rest = threads() - 32 * warp_id();
    return rest < 32 ? rest : 32;
}

// How many lanes l of the warp are there with the condition.
#define COUNT(condition)                                                                           \
    ({                                                                                             \
        int count = 0;                                                                             \
        for (int l = 0; l < lanes(); l++)                                                          \
            count += (condition) != 0;                                                             \
        count;                                                                                     \
    })

#define CHECK(value, condition) bad += (value) != COUNT(condition)

// Lane l comes in at case l % 4 and makes 1 + l % 3 iterations.
KERNEL void duff(int *wrong)
{
    int me = lane_id(), bad = 0, trip = 0, left = 1 + me % 3;
    switch (me % 4) {
        do {
        case 0: CHECK(warp_sum(1), 1 + l % 3 > trip && (trip || l % 4 <= 0));
        case 1: {
            int partner = me ^ 1, other = shuffle_xor(me, 1);
            bool there = partner < lanes() && 1 + partner % 3 > trip && (trip || partner % 4 <= 1);
            bad += other != (there ? partner : me);
        }
        case 2: CHECK(popcount(ballot(true)), 1 + l % 3 > trip && (trip || l % 4 <= 2));
        case 3:
            CHECK(warp_inclusive_sum(1), l <= me && 1 + l % 3 > trip);
            trip++;
        } while (--left);
    }
    CHECK(warp_sum(1), true);
    atomic_add(wrong, bad);
}

// Lanes with l % 3 == 1 jump into the outer loop, those with l % 3 == 2 into the inner one.
KERNEL void nested(int *wrong)
{
    int me = lane_id(), bad = 0, i = 0, j = 0;
    if (me % 3 == 1)
        goto outer;
    if (me % 3 == 2)
        goto inner;
    for (; i < 2;) {
        CHECK(warp_sum(1), i || l % 3 == 0);
    outer:
        CHECK(warp_sum(1), i || l % 3 != 2);
        for (j = 0; j < 2;) {
            CHECK(warp_sum(1), i || j || l % 3 != 2);
        inner:
            CHECK(warp_sum(1), true);
            j++;
        }
        CHECK(warp_sum(1), true);
        i++;
    }
    atomic_add(wrong, bad);
}

// Only the inner loop is jumped into, from the outer one's body, with iterations of their own.
KERNEL void inner_of_two(int *wrong)
{
    int me = lane_id(), bad = 0;
    for (int i = 0; i < 3; i++) {
        int j = 0;
        if ((me + i) % 2)
            goto inner;
        while (j <= me % 3) {
            CHECK(warp_sum(1), j <= l % 3 && (j || (l + i) % 2 == 0));
        inner:
            CHECK(warp_sum(1), j <= l % 3);
            j++;
        }
        CHECK(warp_sum(1), true);
    }
    atomic_add(wrong, bad);
}

// Nobody comes in at the top.
KERNEL void never_at_top(int *wrong)
{
    int me = lane_id(), bad = 0, i = 0;
    if (me % 2)
        goto second;
    else
        goto first;
    for (;;) {
        CHECK(warp_sum(1), l % 4 >= i);
    first:
        CHECK(warp_sum(1), l % 4 >= i && (i || l % 2 == 0));
    second:
        CHECK(warp_sum(1), l % 4 >= i);
        if (i++ == me % 4)
            break;
    }
    atomic_add(wrong, bad);
}

// Operations of the block, where all its threads are.
KERNEL void block(int *wrong)
{
    SHARED int cell[256];
    int me = number(), n = threads(), bad = 0, i = 0;
    if (me % 2)
        goto middle;
    while (i < 3) {
        CHECK(warp_sum(1), i || l % 2 == 0);
        if (i)
            bad += block_sum(1) != n;
    middle:
        cell[me] = me + i;
        barrier();
        bad += cell[n - 1 - me] != n - 1 - me + i;
        bad += block_count(me % 2) != n / 2;
        i++;
    }
    atomic_add(wrong, bad);
}

static int rounds(int start, int n)
{
    int sum = 0;
    switch (start) {
    case 0:
        while (n-- > 0) {
            sum += 100 * warp_sum(1);
        case 1: sum += warp_sum(1);
        }
    }
    return sum;
}

// A helper that is jumped into; its two calls are two places. A lane that jumps makes one more.
KERNEL void helper(int *wrong)
{
    int me = lane_id(), sum, n = me < 5 ? 1 : 2;
    if (me < 5)
        sum = rounds(me % 2, 1);
    else
        sum = rounds(me % 2, 2);
    int all = COUNT((l < 5) == (me < 5)), odd = COUNT((l < 5) == (me < 5) && l % 2);
    int middle = n * all, top = (n - 1) * all;
    if (me % 2)
        middle += odd, top += odd;
    else
        top += all - odd;
    atomic_add(wrong, sum != 100 * top + middle);
}

// The block's warps go on one by one, so that they are no one gang.
KERNEL void waiting(int *wrong, int *turn)
{
    int me = lane_id(), bad = 0, i = 0;
    if (me == 0)
        while (atomic_load(turn + block_idx.x) != 32 * warp_id())
            ;
    if (me % 2)
        goto middle;
    while (i < 2) {
        CHECK(warp_sum(1), i || l % 2 == 0);
    middle:
        CHECK(warp_sum(1), true);
        i++;
    }
    fence_device();
    atomic_add(turn + block_idx.x, 1);
    atomic_add(wrong, bad);
}

// Arms that leave belong to the iteration that they leave, wherever it was entered.
KERNEL void leaves(int *wrong)
{
    int me = lane_id(), bad = 0, i = 0;
    if (me % 2)
        goto middle;
    for (;;) {
        if (i == me % 3) {
            CHECK(warp_sum(1), l % 3 == i && (l % 2 == 0 || i));
            break;
        }
    middle:
        i++;
        if (i == 3) {
            CHECK(warp_sum(1), l % 3 == 0 && l % 2);
            return;
        }
        CHECK(warp_sum(1), l % 2 ? l % 3 == 0 || i <= l % 3 : i <= l % 3);
    }
    atomic_add(wrong, bad);
}
