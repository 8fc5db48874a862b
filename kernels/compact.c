/* compact.c - the elements whose mask is set, on processors: a block a part.
 *
 *     compact_count   how many elements of each part are set
 *     compact_sum     replaces each part's count by the sum of the counts before it, and stores the
 *                     sum of all behind the last count and in `total`
 *     compact_write   the set elements of a part, at their places, and zeros at those of its own
 *                     places that lie behind all
 *
 * shapes   x, out: n elements at a step; mask: side by side; counts: parts + 1
 * launch   count and write: a block a part of PART elements, any number of threads; sum: one block
 *          of one thread
 * reads    elements of 1, 2, 4 or 8 bytes, moved as integers; `bits`: those of a mask that count
 * idea     one thread stores each element of a line and keeps a set one by moving on, which takes
 *          no branch. The places behind a part are another block's: near them elements go through
 *          memory of the block
 */
#include "compact.h"

enum { PART = 16384, LINE = 1024 }; /* ORDER COMPACT: src/ops/compact.c */

KERNEL void compact_count(size_t n, struct steps m, const void *mask, uint64_t bits, void *counts)
{
    const size_t first = (size_t)block_idx.x * PART, end = min_size(first + PART, n);
    uint32_t count = 0;

    switch (m.size) {
#define COUNT_CASE(T)                                                                              \
    case sizeof(T): {                                                                              \
        const T *from = (const T *)mask + m.offset;                                                \
        for (size_t i = first + (size_t)thread_idx.x; i < end; i += (size_t)block_dim.x)           \
            count += (from[i] & (T)bits) != 0;                                                     \
        break;                                                                                     \
    }
        WIDTHS(COUNT_CASE)
#undef COUNT_CASE
    default: break;
    }
    count = block_sum(count);
    if (thread_idx.x == 0)
        ((int64_t *)counts)[block_idx.x] = count;
}

KERNEL BLOCK(1) void compact_sum(size_t parts, void *counts, void *total)
{
    int64_t *c = counts, sum = 0;

    for (size_t p = 0; p < parts; p++) {
        const int64_t count = c[p];
        c[p] = sum;
        sum += count;
    }
    c[parts] = sum;
    *(int64_t *)total = sum;
}

/* flags[j] = is the mask of element first + j set? */
DEVICE static void read_mask(uint8_t *flags, struct steps m, const void *mask, uint64_t bits,
                             size_t first, size_t count)
{
    const ptrdiff_t at = m.offset + (ptrdiff_t)first;

    switch (m.size) {
#define MASK_CASE(T)                                                                               \
    case sizeof(T): {                                                                              \
        const T *from = (const T *)mask + at;                                                      \
        for (size_t j = (size_t)thread_idx.x; j < count; j += (size_t)block_dim.x)                 \
            flags[j] = (from[j] & (T)bits) != 0;                                                   \
        break;                                                                                     \
    }
        WIDTHS(MASK_CASE)
#undef MASK_CASE
    default: break;
    }
}

/* keep_T: the elements of a line that are set, to `to`, and any value behind them; their number. */
#define KEEP(T)                                                                                    \
    DEVICE static size_t keep_##T(T *to, const T *from, ptrdiff_t step, const uint8_t *flags,      \
                                  size_t line)                                                     \
    {                                                                                              \
        T *const first = to;                                                                       \
        size_t j = 0;                                                                              \
                                                                                                   \
        if (step == 1)                                                                             \
            for (; j + 8 <= line; j += 8) {                                                        \
                _Pragma("unroll") for (size_t k = 0; k < 8; k++)                                   \
                {                                                                                  \
                    *to = from[j + k];                                                             \
                    to += flags[j + k];                                                            \
                }                                                                                  \
            }                                                                                      \
        for (; j < line; j++) {                                                                    \
            *to = from[(ptrdiff_t)j * step];                                                       \
            to += flags[j];                                                                        \
        }                                                                                          \
        return (size_t)(to - first);                                                               \
    }
WIDTHS(KEEP)
#undef KEEP

/* out[i] = 0 from i = first up to end. */
DEVICE static void clear_from(void *out, struct steps t, size_t first, size_t end)
{
    switch (t.size) {
#define CLEAR_CASE(T)                                                                              \
    case sizeof(T): {                                                                              \
        T *to = (T *)out + t.offset;                                                               \
        if (t.step == 1)                                                                           \
            for (size_t i = first + (size_t)thread_idx.x; i < end; i += (size_t)block_dim.x)       \
                to[i] = 0;                                                                         \
        else                                                                                       \
            for (size_t i = first + (size_t)thread_idx.x; i < end; i += (size_t)block_dim.x)       \
                to[(ptrdiff_t)i * t.step] = 0;                                                     \
        break;                                                                                     \
    }
        WIDTHS(CLEAR_CASE)
#undef CLEAR_CASE
    default: break;
    }
}

KERNEL void compact_write(size_t n, struct steps f, const void *x, struct steps m, const void *mask,
                          uint64_t bits, struct steps t, void *out, size_t parts,
                          const void *counts)
{
    SHARED uint8_t flags[LINE];
    SHARED uint64_t kept[LINE + 1];
    SHARED size_t kept_count;
    const size_t first = (size_t)block_idx.x * PART, end = min_size(first + PART, n);
    const int64_t *c = counts;
    const size_t place_end = (size_t)c[(size_t)block_idx.x + 1];
    size_t place = (size_t)c[block_idx.x];

    for (size_t i = first; i < end; i += LINE) {
        const size_t line = min_size(LINE, end - i);
        const bool is_direct = t.step == 1 && place + line < place_end;
        read_mask(flags, m, mask, bits, i, line);
        barrier();
        switch (f.size) {
#define WRITE_CASE(T)                                                                              \
    case sizeof(T): {                                                                              \
        const T *from = (const T *)x + f.offset + (ptrdiff_t)i * f.step;                           \
        T *to = (T *)out + t.offset + (ptrdiff_t)place * t.step, *keep = (T *)kept;                \
        if (thread_idx.x == 0)                                                                     \
            kept_count = keep_##T(is_direct ? to : keep, from, f.step, flags, line);               \
        barrier();                                                                                 \
        for (size_t j = (size_t)thread_idx.x; j < kept_count && !is_direct;                        \
             j += (size_t)block_dim.x)                                                             \
            to[(ptrdiff_t)j * t.step] = keep[j];                                                   \
        break;                                                                                     \
    }
            WIDTHS(WRITE_CASE)
#undef WRITE_CASE
        default: break;
        }
        place += kept_count;
        barrier();
    }
    const size_t all = (size_t)c[parts];
    clear_from(out, t, first > all ? first : all, end);
}
