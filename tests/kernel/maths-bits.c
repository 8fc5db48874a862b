// mulhi, rotate_left, bitreverse and byte_swap, in the width of each type; places modulo the width.
// sizes: 1 33
// run: -b @B i32[1]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

#define IS(T, x) assert(_Generic((x), T: 1, default: 0))

/* One bit after the other. */
static uint64_t slow_rotated(uint64_t x, int n, int width)
{
    uint64_t all = 0;
    for (int i = 0; i < width; i++)
        all |= (x >> i & 1) << ((i + n) & (width - 1));
    return all;
}

static uint64_t slow_reversed(uint64_t x, int unit, int width)
{
    uint64_t all = 0;
    for (int i = 0; i < width; i++)
        all |= (x >> i & 1) << (width - unit - i / unit * unit + i % unit);
    return all;
}

/* The sign fills the upper half of both, so that the lower half of the product is right. */
static uint64_t slow_mulhi(uint64_t x, uint64_t y, int width, bool is_signed)
{
    uint64_t high = 0, low = 0, x_high = is_signed && x >> (width - 1) ? ~UINT64_C(0) : 0;
    uint64_t mask = width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    for (int i = 0; i < width; i++) {
        bool minus = is_signed && i == width - 1;
        if (!(y >> i & 1))
            continue;
        uint64_t part = x << i & mask, upper = i ? (x & mask) >> (width - i) | x_high << i : x_high;
        if (minus)
            upper = ~upper + (part == 0), part = (0 - part) & mask;
        low += part;
        high += upper + (low > mask || low < part);
        low &= mask;
    }
    return high & mask;
}

#define CHECK(T, U)                                                                                \
    {                                                                                              \
        const int width = (int)sizeof(T) * 8;                                                      \
        const T x = (T)bits;                                                                       \
        assert((U)rotate_left(x, n) == (U)slow_rotated((U)x, n, width));                           \
        assert((U)bitreverse(x) == (U)slow_reversed((U)x, 1, width));                              \
        assert((U)byte_swap(x) == (U)slow_reversed((U)x, 8, width));                               \
        IS(T, rotate_left((T)1, 1)); IS(T, bitreverse((T)1)); IS(T, byte_swap((T)1));              \
    }
#define CHECK_PRODUCT(T, U, is_signed)                                                             \
    {                                                                                              \
        T x = (T)bits, y = (T)other;                                                               \
        assert((U)mulhi(x, y) == slow_mulhi((U)x, (U)y, (int)sizeof(T) * 8, is_signed));           \
        IS(T, mulhi((T)1, (T)1));                                                                  \
    }

KERNEL void check(int *checked)
{
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15) * (thread_idx.x + 1), other = ~random;
    for (int i = 0; i < 80; i++) {
        uint64_t bits = i < 64 ? UINT64_C(1) << i : i == 64 ? 0 : i == 65 ? ~UINT64_C(0) : random;
        int n = (int)(other >> 55) - 300;
        CHECK(char, uint8_t) CHECK(signed char, uint8_t) CHECK(unsigned char, uint8_t)
        CHECK(short, uint16_t) CHECK(unsigned short, uint16_t) CHECK(int, uint32_t)
        CHECK(unsigned, uint32_t) CHECK(long, uint64_t) CHECK(unsigned long, uint64_t)
        CHECK(long long, uint64_t) CHECK(unsigned long long, uint64_t)
        CHECK_PRODUCT(int, uint32_t, true) CHECK_PRODUCT(unsigned, uint32_t, false)
        CHECK_PRODUCT(long, uint64_t, true) CHECK_PRODUCT(unsigned long, uint64_t, false)
        CHECK_PRODUCT(long long, uint64_t, true) CHECK_PRODUCT(unsigned long long, uint64_t, false)
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        other = i % 3 ? random ^ random << 7 : i % 2 ? ~UINT64_C(0) : UINT64_C(1) << 63;
    }
    assert(mulhi(-1, 1) == -1 && mulhi(-1, 1u) == 0 && mulhi(INT_MIN, INT_MIN) == 1 << 30);
    assert(mulhi((short)-3, (char)5) == -1 && mulhi(1l << 40, 1 << 30) == 1 << 6);
    assert(rotate_left((short)0x1234, 4) == 0x2341 && rotate_left(1u, -1) == 1u << 31);
    assert(byte_swap(0x12345678) == 0x78563412 && bitreverse((signed char)1) == -128);
    atomic_add(checked, 1);
}
