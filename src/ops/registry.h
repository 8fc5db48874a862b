/* registry.h - operations by name, ready-made and registered. */
#ifndef LW_OPS_REGISTRY_H
#define LW_OPS_REGISTRY_H
#include "ops/params.h"

/* The question for the outputs' shapes. The number of inputs is right, parameters are as declared.
 */
struct lw__question {
    const char *op;
    const lw_shape *inputs;
    size_t count;
    const lw_params *params;
};
typedef lw_status lw__infer(const struct lw__question *q, lw_shape *outputs);

/* A call by name. */
enum { LW_OPTIONS_BYTES = 64 }; /* of any operation's options, at most */
struct lw__named_call {
    const char *op;
    lw_stream *stream;
    const lw_tensor *outputs, *inputs;
    size_t count; /* of inputs */
    const lw_params *params;
    const void *options; /* what the fields of the parameters' rows have set; else zero */
};
typedef lw_status lw__run(const struct lw__named_call *call);

struct lw__builtin {
    const char *name;
    size_t least, most, outputs;
    const char *parameters, *bound, *text;
    const struct lw__param_rule *rules; /* of each parameter */
    lw__infer *infer;
    lw__run *run;
};
extern const struct lw__builtin lw__builtins[];
extern const size_t lw__builtin_count;

/* lw__replay_run - run the call, of so many outputs; where it repeats one of the last with the same
 * parameters, by queueing the same launches.
 * errors   those of the call
 * owns     what lies in the places: lw__replay_destroy
 * thread   any, at the same time */
enum { LW_REPLAYS = 8 }; /* a power of 2 */
lw_status lw__replay_run(_Atomic(struct lw__replay *) *replays, const struct lw__named_call *c,
                         size_t outputs, lw__run *run);
void lw__replay_destroy(struct lw__replay *replay); /* NULL: nothing */

/* lw__axis_read - the parameter axis from 0 on; all: -1. errors: LW_E_ARG x of this rank lacks it.
 */
lw_status lw__axis_read(const lw_params *params, int rank, int *axis);

/* lw__choose_dtype - the parameter dtype, where the operation has one that is not `auto`. */
void lw__choose_dtype(const lw_params *params, lw_dtype otherwise, lw_shape *output);

/* lw__infer_broadcast - the one shape of all inputs, as NumPy has it. errors: LW_E_SHAPE */
lw_status lw__infer_broadcast(const char *op, const lw_shape *inputs, size_t count, lw_shape *all);

/* Columns family and form of ops.def; of the form `own` lw__run_NAME is defined. */
#define LW_OPERATION(name, family, form, least, most, outputs, parameters, bound, text)            \
    lw__infer lw__infer_##family;                                                                  \
    lw__run lw__run_##name;
#include "ops/ops.def"
#undef LW_OPERATION
#endif
