// ballot, warp_any, warp_all over the lanes that take part; block_any, block_all, block_count
// over the threads that have not returned.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

static bool chosen(int me)
{
    return me * 7 % 5 < 2;
}

/* The lanes of me's warp for which the rules hold, as bits. */
static uint32_t lanes(int me, int threads, bool of_chosen, int step)
{
    uint32_t bits = 0;
    for (int l = 0; l < 32; l++) {
        int i = me / 32 * 32 + l;
        if (i < threads && l % step == 0 && (!of_chosen || chosen(i)))
            bits |= 1u << l;
    }
    return bits;
}

static void check_warp(int me, int threads, int step)
{
    uint32_t yes = lanes(me, threads, true, step), all = lanes(me, threads, false, step);
    assert(ballot(chosen(me)) == yes && ballot(1) == all && ballot(0) == 0);
    assert(warp_any(chosen(me)) == (yes != 0) && warp_all(chosen(me)) == (yes == all));
    assert(warp_any(0) == 0 && warp_all(1) == 1 && warp_any(1) == 1 && warp_all(0) == 0);
}

static void check_block(int me, int threads, int step)
{
    int yes = 0, all = 0;
    for (int i = 0; i < threads; i += step) {
        all++;
        yes += chosen(i);
    }
    assert(block_count(chosen(me)) == yes && block_count(1) == all && block_count(0) == 0);
    assert(block_any(chosen(me)) == (yes > 0) && block_all(chosen(me)) == (yes == all));
    assert(block_any(me == 0) == 1 && block_all(me != 0) == 0);
    assert(block_any(0) == 0 && block_all(1) == 1);
}

KERNEL void votes(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    check_warp(me, threads, 1);
    check_block(me, threads, 1);
    if (me % 32 % 3 == 0)
        check_warp(me, threads, 3);

    /* a predicate is any scalar that C can test */
    double *pointer = NULL;
    assert(ballot(0.5f) == lanes(me, threads, false, 1) && ballot(pointer) == 0);
    assert(block_count(0x100) == threads && warp_all(1L << 40) && !block_any(-0.0));
    atomic_add(checked, 1);
    if (me % 3 != 0)
        return;
    check_block(me, threads, 3);
}
