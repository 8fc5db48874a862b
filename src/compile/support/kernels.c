/* kernels.c - the kernels of a unit: rows of a growing table. */
#include "compile/support/unit.h"

struct lw__kernel *lw__kernels_add(struct lw__arena *arena, struct lw__kernels *kernels,
                                   const char *name)
{
    kernels->rows = lw__one_more(arena, kernels->rows, kernels->count, sizeof *kernels->rows);
    struct lw__kernel *kernel = &kernels->rows[kernels->count++];
    *kernel = (struct lw__kernel){.name = lw__copy(arena, name)};
    return kernel;
}
