/* compact.h - what the kernels of compact have in common. */
#ifndef LW_KERNELS_COMPACT_H
#define LW_KERNELS_COMPACT_H
#include "view.h"

/* Elements of `size` bytes, `step` apart. ORDER STEPS: src/ops/compact.c */
struct steps {
    ptrdiff_t offset, step;
    size_t size;
};
#endif
