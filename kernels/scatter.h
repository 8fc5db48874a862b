/* scatter.h - what both variants of scatter share.
 *
 * Element (row, j, c) of the values goes to out's element (row, c) from place j on. Rows are
 * counted over the first three axes, c is along the last.
 */
#ifndef LW_KERNELS_SCATTER_H
#define LW_KERNELS_SCATTER_H
#include "element.h"
#include "view.h"

/* ORDER SCATTER: src/ops/scatter.c */
struct scattering {
    size_t n;       /* places */
    ptrdiff_t step; /* of the values, from one place to the next */
    int type;       /* enum dtype; where elements are put, an unsigned one of their size */
    bool adds;
};

/* PUT(T), ADD(T): what becomes of element a with value b. X(code, T, SET): all of them. */
#define PUT(a, b) (b)
#define ADD(a, b) ((a) + (b))
#define OR(a, b) ((a) || (b))
/* clang-format off */
#define PUT_TYPES(X)                                                                               \
    X(DT_U8, uint8_t, PUT) X(DT_U16, uint16_t, PUT) X(DT_U32, uint32_t, PUT)                       \
    X(DT_U64, uint64_t, PUT)
#define ADD_TYPES(X)                                                                               \
    X(DT_U8, uint8_t, ADD) X(DT_U16, uint16_t, ADD) X(DT_U32, uint32_t, ADD)                       \
    X(DT_U64, uint64_t, ADD) X(DT_BOOL, bool, OR) X(DT_F32, float, ADD) X(DT_F64, double, ADD)
/* clang-format on */
#endif
