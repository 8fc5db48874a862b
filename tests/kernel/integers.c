// Unsigned arithmetic wraps in its type. Signed overflow, shifts out of range, division by zero and
// INT_MIN / -1 give some value and never a trap, in every width.
// sizes: 1 33
// device: !check it tells of divisions by zero
// run: -b @B i32[1] i64[5]=0,-1,1,64,200 i64[33]
// expect: checked: i32[1] = [@N]
#include <lanewise/kernel.h>

/* The operands come from memory, so that nothing is known of them when this is compiled. */
#define UNSPECIFIED(T, least)                                                                      \
    {                                                                                              \
        T zero = (T)in[0], minus = (T)in[1], one = (T)in[2], n = (T)(least);                       \
        n = (T)(n * one);                                                                          \
        sum += n / zero + n % zero + zero / zero + one % zero + n / minus + n % minus;             \
        n /= zero;                                                                                 \
        sum += (one << (in[3] & 255)) + (one >> (in[4] & 255)) + (one << (int)minus) + n;          \
    }

/* What is computed is stored, so that it is computed; it is const so that it is not printed. */
KERNEL void integers(int *checked, const int64_t *in, const int64_t *unspecified)
{
    int64_t sum = 0;
    int zero = (int)in[0], minus = (int)in[1], one = (int)in[2];
    UNSPECIFIED(signed char, SCHAR_MIN) UNSPECIFIED(unsigned char, UCHAR_MAX)
    UNSPECIFIED(short, SHRT_MIN) UNSPECIFIED(unsigned short, USHRT_MAX)
    UNSPECIFIED(int, INT_MIN) UNSPECIFIED(unsigned, UINT_MAX)
    UNSPECIFIED(long, LONG_MIN) UNSPECIFIED(unsigned long, ULONG_MAX)
    sum += (INT_MAX * one + one) + (INT_MIN * one - one) + (INT_MIN * minus);
    sum += (int)((float)zero / zero) + (unsigned)(1e30f * one) + (long)(-1.0f / zero);
    if (one == 1 && zero)
        sum += 1 / zero;
    ((int64_t *)unspecified)[thread_idx.x] = sum;

    /* the other lanes of a division by zero get their quotients */
    int lane = (int)(thread_idx.x % 32), divisor = lane % 3 * one, quotient = 99;
    quotient = 60 / divisor;
    ((int64_t *)unspecified)[thread_idx.x] += quotient;
    assert(lane % 3 == 0 || quotient == 60 / (lane % 3));
    unsigned remainder = 61u % (unsigned)divisor;
    assert(lane % 3 == 0 || remainder == (lane % 3 == 1 ? 0 : 1));

    /* what C defines is as C defines it */
    assert((unsigned)minus + 1 == 0 && 0u - one == UINT_MAX && (unsigned)INT_MIN * 2 == 0);
    assert((uint8_t)(255 + one) == 0 && (uint16_t)(0 - one) == 65535 &&
           (int8_t)(127 + one) == -128);
    assert(UINT64_MAX + (uint64_t)one == 0 && (uint32_t)-1 * (uint32_t)-1 == 1);
    assert(-7 / (one + 1) == -3 && -7 % (one + 1) == -1 && 7 / (minus - 1) == -3);
    assert(minus >> 1 == -1 && (unsigned)minus >> 31 == 1 &&
           (int64_t)INT_MIN * minus == 2147483648);
    assert((long)INT_MAX + one == 2147483648 && (bool)(one * 256) == true);
    assert(minus < one && (unsigned)minus > (unsigned)one && minus > -2);
    atomic_add(checked, 1);
}
