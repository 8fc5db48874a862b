// Division and remainder of every width: a = q * b + r, r smaller than b and with the sign of a. A
// divisor of 0, and INT_MIN / -1, are nobody's business here: lanes that have one do not divide.
// sizes: 1 16 33 64
// device: !check some quotients overflow
// run: -b @B i32[1] i32[64]
// expect: wrong: i32[1] = [0]
#include <lanewise/kernel.h>

#define LEAST (-9223372036854775807ll - 1)
static const int64_t numbers[16] = {0,          1,           -1,         2,      -3,    7,
                                    100,        -128,        255,        -32768, 65535, 2147483647,
                                    4294967295, -2147483648, 6000000007, LEAST};

#define SIGNED(T, MIN)                                                                             \
    do {                                                                                           \
        T a = (T)(numbers[x] + k), b = (T)(numbers[y] - k);                                        \
        if (b && !(a == MIN && b == -1)) {                                                         \
            T q = (T)(a / b), r = (T)(a % b);                                                      \
            bad += (T)(q * b + r) != a || (r && (r < 0) != (a < 0)) ||                             \
                   (b < 0 ? (r < 0 ? r <= b : -r <= b) : (r < 0 ? -r >= b : r >= b));              \
        }                                                                                          \
    } while (0)

#define UNSIGNED(T)                                                                                \
    do {                                                                                           \
        T a = (T)(numbers[x] + k), b = (T)(numbers[y] - k);                                        \
        if (b) {                                                                                   \
            T q = (T)(a / b), r = (T)(a % b);                                                      \
            bad += (T)(q * b + r) != a || r >= b || q > a;                                         \
        }                                                                                          \
    } while (0)

KERNEL void divide(int *wrong, const int *zeros)
{
    int t = thread_idx.x, bad = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 16; i++) {
            int x = (t + zeros[t]) % 16, y = i;
            SIGNED(int8_t, INT8_MIN);
            SIGNED(int16_t, INT16_MIN);
            SIGNED(int, INT32_MIN);
            SIGNED(int64_t, INT64_MIN);
            x = (t + i) % 16;
            y = (t + zeros[t]) % 16;
            UNSIGNED(uint8_t);
            UNSIGNED(uint16_t);
            UNSIGNED(uint32_t);
            UNSIGNED(uint64_t);
        }
    if (bad)
        atomic_add(wrong, 1);
}
