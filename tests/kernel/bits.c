// popcount, clz, ctz, ffs in the width of their argument's type; clz and ctz of 0 give the width,
// ffs counts from 1 and is 0 for 0.
// sizes: 1 33
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

/* By looking at each bit of x, of which there are `width`. */
static int slow_popcount(uint64_t x, int width)
{
    int n = 0;
    for (int i = 0; i < width; i++)
        n += x >> i & 1;
    return n;
}

static int slow_clz(uint64_t x, int width)
{
    int n = 0;
    while (n < width && !(x >> (width - 1 - n) & 1))
        n++;
    return n;
}

static int slow_ctz(uint64_t x, int width)
{
    int n = 0;
    while (n < width && !(x >> n & 1))
        n++;
    return n;
}

#define CHECK(T)                                                                                   \
    {                                                                                              \
        int width = (int)sizeof(T) * 8;                                                            \
        T x = (T)bits;                                                                             \
        assert(popcount(x) == slow_popcount((uint64_t)x, width));                                  \
        assert(clz(x) == slow_clz((uint64_t)x, width));                                            \
        assert(ctz(x) == slow_ctz((uint64_t)x, width));                                            \
        assert(ffs(x) == (x ? slow_ctz((uint64_t)x, width) + 1 : 0));                              \
        assert(_Generic(popcount(x), int: 1) && _Generic(clz(x), int: 1));                         \
        assert(_Generic(ctz(x), int: 1) && _Generic(ffs(x), int: 1));                              \
    }

KERNEL void check(int *checked)
{
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15) * (thread_idx.x + 1);
    for (int i = 0; i < 100; i++) {
        uint64_t bits = i < 64 ? UINT64_C(1) << i : i == 64 ? 0 : i == 65 ? ~UINT64_C(0) : random;
        CHECK(char) CHECK(signed char) CHECK(unsigned char) CHECK(short) CHECK(unsigned short)
        CHECK(int) CHECK(unsigned) CHECK(long) CHECK(unsigned long) CHECK(long long)
        CHECK(unsigned long long)
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    }
    assert(clz((unsigned char)1) == 7 && clz((short)0) == 16 && ctz(0ull) == 64 && ffs(0) == 0);
    assert(popcount((signed char)-1) == 8 && popcount(-1) == 32 && popcount(-1L) == 64);
    assert(popcount(true) == 1 && ffs(true) == 1 && ctz(true) == 0);
    atomic_add(checked, 1);
}
