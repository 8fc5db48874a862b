/* op_call.h - an operation by name with its words, for `op`, `graph` and `bench`; these need the
 * library of operations, which the command that makes its kernels lacks.
 */
#ifndef LW_CLI_OP_CALL_H
#define LW_CLI_OP_CALL_H

#include "cli/run/run.h"
#include "lanewise/op_info.h"

enum { CLI_OP_INPUTS = 16, CLI_OP_OUTPUTS = 16 };

struct cli_op_call {
    lw_op_info info;
    lw_word *words; /* of the parameters, which keep their texts */
    size_t word_count;
    lw_params *params;
    const char *out;                                     /* the file that `out=` names, or NULL */
    struct cli_arg args[CLI_OP_INPUTS + CLI_OP_OUTPUTS]; /* inputs, then outputs */
    lw_tensor tensors[CLI_OP_INPUTS + CLI_OP_OUTPUTS];
    size_t inputs, outputs;
    size_t shown; /* the first outputs, which get memory; the caller may lower it */
};

/* cli_op_names - of all operations; release with free, also after a failure. */
int cli_op_names(const char ***names, size_t *count);

/* cli_op_list - print the operations: text, or as the options ask, JSON or Markdown. */
int cli_op_list(const struct cli_options *options, const char *const *names, size_t count);

/* cli_op_param - what the index-th ARG is read for: memory of any dtype. */
lw_param cli_op_param(size_t index);

/* cli_op_read - the operation and its words, checked as far as shapes tell; needs no device.
 * Release with cli_op_free, also after a failure. */
int cli_op_read(const char *name, const char *const *words, size_t count, struct cli_op_call *call);

/* cli_op_create - buffers of inputs, which cli_arg_refill fills, and of the outputs shown. */
int cli_op_create(struct cli_op_call *call, lw_device *device);

/* cli_op_queue - a cli_queue of a call. */
lw_status cli_op_queue(void *call, lw_stream *stream);
void cli_op_free(struct cli_op_call *call);

#endif
