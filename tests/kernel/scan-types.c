// Scans of every type: integers wrap in the promoted type, 16-bit floats are combined in float and
// rounded once, and an exclusive scan begins with zero.
// sizes: 1 33 256 8x8x4
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

#define INTEGERS(X)                                                                                \
    X(signed char, int) X(unsigned char, int) X(short, int) X(unsigned short, int) X(int, int)     \
    X(unsigned, unsigned) X(long, long) X(unsigned long, unsigned long)                            \
    X(long long, long long) X(unsigned long long, unsigned long long)

/* The values (T)(i + 100), added one by one. */
#define ROW(T, R)                                                                                  \
    {                                                                                              \
        R in_warp = 0, in_block = 0;                                                               \
        for (int i = 0; i < threads; i++)                                                          \
            if (i <= me) {                                                                         \
                in_warp = (i % 32 ? in_warp : 0) + (T)(i + 100);                                   \
                in_block += (T)(i + 100);                                                          \
            }                                                                                      \
        T v = (T)(me + 100);                                                                       \
        assert(warp_inclusive_sum(v) == in_warp && block_inclusive_sum(v) == in_block);            \
        assert(warp_exclusive_sum(v) == in_warp - v && block_exclusive_sum(v) == in_block - v);    \
    }

KERNEL void scans(int *checked)
{
    int threads = block_dim.x * block_dim.y * block_dim.z;
    int me = (thread_idx.z * block_dim.y + thread_idx.y) * block_dim.x + thread_idx.x;
    int lane = me % 32;
    INTEGERS(ROW)
    assert(warp_inclusive_sum(lane % 2 == 0) == lane / 2 + 1);
    assert(block_exclusive_sum(true) == me);
    assert(warp_inclusive_sum(0x80000000u) == (lane % 2 ? 0 : 0x80000000u));
    assert(block_inclusive_sum(1L << 40) == (me + 1L) << 40);
    assert(block_inclusive_sum(0.5) == (me + 1) * 0.5);

    /* 2048 swallows an eighth in _Float16, not in float */
    float exact = 2048 + lane * 0.125f;
    _Float16 h = lane == 0 ? (_Float16)2048 : (_Float16)0.125f;
    assert(warp_inclusive_sum(h) == (_Float16)exact);
    assert(warp_exclusive_sum(h) == (lane ? (_Float16)(exact - 0.125f) : (_Float16)0));
    __bf16 w = lane == 0 ? (__bf16)256.0f : (__bf16)0.25f;
    assert(warp_inclusive_sum(w) == (__bf16)(256 + lane * 0.25f));
    atomic_add(checked, 1);
}
