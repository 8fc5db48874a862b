/* text.c - kernels from text; see text.h. */
#include "ops/text.h"
#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lw__source_add(struct lw__source *source, const char *format, ...)
{
    const size_t room = LW_SOURCE_MAX - source->length;
    va_list args;

    va_start(args, format);
    int n = room ? vsnprintf(source->text + source->length, room, format, args) : 0;
    va_end(args);
    assert(n >= 0); /* the formats are ours */
    source->length += n < 0 || (size_t)n >= room ? room : (size_t)n;
}

void lw__source_join(struct lw__source *source, const char *const *texts, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const size_t room = LW_SOURCE_MAX - source->length, length = strlen(texts[k]);
        const size_t fits = length < room ? length : room;

        memcpy(source->text + source->length, texts[k], fits);
        source->length += fits;
    }
    if (source->length < LW_SOURCE_MAX)
        source->text[source->length] = '\0';
}

void lw__source_begin(struct lw__source *source)
{
    source->length = 0;
    memset(source->expressions, 0, sizeof source->expressions);
    LW_SOURCE_JOIN(source, "#include <lanewise/kernel.h>\n#include <math.h>\n");
}

void lw__source_expression(struct lw__source *source, const char *name, const char *expression)
{
    const char *last = strrchr(expression, '\n'); /* a comment may hide what follows it there */
    size_t k = 0;

    LW_SOURCE_JOIN(source, "(\n#line 1 \"", name, "\"\n", expression,
                   strstr(last ? last : expression, "//") ? "\n)\n" : ")\n");
    while (source->expressions[k] && source->expressions[k] != expression)
        k++;
    assert(k + 1 < sizeof source->expressions / sizeof *source->expressions);
    source->expressions[k] = expression;
}

/* Clang's message shows the line of the text; the ')' after the expression is none of its. */
static lw_status show_as_written(const struct lw__source *source, lw_status status)
{
    char text[1024], *below; /* no message is longer */

    snprintf(text, sizeof text, "%s", lw_last_error());
    below = strchr(text, '\n');
    if (status != LW_E_COMPILE || !below)
        return status;
    *below++ = '\0';
    for (size_t k = 0; source->expressions[k]; k++) {
        const char *last = strrchr(source->expressions[k], '\n');
        const size_t length = strlen(last = last ? last + 1 : source->expressions[k]);

        for (char *at = below; (at = strstr(at, " | "));) {
            at += 3;
            if (!strncmp(at, last, length) && at[length] == ')' && at[length + 1] == '\n')
                memmove(at + length, at + length + 1, strlen(at + length));
        }
    }
    return lw_fail_lines(LW_E_COMPILE, below, "%s", text);
}

lw_status lw__source_launch(struct lw__call *call, const struct lw__source *source,
                            const char *kernel, lw_dim3 grid, lw_dim3 block, const lw_arg *args,
                            size_t count)
{
    if (source->length == LW_SOURCE_MAX)
        return lw_fail(LW_E_ARG, "%s: the expression is too long; its kernel may have %d bytes",
                       call->name, LW_SOURCE_MAX - 1);
    lw_program *program;
    lw_status status = lw_program_share(call->device, call->name, source->text, &program);
    if (status)
        return show_as_written(source, status);
    lw_kernel *k;
    status = lw__call_named(call, lw_program_kernel(program, kernel, &k));
    if (!status)
        status = lw__call_queue(call, k, grid, block, NULL, args, count);
    lw_program_destroy(program);
    return status;
}

const char *lw__after_literal(const char *at)
{
    const char quote = *at, *end;

    if (!strncmp(at, "//", 2))
        return at + strcspn(at, "\n");
    if (!strncmp(at, "/*", 2)) {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (quote != '\'' && quote != '"')
        return at;
    for (at++; *at && *at != quote; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* Brackets must pair, so that the text stays inside those that are put around it. Clang nests no
 * deeper either. */
static lw_status check_brackets(const char *op, const char *what, const char *expression)
{
    enum { DEEPEST = 256 };
    static const char open[] = "([{", close[] = ")]}", special[] = "([{)]}/'\"";
    char wanted[DEEPEST];
    int depth = 0;

    for (const char *at = expression, *next; *(at += strcspn(at, special)); at = next) {
        const char *bracket = strchr(open, *at);

        next = lw__after_literal(at);
        if (next != at)
            continue;
        next = at + 1;
        if (bracket && depth == DEEPEST)
            return lw_fail(LW_E_ARG, "%s: the %s nests deeper than %d brackets", op, what, DEEPEST);
        if (bracket)
            wanted[depth++] = close[bracket - open];
        else if (strchr(close, *at) && (!depth || wanted[--depth] != *at))
            return lw_fail(LW_E_ARG, "%s: the %s '%.80s' has a '%c' too many, at %td", op, what,
                           expression, *at, at - expression + 1);
    }
    if (depth)
        return lw_fail(LW_E_ARG, "%s: the %s '%.80s' lacks a '%c'", op, what, expression,
                       wanted[depth - 1]);
    return LW_OK;
}

lw_status lw__check_expression(const char *op, const char *what, const char *expression)
{
    if (expression && expression[strspn(expression, " \t\n")])
        return check_brackets(op, what, expression);
    return lw_fail(LW_E_ARG, "%s: the %s is %s", op, what, expression ? "empty" : "NULL");
}

lw_status lw__check_inputs(const char *op, const lw_tensor *inputs, size_t count)
{
    if (count > LW_INPUTS_MAX)
        return lw_fail(LW_E_ARG, "%s: there are %zu inputs; need at most %d", op, count,
                       LW_INPUTS_MAX);
    if (count && !inputs)
        return lw_fail(LW_E_ARG, "%s: the list of %zu inputs is NULL", op, count);
    return LW_OK;
}

const char *lw__input_name(const lw_map_options *options, size_t k)
{
    static const char *const names[LW_INPUTS_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h"};

    assert(k < LW_INPUTS_MAX);
    return options->names ? options->names[k] : names[k];
}

lw_status lw__check_name(const char *op, const char *name)
{
    enum { MOST = 40 }; /* characters */
    size_t length = 0;

    while (name && (isalpha((unsigned char)name[length]) || name[length] == '_' ||
                    (length && isdigit((unsigned char)name[length]))))
        length++;
    if (!length || length > MOST || name[length] || !strncmp(name, "lw_", 3))
        return lw_fail(LW_E_ARG,
                       "%s: the name '%.80s'; need a word of C of at most %d letters, digits and _ "
                       "that does not begin with lw_",
                       op, name ? name : "NULL", MOST);
    return LW_OK;
}

const char *lw__number_type(const lw_map_number *number)
{
    return number->value.kind == LW_ARG_REAL   ? "double"
           : number->value.kind == LW_ARG_UINT ? "uint64_t"
                                               : "int64_t";
}

lw_status lw__check_map_options(const char *op, const lw_map_options *options, size_t count)
{
    if (options->number_count > LW_NUMBERS_MAX)
        return lw_fail(LW_E_ARG, "%s: there are %zu numbers; need at most %d", op,
                       options->number_count, LW_NUMBERS_MAX);
    for (size_t k = 0; options->names && k < count; k++)
        LW_TRY(lw__check_name(op, options->names[k]));
    for (size_t k = 0; k < options->number_count; k++) {
        const lw_map_number *number = &options->numbers[k];

        LW_TRY(lw__check_name(op, number->name));
        if (number->value.kind > LW_ARG_REAL)
            return lw_fail(LW_E_ARG, "%s: the number %s is a buffer or bytes; need a number", op,
                           number->name);
    }
    return LW_OK;
}
