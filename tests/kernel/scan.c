// Scans: the active lanes are numbered in lane order and scanned by Kogge-Stone, bit for bit; the
// block scans the warps' totals in the same way and puts a warp's prefix on the left.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// expect: checked: i32[1] = [@N]
// run: -D CHECK=check_warp -b @B i32[1]
// run: -D CHECK=check_block -b @B i32[1]
#include <lanewise/kernel.h>

SHARED float inputs[1024];
SHARED int member[1024];

/* Element k of the inclusive Kogge-Stone scan of x[0..n-1]: what each step adds, from its
 * definition x_s[k] = x_{s-1}[k - d] + x_{s-1}[k]. */
static float kogge_stone(const float *x, int n, int k)
{
    float before[32], after[32];
    for (int i = 0; i < n; i++)
        before[i] = x[i];
    for (int d = 1; d < 32; d *= 2) {
        for (int i = 0; i < n; i++)
            after[i] = i >= d ? before[i - d] + before[i] : before[i];
        for (int i = 0; i < n; i++)
            before[i] = after[i];
    }
    return before[k];
}

/* The members of warp w, in lane order; returns how many. */
static int gather(float *x, int w, int threads)
{
    int n = 0;
    for (int i = w * 32; i < w * 32 + 32 && i < threads; i++)
        if (member[i])
            x[n++] = inputs[i];
    return n;
}

/* The inclusive scan of the warp at member me. */
static float warp_scan(int me, int threads)
{
    float x[32];
    int before = 0;
    for (int i = me / 32 * 32; i < me; i++)
        before += member[i];
    return kogge_stone(x, gather(x, me / 32, threads), before);
}

static float block_scan(int me, int threads)
{
    float x[32], totals[32];
    int warps = 0, mine = 0;
    for (int w = 0; w * 32 < threads; w++) {
        int n = gather(x, w, threads);
        if (w == me / 32)
            mine = warps;
        if (n > 0)
            totals[warps++] = kogge_stone(x, n, n - 1);
    }
    float own = warp_scan(me, threads);
    return mine == 0 ? own : kogge_stone(totals, warps, mine - 1) + own;
}

/* The member before me from `first` on, or -1. */
static int previous(int me, int first)
{
    do
        me--;
    while (me >= first && !member[me]);
    return me >= first ? me : -1;
}

static inline void check_warp(int me, int threads)
{
    int before = previous(me, me / 32 * 32);
    float v = inputs[me];
    assert(warp_inclusive_sum(v) == warp_scan(me, threads));
    assert(warp_exclusive_sum(v) == (before < 0 ? 0 : warp_scan(before, threads)));
}

static inline void check_block(int me, int threads)
{
    int before = previous(me, 0);
    float v = inputs[me];
    assert(block_inclusive_sum(v) == block_scan(me, threads));
    assert(block_exclusive_sum(v) == (before < 0 ? 0 : block_scan(before, threads)));
}

KERNEL void scans(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    inputs[me] = (me * 37 % 101 - 30) * 0.1f + me % 3 * 1e4f;
    member[me] = 1;
    barrier();
    CHECK(me, threads);

    barrier();
    member[me] = me % 5 != 2 && me / 32 != 1;
    atomic_add(checked, 1);
    barrier();
    if (!member[me])
        return;
    CHECK(me, threads);
}
