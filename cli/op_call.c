/* op_call.c - the words behind an operation's name: its parameters and ARGs, read and made tensors.
 *
 * A word with '=' behind a plain name is a parameter, or `out=FILE.npy`; every other one is an ARG,
 * as of a kernel's parameter `const void *`.
 */
#include "op_call.h"
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

/* infer_output - what is learnt from the shapes alone: is the call right, and what does it give? */
static int infer_output(struct cli_op_call *call)
{
    struct cli_arg *out = &call->args[call->inputs];
    lw_shape in[CLI_OP_INPUTS] = {0}, shape;
    for (size_t i = 0; i < call->inputs; i++) {
        struct cli_arg *arg = &call->args[i];
        if (arg->rank > 4)
            return cli_fail(CLI_USAGE, "%s: rank %d; need at most 4", arg->label, arg->rank);
        in[i] = (lw_shape){.dtype = arg->dtype, .rank = arg->rank};
        for (int axis = 0; axis < arg->rank; axis++)
            in[i].extent[axis] = (ptrdiff_t)arg->extent[axis];
    }
    lw_status status = lw_op_infer(call->op, call->json, in, call->inputs, &shape, 1);
    if (status != LW_OK)
        return cli_fail_library(status);
    *out = (struct cli_arg){.param = {.name = "out"},
                            .is_buffer = true,
                            .has_dtype = true,
                            .dtype = shape.dtype,
                            .element_bytes = lw_dtype_size(shape.dtype),
                            .rank = shape.rank,
                            .count = 1};
    for (int axis = 0; axis < shape.rank; axis++) {
        out->extent[axis] = (size_t)shape.extent[axis];
        out->count *= out->extent[axis];
    }
    out->out = call->out ? strdup(call->out) : NULL;
    return call->out && !out->out ? cli_fail_memory(strlen(call->out) + 1) : CLI_DONE;
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
    return infer_output(call);
}

/* ---- on a device ----------------------------------------------------------------------------- */

int cli_op_create(struct cli_op_call *call, lw_device *device)
{
    for (size_t i = 0; i <= call->inputs; i++) {
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
    return lw_op_run(call->op, stream, call->json, &call->tensors[call->inputs], 1, call->tensors,
                     call->inputs);
}

void cli_op_free(struct cli_op_call *call)
{
    for (size_t i = 0; i <= call->inputs; i++)
        cli_arg_free(&call->args[i]);
    free(call->json);
}
