/* compact.h - what the kernels of compact have in common. */
#ifndef LW_KERNELS_COMPACT_H
#define LW_KERNELS_COMPACT_H
#include "view.h"

/* Elements of `size` bytes, `step` apart. ORDER STEPS: src/ops/compact.c */
struct steps {
    ptrdiff_t offset, step;
    size_t size;
};

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
#endif
