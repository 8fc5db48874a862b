/* places.c - where a thread is; addresses of every shape.
 */
#include "common.h"

KERNEL void places(int *out, int n)
{
    if (I < n)
        out[I] = thread_idx.x + 1031 * thread_idx.y + 65537 * thread_idx.z + 7 * lane_id() +
                 100003 * warp_id() + 13 * block_idx.x + (int)global_idx.x * 3 + (int)global_idx.y;
}

KERNEL void dims(int *out)
{
    out[I] = block_dim.x + 1000 * block_dim.y + 1000000 * block_dim.z + grid_dim.x;
}

/* Addresses that go through x, y and z in another order than threads do. */
KERNEL void turned(int *out, const int *a)
{
    int at = (thread_idx.x * block_dim.y + thread_idx.y) * block_dim.z + thread_idx.z;
    out[block_idx.x * THREADS + at] = a[I];
}

KERNEL void gathered(float *out, const float *a)
{
    int at = (thread_idx.y * block_dim.z + thread_idx.z) * block_dim.x + thread_idx.x;
    out[I] = a[block_idx.x * THREADS + at];
}

KERNEL void reversed(float *out, const float *a)
{
    out[block_idx.x * THREADS + THREADS - 1 - ME] = a[I] + a[THREADS - 1 - ME];
}

/* Two, three and five apart, over the whole of the buffer, wherever that is. */
KERNEL void strided(float *out, const float *a, int n)
{
    if (3 * I + 2 < n)
        out[3 * I] = a[2 * I] + a[3 * I + 1];
    if (5 * I + 4 < n)
        out[3 * I + 1] = a[5 * I + 4];
}

KERNEL void looked_up(int *out, const uint8_t *at, const int *a)
{
    out[I] = a[at[I] % 3] + a[(unsigned)a[I] % (unsigned)THREADS];
}

/* Each element goes to a place of its own. */
KERNEL void scattered(int *out, const int *a)
{
    out[block_idx.x * THREADS + (ME ^ (ME < THREADS / 2 * 2 ? 1 : 0))] = a[I];
}

KERNEL void one_place(int *out, const int *a, int n)
{
    if (ME == THREADS / 2)
        out[block_idx.x] = a[n / 2];
    if (ME == 0)
        out[block_idx.x + 3] = a[1];
}

/* Every second thread alone, then the others. */
KERNEL void by_halves(int *out, const int *a, int n)
{
    if (I < n) {
        if (ME % 2)
            out[I] = a[I] + a[I - 1];
        else
            out[I] = a[I] - 3;
    }
}

KERNEL void shorts(int16_t *out, const int16_t *a, int n)
{
    for (int k = 0; k < 3; k++)
        if (I + k < n && k % 2 == 0)
            out[I] = (int16_t)(a[I + k] + k);
}

struct point {
    float x, y, z;
    int id;
};

/* Structs as an array of floats has them. */
KERNEL void points(float *out, const float *a, int n)
{
    const struct point *in = (const struct point *)a;
    if (4 * I + 3 < n) {
        struct point p = in[I];
        p.x += p.y;
        p.id ^= 5;
        ((struct point *)out)[I] = p;
    }
}

KERNEL void vectors(float4 *out, const float4 *a, int n)
{
    if (I < n) {
        float4 v = a[I];
        v.x += v.w;
        out[I] = v * 2.0f;
    }
}

KERNEL void bytes_of(uint8_t *out, const uint8_t *a, int n)
{
    uint32_t v;
    if (4 * I + 3 < n) {
        memcpy(&v, a + 4 * I, 4);
        v = v * 2654435761u;
        memcpy(out + 4 * I, &v, 4);
    }
}

/* Down the columns of the block, in rows with a gap behind each: read, then written. */
#define COLUMNS(T)                                                                                 \
    KERNEL void columns_##T(T *out, const T *a)                                                    \
    {                                                                                              \
        SHARED T tile[2100];                                                                       \
        int pitch = THREADS > 1000 ? block_dim.y : block_dim.y + 1;                                \
        int at = thread_idx.z * block_dim.x * pitch + thread_idx.x * pitch + thread_idx.y;         \
        tile[ME] = a[I];                                                                           \
        barrier();                                                                                 \
        T v = at < THREADS ? tile[at] : (T)1;                                                      \
        T w = tile[thread_idx.x * block_dim.y + thread_idx.y];                                     \
        barrier();                                                                                 \
        tile[at] = v;                                                                              \
        barrier();                                                                                 \
        tile[at] += w;                                                                             \
        barrier();                                                                                 \
        out[I] = at == ME || at < THREADS ? tile[at] : w;                                          \
    }
COLUMNS(int8_t)
COLUMNS(uint16_t)
COLUMNS(float)
COLUMNS(double)
