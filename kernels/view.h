/* view.h - strided views as arguments of kernels; src/ops/op.h has the same structs for the host.
 *
 * Four axes always: a tensor of lower rank has leading axes of extent 1.
 */
#ifndef LW_KERNELS_VIEW_H
#define LW_KERNELS_VIEW_H
#include <lanewise/kernel.h>

/* ORDER VIEW: src/ops/op.h */
struct shape {
    size_t extent[4];
};
struct view {
    ptrdiff_t offset, stride[4]; /* in elements of the buffer */
};

/* The element of a view at (a, b, c, d). */
DEVICE static ptrdiff_t view_at(struct view v, size_t a, size_t b, size_t c, size_t d)
{
    return v.offset + (ptrdiff_t)a * v.stride[0] + (ptrdiff_t)b * v.stride[1] +
           (ptrdiff_t)c * v.stride[2] + (ptrdiff_t)d * v.stride[3];
}

/* Where row `row` of a view begins: rows are counted in C order over the first three axes. */
DEVICE static ptrdiff_t view_row(struct shape s, struct view v, size_t row)
{
    const size_t c = row % s.extent[2], ab = row / s.extent[2];
    return view_at(v, ab / s.extent[1], ab % s.extent[1], c, 0);
}

/* The axes' indices of element i in C order. */
struct place {
    size_t a, b, c, d;
};
DEVICE static struct place place_of(struct shape s, size_t i)
{
    struct place p;
    p.d = i % s.extent[3];
    i /= s.extent[3];
    p.c = i % s.extent[2];
    i /= s.extent[2];
    p.b = i % s.extent[1];
    p.a = i / s.extent[1];
    return p;
}

/* The first place of the row after that of p. */
DEVICE static struct place next_row(struct shape s, struct place p)
{
    p.d = 0;
    if (++p.c < s.extent[2])
        return p;
    p.c = 0;
    if (++p.b < s.extent[1])
        return p;
    p.b = 0;
    p.a++;
    return p;
}

/* X(T) for the integers that elements are moved as: one of each size. */
#define WIDTHS(X) X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t)

DEVICE static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}
#endif
