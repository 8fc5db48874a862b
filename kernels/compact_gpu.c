/* compact_gpu.c - the elements whose mask is set, on GPUs: compact.inc's kernels with 256 threads
 * a part. A warp has LINES times 32 elements of it that lie side by side; ballots say which
 * are set, so one sum over the block gives the places of all.
 *
 * shapes   as in compact.inc, but out at a step
 * launch   256 threads; count and write: a block a part of PART elements; sum: one block
 */
#include "compact.h"

enum { THREADS = 256, LINES = 16, PART = THREADS * LINES }; /* ORDER COMPACT: src/ops/compact.c */
enum { COUNTS = 16 }; /* that a thread of compact_sum adds itself */

DEVICE static bool is_set(struct steps m, const void *mask, uint64_t bits, size_t i)
{
    const ptrdiff_t at = m.offset + (ptrdiff_t)i * m.step;

    switch (m.size) {
#define MASK_CASE(T)                                                                               \
    case sizeof(T): return (((const T *)mask)[at] & bits) != 0;
        WIDTHS(MASK_CASE)
#undef MASK_CASE
    default: return false;
    }
}

KERNEL BLOCK(256) void compact_count(size_t n, struct steps m, const void *mask, uint64_t bits,
                                     void *counts)
{
    const size_t first = (size_t)block_idx.x * PART + (size_t)thread_idx.x;
    int count = 0;

    for (int line = 0; line < LINES; line++) {
        const size_t i = first + (size_t)(line * THREADS);
        count += i < n && is_set(m, mask, bits, i);
    }
    count = block_sum(count);
    if (thread_idx.x == 0)
        ((int64_t *)counts)[block_idx.x] = count;
}

KERNEL BLOCK(256) void compact_sum(size_t parts, void *counts, void *total)
{
    int64_t *c = counts, before = 0;

    for (size_t first = 0; first < parts; first += COUNTS * THREADS) {
        const size_t p = first + COUNTS * (size_t)thread_idx.x;
        int64_t own[COUNTS], count = 0;
        for (size_t k = 0; k < COUNTS; k++) {
            own[k] = p + k < parts ? c[p + k] : 0;
            count += own[k];
        }
        int64_t place = before + block_exclusive_sum(count);
        for (size_t k = 0; k < COUNTS; k++) {
            if (p + k < parts)
                c[p + k] = place;
            place += own[k];
        }
        before += block_sum(count);
    }
    if (thread_idx.x == 0) {
        c[parts] = before;
        *(int64_t *)total = before;
    }
}

DEVICE static void move_one(void *out, ptrdiff_t to, const void *x, ptrdiff_t from, int size)
{
    switch (size) {
#define WRITE_CASE(T)                                                                              \
    case sizeof(T): ((T *)out)[to] = ((const T *)x)[from]; break;
        WIDTHS(WRITE_CASE)
#undef WRITE_CASE
    default: break;
    }
}

/* out[at] = 0. */
DEVICE static void clear_one(void *out, size_t size, ptrdiff_t at)
{
    switch (size) {
#define CLEAR_CASE(T)                                                                              \
    case sizeof(T): ((T *)out)[at] = 0; break;
        WIDTHS(CLEAR_CASE)
#undef CLEAR_CASE
    default: break;
    }
}

KERNEL BLOCK(256) void compact_write(size_t n, struct steps f, const void *x, struct steps m,
                                     const void *mask, uint64_t bits, struct steps t, void *out,
                                     size_t cleared, size_t parts, const void *counts)
{
    const size_t first =
        (size_t)block_idx.x * PART + (size_t)(warp_id() * LINES * WARP_SIZE + lane_id());
    const uint32_t below = ((uint32_t)1 << lane_id()) - 1;
    const int64_t *c = counts;
    uint32_t set[LINES];
    int count = 0;

#pragma unroll
    for (int line = 0; line < LINES; line++) {
        const size_t i = first + (size_t)(line * WARP_SIZE);
        set[line] = ballot(i < n && is_set(m, mask, bits, i));
        count += popcount(set[line]);
    }
    const int before = shuffle(block_exclusive_sum(lane_id() == 0 ? count : 0), 0);
    size_t place = (size_t)c[block_idx.x] + (size_t)before;

#pragma unroll
    for (int line = 0; line < LINES; line++) {
        const size_t i = first + (size_t)(line * WARP_SIZE);
        if (set[line] >> lane_id() & 1)
            move_one(out,
                     t.offset + (ptrdiff_t)(place + (size_t)popcount(set[line] & below)) * t.step,
                     x, f.offset + (ptrdiff_t)i * f.step, f.size);
        place += (size_t)popcount(set[line]);
        if (i < cleared && i >= (size_t)c[parts])
            clear_one(out, t.size, t.offset + (ptrdiff_t)i * t.step);
    }
}
