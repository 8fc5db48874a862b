/* blocks.c - block memory, barriers, collectives of the block.
 */
#include "common.h"

/* clang-format off */
#define TYPES(X)                                                                                   \
    X(char, int8_t)                                                                                \
    X(ushort, uint16_t)                                                                            \
    X(int, int32_t)                                                                                \
    X(uint, uint32_t)                                                                              \
    X(long, int64_t) X(half, _Float16) X(bfloat, __bf16) X(float, float) X(double, double)
/* clang-format on */

#define EACH(name, T)                                                                              \
    KERNEL void reduce_##name(T *out, const T *a, int n)                                           \
    {                                                                                              \
        T small = (T)(a[I] > (T)2 ? (T)2 : a[I] < (T) - 2 ? (T)1 : a[I]);                          \
        T sum = (T)block_sum(I < n ? small : (T)0);                                                \
        T max = (T)block_max(a[I]), min = (T)block_min(a[I]);                                      \
        T product = (T)block_prod(ME < 20 ? small : (T)1);                                         \
        out[I] = ME % 4 == 0 ? sum : ME % 4 == 1 ? max : ME % 4 == 2 ? min : product;              \
    }                                                                                              \
    KERNEL void scan_##name(T *out, const T *a)                                                    \
    {                                                                                              \
        T small = (T)(a[I] > (T)2 ? (T)2 : a[I] > (T)0 ? (T)1 : (T)0);                             \
        T up = (T)block_inclusive_sum(small), below = (T)block_exclusive_sum(small);               \
        out[I] = ME % 2 ? up : below;                                                              \
    }                                                                                              \
    KERNEL void broadcast_##name(T *out, const T *a)                                               \
    {                                                                                              \
        T last = block_broadcast(a[I], THREADS - 1), first = block_broadcast(a[I], 0);             \
        out[I] = ME % 2 ? last : first;                                                            \
    }
TYPES(EACH)

KERNEL void votes(int *out, const int *a)
{
    out[I] = block_count(a[I] > 0) * 8 + block_any(a[I] % 500 == 0) +
             2 * block_all(a[I] % 300 != 1) + 4 * block_any(false);
}

KERNEL void operator(float *out, const float *a)
{
    out[I] = BLOCK_REDUCE(a[I], 0.0f, x, y, x + y) + BLOCK_REDUCE(a[I], INFINITY, x, y, fmin(x, y));
}

KERNEL void back_to_back(int *out, const uint32_t *a)
{
    unsigned v = 0;
    for (int k = 0; k < 4; k++)
        v = v * 3 + (unsigned)block_sum((int)((a[I] >> k) & 15) + (int)(v & 3));
    out[I] = (int)v;
}

KERNEL void mirrored(float *out, const float *a)
{
    SHARED float part[1024];
    part[ME] = a[I];
    barrier();
    out[I] = part[THREADS - 1 - ME] + part[(ME * 3) % THREADS];
}

KERNEL void rounds(int *out, const int *a)
{
    SHARED int part[2][1024];
    part[0][ME] = a[I];
    for (int k = 0; k < 5; k++) {
        barrier();
        unsigned mine = (unsigned)part[k & 1][ME], next = (unsigned)part[k & 1][(ME + 1) % THREADS];
        part[~k & 1][ME] = (int)(mine + next);
    }
    out[I] = part[1][ME];
}

/* The sum of the block by halves; an odd element out is added to the first. */
KERNEL void tree(float *out, const float *a, int n)
{
    SHARED float part[1024];
    part[ME] = I < n ? a[I] : 0;
    barrier();
    for (int count = THREADS; count > 1; count = (count + 1) / 2) {
        int half = (count + 1) / 2;
        if (ME + half < count)
            part[ME] += part[ME + half];
        barrier();
    }
    out[I] = part[0];
}

KERNEL void squares(float *out, const float *a)
{
    SHARED float tile[32][33];
    for (int k = ME; k < 1024; k += THREADS)
        tile[k / 32][k % 32] = a[k % (3 * THREADS)];
    barrier();
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += tile[ME % 32][k] * tile[k][ME / 32];
    out[I] = sum;
}

KERNEL void histogram(int *out, const uint8_t *a, int n)
{
    SHARED int bins[16];
    for (int k = ME; k < 16; k += THREADS)
        bins[k] = 0;
    barrier();
    if (I < n)
        atomic_add(&bins[a[I] % 16], 1);
    barrier();
    out[I] = bins[ME % 16];
}

KERNEL void after_return(int *out, const int *a, int n)
{
    SHARED int part[1024];
    out[I] = -1;
    part[ME] = 0;
    if (I >= n)
        return;
    part[ME] = a[I];
    barrier();
    out[I] = part[ME / 2] + block_count(a[I] & 1);
}

KERNEL void first_writes(int *out, const int *a)
{
    SHARED int chosen;
    if (ME == THREADS / 3)
        chosen = a[I];
    barrier();
    int v = chosen;
    barrier();
    if (ME == 0)
        chosen = v + 1;
    barrier();
    out[I] = chosen;
}
