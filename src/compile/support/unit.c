/* unit.c - the beginning of a unit, and its kernels: rows of a growing table. */
#include "compile/support/unit.h"

void lw__unit_begin(struct lw__unit *unit, const struct lw__options *options)
{
    struct lw__arena *arena = &unit->arena;
    *unit =
        (struct lw__unit){.options = options,
                          .llvm_said = lw__text_in(arena),
                          .diags = {.rows = &unit->manifest,
                                    .is_cuda = options->is_cuda,
                                    .arena = arena,
                                    .scratch = &unit->scratch,
                                    .main_name = options->name,
                                    .source_fd = options->source_fd > 0 ? options->source_fd : 0},
                          .ast_print = lw__text_in(arena),
                          .manifest = lw__text_in(arena),
                          .sites = lw__text_in(arena),
                          .payload = lw__text_in(arena),
                          .header = lw__text_in(arena),
                          .common = lw__text_in(arena)};
}

struct lw__kernel *lw__kernels_add(struct lw__arena *arena, struct lw__kernels *kernels,
                                   const char *name)
{
    kernels->rows = lw__one_more(arena, kernels->rows, kernels->count, sizeof *kernels->rows);
    struct lw__kernel *kernel = &kernels->rows[kernels->count++];
    *kernel = (struct lw__kernel){.name = lw__copy(arena, name)};
    return kernel;
}
