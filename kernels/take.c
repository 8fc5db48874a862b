/* take.c - elements by index: out[p] = x[base(p) + index(p) * step], for each place p of out.
 *
 * x and the indices are views with out's four axes. x has a stride of 0 along the axes of the
 * indices, and the indices have one along all others.
 *
 *     take_rows    a block the part of ROW_PART elements of some rows, the last axis
 *     take_flat    a block FLAT_PART elements, whatever the rows
 *
 * shapes   out, x, at: `s`; x has `extent` slices, `step` apart
 * launch   any number of threads
 * reads    elements of 1, 2, 4 or 8 bytes, moved as integers; indices of i32, or i64 where `wide`
 * numeric  exact; an index is from `lowest`, which is -extent or 0, to extent - 1. Another one
 *          fails the launch, which names its place among the indices. That of out's element e, in
 *          C order, is e / `repeats` % `count`
 */
#include "view.h"

enum { ROW_PART = 4096, FLAT_PART = 1024 }; /* ORDER TAKE: src/ops/take.c */

struct slices {
    int64_t lowest, extent;
    ptrdiff_t step;
    size_t wide, repeats, count;
};

DEVICE static void refuse(struct slices s, int64_t index, size_t which)
{
    const bool is_unsigned = s.lowest == 0 && s.extent != 0;

    assert_that(!is_unsigned, "index %zu is %llu, the axis has extent %lld", which,
                (unsigned long long)index, (long long)s.extent);
    assert_that(false, "index %zu is %lld, the axis has extent %lld", which, (long long)index,
                (long long)s.extent);
}

/* Where the slice begins that the index names, which is that of out's element `linear`. */
DEVICE static ptrdiff_t slice_at(struct slices s, const void *indices, ptrdiff_t at, size_t linear)
{
    const int64_t index =
        s.wide ? ((const int64_t *)indices)[at] : (int64_t)((const int32_t *)indices)[at];

    if (index < s.lowest || index >= s.extent)
        refuse(s, index, linear / s.repeats % s.count);
    return (ptrdiff_t)(index < 0 ? index + s.extent : index) * s.step;
}

KERNEL void take_rows(struct shape s, struct slices slices, struct view from, const void *x,
                      struct view at, const void *indices, struct view to, void *out, int size,
                      size_t parts, size_t rows_each)
{
    const size_t first = (size_t)block_idx.x % parts * ROW_PART;
    const size_t end = min_size(first + ROW_PART, s.extent[3]);
    const size_t row = (size_t)block_idx.x / parts * rows_each;
    const size_t last = min_size(row + rows_each, s.extent[0] * s.extent[1] * s.extent[2]);
    const bool is_whole =
        block_dim.x == 1 && !at.stride[3] && from.stride[3] == 1 && to.stride[3] == 1;

    for (size_t r = row; r < last; r++) {
        const ptrdiff_t source = view_row(s, from, r), target = view_row(s, to, r),
                        place = view_row(s, at, r);
        switch (is_whole ? 0 : size) {
        case 0: {
            const ptrdiff_t slice = slice_at(slices, indices, place, r * s.extent[3] + first);
            memcpy((char *)out + (target + (ptrdiff_t)first) * size,
                   (const char *)x + (source + slice + (ptrdiff_t)first) * size,
                   (end - first) * (size_t)size);
            break;
        }
#define TAKE_CASE(T)                                                                               \
    case sizeof(T):                                                                                \
        for (size_t i = first + (size_t)thread_idx.x; i < end; i += (size_t)block_dim.x)           \
            ((T *)out)[target + (ptrdiff_t)i * to.stride[3]] =                                     \
                ((const T *)x)[source + (ptrdiff_t)i * from.stride[3] +                            \
                               slice_at(slices, indices, place + (ptrdiff_t)i * at.stride[3],      \
                                        r * s.extent[3] + i)];                                     \
        break;
            WIDTHS(TAKE_CASE)
#undef TAKE_CASE
        default: break;
        }
    }
}

KERNEL void take_flat(struct shape s, size_t n, struct slices slices, struct view from,
                      const void *x, struct view at, const void *indices, struct view to, void *out,
                      int size)
{
    const size_t first = (size_t)block_idx.x * FLAT_PART, end = min_size(first + FLAT_PART, n);

    for (size_t i = first + (size_t)thread_idx.x; i < end; i += (size_t)block_dim.x) {
        const struct place p = place_of(s, i);
        const ptrdiff_t target = view_at(to, p.a, p.b, p.c, p.d),
                        source = view_at(from, p.a, p.b, p.c, p.d) +
                                 slice_at(slices, indices, view_at(at, p.a, p.b, p.c, p.d), i);
        switch (size) {
#define TAKE_CASE(T)                                                                               \
    case sizeof(T): ((T *)out)[target] = ((const T *)x)[source]; break;
            WIDTHS(TAKE_CASE)
#undef TAKE_CASE
        default: break;
        }
    }
}
