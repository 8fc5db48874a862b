/* op_call.c - the words behind an operation's name: its parameters and ARGs, read and made tensors.
 *
 * A word with '=' behind a plain name is a parameter, or `out=FILE.npy`; every other one is an ARG,
 * as of a kernel's parameter `const void *`.
 */
#include "cli/run/op_call.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------------ */

/* The length of the name before '='; 0: the word is no parameter. */
static size_t key_length(const char *word)
{
    size_t n = 0;
    while (isalnum((unsigned char)word[n]) || word[n] == '_')
        n++;
    return word[n] == '=' && !isdigit((unsigned char)*word) ? n : 0;
}

/* "name:type" in the operation's declaration: the type, or NULL. */
static const char *find_type(const char *parameters, const char *name, size_t length)
{
    for (const char *at = parameters; *at;) {
        at += strspn(at, " ");
        if (!strncmp(at, name, length) && at[length] == ':')
            return at + length + 1;
        at += strcspn(at, " ");
    }
    return NULL;
}

static void add(struct cli_op_call *call, char c)
{
    call->json[call->json_length++] = c;
}

static void add_string(struct cli_op_call *call, const char *text, size_t length)
{
    add(call, '"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            add(call, '\\');
        add(call, text[i]);
    }
    add(call, '"');
}

/* Words are strings in JSON, also the words of numbers, as `all` and `inf`. */
static bool is_word(const char *type, const char *value)
{
    bool is_text = !strncmp(type, "string", 6) || !strncmp(type, "dtype", 5);
    bool is_bool = !strncmp(type, "bool", 4);
    return is_text || (!is_bool && !isdigit((unsigned char)value[strspn(value, "+-.")]));
}

static int take_parameter(struct cli_op_call *call, const char *word, size_t length)
{
    const char *value = word + length + 1;
    const char *type = find_type(call->info.parameters, word, length);
    if (length == 3 && !strncmp(word, "out", 3)) {
        call->out = value;
        return CLI_DONE;
    }
    if (!type)
        return cli_fail(CLI_USAGE, "%s has no parameter '%.*s'; it has %s, and out=FILE.npy",
                        call->info.name, (int)length, word,
                        *call->info.parameters ? call->info.parameters : "none");
    add(call, call->json_length ? ',' : '{');
    add_string(call, word, length);
    add(call, ':');
    if (is_word(type, value)) {
        add_string(call, value, strlen(value));
    } else {
        memcpy(call->json + call->json_length, value, strlen(value));
        call->json_length += strlen(value);
    }
    return CLI_DONE;
}

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
    return cli_arg_read(index, &param, word, &call->args[index]);
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
    lw_status status = lw_op_infer(call->op, call->json, in, call->inputs, out, CLI_OP_OUTPUTS);
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
    size_t room = 3;
    *call = (struct cli_op_call){0};
    lw_status status = lw_op_find(name, &call->op);
    if (status == LW_OK)
        status = lw_op_get_info(call->op, &call->info);
    if (status != LW_OK)
        return cli_fail_library(status);
    for (size_t i = 0; i < count; i++)
        room += 2 * strlen(words[i]) + 8;
    call->json = malloc(room);
    if (!call->json)
        return cli_fail_memory(room);
    for (size_t i = 0; i < count; i++) {
        size_t length = key_length(words[i]);
        int failed = length ? take_parameter(call, words[i], length) : take_arg(call, words[i]);
        if (failed)
            return failed;
    }
    if (call->json_length)
        add(call, '}');
    add(call, '\0');
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
    return lw_op_run(call->op, stream, call->json, &call->tensors[call->inputs], call->outputs,
                     call->tensors, call->inputs);
}

void cli_op_free(struct cli_op_call *call)
{
    for (size_t i = 0; i < call->inputs + call->outputs; i++)
        cli_arg_free(&call->args[i]);
    free(call->json);
}
