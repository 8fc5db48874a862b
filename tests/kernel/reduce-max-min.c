// max and min: a NaN loses, -0 is less than +0; with nothing but NaN the result is NaN.
// run: -b 64 i32[1]
// expect: checked: i32[1] = [64]
#include <lanewise/kernel.h>

static bool negative(double x)
{
    return 1 / x < 0;
}

#define ROW(T, MAX, MIN)                                                                           \
    {                                                                                              \
        int lane = thread_idx.x % 32;                                                              \
        T nan = (T)NAN, inf = (T)INFINITY;                                                         \
        assert(MAX(lane == 7 ? (T)3 : nan) == 3 && MIN(lane == 7 ? (T)3 : nan) == 3);              \
        assert(MAX(lane ? nan : -inf) == -inf && MIN(lane ? nan : inf) == inf);                    \
        T none = MAX(nan), nor = MIN(nan);                                                         \
        assert(none != none && nor != nor);                                                        \
        assert(!negative((double)MAX(lane == 9 ? (T)0.0f : (T)-0.0f)));                            \
        assert(negative((double)MIN(lane == 9 ? (T)-0.0f : (T)0.0f)));                             \
        assert(!negative((double)MAX(lane & 1 ? (T)0.0f : (T)-0.0f)));                             \
        assert(negative((double)MIN(lane & 1 ? (T)0.0f : (T)-0.0f)));                              \
        assert(MAX((T)(lane % 7 - 3)) == 3 && MIN((T)(lane % 7 - 3)) == -3);                       \
        assert(MAX((T)lane - (T)50) == -19 && MIN((T)lane + (T)50) == 50);                         \
    }

KERNEL void max_min(int *checked)
{
    ROW(float, warp_max, warp_min)
    ROW(double, warp_max, warp_min)
    ROW(_Float16, warp_max, warp_min)
    ROW(__bf16, warp_max, warp_min)
    ROW(float, block_max, block_min)
    ROW(double, block_max, block_min)
    ROW(_Float16, block_max, block_min)
    ROW(__bf16, block_max, block_min)

    /* signed and unsigned are told apart, in 32 and 64 bits */
    int lane = thread_idx.x % 32;
    assert(warp_max(lane - 5) == 26 && warp_min(lane - 5) == -5);
    assert(warp_max(lane - 5u) == UINT_MAX && warp_min(lane - 5u) == 0);
    assert(warp_max((long)lane - 5) == 26 && warp_min((long)lane - 5) == -5);
    assert(block_max(lane - 5ul) == ULONG_MAX && block_min(lane - 5ul) == 0);
    assert(block_max(lane - 5u) == UINT_MAX && block_min((signed char)(lane - 5)) == -5);
    atomic_add(checked, 1);
}
