/* atomics.c - atomics whose result does not depend on their order.
 */
#include "common.h"

#define INTEGERS(X) X(int, int32_t) X(uint, uint32_t) X(long, int64_t) X(ulong, uint64_t)
#define SMALL(X) X(char, int8_t) X(byte, uint8_t) X(short, int16_t) X(ushort, uint16_t)

#define EACH(name, T)                                                                              \
    KERNEL void atomic_##name(T *sums, T *max, T *min, T *bits, const T *a, int n)                 \
    {                                                                                              \
        int at = ME % 7;                                                                           \
        if (I < n) {                                                                               \
            atomic_add(&sums[at < THREADS ? at : 0], (T)(a[I] & (T)15));                           \
            atomic_sub(&sums[ME], (T)3);                                                           \
            atomic_max(max, a[I]);                                                                 \
            atomic_min(&min[block_idx.x], a[I]);                                                   \
            atomic_or(&bits[0], (T)(a[I] & (T)5));                                                 \
            atomic_and(&bits[1], (T)(a[I] | (T)5));                                                \
            atomic_xor(&bits[2 + ME % 3], a[I]);                                                   \
        }                                                                                          \
    }
INTEGERS(EACH)
SMALL(EACH)

KERNEL void float_limits(float *max, double *min, const float *a, const double *b)
{
    atomic_max(&max[ME % 2], a[I]);
    atomic_min(min, b[I]);
}

/* Sums of few bits are exact in every order. */
KERNEL void float_sums(float *out, double *outs)
{
    SHARED float sum;
    SHARED double sums[3];
    if (ME == 0) {
        sum = 0;
        for (int k = 0; k < 3; k++)
            sums[k] = k;
    }
    barrier();
    atomic_add(&sum, ME % 5 * 0.25f);
    atomic_add(&sums[ME % 3], 0.5);
    barrier();
    out[I] = sum;
    outs[I] = sums[ME % 3];
}

KERNEL void own_places(int *out, float *f, const int *a)
{
    int old = atomic_exchange(&out[I], a[I]);
    old ^= atomic_cas(&out[I], a[I], ME);
    old += atomic_add(&f[I], 1.0f) > 2;
    atomic_store(&out[I], old ^ atomic_load(&out[I]));
}

KERNEL void numbered(int *seen, int *count, int n)
{
    if (I < n) {
        int mine = (int)((unsigned)atomic_add(count, 1) % 4);
        atomic_or(&seen[0], 1 << mine);
    }
}
