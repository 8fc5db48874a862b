// The types of WARP_REDUCE and BLOCK_REDUCE: small integers and bool as int, 16-bit floats combined
// in float and rounded once, all others kept.
// run: -b 64 i32[1]
// expect: checked: i32[1] = [64]
#include <lanewise/kernel.h>

#define IS(T, x) assert(_Generic((x), T: 1, default: 0))

#define ROW(REDUCE, threads)                                                                       \
    IS(int, REDUCE((signed char)1, 0, a, b, a + b));                                               \
    IS(int, REDUCE((unsigned short)1, 0, a, b, a + b));                                            \
    IS(int, REDUCE((bool)1, 0, a, b, a + b));                                                      \
    IS(unsigned, REDUCE(1u, 0, a, b, a + b));                                                      \
    IS(long, REDUCE(1L, 0, a, b, a + b));                                                          \
    IS(unsigned long long, REDUCE(1ull, 0, a, b, a + b));                                          \
    IS(float, REDUCE(1.0f, 0, a, b, a + b));                                                       \
    IS(double, REDUCE(1.0, 0, a, b, a + b));                                                       \
    IS(_Float16, REDUCE((_Float16)1, 0, a, b, a + b));                                             \
    IS(__bf16, REDUCE((__bf16)1, 0, a, b, a + b));                                                 \
    assert(REDUCE((signed char)100, 0, a, b, a + b) == 100 * (threads));                           \
    assert(REDUCE(true, 0, a, b, a + b) == (threads));                                             \
    assert(REDUCE(true, true, a, b, a && b) == 1);                                                 \
    assert(REDUCE(1L << 40, 0, a, b, a + b) == (long)(threads) << 40);                             \
    assert(REDUCE(thread_idx.x % 32 + 1u, 1, a, b, a > b ? a : b) == 32)

KERNEL void types(int *checked)
{
    ROW(WARP_REDUCE, 32);
    ROW(BLOCK_REDUCE, 64);

    /* 2049 and 1 are 2050 in float; step by step in _Float16 the ones would be lost */
    _Float16 h = thread_idx.x % 32 == 0 ? (_Float16)2048 : (_Float16)0.125f;
    assert(WARP_REDUCE(h, 0, a, b, a + b) == (_Float16)(2048 + 31 * 0.125f));
    assert(BLOCK_REDUCE(h, 0, a, b, a + b) == (_Float16)(4096 + 62 * 0.125f));
    __bf16 w = thread_idx.x % 32 == 0 ? (__bf16)256.0f : (__bf16)0.25f;
    assert(WARP_REDUCE(w, 0, a, b, a + b) == (__bf16)(256 + 31 * 0.25f));
    IS(float, WARP_REDUCE((float)h, 0, a, b, a + b));
    WARP_REDUCE(h, 0, a, b, _Generic(a, float: 1, const float: 1) ? a + b : 0);
    WARP_REDUCE(w, 0, a, b, _Generic(b, float: 1, const float: 1) ? a + b : 0);
    atomic_add(checked, 1);
}
