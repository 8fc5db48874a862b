/* types.c - every scalar type: operators, conversions, comparisons, under a guard.
 */
#include "common.h"

/* clang-format off */
#define INTEGERS(X)                                                                                \
    X(char, int8_t, uint8_t)                                                                       \
    X(byte, uint8_t, uint8_t)                                                                      \
    X(short, int16_t, uint16_t)                                                                    \
    X(ushort, uint16_t, uint16_t)                                                                  \
    X(int, int32_t, uint32_t)                                                                      \
    X(uint, uint32_t, uint32_t)                                                                    \
    X(long, int64_t, uint64_t)                                                                     \
    X(ulong, uint64_t, uint64_t)
/* clang-format on */
#define FLOATS(X) X(half, _Float16) X(bfloat, __bf16) X(float, float) X(double, double)

/* U is T's unsigned type: what may overflow is done in it. */
#define INTEGER(name, T, U)                                                                        \
    KERNEL void arith_##name(T *out, const T *a, const T *b, int n)                                \
    {                                                                                              \
        if (I < n) {                                                                               \
            U x = (U)a[I], y = (U)b[I];                                                            \
            T divisor = b[I] | 1;                                                                  \
            U v = (U)((uint64_t)x * y + x - y);                                                    \
            v ^= (U)(x << (y % 8)) | (U)(a[I] >> (x % 8));                                         \
            v += divisor == (T) - 1 ? x : (U)(a[I] / divisor - a[I] % divisor);                    \
            v += a[I] < b[I] ? popcount(x) : clz(x) - ctz(y) + ffs(x);                             \
            out[I] = (T)(~v & y);                                                                  \
        }                                                                                          \
    }                                                                                              \
    KERNEL void convert_##name(T *out, float *f, double *d, const float *a, const T *b, int n)     \
    {                                                                                              \
        if (I < n) {                                                                               \
            float x = fmin(fmax(a[I], (T) - 1 < (T)1 ? -100.0f : 0.0f), 100.0f);                   \
            f[I] = (float)b[I];                                                                    \
            d[I] = (double)b[I] * 0.5;                                                             \
            out[I] = (T)x;                                                                         \
        }                                                                                          \
    }                                                                                              \
    KERNEL void widen_##name(int64_t *out, uint16_t *low, const T *a, int n)                       \
    {                                                                                              \
        if (I < n) {                                                                               \
            out[I] = (int64_t)a[I] + (bool)a[I];                                                   \
            low[I] = (uint16_t)a[I];                                                               \
        }                                                                                          \
    }
INTEGERS(INTEGER)

#define FLOATING(name, T)                                                                          \
    KERNEL void arith_##name(T *out, const T *a, const T *b, int n)                                \
    {                                                                                              \
        if (I < n) {                                                                               \
            T x = a[I], y = b[I], v = x * y + x - y;                                               \
            v = v / (y + x);                                                                       \
            out[I] = x < y ? v : x >= y ? -v : x;                                                  \
        }                                                                                          \
    }                                                                                              \
    KERNEL void compare_##name(uint8_t *out, const T *a, const T *b, int n)                        \
    {                                                                                              \
        if (I < n) {                                                                               \
            T x = a[I], y = b[I];                                                                  \
            out[I] = (uint8_t)((x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 |           \
                               (x > y) << 4 | (x >= y) << 5 | (bool)x << 6 | !(x < y) << 7);       \
        }                                                                                          \
    }                                                                                              \
    KERNEL void convert_##name(T *out, float *f, double *d, const T *a, const double *b,           \
                               const int *c, int n)                                                \
    {                                                                                              \
        if (I < n) {                                                                               \
            f[I] = (float)a[I];                                                                    \
            d[I] = (double)a[I];                                                                   \
            out[I] = c[I] % 3 == 0 ? (T)b[I] : (T)c[I];                                            \
        }                                                                                          \
    }
FLOATS(FLOATING)

KERNEL void booleans(bool *out, const bool *a, const float *b, int n)
{
    if (I < n)
        out[I] = (a[I] && b[I] > 0) || (!a[I] ^ (b[I] < 1));
}

KERNEL void mixed(float *out, const float *a, const bool *b, const int8_t *c, const uint16_t *d,
                  int n)
{
    if (I < n)
        out[I] = a[I] * b[I] + c[I] * (d[I] & 255);
}
