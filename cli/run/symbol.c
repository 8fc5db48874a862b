/* symbol.c - a word of --symbol: a variable of the device, in CUDA, as an ARG.
 *
 *     NAME=VALUE | NAME={VALUE,...} | NAME=VALUE,... | NAME=ELEMENT[N]... | NAME=@IN.npy
 *     NAME                                                the value stays as it is
 *
 * Each with :OUT.npy behind it, which takes what the launch left.
 */
#include "base/base.h"
#include "cli/run/run.h"
#include <stdlib.h>
#include <string.h>

/* out_of - ":OUT.npy" of a word without '='; NULL: there is none. A name may have "::". */
static const char *out_of(const char *word)
{
    const char *colon = strrchr(word, ':');
    bool is_inside = colon && colon > word && colon[-1] == ':';
    return colon && !is_inside ? colon : NULL;
}

/* is_buffer - true if it is written as the ARG of a pointer is, not as a list of values. */
static bool is_buffer(const char *text)
{
    const char *end = text + strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return *end == '[' || *end == '@';
}

/* add_shape - "[2,3]" of the type "float [2][3]"; of what is no array, "[1]". */
static void add_shape(struct lw__text *text, const char *type, size_t count)
{
    const char *sizes = strchr(type, '[');
    if (!sizes)
        lw__text_add(text, "[%zu]", count);
    for (const char *c = sizes; c && *c; c++) {
        const bool is_between = c[0] == ']' && c[1] == '[';
        lw__text_add(text, "%c", is_between ? ',' : *c);
        c += is_between;
    }
}

/* read_value - as a buffer of the variable's shape, however it is written; "" keeps the value. */
static int read_value(const lw_param *param, const lw_buffer *buffer, const char *value,
                      const char *out, struct cli_arg *arg)
{
    struct lw__text text = {0};
    if (!is_buffer(value)) {
        lw__text_add(&text, "%s",
                     param->has_dtype ? lw_dtype_name(lw_buffer_dtype(buffer)) : "struct");
        add_shape(&text, param->type, lw_buffer_count(buffer));
        lw__text_add(&text, "%s", *value ? "=" : "");
    }
    lw__text_add(&text, "%s%s", value, out);
    int failed = text.failed ? cli_fail_memory(text.length)
                             : cli_arg_read(CLI_SYMBOL, param, text.data, arg);
    lw__text_free(&text);
    return failed;
}

int cli_symbol_read(lw_program *program, const char *word, struct cli_arg *arg)
{
    const char *equals = strchr(word, '='), *out = equals ? NULL : out_of(word);
    const size_t length = equals ? (size_t)(equals - word)
                          : out  ? (size_t)(out - word)
                                 : strlen(word);
    char *name = strndup(word, length);
    lw_buffer *buffer;
    lw_param param;
    if (!name)
        return cli_fail_memory(length + 1);
    lw_status status = lw_program_symbol(program, name, &buffer);
    if (status == LW_OK)
        status = lw_program_symbol_param(program, name, &param);
    free(name);
    if (status != LW_OK)
        return cli_fail_library(status);
    if (equals && !equals[1])
        return cli_fail(CLI_USAGE, "--symbol %s: a value is needed after '='", param.name);
    int failed = read_value(&param, buffer, equals ? equals + 1 : "", out ? out : "", arg);
    if (!failed && arg->count * arg->element_bytes != lw_buffer_bytes(buffer))
        failed = cli_fail(CLI_USAGE, "%s: %zu bytes given, it has %zu", arg->label,
                          arg->count * arg->element_bytes, lw_buffer_bytes(buffer));
    arg->buffer = failed ? NULL : buffer;
    arg->is_borrowed = true;
    arg->is_kept = !equals;
    return failed;
}
