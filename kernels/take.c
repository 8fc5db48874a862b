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
 * idea     on processors the slices' places are found first, for some at a time. Then so little
 *          stands between two reads of x that the processor waits for many of them at once
 * numeric  exact; an index is from `lowest`, which is -extent or 0, to extent - 1. Another one
 *          fails the launch, which names its place among the indices. That of out's element e, in
 *          C order, is e / `repeats` % `count`
 */
#include "view.h"

enum { ROW_PART = 4096, FLAT_PART = 1024 }; /* ORDER TAKE: src/ops/take.c */
enum { SLICES = 256 };

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

/* slice[k]: where the slice begins that index `at + k * step` names, for out's element
 * linear + k * apart. */
DEVICE static void find_slices(ptrdiff_t *slice, struct slices s, const void *indices, ptrdiff_t at,
                               ptrdiff_t step, size_t count, size_t linear, size_t apart)
{
    ptrdiff_t *const begin = slice, *const end = slice + count;

#define FIND(T, STEP)                                                                              \
    {                                                                                              \
        const T *from = (const T *)indices + at;                                                   \
        _Pragma("unroll 4") for (; slice < end; slice++, from += (STEP))                           \
        {                                                                                          \
            int64_t index = *from;                                                                 \
            if ((uint64_t)index >= (uint64_t)s.extent) {                                           \
                if (index < s.lowest || index >= 0)                                                \
                    break;                                                                         \
                index += s.extent;                                                                 \
            }                                                                                      \
            *slice = index * s.step;                                                               \
        }                                                                                          \
    }
    if (s.wide && step == 1)
        FIND(int64_t, 1)
    else if (s.wide)
        FIND(int64_t, step)
    else
        FIND(int32_t, step)
#undef FIND
    if (slice < end)
        slice_at(s, indices, at + (slice - begin) * step, linear + (size_t)(slice - begin) * apart);
}

/* take_T: out[k * out_step] = x[k * x_step + slice[k]]. */
#define TAKE(T)                                                                                    \
    DEVICE static void take_##T(const ptrdiff_t *slice, const T *x, ptrdiff_t x_step, T *out,      \
                                ptrdiff_t out_step, size_t count)                                  \
    {                                                                                              \
        const ptrdiff_t *const end = slice + count;                                                \
                                                                                                   \
        if (x_step == 0 && out_step == 1)                                                          \
            _Pragma("unroll 4") for (; slice < end; slice++, out++) *out = x[*slice];              \
        else                                                                                       \
            for (; slice < end; slice++, x += x_step, out += out_step)                             \
                *out = x[*slice];                                                                  \
    }
WIDTHS(TAKE)

/* A call of memcpy is long beside a short slice. */
DEVICE static void copy_slice(char *to, const char *from, size_t bytes)
{
    if (bytes > 256) {
        memcpy(to, from, bytes);
    } else if (bytes >= 16) {
        for (size_t i = 0; i < bytes - 16; i += 16)
            memcpy(to + i, from + i, 16);
        memcpy(to + bytes - 16, from + bytes - 16, 16);
    } else if (bytes >= 8) {
        memcpy(to, from, 8);
        memcpy(to + bytes - 8, from + bytes - 8, 8);
    } else {
        for (size_t i = 0; i < bytes; i++)
            to[i] = from[i];
    }
}

/* A block's part, or rows. */
struct rows {
    size_t row, last, first, end;
};

/* Where both sides have whole slices: rows that differ in axis 2 alone, some at a time. */
DEVICE static void take_whole(struct shape s, struct slices slices, struct view from, const void *x,
                              struct view at, const void *indices, struct view to, void *out,
                              ptrdiff_t size, struct rows rows)
{
    SHARED ptrdiff_t slice[SLICES];
    const size_t bytes = (rows.end - rows.first) * (size_t)size;
    struct place p = place_of(s, rows.row * s.extent[3]);
    size_t count;

    for (size_t r = rows.row; r < rows.last; r += count, p = next_row(s, p)) {
        count = min_size(min_size(s.extent[2] - p.c, rows.last - r), SLICES);
        find_slices(slice, slices, indices, view_at(at, p.a, p.b, p.c, 0), at.stride[2], count,
                    r * s.extent[3] + rows.first, s.extent[3]);
        const char *source = (const char *)x + view_at(from, p.a, p.b, p.c, rows.first) * size;
        char *target = (char *)out + view_at(to, p.a, p.b, p.c, rows.first) * size;
        ptrdiff_t *const end = slice + count, row = 0;
        for (ptrdiff_t *at_row = slice; at_row < end; at_row++, row += from.stride[2])
            *at_row = (*at_row + row) * size;
        for (const ptrdiff_t *at_row = slice; at_row < end; at_row++)
            (void)*(const volatile char *)(source + *at_row);
        for (const ptrdiff_t *at_row = slice; at_row < end; at_row++, target += to.stride[2] * size)
            copy_slice(target, source + *at_row, bytes);
        p.c += count - 1;
    }
}

/* Element by element. Rows with the same indices, as those of a matrix whose columns are taken,
 * find their slices once. */
DEVICE static void take_elements(struct shape s, struct slices slices, struct view from,
                                 const void *x, struct view at, const void *indices, struct view to,
                                 void *out, int size, struct rows rows)
{
    SHARED ptrdiff_t slice[SLICES];

    for (size_t i = rows.first; i < rows.end; i += SLICES) {
        const size_t count = min_size(rows.end - i, SLICES);
        struct place p = place_of(s, rows.row * s.extent[3]);
        ptrdiff_t found = PTRDIFF_MIN;
        for (size_t r = rows.row; r < rows.last; r++, p = next_row(s, p)) {
            const ptrdiff_t place = view_at(at, p.a, p.b, p.c, i);
            const ptrdiff_t source = view_at(from, p.a, p.b, p.c, i),
                            target = view_at(to, p.a, p.b, p.c, i);
            if (place != found)
                find_slices(slice, slices, indices, place, at.stride[3], count, r * s.extent[3] + i,
                            1);
            found = place;
            switch (size) {
#define TAKE_CASE(T)                                                                               \
    case sizeof(T):                                                                                \
        take_##T(slice, (const T *)x + source, from.stride[3], (T *)out + target, to.stride[3],    \
                 count);                                                                           \
        break;
                WIDTHS(TAKE_CASE)
#undef TAKE_CASE
            default: break;
            }
        }
    }
}

KERNEL void take_rows(struct shape s, struct slices slices, struct view from, const void *x,
                      struct view at, const void *indices, struct view to, void *out, int size,
                      size_t parts, size_t rows_each)
{
    const size_t first = (size_t)block_idx.x % parts * ROW_PART,
                 row = (size_t)block_idx.x / parts * rows_each;
    const struct rows rows = {row,
                              min_size(row + rows_each, s.extent[0] * s.extent[1] * s.extent[2]),
                              first, min_size(first + ROW_PART, s.extent[3])};

    if (block_dim.x == 1) {
        if (!at.stride[3] && from.stride[3] == 1 && to.stride[3] == 1)
            take_whole(s, slices, from, x, at, indices, to, out, size, rows);
        else
            take_elements(s, slices, from, x, at, indices, to, out, size, rows);
        return;
    }
    for (size_t r = rows.row; r < rows.last; r++) {
        const ptrdiff_t source = view_row(s, from, r), target = view_row(s, to, r),
                        place = view_row(s, at, r);
        switch (size) {
#define TAKE_CASE(T)                                                                               \
    case sizeof(T):                                                                                \
        for (size_t i = first + (size_t)thread_idx.x; i < rows.end; i += (size_t)block_dim.x)      \
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
