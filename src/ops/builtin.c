/* builtin.c - the table of the ready-made operations, from ops.def. */
#include "ops/registry.h"

const struct lw__builtin lw__builtins[] = {
#define LW_OPERATION(name, family, least, most, parameters, bound, text)                           \
    {#name, least, most, parameters, bound, text, lw__infer_##family, lw__run_##family, NULL},
#define LW_OPERATION_PAIR(name, family, least, most, parameters, bound, text)                      \
    {#name, least, most, parameters, bound, text, lw__infer_##family, NULL, lw__run_##family},
#include "ops/ops.def"
#undef LW_OPERATION
#undef LW_OPERATION_PAIR
};
const size_t lw__builtin_count = sizeof lw__builtins / sizeof *lw__builtins;
