// Reductions and scans have their value's type after C's integer promotions; 16-bit floats keep
// theirs. Small integers therefore do not wrap, unsigned ones wrap in their own width.
// run: -b 96 i32[1]
// expect: checked: i32[1] = [96]
#include <lanewise/kernel.h>

#define IS(T, x) assert(_Generic((x), T: 1, default: 0))

#define OPS(X, T, R)                                                                               \
    X(warp_sum, T, R) X(warp_max, T, R) X(warp_min, T, R) X(warp_prod, T, R)                       \
    X(warp_inclusive_sum, T, R) X(warp_exclusive_sum, T, R)                                        \
    X(block_sum, T, R) X(block_max, T, R) X(block_min, T, R) X(block_prod, T, R)                   \
    X(block_inclusive_sum, T, R) X(block_exclusive_sum, T, R)
#define CHECK(call, T, R) IS(R, call((T)1));
#define ROW(T, R) OPS(CHECK, T, R)

/* enum constants and bit-fields are ints too */
enum colour { RED, GREEN };
struct fields {
    unsigned three : 3;
};

KERNEL void types(int *checked)
{
    ROW(bool, int)
    ROW(char, int) ROW(signed char, int) ROW(unsigned char, int)
    ROW(short, int) ROW(unsigned short, int)
    ROW(int, int) ROW(unsigned, unsigned)
    ROW(long, long) ROW(unsigned long, unsigned long)
    ROW(long long, long long) ROW(unsigned long long, unsigned long long)
    ROW(_Float16, _Float16) ROW(__bf16, __bf16)
    ROW(float, float) ROW(double, double)

    assert(warp_sum((unsigned char)200) == 6400 && block_sum((signed char)-100) == -9600);
    assert(warp_sum(true) == 32 && block_sum(thread_idx.x > 10) == 85);
    assert(warp_prod((short)2) == 0 && warp_prod((long)2) == 1L << 32);
    assert(warp_sum(0x10000000u) == 0 && warp_sum(0x10000000ul) == 0x200000000);
    assert(block_sum(1ull << 63) == 0 && block_prod(3u) == 4072766337u);
    assert(warp_sum(GREEN) == 32 && warp_sum((struct fields){7}.three) == 224);
    assert(block_prod(thread_idx.x % 32 < 31 ? 1 : -1) == -1);

    IS(int, warp_any(1)); IS(int, warp_all(1)); IS(uint32_t, ballot(1));
    IS(int, block_any(1)); IS(int, block_all(1)); IS(int, block_count(1));
    atomic_add(checked, 1);
}
