/* searchsorted.c - where values go in a sorted row: out[i] = the elements that stand before
 * values[i].
 *
 *     searchsorted   those that are less, or with `right` not larger: a bisection
 *
 * shapes   sorted: n at a step; values: `s`, of `count` elements; out: as many, side by side
 * launch   a block PART values, any number of threads
 * reads    elements of `size` bytes, by the keys of sort.h: NaNs are the largest, and equal
 */
#include "sort.h"

enum { PART = 1024 }; /* ORDER SEARCHSORTED: src/ops/searchsorted.c */

struct searched {
    size_t n;
    ptrdiff_t first, step;
    size_t right;
};

/* find_T: the elements before a key. */
#define FIND(T)                                                                                    \
    DEVICE static size_t find_##T(struct keys k, struct searched r, const T *sorted, uint64_t key) \
    {                                                                                              \
        size_t before = 0, left = r.n; /* elements that stand before, and that are not known */    \
                                                                                                   \
        while (left) {                                                                             \
            const size_t half = left / 2;                                                          \
            const uint64_t middle =                                                                \
                key_of(k, sorted[r.first + (ptrdiff_t)(before + half) * r.step]);                  \
            const bool is_before = middle < key || (r.right && middle == key);                     \
            before = is_before ? before + half + 1 : before;                                       \
            left = is_before ? left - half - 1 : half;                                             \
        }                                                                                          \
        return before;                                                                             \
    }
WIDTHS(FIND)
#undef FIND

KERNEL void searchsorted(struct shape s, size_t count, struct keys k, struct searched r,
                         const void *sorted, struct view from, const void *values, void *out,
                         int size)
{
    const size_t first = (size_t)block_idx.x * PART, end = min_size(first + PART, count);

    for (size_t i = first + (size_t)thread_idx.x; i < end; i += (size_t)block_dim.x) {
        const struct place p = place_of(s, i);
        const ptrdiff_t at = view_at(from, p.a, p.b, p.c, p.d);
        size_t found = 0;
        switch (size) {
#define FIND_CASE(T)                                                                               \
    case sizeof(T):                                                                                \
        found = find_##T(k, r, (const T *)sorted, key_of(k, ((const T *)values)[at]));             \
        break;
            WIDTHS(FIND_CASE)
#undef FIND_CASE
        default: break;
        }
        ((int64_t *)out)[i] = (int64_t)found;
    }
}
