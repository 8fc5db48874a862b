// Only who jumps into these loops comes to their second iteration: who comes in at the top has left
// by then. Lanes in different iterations stay apart, though no way leads from the top around to it.
// sizes: 1 2 31 32 33 100 8x8x4
// run: -k in_for -b @B 2 i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
// run: -k in_do -b @B 2 i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
// run: -k in_helper -b @B 2 i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
// run: -k across_a_choice -b @B 2 i32[1] i32[1]
// expect: wrong: i32[1] = [0]
// expect: done: i32[1] = [@N]
#include <lanewise/kernel.h>

static bool jumps(void)
{
    return lane_id() % 3 == 0;
}

static int lanes_like_me(void)
{
    int all = warp_sum(1), jumping = warp_sum((int)jumps());
    return jumps() ? jumping : all - jumping;
}

KERNEL void in_for(int trips, int *wrong, int *done)
{
    int lanes = lanes_like_me(), i = 0;
    if (jumps())
        goto inside;
    for (i = 0; i < trips; i++) {
        if (warp_sum(1) != lanes)
            atomic_add(wrong, 1);
        atomic_add(done, 1);
        break;
    inside:;
    }
}

KERNEL void in_do(int trips, int *wrong, int *done)
{
    int lanes = lanes_like_me();
    if (jumps())
        goto inside;
    do {
        if (warp_sum(1) != lanes)
            atomic_add(wrong, 1);
        atomic_add(done, 1);
        return;
    inside:
        if (trips == 2)
            continue;
        atomic_add(wrong, 1);
    } while (trips);
}

static bool meets(int lanes)
{
    if (jumps())
        goto inside;
    while (true) {
        return warp_sum(1) == lanes;
    inside:;
    }
}

KERNEL void in_helper(int trips, int *wrong, int *done)
{
    int lanes = lanes_like_me();
    for (int i = 0; i < trips; i++)
        if (!meets(lanes))
            atomic_add(wrong, 1);
    atomic_add(done, 1);
}

/* What the body ends with is computed in front of a choice and added behind it. */
KERNEL void across_a_choice(int trips, int *wrong, int *done)
{
    int lanes = lanes_like_me(), i = 0, sum = 0;
    if (jumps())
        goto inside;
    while (i++ < trips) {
        if (warp_sum(1) != lanes || sum != (jumps() ? lanes + 32 : 0))
            atomic_add(wrong, 1);
        atomic_add(done, 1);
        break;
    inside:
        sum = warp_sum(1) + (trips == 2 ? trips << 4 : -trips);
    }
}
