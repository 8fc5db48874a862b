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

#ifdef __cplusplus
}
#endif
#endif
