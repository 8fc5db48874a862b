/* warps.c - collectives of the warp, together and apart, for every type.
 */
#include "common.h"

/* clang-format off */
#define TYPES(X)                                                                                   \
    X(char, int8_t)                                                                                \
    X(byte, uint8_t)                                                                               \
    X(short, int16_t)                                                                              \
    X(ushort, uint16_t)                                                                            \
    X(int, int32_t) X(uint, uint32_t) X(long, int64_t) X(ulong, uint64_t) X(bool, bool)
/* clang-format on */
#define FLOATS(X) X(half, _Float16) X(bfloat, __bf16) X(float, float) X(double, double)

#define REDUCE(name, T)                                                                            \
    KERNEL void reduce_##name(T *out, const T *a)                                                  \
    {                                                                                              \
        T sum = (T)warp_sum((T)(a[I] & (T)3)), max = (T)warp_max(a[I]), min = (T)warp_min(a[I]);   \
        out[I] = ME % 3 == 0 ? sum : ME % 3 == 1 ? max : min;                                      \
    }
TYPES(REDUCE)

#define REDUCE_FLOAT(name, T)                                                                      \
    KERNEL void reduce_##name(T *out, const T *a)                                                  \
    {                                                                                              \
        T sum = warp_sum(a[I]), max = warp_max(a[I]), min = warp_min(a[I]);                        \
        T product = warp_prod((T)(a[I] * (T)0.5f));                                                \
        out[I] = ME % 4 == 0 ? sum : ME % 4 == 1 ? max : ME % 4 == 2 ? min : product;              \
    }
FLOATS(REDUCE_FLOAT)

#define MOVE(name, T)                                                                              \
    KERNEL void shuffle_##name(T *out, const T *a, int n)                                          \
    {                                                                                              \
        T v = a[I], w = shuffle(v, (lane_id() * 7 + 3) % 40 - 4);                                  \
        w = ME % 2 ? shuffle_up(w, 1) : w;                                                         \
        w = shuffle_xor(w, 5);                                                                     \
        T x = shuffle_down(v, 2);                                                                  \
        if (I < n && ME % 5 != 2)                                                                  \
            x = shuffle_xor(x, 1);                                                                 \
        out[I] = warp_broadcast(ME % 3 ? w : x, 3) == v ? w : x;                                   \
    }
TYPES(MOVE)
FLOATS(MOVE)

#define SCAN(name, T)                                                                              \
    KERNEL void scan_##name(T *out, const T *a, int n)                                             \
    {                                                                                              \
        T v = (T)(a[I] > (T)0 ? a[I] : (T)1);                                                      \
        T all = (T)warp_inclusive_sum((T)(v > (T)4 ? (T)2 : v));                                   \
        T some = (T)0;                                                                             \
        if (I < n && ME % 3 != 1)                                                                  \
            some = (T)warp_exclusive_sum((T)(v < (T)4 ? v : (T)3));                                \
        out[I] = ME % 2 ? all : some;                                                              \
    }
SCAN(char, int8_t)
SCAN(ushort, uint16_t)
SCAN(int, int32_t)
SCAN(ulong, uint64_t)
FLOATS(SCAN)

KERNEL void votes(uint32_t *out, const int *a, int n)
{
    uint32_t v = ballot(a[I] > 0);
    v = v * 3 + (uint32_t)(warp_any(a[I] % 40 == 0) + 2 * warp_all(a[I] % 40 != 1));
    if (I < n)
        v = v * 31 + ballot(ME % 2) + (uint32_t)warp_all(I < n);
    if (a[I] % 3 == 0)
        v ^= ballot(true);
    else
        v += (uint32_t)warp_sum(1);
    out[I] = v;
}

KERNEL void in_loops(int *out, const uint32_t *a, int n)
{
    unsigned v = 0;
    for (int k = 0; k < 4; k++) {
        v += (unsigned)warp_sum((int)(a[(I + k) % n] & 255));
        if (a[I] % 7 == (unsigned)k)
            break;
        v = v * 3 + ballot(a[I] & (1u << k));
    }
    for (unsigned k = 0; k < a[I] % 4; k++)
        v = v * 5 + (unsigned)warp_inclusive_sum((int)k + 1);
    out[I] = (int)v;
}

KERNEL void after_return(int *out, const uint32_t *a, int n)
{
    out[I] = 0;
    if (I >= n || a[I] % 5 == 0)
        return;
    out[I] = warp_sum(1) * 100 + shuffle_down(ME, 1) + warp_max((int)(a[I] % 1000));
}

KERNEL void operator(double *out, const double *a)
{
    out[I] = WARP_REDUCE(a[I], 0.0, x, y, x + y * 0.5) +
             (ME % 2 ? WARP_REDUCE(a[I], -INFINITY, x, y, x > y ? x : y) : 0);
}

KERNEL void odd_sums(float *out, const float *a)
{
    float v = 0;
    if (ME % 2)
        v = warp_sum(a[I]);
    else if (ME % 3 == 0)
        v = warp_sum(a[I] * 2);
    out[I] = v;
}

KERNEL void synchronised(int *out, const int *a)
{
    SHARED int part[1024];
    part[ME] = a[I];
    warp_sync();
    out[I] = part[ME / 32 * 32];
}
