/* compact_gpu.c - the elements whose mask is set, on GPUs: compact.c's kernels with a block of 256
 * threads a part. A thread has LINE-spaced elements, so that neighbours read side by side.
 *
 * shapes   as in compact.c
 * launch   256 threads; count and write: a block a part of PART elements; sum: one block
 */
#include "compact.h"

enum { THREADS = 256, LINES = 16, PART = THREADS * LINES };

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

    for (size_t first = 0; first < parts; first += THREADS) {
        const size_t p = first + (size_t)thread_idx.x;
        const int64_t count = p < parts ? c[p] : 0;
        const int64_t place = block_exclusive_sum(count), all = block_sum(count);
        if (p < parts)
            c[p] = before + place;
        before += all;
    }
    if (thread_idx.x == 0) {
        c[parts] = before;
        *(int64_t *)total = before;
    }
}

KERNEL BLOCK(256) void compact_write(size_t n, struct steps f, const void *x, struct steps m,
                                     const void *mask, uint64_t bits, struct steps t, void *out,
                                     size_t parts, const void *counts)
{
    const size_t first = (size_t)block_idx.x * PART + (size_t)thread_idx.x;
    const int64_t *c = counts;
    size_t place = (size_t)c[block_idx.x];

    for (int line = 0; line < LINES; line++) {
        const size_t i = first + (size_t)(line * THREADS);
        const bool is_kept = i < n && is_set(m, mask, bits, i);
        const int before = block_exclusive_sum((int)is_kept);
        if (is_kept) {
            const ptrdiff_t from = f.offset + (ptrdiff_t)i * f.step,
                            to = t.offset + (ptrdiff_t)(place + (size_t)before) * t.step;
            switch (f.size) {
#define WRITE_CASE(T)                                                                              \
    case sizeof(T): ((T *)out)[to] = ((const T *)x)[from]; break;
                WIDTHS(WRITE_CASE)
#undef WRITE_CASE
            default: break;
            }
        }
        place += (size_t)block_count(is_kept);
        if (i < n && i >= (size_t)c[parts])
            clear_one(out, t.size, t.offset + (ptrdiff_t)i * t.step);
    }
}
