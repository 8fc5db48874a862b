/* op_info.h - what an operation by name says of itself, for commands and other languages. */
#ifndef LANEWISE_OP_INFO_H
#define LANEWISE_OP_INFO_H

#include <lanewise/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Strings live as long as the process. */
typedef struct lw_op_info {
    const char *name;
    const char *parameters;     /* as in lw_op_def: "axis:int=-1 eps:real=1e-5" */
    const char *text, *bound;   /* ready-made: what it is; its error bound. Else "" */
    size_t least_inputs, most_inputs, outputs;
} lw_op_info;

/* lw_op_get_info - errors: LW_E_ARG */
LW_CHECKED lw_status lw_op_get_info(const lw_op *op, lw_op_info *info);

/* A parameter's value: plain as JSON's numbers, true, false and null, or a string; either: as the
 * parameter's type would have it in JSON. */
typedef enum lw_word_form { LW_WORD_PLAIN, LW_WORD_STRING, LW_WORD_EITHER } lw_word_form;
typedef struct lw_word { const char *name, *text; lw_word_form form; } lw_word;

/* lw_params_create - the values of all parameters of a call, the others' being their defaults.
 * errors   as lw_op_run's for its JSON; LW_E_MEMORY
 * owns     release with lw_params_destroy; the texts of strings must live as long */
LW_CHECKED lw_status lw_params_create(const lw_op *op, const lw_word *words, size_t count,
                                      lw_params **params);
LW_API void lw_params_destroy(lw_params *params); /* NULL: nothing */

/* lw_params_infer, lw_params_run - lw_op_infer and lw_op_run with these. */
LW_CHECKED lw_status lw_params_infer(const lw_params *params, const lw_shape *inputs, size_t count,
                                     lw_shape *outputs, size_t capacity);
LW_CHECKED lw_status lw_params_run(const lw_params *params, lw_stream *s, const lw_tensor *outputs,
                                   size_t output_count, const lw_tensor *inputs,
                                   size_t input_count);

#ifdef __cplusplus
}
#endif
#endif
