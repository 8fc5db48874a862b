// Sums, differences and products that tell whether they fit.
// sizes: 1 33 64
// run: -b @B i32[1] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

#define CHECK(T, op, wide)                                                                         \
    do {                                                                                           \
        T a = (T)numbers[(t + zeros[t]) % 8], b = (T)numbers[(t / 8 + zeros[t]) % 8], c;           \
        bool over = __builtin_##op##_overflow(a, b, &c);                                           \
        wide w = 0;                                                                                \
        bool expected = __builtin_##op##_overflow((wide)a, (wide)b, &w) || (wide)(T)w != w;        \
        bad += over != expected || (T)w != c;                                                      \
    } while (0)

KERNEL void overflows(int *wrong, const int *zeros)
{
    static const int64_t numbers[8] = {0, 1, -1, 127, 65536, -2147483647 - 1, 2147483647, -300};
    int t = thread_idx.x, bad = 0;
    CHECK(int8_t, add, int);
    CHECK(int16_t, sub, int);
    CHECK(uint16_t, mul, int64_t);
    CHECK(int, add, int64_t);
    CHECK(int, sub, int64_t);
    CHECK(int, mul, int64_t);
    CHECK(uint32_t, add, uint64_t);
    CHECK(uint32_t, mul, uint64_t);
    int64_t a = numbers[t % 8] << (t / 8 * 4), c;
    bool over = __builtin_mul_overflow(a, (int64_t)1 << 30, &c);
    bad += over != (a > INT64_MAX >> 30 || a < INT64_MIN >> 30);
    int few = 5 + zeros[t], sum; /* clang's sum of these has 65 bits */
    over = __builtin_add_overflow(few, (uint64_t)-100 + t, &sum);
    bad += !over || sum != t - 95;
    over = __builtin_sub_overflow((uint64_t)t + 200, few, &sum);
    bad += over || sum != t + 195;
    if (bad)
        atomic_add(wrong, 1);
}
