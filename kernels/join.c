/* join.c - indices of several axes as one: places[i] = the sum over the axes of index(i) * step.
 *
 * It takes a launch for each axis. The first one begins with `begin`, the others add to what is
 * there.
 *
 * shapes   indices: `s`, of n elements; places: as many, side by side
 * launch   a block PART elements, any number of threads
 * reads    indices of i32, or i64 where `wide`
 * numeric  exact; an index is from `lowest`, which is -extent or 0, to extent - 1. Another one
 *          fails the launch, which names its place among the indices
 */
#include "view.h"

enum { PART = 4096 }; /* ORDER JOIN: src/ops/join.c */

struct joining {
    int64_t lowest, extent, step, begin;
    size_t wide, adds;
};

DEVICE static void refuse(struct joining j, int64_t index, size_t which)
{
    const bool is_unsigned = j.lowest == 0 && j.extent != 0;

    assert_that(!is_unsigned, "index %zu is %llu, the axis has extent %lld", which,
                (unsigned long long)index, (long long)j.extent);
    assert_that(false, "index %zu is %lld, the axis has extent %lld", which, (long long)index,
                (long long)j.extent);
}

DEVICE static bool is_within(struct joining j, int64_t index)
{
    return index >= j.lowest && index < j.extent;
}

DEVICE static int64_t place_at(struct joining j, int64_t before, int64_t index)
{
    return before + (index < 0 ? index + j.extent : index) * j.step;
}

/* join_T: `count` elements from number `which` on, at one step. */
#define JOIN(T)                                                                                    \
    DEVICE static void join_##T(struct joining j, const T *from, ptrdiff_t step, int64_t *places,  \
                                size_t count, size_t which)                                        \
    {                                                                                              \
        int64_t *to = places, *const end = places + count;                                         \
                                                                                                   \
        if (step == 1 && !j.adds)                                                                  \
            PLACES(T, 1, j.begin)                                                                  \
        else if (step == 1)                                                                        \
            PLACES(T, 1, *to)                                                                      \
        else if (!j.adds)                                                                          \
            PLACES(T, step, j.begin)                                                               \
        else                                                                                       \
            PLACES(T, step, *to)                                                                   \
        if (to < end)                                                                              \
            refuse(j, *from, which + (size_t)(to - places));                                       \
    }
#define PLACES(T, STEP, BEFORE)                                                                    \
    _Pragma("unroll 4") for (; to < end; to++, from += (STEP))                                     \
    {                                                                                              \
        int64_t index = *from;                                                                     \
        if ((uint64_t)index >= (uint64_t)j.extent) {                                               \
            if (index < j.lowest || index >= 0)                                                    \
                break;                                                                             \
            index += j.extent;                                                                     \
        }                                                                                          \
        *to = (BEFORE) + index * j.step;                                                           \
    }
JOIN(int32_t)
JOIN(int64_t)
#undef JOIN
#undef PLACES

/* One thread: the part's rows, one after the other. */
DEVICE static void join_rows(struct shape s, struct joining j, struct view at, const void *indices,
                             int64_t *places, size_t first, size_t end)
{
    struct place p = place_of(s, first);
    size_t count;

    for (size_t i = first; i < end; i += count, p = next_row(s, p)) {
        count = min_size(end - i, s.extent[3] - p.d);
        const ptrdiff_t from = view_at(at, p.a, p.b, p.c, p.d);
        if (j.wide)
            join_int64_t(j, (const int64_t *)indices + from, at.stride[3], places + i, count, i);
        else
            join_int32_t(j, (const int32_t *)indices + from, at.stride[3], places + i, count, i);
    }
}

KERNEL void join(struct shape s, size_t n, struct joining j, struct view at, const void *indices,
                 void *places)
{
    const size_t first = (size_t)block_idx.x * PART, end = min_size(first + PART, n);
    int64_t *const to = places;

    if (block_dim.x == 1) {
        join_rows(s, j, at, indices, to, first, end);
        return;
    }
    for (size_t i = first + (size_t)thread_idx.x; i < end; i += (size_t)block_dim.x) {
        const struct place p = place_of(s, i);
        const ptrdiff_t from = view_at(at, p.a, p.b, p.c, p.d);
        const int64_t index =
            j.wide ? ((const int64_t *)indices)[from] : (int64_t)((const int32_t *)indices)[from];
        if (!is_within(j, index)) {
            to[i] = -1; /* for launches that run before the failure is known */
            refuse(j, index, i);
        }
        to[i] = place_at(j, j.adds ? to[i] : j.begin, index);
    }
}
