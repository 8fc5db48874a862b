/* registry.h - operations by name, ready-made and registered. */
#ifndef LW_OPS_REGISTRY_H
#define LW_OPS_REGISTRY_H
#include "ops/params.h"

/* A run of an operation with two outputs. */
typedef lw_status lw__run_pair(const char *op, lw_stream *s, const lw_tensor *outputs,
                               const lw_tensor *inputs, size_t count, const lw_params *params);

/* The shapes of outputs, and a run. The number of inputs is right, parameters are as declared. */
struct lw__builtin {
    const char *name;
    size_t least, most;
    const char *parameters, *bound, *text;
    lw_status (*infer)(const char *op, const lw_shape *inputs, size_t count,
                       const lw_params *params, lw_shape *outputs);
    lw_status (*run)(const char *op, lw_stream *s, lw_tensor out, const lw_tensor *inputs,
                     size_t count, const lw_params *params);
    lw__run_pair *run_pair; /* in place of `run`: of two outputs */
};
extern const struct lw__builtin lw__builtins[];
extern const size_t lw__builtin_count;

/* Of the families that ops.def names: infer.c, run.c, or the operation's own file. */
#define LW_OPERATION(name, family, least, most, parameters, bound, text)                           \
    lw_status lw__infer_##family(const char *op, const lw_shape *inputs, size_t count,             \
                                 const lw_params *params, lw_shape *output);                       \
    lw_status lw__run_##family(const char *op, lw_stream *s, lw_tensor out,                        \
                               const lw_tensor *inputs, size_t count, const lw_params *params);
#define LW_OPERATION_PAIR(name, family, least, most, parameters, bound, text)                      \
    lw_status lw__infer_##family(const char *op, const lw_shape *inputs, size_t count,             \
                                 const lw_params *params, lw_shape *outputs);                      \
    lw__run_pair lw__run_##family;
#include "ops/ops.def"
#undef LW_OPERATION
#undef LW_OPERATION_PAIR

/* lw__axis_option - the parameter axis as options have it, LW_AXIS(k); `all` is their default.
 * errors   LW_E_ARG no int holds it: x of this rank lacks it */
lw_status lw__axis_option(const lw_params *params, int rank, int *axis);

/* lw__axis_read - the parameter axis from 0 on. errors: LW_E_ARG x of this rank lacks it. */
lw_status lw__axis_read(const lw_params *params, int rank, int *axis);
lw_status lw__wrong_axis(const char *op, int64_t axis, int rank); /* that error */

/* lw__axes_read - "2,0,1" as axes of a tensor of that rank; "reversed": NULL comes back in *axes.
 * errors   LW_E_ARG it does not name each axis once */
lw_status lw__axes_read(const char *op, const char *text, int rank, int storage[4],
                        const int **axes);

/* lw__window_read - the parameter window. errors: LW_E_ARG it is not `least` to INT_MAX. */
lw_status lw__window_read(const lw_params *params, int least, int *window);

/* lw__sizes_agree - errors: LW_E_SHAPE seq_len and d are not 0, nor those of k. */
lw_status lw__sizes_agree(const char *op, const lw_params *params, int rank_of_k,
                          const ptrdiff_t *extents_of_k);
#endif
