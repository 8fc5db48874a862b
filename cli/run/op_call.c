/* op_call.c - the words after an operation's name: its parameters and ARGs, read and made tensors.
 *
 * A word with '=' after a plain name is a parameter, or `out=FILE.npy`; every other one is an ARG,
 * as of a kernel's parameter `const void *`.
 */
#include "cli/run/op_call.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* lw_op_list has no status: it is the first search that tells of too little memory for them. */
int cli_op_names(const char ***names, size_t *count)
{
    lw_op *op;
    lw_status status = lw_op_find("sum", &op);
    *count = 0;
    *names = NULL;
    if (status != LW_OK)
        return cli_fail_library(status);
    const size_t known = lw_op_list(NULL, 0);
    *names = calloc(known + 1, sizeof **names);
    if (!*names)
        return cli_fail_memory(known * sizeof **names);
    *count = lw_op_list(*names, known);
    return CLI_DONE;
}

/* ---- ARGs ------------------------------------------------------------------------------------ */

lw_param cli_op_param(size_t index)
{
    static const char *const names[] = {"x", "y", "z"};
    return (lw_param){.name = index < 3 ? names[index] : "input",
                      .type = "const void *",
                      .kind = LW_PARAM_POINTER,
                      .bytes = sizeof(void *),
                      .is_const = true,
                      .layout = "pc(void)"};
}

static int take_arg(struct cli_op_call *call, const char *word)
{
    lw_param param = cli_op_param(call->inputs);
    if (call->inputs == call->info.most_inputs)
        return cli_fail(CLI_USAGE, "%s takes at most %zu ARGs; '%s' is one more", call->info.name,
                        call->info.most_inputs, word);
    size_t index = call->inputs++;
    const int failed = cli_arg_read(index, &param, word, &call->args[index]);
    if (!failed && call->args[index].is_null)
        return cli_fail(CLI_USAGE, "%s: an operation needs a buffer, not null",
                        call->args[index].label);
    return failed;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The length of the name before '='; 0: the word is no parameter. */
static size_t key_length(const char *word)
{
    size_t n = 0;
    while (isalnum((unsigned char)word[n]) || word[n] == '_')
        n++;
    return word[n] == '=' && !isdigit((unsigned char)*word) ? n : 0;
}

/* add_parameter - a word, cut at its '=', whose name is `length` bytes. */
static int add_parameter(struct cli_op_call *call, const char *word, size_t length)
{
    char *name = strdup(word);
    if (!name)
        return cli_fail_memory(strlen(word) + 1);
    name[length] = '\0';
    call->words[call->word_count++] = (lw_word){name, name + length + 1, LW_WORD_EITHER};
    return CLI_DONE;
}

static int take_word(struct cli_op_call *call, const char *word)
{
    size_t length = key_length(word);
    if (!length)
        return take_arg(call, word);
    if (strncmp(word, "out=", 4) != 0)
        return add_parameter(call, word, length);
    call->out = word + 4;
    return CLI_DONE;
}

/* ---- the output ------------------------------------------------------------------------------ */

/* check_shape - what an operation that is not ours says may be no shape. */
static int check_shape(const struct cli_op_call *call, size_t index, const lw_shape *shape)
{
    size_t bytes = lw_dtype_size(shape->dtype);
    bool is_shape = bytes > 0 && shape->rank >= 0 && shape->rank <= 4;
    for (int axis = 0; is_shape && axis < shape->rank; axis++)
        is_shape = shape->extent[axis] >= 0 &&
                   !__builtin_mul_overflow(bytes, (size_t)shape->extent[axis], &bytes);
    if (is_shape)
        return CLI_DONE;
    return cli_fail(CLI_USAGE,
                    "%s: infer gives output %zu dtype %d, rank %d; need a dtype, rank 0 to 4, "
                    "and extents from 0 that memory can hold",
                    call->info.name, index, (int)shape->dtype, shape->rank);
}

/* set_output - an output of that shape; the first is written to the file that `out=` names. */
static int set_output(struct cli_op_call *call, size_t index, const lw_shape *shape)
{
    static const char *const names[CLI_OP_OUTPUTS] = {
        "out",  "out2",  "out3",  "out4",  "out5",  "out6",  "out7",  "out8",
        "out9", "out10", "out11", "out12", "out13", "out14", "out15", "out16"};
    struct cli_arg *out = &call->args[call->inputs + index];
    int failed = check_shape(call, index, shape);
    if (failed)
        return failed;
    *out = (struct cli_arg){.param = {.name = names[index]},
                            .is_buffer = true,
                            .has_dtype = true,
                            .dtype = shape->dtype,
                            .element_bytes = lw_dtype_size(shape->dtype),
                            .rank = shape->rank,
                            .count = 1};
    for (int axis = 0; axis < shape->rank; axis++) {
        out->extent[axis] = (size_t)shape->extent[axis];
        out->count *= out->extent[axis];
    }
    if (index > 0 || !call->out)
        return CLI_DONE;
    out->out = strdup(call->out);
    return out->out ? CLI_DONE : cli_fail_memory(strlen(call->out) + 1);
}

/* infer_outputs - what shapes alone tell: is the call right, and what does it give? */
static int infer_outputs(struct cli_op_call *call)
{
    lw_shape in[CLI_OP_INPUTS] = {0}, out[CLI_OP_OUTPUTS] = {0};
    for (size_t i = 0; i < call->inputs; i++) {
        struct cli_arg *arg = &call->args[i];
        if (arg->rank > 4)
            return cli_fail(CLI_USAGE, "%s: rank %d; need at most 4", arg->label, arg->rank);
        in[i] = (lw_shape){.dtype = arg->dtype, .rank = arg->rank};
        for (int axis = 0; axis < arg->rank; axis++)
            in[i].extent[axis] = (ptrdiff_t)arg->extent[axis];
    }
    lw_status status = lw_params_infer(call->params, in, call->inputs, out, CLI_OP_OUTPUTS);
    if (status != LW_OK)
        return cli_fail_library(status);
    int failed = CLI_DONE;
    for (; call->outputs < call->info.outputs && !failed; call->outputs++)
        failed = set_output(call, call->outputs, &out[call->outputs]);
    call->shown = call->outputs;
    return failed;
}

/* ---- all of it ------------------------------------------------------------------------------- */

int cli_op_read(const char *name, const char *const *words, size_t count, struct cli_op_call *call)
{
    int failed = CLI_DONE;
    *call = (struct cli_op_call){0};
    lw_op *op;
    lw_status status = lw_op_find(name, &op);
    if (status == LW_OK)
        status = lw_op_get_info(op, &call->info);
    if (status != LW_OK)
        return cli_fail_library(status);
    call->words = calloc(count + 1, sizeof *call->words);
    if (!call->words)
        return cli_fail_memory(count * sizeof *call->words);
    for (size_t i = 0; i < count && !failed; i++)
        failed = take_word(call, words[i]);
    if (failed)
        return failed;
    status = lw_params_create(op, call->words, call->word_count, &call->params);
    if (status != LW_OK)
        return cli_fail_library(status);
    if (call->inputs < call->info.least_inputs)
        return cli_fail(CLI_USAGE, "%s needs %zu ARGs, %zu given", call->info.name,
                        call->info.least_inputs, call->inputs);
    return infer_outputs(call);
}

/* ---- on a device ----------------------------------------------------------------------------- */

int cli_op_create(struct cli_op_call *call, lw_device *device)
{
    for (size_t i = 0; i < call->inputs + call->shown; i++) {
        struct cli_arg *arg = &call->args[i];
        int failed = cli_arg_create(device, arg);
        if (failed)
            return failed;
        call->tensors[i] = (lw_tensor){.buffer = arg->buffer, .rank = arg->rank};
        for (int axis = 0; axis < arg->rank; axis++)
            call->tensors[i].extent[axis] = (ptrdiff_t)arg->extent[axis];
    }
    return CLI_DONE;
}

lw_status cli_op_queue(void *of, lw_stream *stream)
{
    const struct cli_op_call *call = of;
    return lw_params_run(call->params, stream, &call->tensors[call->inputs], call->outputs,
                         call->tensors, call->inputs);
}

void cli_op_free(struct cli_op_call *call)
{
    for (size_t i = 0; i < call->inputs + call->outputs; i++)
        cli_arg_free(&call->args[i]);
    for (size_t i = 0; i < call->word_count; i++)
        free((char *)call->words[i].name);
    free(call->words);
    lw_params_destroy(call->params);
}
