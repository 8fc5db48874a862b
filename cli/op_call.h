/* op_call.h - an operation by name with its words, for `op` and `bench`; these need the library of
 * operations, which the command that makes its kernels lacks.
 */
#ifndef LW_CLI_OP_CALL_H
#define LW_CLI_OP_CALL_H

#include "cli.h"
#include "lanewise/op_info.h"

enum { CLI_OP_INPUTS = 16 };

struct cli_op_call {
    lw_op *op;
    lw_op_info info;
    char *json; /* of the parameters; capacity is enough for all words twice */
    size_t json_length;
    const char *out;                        /* the file that `out=` names, or NULL */
    struct cli_arg args[CLI_OP_INPUTS + 1]; /* inputs, then the output */
    lw_tensor tensors[CLI_OP_INPUTS + 1];
    size_t inputs;
};

/* cli_op_param - what the index-th ARG is read for: memory of any dtype. */
lw_param cli_op_param(size_t index);

/* cli_op_read - the operation and its words, checked as far as shapes tell; needs no device.
 * Release with cli_op_free, also after a failure. */
int cli_op_read(const char *name, const char *const *words, size_t count, struct cli_op_call *call);

/* cli_op_create - buffers of inputs, whose contents cli_arg_refill sets, and of the output. */
int cli_op_create(struct cli_op_call *call, lw_device *device);

/* cli_op_queue - a cli_queue of a call. */
lw_status cli_op_queue(void *call, lw_stream *stream);
void cli_op_free(struct cli_op_call *call);

#endif
