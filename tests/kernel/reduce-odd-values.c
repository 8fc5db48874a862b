// Reductions of floats that a lane that is absent could be mistaken for: sums of -0, max and min of
// infinities, zeros of both signs and NaN, in blocks of any size, with threads gone.
// sizes: 1 31 32 33 64 100 256 1000 1024 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

static bool is_zero(double x, bool negative)
{
    return x == 0 && (1 / x < 0) == negative;
}

#define ROW(T, SUM, MAX, MIN, PROD)                                                                \
    {                                                                                              \
        const T inf = (T)INFINITY, nan = (T)NAN, zero = (T)0.0f, minus = (T) - 0.0f;               \
        assert(is_zero((double)SUM(minus), true) && is_zero((double)MAX(minus), true));            \
        assert(is_zero((double)MIN(minus), true) && is_zero((double)MIN(zero), false));            \
        assert(is_zero((double)SUM(zero), false) && is_zero((double)MAX(zero), false));            \
        assert(MAX(-inf) == -inf && MIN(inf) == inf && MAX(inf) == inf && MIN(-inf) == -inf);      \
        assert(SUM(inf) == inf && SUM(-inf) == -inf && PROD(inf) == inf && PROD((T)1) == 1);       \
        T most = MAX(nan), least = MIN(nan), sum = SUM(nan), product = PROD(nan);                  \
        assert(most != most && least != least && sum != sum && product != product);                \
        T but_last = last ? -inf : nan, but_last_up = last ? inf : -nan;                           \
        assert(MAX(but_last) == -inf && MIN(but_last_up) == inf);                                  \
        assert(is_zero((double)MAX(last ? zero : minus), false));                                  \
        assert(is_zero((double)MIN(last ? minus : zero), true));                                   \
        assert(is_zero((double)PROD(last ? zero : (T)1), false));                                  \
        assert(is_zero((double)PROD(last ? minus : (T)1), true));                                  \
    }

static void check(bool last_of_warp, bool last_of_block)
{
    bool last = last_of_warp;
    ROW(float, warp_sum, warp_max, warp_min, warp_prod)
    ROW(double, warp_sum, warp_max, warp_min, warp_prod)
    ROW(_Float16, warp_sum, warp_max, warp_min, warp_prod)
    last = last_of_block;
    ROW(float, block_sum, block_max, block_min, block_prod)
    ROW(double, block_sum, block_max, block_min, block_prod)
    ROW(__bf16, block_sum, block_max, block_min, block_prod)
}

KERNEL void reduce(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int end = me / 32 * 32 + 32 < threads ? me / 32 * 32 + 32 : threads;
    check(me == end - 1, me == threads - 1);
    atomic_add(checked, 1);

    /* only every third thread, and no warp of an odd number */
    if (me % 3 || me / 32 % 2)
        return;
    int last_warp = (threads - 1) / 32 / 2 * 2;
    int last_end = last_warp * 32 + 32 < threads ? last_warp * 32 + 32 : threads;
    check(me == (end - 1) / 3 * 3, me == (last_end - 1) / 3 * 3);
}
