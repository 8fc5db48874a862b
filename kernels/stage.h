/* stage.h - rows whose elements do not lie side by side, read in place.
 *
 * A leaf of such a row is copied into block memory, where it stays in the first cache, and is
 * computed with there. The kernels of NAME_vector.c do so; elsewhere a row lies side by side. A
 * block is a warp.
 */
#ifndef LW_KERNELS_STAGE_H
#define LW_KERNELS_STAGE_H
#include "stream.h"

/* In a kernel: room for a leaf of any type. */
#ifdef VECTOR_LEVELS
#define LEAF_BUFFER(name) SHARED uint64_t name[LEAF]
#else
#define LEAF_BUFFER(name) void *const name = (void *)0
#endif

#ifdef VECTOR_LEVELS
/* `count` elements from x[at] on, `step` apart, to the elements of `to` from `first` on. With other
 * steps, and at the end, one thread copies: its loads are faster than a gather. */
DEVICE static void stage_run(const void *x, size_t size, ptrdiff_t at, ptrdiff_t step, size_t count,
                             void *to, size_t first)
{
    const size_t lane = (size_t)lane_id(), whole = count - count % WARP_SIZE;
    size_t j = 0;

#define EACH_LANE(index)                                                                           \
    for (; j < whole; j += WARP_SIZE)                                                              \
        q[j + lane] = p[index];
#define STAGE_CASE(T)                                                                              \
    case sizeof(T): {                                                                              \
        const T *p = (const T *)x + at;                                                            \
        T *q = (T *)to + first;                                                                    \
        if (step == 1)                                                                             \
            EACH_LANE(j + lane)                                                                    \
        else if (step == 2)                                                                        \
            EACH_LANE(2 * (j + lane))                                                              \
        else if (step == -1)                                                                       \
            EACH_LANE(-(ptrdiff_t)(j + lane))                                                      \
        if (lane == 0)                                                                             \
            _Pragma("unroll 4") for (; j < count; j++) q[j] = p[(ptrdiff_t)j * step];              \
        break;                                                                                     \
    }
    switch (size) {
        WIDTHS(STAGE_CASE)
    default: break;
    }
#undef STAGE_CASE
#undef EACH_LANE
}
#endif

/* `count` elements from x[at] on, at most a leaf: in place, or copied to `staged`. */
DEVICE static const void *staged_run(const void *x, size_t size, ptrdiff_t at, ptrdiff_t step,
                                     size_t count, void *staged)
{
#ifdef VECTOR_LEVELS
    if (step != 1) {
        warp_sync(); /* the leaf before has been read */
        stage_run(x, size, at, step, count, staged, 0);
        warp_sync();
        return staged;
    }
#endif
    return (const char *)x + at * (ptrdiff_t)size;
}

/* The same, of elements first .. first + count of an item. */
DEVICE static const void *staged_leaf(const void *x, size_t size, struct cut cut, struct shape s,
                                      struct view v, struct item item, size_t first, size_t count,
                                      void *staged)
{
#ifdef VECTOR_LEVELS
    if (cut.whole) {
        struct place p = place_of(s, item.part * cut.part + first);
        warp_sync();
        for (size_t done = 0, run; done < count; done += run, p = next_row(s, p)) {
            run = min_size(s.extent[3] - p.d, count - done);
            stage_run(x, size, view_at(v, p.a, p.b, p.c, p.d), v.stride[3], run, staged, done);
        }
        warp_sync();
        return staged;
    }
#endif
    return staged_run(x, size, item.at + (ptrdiff_t)first * v.stride[3], v.stride[3], count,
                      staged);
}

/* How many elements of an item are together in place. */
DEVICE static size_t staged_count(struct cut cut, struct view v, struct item item)
{
    return cut.whole || v.stride[3] != 1 ? LEAF : item.count;
}
#endif
