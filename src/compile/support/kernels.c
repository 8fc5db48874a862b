/* kernels.c - the kernels of a unit: rows of a growing table. */
#include "compile/support/unit.h"
#include <stdlib.h>

struct lw__kernel *lw__kernels_add(struct lw__kernels *kernels, const char *name)
{
    if (kernels->count == kernels->capacity) {
        const size_t capacity = kernels->capacity ? 2 * kernels->capacity : 8;
        struct lw__kernel *rows = realloc(kernels->rows, capacity * sizeof *rows);
        if (!rows)
            return NULL;
        kernels->rows = rows;
        kernels->capacity = capacity;
    }
    struct lw__kernel *kernel = &kernels->rows[kernels->count];
    *kernel = (struct lw__kernel){.name = lw__copy_string(name)};
    kernels->count += kernel->name != NULL;
    return kernel->name ? kernel : NULL;
}

void lw__kernel_free(struct lw__kernel *kernel)
{
    for (unsigned i = 0; kernel->params && i < kernel->param_count; i++) {
        free(kernel->params[i].name);
        free(kernel->params[i].type);
        free(kernel->params[i].layout);
        free(kernel->params[i].brackets.text);
    }
    free(kernel->params);
    free(kernel->name);
    free(kernel->signature);
}

void lw__kernels_free(struct lw__kernels *kernels)
{
    for (size_t k = 0; kernels && k < kernels->count; k++)
        lw__kernel_free(&kernels->rows[k]);
    if (kernels) {
        free(kernels->rows);
        *kernels = (struct lw__kernels){0};
    }
}
