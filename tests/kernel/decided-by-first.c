// What the second condition of `a && b` and `a || b` is for lanes of which the first decides says
// nothing of the others: a count of zeros of 0.
// sizes: 1 2 31 33 40 64 100 1000 8x8x4
// run: -k both -b @B --quiet i32[1024] 0
// run: -k either -b @B --quiet i32[1024] 0
// run: -k neither -b @B --quiet i32[1024] 0
// run: -k three -b @B --quiet i32[1024] 0
#include <lanewise/kernel.h>

static int number(void)
{
    return (int)((thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x);
}

KERNEL void both(int *done, int zero)
{
    int t = number(), hidden = t + zero;
    if (ffs(t) > lane_id())
        done[t] = 1;
    assert(done[t] == (hidden != 0 && ctz(hidden) + 1 > hidden % WARP_SIZE));
}

KERNEL void either(int *done, int zero)
{
    int t = number(), hidden = t + zero;
    if (t == 0 || __builtin_ctz(t) < 3)
        done[t] = 1;
    assert(done[t] == (hidden % 8 != 0 || hidden == 0));
}

KERNEL void neither(int *done, int zero)
{
    int t = number(), hidden = t + zero;
    if (!(t != 0 && __builtin_ctz(t) > 4))
        done[t] = 1;
    assert(done[t] == (hidden == 0 || hidden % 32 != 0));
}

KERNEL void three(int *done, int zero)
{
    int t = number(), hidden = t + zero;
    if (t != 0 && (__builtin_ctz(t) > 5 || (t > 1 && __builtin_clz(t - 1) == 26)))
        done[t] = 1;
    assert(done[t] == (hidden > 0 && (hidden % 64 == 0 || (hidden > 32 && hidden <= 64))));
}
