// Shuffles and broadcasts take every scalar type, keep it, and move its bits unchanged.
// device: !check borrowed values decide branches
// run: -b 64 i32[1]
// expect: checked: i32[1] = [64]
#include <lanewise/kernel.h>

#define TYPES(X)                                                                                   \
    X(char) X(signed char) X(unsigned char) X(short) X(unsigned short) X(int) X(unsigned) X(long)  \
    X(unsigned long) X(long long) X(unsigned long long) X(bool) X(_Float16) X(__bf16) X(float)     \
    X(double)

/* keeps - the call's type is T exactly, and it gives lane `source` of the values made from `seed`
 * */
#define CHECK(T, call, source)                                                                     \
    assert(_Generic((call), T: 1, default: 0));                                                    \
    assert((call) == (T)((source) * 3 + 1))

#define BLOCK_OF(T)                                                                                \
    {                                                                                              \
        T v = (T)(thread_idx.x * 3 + 1);                                                           \
        int first = thread_idx.x / 32 * 32, lane = thread_idx.x % 32;                              \
        CHECK(T, shuffle(v, 31 - lane), first + 31 - lane);                                        \
        CHECK(T, shuffle_up(v, 3), first + (lane < 3 ? lane : lane - 3));                          \
        CHECK(T, shuffle_down(v, 5), first + (lane > 26 ? lane : lane + 5));                       \
        CHECK(T, shuffle_xor(v, 9), first + (lane ^ 9));                                           \
        CHECK(T, warp_broadcast(v, 17), first + 17);                                               \
        CHECK(T, block_broadcast(v, 45), 45);                                                      \
    }

static unsigned bits_of(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

KERNEL void types(int *checked)
{
    TYPES(BLOCK_OF)

    /* nothing is computed with what is moved: a NaN's payload and -0 arrive */
    float odd[2] = {-0.0f, 0};
    unsigned payload = 0x7fc12345;
    memcpy(&odd[1], &payload, sizeof payload);
    assert(bits_of(shuffle(odd[thread_idx.x & 1], 0)) == 0x80000000);
    assert(bits_of(shuffle(odd[thread_idx.x & 1], 1)) == 0x7fc12345);
    assert(bits_of(block_broadcast(odd[thread_idx.x & 1], 33)) == 0x7fc12345);

    /* so do the high bits of 64 */
    long high = (long)thread_idx.x << 40 | thread_idx.x;
    long first = thread_idx.x / 32 * 32;
    assert(shuffle(high, 20) == ((first + 20) << 40 | (first + 20)));
    assert(block_broadcast(high, 60) == (60L << 40 | 60));
    atomic_add(checked, 1);
}
