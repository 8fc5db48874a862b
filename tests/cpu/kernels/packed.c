/* packed.c - stores to where the lanes below are counted: with gaps and without, for every size of
 * element.
 */
#include "common.h"

/* Of those bits the ones below the lane's own. */
#define BELOW(bits) ((bits) & ((1u << lane_id()) - 1))
#define WARP (I - lane_id())

/* clang-format off */
#define TYPES(X)                                                                                   \
    X(char, int8_t) X(ushort, uint16_t) X(int, int32_t) X(ulong, uint64_t)                         \
    X(half, _Float16) X(float, float) X(double, double)
/* clang-format on */

#define PACK(name, T)                                                                              \
    KERNEL void pack_##name(T *out, const T *a, int n)                                             \
    {                                                                                              \
        bool keep = I < n && a[I] > (T)0;                                                          \
        uint32_t kept = ballot(keep);                                                              \
        if (keep)                                                                                  \
            out[WARP + popcount(BELOW(kept))] = a[I];                                              \
    }
TYPES(PACK)

/* Some of those that are counted do not store. */
#define GAPS(name, T)                                                                              \
    KERNEL void gaps_##name(T *out, const T *a, int n)                                             \
    {                                                                                              \
        uint32_t kept = ballot(I < n && a[I] > (T)0);                                              \
        if (I < n && a[I] > (T)3)                                                                  \
            out[WARP + popcount(BELOW(kept))] = a[I];                                              \
    }
TYPES(GAPS)

/* Others than those that are counted store, some of them to one place: the last one stays. */
KERNEL void counted_others(int *out, const int *a, int n)
{
    uint32_t others = ballot(a[I] < 0);
    if (I < n && a[I] > 0)
        out[WARP + popcount(BELOW(others))] = a[I];
}

/* Where each warp's begin lies in block memory, as of an unsigned number that may wrap around. */
KERNEL void by_block(float *out, const float *a, int n)
{
    SHARED uint32_t first[32];
    bool keep = I < n && a[I] > 0;
    uint32_t kept = ballot(keep);
    if (lane_id() == 0)
        first[warp_id()] = popcount(kept);
    barrier();
    uint32_t before = block_idx.x * THREADS;
    for (int w = 0; w < warp_id(); w++)
        before += first[w];
    if (keep)
        out[before + popcount(BELOW(kept))] = a[I];
}

/* The place is found in front of a barrier, the store lies behind it. */
KERNEL void place_first(double *out, const double *a, int n)
{
    bool keep = I < n && a[I] != 0;
    int at = WARP + popcount(((1u << lane_id()) - 1) & ballot(keep));
    barrier();
    if (ME % 3 && keep)
        out[at] = a[I];
    barrier();
    if (keep)
        out[at] = a[I] + 1;
}

/* In a branch, of which all lanes store. */
KERNEL void within_branch(uint16_t *out, const uint16_t *a, int n)
{
    if (I < n && a[I] % 3) {
        uint32_t here = ballot(true);
        out[WARP + popcount(BELOW(here))] = a[I];
    }
}

KERNEL void all_of_them(float *out, const float *a)
{
    uint32_t kept = ballot(ME >= 0);
    out[WARP + popcount(BELOW(kept))] = a[I];
}

/* Backwards, and with the bits that stand above the lane's own. */
KERNEL void backwards(int *out, const int *a, int n)
{
    bool keep = I < n && a[I] % 2;
    uint32_t kept = ballot(keep);
    if (keep)
        out[WARP + popcount(kept) - 1 - popcount(BELOW(kept))] = a[I];
}

/* What was kept in the iterations before comes first. */
KERNEL void trip_by_trip(int *out, const int *a, int n)
{
    int next = WARP;
    for (int k = 0; k < 4; k++) {
        bool keep = I < n && (a[I] & 3) == k;
        uint32_t kept = ballot(keep);
        if (keep)
            out[next + popcount(BELOW(kept))] = a[I];
        next += popcount(kept);
    }
}
