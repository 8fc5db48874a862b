/* value.c - values as they are typed: numbers, and {...} for whatever has parts.
 *
 *     value := number | { value , ... }      one value a field, an element; all of them
 */
#include "cli/run/run.h"
#include <string.h>

/* fail_number - what is wrong with word as an element of dtype. */
static int fail_number(enum lw__number why, lw_dtype dtype, const char *label, const char *word)
{
    const char *name = lw_dtype_name(dtype);
    switch (why) {
    case LW_NOT_AN_INTEGER:
        return cli_fail(CLI_USAGE, "%s: %s is not a whole number, as %s needs", label, word, name);
    case LW_OUT_OF_RANGE:
        return cli_fail(CLI_USAGE, "%s: %s is out of the range of %s", label, word, name);
    default:
        return cli_fail(CLI_USAGE, "%s: '%s' is not a number (%s is needed)", label, word, name);
    }
}

static int read_number(const struct lw__type *type, const char *label, const char **text, char *to)
{
    double value;    /* of a bit-field: room for any dtype */
    char word[1200]; /* no double needs more digits */
    size_t length = strcspn(*text, ",{}");
    if (length >= sizeof word)
        return cli_fail(CLI_USAGE, "%s: a number of %zu characters, at most %zu are read", label,
                        length, sizeof word - 1);
    if (length == 0 && **text == '{')
        return cli_fail(CLI_USAGE, "%s: '%s' has parts, one %s is needed", label, *text,
                        lw_dtype_name(type->dtype));
    memcpy(word, *text, length);
    word[length] = '\0';
    enum lw__number read = lw__number_read(type->dtype, word, type->width ? (void *)&value : to);
    if (read != LW_NUMBER_OK)
        return fail_number(read, type->dtype, label, word);
    if (type->width && !cli_bits_put(type, &value, to))
        return cli_fail(CLI_USAGE, "%s: %s is out of the range of a bit-field of %u bits, %s",
                        label, word, type->width, lw_dtype_name(type->dtype));
    *text += length;
    return CLI_DONE;
}

/* skip_open, skip_close - the braces around the count parts of a value. */
static int skip_open(const char *label, const char **text, size_t count)
{
    if (**text != '{')
        return cli_fail(CLI_USAGE, "%s: '%s' is one value, {...} with %zu is needed", label, *text,
                        count);
    ++*text;
    return CLI_DONE;
}

static int skip_close(const char *label, const char **text, size_t count)
{
    if (**text == ',')
        return cli_fail(CLI_USAGE, "%s: more than %zu values in {...}, left is '%s'", label, count,
                        *text + 1);
    if (**text != '}')
        return cli_fail(CLI_USAGE, "%s: '}' is missing", label);
    ++*text;
    return CLI_DONE;
}

/* skip_comma - before the index-th of count parts. */
static int skip_comma(const char *label, const char **text, size_t index, size_t count)
{
    bool is_end = **text == '}' || (index > 0 && **text == '\0');
    if (is_end)
        return cli_fail(CLI_USAGE, "%s: %zu values in {...}, %zu are needed", label, index, count);
    if (index > 0 && **text == ',')
        ++*text;
    return CLI_DONE;
}

static int read_struct(const struct lw__type *type, const char *label, const char **text, char *to)
{
    int failed = skip_open(label, text, type->count);
    const struct lw__type *field = type->inner;
    for (size_t i = 0; i < type->count && !failed; i++, field = field->next) {
        failed = skip_comma(label, text, i, type->count);
        if (!failed)
            failed = cli_value_read(field, label, text, to + field->offset);
    }
    return failed ? failed : skip_close(label, text, type->count);
}

static int read_sequence(const struct lw__type *type, const char *label, const char **text,
                         char *to)
{
    int failed = skip_open(label, text, type->count);
    for (size_t i = 0; i < type->count && !failed; i++) {
        failed = skip_comma(label, text, i, type->count);
        if (!failed)
            failed = cli_value_read(type->inner, label, text, to + i * type->inner->bytes);
    }
    return failed ? failed : skip_close(label, text, type->count);
}

int cli_value_read(const struct lw__type *type, const char *label, const char **text, void *to)
{
    switch (type->form) {
    case LW_SCALAR: return read_number(type, label, text, to);
    case LW_STRUCT: return read_struct(type, label, text, to);
    case LW_ARRAY:
    case LW_VECTOR: return read_sequence(type, label, text, to);
    default:
        return cli_fail(CLI_USAGE, "%s: a pointer inside a struct cannot be given here", label);
    }
}
