/* arg.c - what an ARG says, read by the parameter that it is for.
 *
 *     by value   number | {value,...}
 *     buffer     ELEMENT[N,...][=FILL][:OUT.npy]     ELEMENT: a dtype, or struct
 *                [bf16|struct]@IN.npy[:OUT.npy]
 *                null
 *     FILL       zeros | none | iota | const:VALUE | rand:SEED | normal:SEED | VALUE,...
 *
 * Only files named here are opened; devices come in with buffer.c.
 */
#include "cli/run/run.h"
#include <stdlib.h>
#include <string.h>

/* element_name - what the buffer is made of, for messages. */
static const char *element_name(const struct cli_arg *arg)
{
    return arg->has_dtype ? lw_dtype_name(arg->dtype) : "struct";
}

const struct lw__type *cli_arg_element(const struct cli_arg *arg, struct lw__type *scratch)
{
    if (!arg->has_dtype)
        return arg->type->inner;
    *scratch = (struct lw__type){
        .form = LW_SCALAR, .dtype = arg->dtype, .bytes = lw_dtype_size(arg->dtype)};
    return scratch;
}

static int set_label(size_t index, struct cli_arg *arg)
{
    const char *type = arg->param.type;
    size_t length = strlen(type), size = length + strlen(arg->param.name) + 48;
    const char *blank = length > 0 && type[length - 1] == '*' ? "" : " ";
    arg->label = malloc(size);
    if (!arg->label)
        return cli_fail_memory(size);
    if (index == CLI_SYMBOL)
        snprintf(arg->label, size, "--symbol %s (%s)", arg->param.name, type);
    else
        snprintf(arg->label, size, "argument %zu (%s%s%s)", index + 1, type, blank,
                 arg->param.name);
    return CLI_DONE;
}

/* ---- by value -------------------------------------------------------------------------------- */

static int read_by_value(const char *text, struct cli_arg *arg)
{
    arg->value = calloc(1, arg->type->bytes ? arg->type->bytes : 1);
    if (!arg->value)
        return cli_fail_memory(arg->type->bytes);
    int failed = cli_value_read(arg->type, arg->label, &text, arg->value);
    if (!failed && *text != '\0')
        failed = cli_fail(CLI_USAGE, "%s: '%s' follows the value", arg->label, text);
    return failed;
}

/* ---- does the element fit the parameter? ----------------------------------------------------- */

/* True if the struct is numbers of the dtype alone, as CUDA's float4 is. */
static bool is_row_of(const struct lw__type *type, lw_dtype dtype)
{
    if (type->form != LW_STRUCT)
        return (type->form == LW_SCALAR || type->form == LW_ARRAY) && type->dtype == dtype;
    size_t bytes = 0;
    for (const struct lw__type *f = type->inner; f && is_row_of(f, dtype); f = f->next)
        bytes += f->bytes;
    return bytes && bytes == type->bytes;
}

static int check_element(const struct cli_arg *arg)
{
    const struct lw__type *target = arg->type->inner;
    const char *given = element_name(arg);
    if (arg->param.has_dtype) {
        if (arg->has_dtype && arg->dtype == arg->param.dtype)
            return CLI_DONE;
        return cli_fail(CLI_USAGE, "%s: a buffer of %s given, %s is needed", arg->label, given,
                        lw_dtype_name(arg->param.dtype));
    }
    if (target && target->form == LW_STRUCT) {
        if (!arg->has_dtype || arg->dtype == LW_U8 || is_row_of(target, arg->dtype))
            return CLI_DONE;
        return cli_fail(CLI_USAGE,
                        "%s: a buffer of %s given, struct (of %zu bytes) or u8 is needed",
                        arg->label, given, arg->param.element_bytes);
    }
    if (target && target->form == LW_VOID) {
        if (arg->has_dtype)
            return CLI_DONE;
        return cli_fail(CLI_USAGE, "%s: void has no size, so a buffer of a dtype is needed",
                        arg->label);
    }
    return cli_fail(CLI_USAGE, "%s: a buffer of such elements cannot be given here", arg->label);
}

/* check_buffer - element and rank; also completes element_bytes. */
static int check_buffer(struct cli_arg *arg)
{
    int failed = check_element(arg);
    if (failed)
        return failed;
    arg->element_bytes = arg->has_dtype ? lw_dtype_size(arg->dtype) : arg->param.element_bytes;
    if (arg->param.kind == LW_PARAM_TENSOR && arg->rank != arg->param.rank)
        return cli_fail(CLI_USAGE, "%s: a shape of rank %d given, rank %d is needed", arg->label,
                        arg->rank, arg->param.rank);
    return CLI_DONE;
}

/* ---- ELEMENT[N,...] -------------------------------------------------------------------------- */

static int fail_dtype(const struct cli_arg *arg, const char *name, size_t length)
{
    static const char *const aliases[][2] = {
        {"float16", "f16"}, {"half", "f16"},   {"bfloat16", "bf16"}, {"float", "f32"},
        {"float32", "f32"}, {"double", "f64"}, {"float64", "f64"},   {"char", "i8"},
        {"int8", "i8"},     {"int8_t", "i8"},  {"short", "i16"},     {"int16", "i16"},
        {"int16_t", "i16"}, {"int", "i32"},    {"int32", "i32"},     {"int32_t", "i32"},
        {"long", "i64"},    {"int64", "i64"},  {"int64_t", "i64"},   {"uint8", "u8"},
        {"uint8_t", "u8"},  {"byte", "u8"},    {"uint16", "u16"},    {"uint16_t", "u16"},
        {"uint", "u32"},    {"uint32", "u32"}, {"uint32_t", "u32"},  {"unsigned", "u32"},
        {"uint64", "u64"},  {"size_t", "u64"}, {"uint64_t", "u64"},  {"bool_", "bool"},
        {"boolean", "bool"}};
    struct lw__nearest nearest = {.typed = name, .length = length};
    struct lw__text names = {0};
    for (int d = 0; d < LW_DTYPE_COUNT; d++) {
        lw__nearest_try(&nearest, lw__dtypes[d].name);
        lw__text_add(&names, "%s ", lw__dtypes[d].name);
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        lw__nearest_alias(&nearest, aliases[i][0], aliases[i][1]);
    int failed =
        cli_fail(CLI_USAGE, "%s: '%.*s' is no dtype; there are %sand struct%s", arg->label,
                 (int)length, name, names.data ? names.data : "", lw__nearest_text(&nearest));
    lw__text_free(&names);
    return failed;
}

/* read_element - the name before '[' or '@'. */
static int read_element(const char *name, size_t length, struct cli_arg *arg)
{
    arg->has_dtype = !(length == 6 && memcmp(name, "struct", length) == 0);
    arg->dtype = LW_U8;
    if (arg->has_dtype && !lw__dtype_find(name, length, &arg->dtype))
        return fail_dtype(arg, name, length);
    return CLI_DONE;
}

/* read_extent - digits at *text; past them. */
static int read_extent(const char **text, struct cli_arg *arg)
{
    char digits[24];
    size_t length = strspn(*text, "0123456789");
    if (length == 0 || length >= sizeof digits)
        return cli_fail(CLI_USAGE, "%s: an extent of the shape is needed at '%s'", arg->label,
                        *text);
    memcpy(digits, *text, length);
    digits[length] = '\0';
    uint64_t extent;
    if (lw__number_read(LW_U64, digits, &extent) != LW_NUMBER_OK || extent > PTRDIFF_MAX)
        return cli_fail(CLI_USAGE, "%s: the extent %s is too large", arg->label, digits);
    if (arg->rank == CLI_MAX_RANK)
        return cli_fail(CLI_USAGE, "%s: more than %d axes", arg->label, CLI_MAX_RANK);
    arg->extent[arg->rank++] = extent;
    *text += length;
    return CLI_DONE;
}

/* read_shape - "N,...]" at *text; past it. */
static int read_shape(const char **text, struct cli_arg *arg)
{
    do {
        int failed = read_extent(text, arg);
        if (failed)
            return failed;
    } while (**text == ',' && ++*text);
    if (**text != ']')
        return cli_fail(CLI_USAGE, "%s: ']' is needed at '%s'", arg->label, *text);
    ++*text;
    return CLI_DONE;
}

/* count_elements - the product of the extents, whose size in bytes must be addressable. */
static int count_elements(struct cli_arg *arg)
{
    bool is_empty = false;
    size_t limit = PTRDIFF_MAX / (arg->element_bytes ? arg->element_bytes : 1);
    for (int axis = 0; axis < arg->rank; axis++)
        is_empty |= arg->extent[axis] == 0;
    arg->count = is_empty ? 0 : 1;
    for (int axis = 0; axis < arg->rank && !is_empty; axis++) {
        if (arg->extent[axis] > limit / arg->count)
            return cli_fail(CLI_USAGE, "%s: the shape is larger than any memory", arg->label);
        arg->count *= arg->extent[axis];
    }
    return CLI_DONE;
}

/* ---- fills ----------------------------------------------------------------------------------- */

/* count_values - how many values a list has: commas outside of braces, and one. */
static size_t count_values(const char *text)
{
    size_t count = *text != '\0';
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '{') - (*text == '}');
        count += *text == ',' && depth == 0;
    }
    return count;
}

/* read_values - exactly count values separated by commas, into arg->value. */
static int read_values(const char *text, size_t count, struct cli_arg *arg)
{
    struct lw__type scratch;
    const struct lw__type *element = cli_arg_element(arg, &scratch);
    size_t given = count_values(text);
    if (given != count)
        return cli_fail(CLI_USAGE, "%s: %zu value%s given, %zu needed", arg->label, given,
                        given == 1 ? "" : "s", count);
    arg->value = calloc(count ? count : 1, arg->element_bytes);
    if (!arg->value)
        return cli_fail_memory(count * arg->element_bytes);
    char *to = arg->value;
    for (size_t i = 0; i < count; i++, to += arg->element_bytes) {
        int failed = cli_value_read(element, arg->label, &text, to);
        if (failed)
            return failed;
        if (*text != '\0' && *text++ != ',')
            return cli_fail(CLI_USAGE, "%s: '%s' follows a value", arg->label, text - 1);
    }
    return CLI_DONE;
}

static int read_seed(const char *text, struct cli_arg *arg)
{
    if (lw__number_read(LW_U64, text, &arg->seed) != LW_NUMBER_OK)
        return cli_fail(CLI_USAGE, "%s: the seed '%s' is not a whole number from 0 to 2^64 - 1",
                        arg->label, text);
    return CLI_DONE;
}

static int make_zero(struct cli_arg *arg)
{
    arg->value = calloc(1, arg->element_bytes);
    return arg->value ? CLI_DONE : cli_fail_memory(arg->element_bytes);
}

/* check_fill - is this fill possible for these elements? */
static int check_fill(const char *name, const struct cli_arg *arg)
{
    bool is_made =
        arg->fill == LW_FILL_IOTA || arg->fill == LW_FILL_RAND || arg->fill == LW_FILL_NORMAL;
    if (is_made && !arg->has_dtype)
        return cli_fail(CLI_USAGE, "%s: %s is not for structs", arg->label, name);
    if (arg->fill == LW_FILL_NORMAL && !lw__dtype_is_float(arg->dtype))
        return cli_fail(CLI_USAGE, "%s: normal is for floats, not for %s", arg->label,
                        lw_dtype_name(arg->dtype));
    return CLI_DONE;
}

static int fail_fill(const struct cli_arg *arg, const char *name)
{
    static const char *const words[] = {"zeros", "none", "iota", "const", "rand", "normal"};
    static const char *const aliases[][2] = {{"ones", "const:1"},     {"arange", "iota"},
                                             {"range", "iota"},       {"empty", "none"},
                                             {"random", "rand:1"},    {"uniform", "rand:1"},
                                             {"randn", "normal:1"},   {"gauss", "normal:1"},
                                             {"full", "const:VALUE"}, {"fill", "const:VALUE"}};
    struct lw__nearest nearest = {.typed = name, .length = strcspn(name, ":")};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        lw__nearest_try(&nearest, words[i]);
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        lw__nearest_alias(&nearest, aliases[i][0], aliases[i][1]);
    return cli_fail(CLI_USAGE,
                    "%s: '%s' is no fill; there are zeros, none, iota, const:VALUE, "
                    "rand:SEED, normal:SEED and a list of values%s",
                    arg->label, name, lw__nearest_text(&nearest));
}

/* read_fill - NAME, NAME:VALUE or a list; value is NULL where there was no colon. */
static int read_fill(const char *name, const char *value, struct cli_arg *arg)
{
    static const struct {
        const char *name;
        enum lw__fill fill;
        const char *needs; /* NULL: no value */
    } rows[] = {
        {"zeros", LW_FILL_ZEROS, NULL}, {"none", LW_FILL_NONE, NULL},
        {"iota", LW_FILL_IOTA, NULL},   {"const", LW_FILL_CONST, "VALUE"},
        {"rand", LW_FILL_RAND, "SEED"}, {"normal", LW_FILL_NORMAL, "SEED"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        arg->fill = rows[i].fill;
        if (rows[i].needs && !value)
            return cli_fail(CLI_USAGE, "%s: %s needs a value: %s:%s", arg->label, name, name,
                            rows[i].needs);
        int failed = check_fill(name, arg);
        if (failed || !value)
            return failed;
        return arg->fill == LW_FILL_CONST ? read_values(value, 1, arg) : read_seed(value, arg);
    }
    char c = name[0];
    if (c >= 'a' && c <= 'z' && strncmp(name, "nan", 3) != 0 && strncmp(name, "inf", 3) != 0 &&
        strncmp(name, "true", 4) != 0 && strncmp(name, "false", 5) != 0)
        return fail_fill(arg, name);
    arg->fill = LW_FILL_DATA;
    return read_values(name, arg->count, arg);
}

/* read_out - the name after the last colon; NULL: no output. */
static int read_out(const char *out, struct cli_arg *arg)
{
    if (!out)
        return CLI_DONE;
    size_t length = strlen(out);
    if (length <= 4 || strcmp(out + length - 4, ".npy") != 0)
        return cli_fail(CLI_USAGE, "%s: the output '%s' must be a name that ends in .npy",
                        arg->label, out);
    arg->out = strdup(out);
    return arg->out ? CLI_DONE : cli_fail_memory(length + 1);
}

/* cut - end text at its first c and return what follows; NULL where there is none. */
static char *cut(char *text, char c)
{
    char *at = text ? strchr(text, c) : NULL;
    if (at)
        *at++ = '\0';
    return at;
}

/* read_fill_and_out - "[=FILL][:OUT]", which is cut into pieces. */
static int read_fill_and_out(char *text, struct cli_arg *arg)
{
    if (*text != '\0' && *text != '=' && *text != ':')
        return cli_fail(CLI_USAGE, "%s: '=FILL' or ':OUT.npy' is needed at '%s'", arg->label, text);
    char *fill = *text == '=' ? text + 1 : NULL;
    char *out = cut(text, ':'), *value = NULL;
    bool takes_value = fill && (strcmp(fill, "const") == 0 || strcmp(fill, "rand") == 0 ||
                                strcmp(fill, "normal") == 0);
    if (takes_value) {
        value = out;
        out = cut(value, ':');
    }
    int failed = fill ? read_fill(fill, value, arg) : CLI_DONE;
    if (!failed && arg->fill == LW_FILL_ZEROS)
        failed = make_zero(arg);
    return failed ? failed : read_out(out, arg);
}

/* read_literal - ELEMENT[N,...][=FILL][:OUT.npy]; text is cut into pieces. */
static int read_literal(char *text, struct cli_arg *arg)
{
    const char *at = strchr(text, '[');
    int failed = read_element(text, (size_t)(at++ - text), arg);
    if (!failed)
        failed = read_shape(&at, arg);
    if (!failed)
        failed = check_buffer(arg);
    if (!failed)
        failed = count_elements(arg);
    return failed ? failed : read_fill_and_out(text + (at - text), arg);
}

/* ---- [bf16|struct]@IN.npy -------------------------------------------------------------------- */

/* as_structs - u8 elements as the parameter's structs: [..., size] or [bytes]. */
static int as_structs(const char *path, struct cli_arg *arg)
{
    size_t size = arg->param.element_bytes;
    if (arg->rank == 0 || size == 0)
        return cli_fail(CLI_USAGE, "%s: %s cannot be read as structs of %zu bytes", arg->label,
                        path, size);
    size_t *last = &arg->extent[arg->rank - 1];
    if (arg->rank == 1 && *last % size == 0) {
        *last /= size;
    } else if (arg->rank > 1 && *last == size) {
        arg->rank--;
    } else {
        return cli_fail(CLI_USAGE, "%s: %s has rows of %zu bytes, the struct %zu", arg->label, path,
                        *last, size);
    }
    arg->has_dtype = false;
    return CLI_DONE;
}

/* as_prefix - give the file's elements the meaning that the word before '@' asks for. */
static int as_prefix(const char *prefix, const char *path, struct cli_arg *arg)
{
    if (*prefix == '\0')
        return CLI_DONE;
    bool is_struct = strcmp(prefix, "struct") == 0;
    lw_dtype stored = is_struct ? LW_U8 : LW_U16;
    if (arg->dtype != stored)
        return cli_fail(CLI_USAGE, "%s: %s holds %s, %s@ needs %s", arg->label, path,
                        lw_dtype_name(arg->dtype), prefix, lw_dtype_name(stored));
    if (is_struct)
        return as_structs(path, arg);
    arg->dtype = LW_BF16;
    return CLI_DONE;
}

/* read_file - the name ends at the first ".npy:", if an output follows it. */
static int read_file(char *text, struct cli_arg *arg)
{
    char *path = cut(text, '@'), *out = strstr(path, ".npy:");
    if (*text != '\0' && strcmp(text, "bf16") != 0 && strcmp(text, "struct") != 0)
        return cli_fail(CLI_USAGE, "%s: '%s@': only bf16@ and struct@ are known", arg->label, text);
    if (out) {
        out += 4;
        *out++ = '\0';
    }
    struct cli_npy array;
    int failed = cli_npy_read(path, &array);
    if (failed)
        return failed;
    arg->fill = LW_FILL_DATA;
    arg->value = array.data;
    arg->has_dtype = true;
    arg->dtype = array.dtype;
    arg->rank = array.rank;
    memcpy(arg->extent, array.extent, sizeof arg->extent);
    failed = as_prefix(text, path, arg);
    if (!failed)
        failed = check_buffer(arg);
    if (!failed)
        failed = count_elements(arg);
    return failed ? failed : read_out(out, arg);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int read_buffer(const char *text, struct cli_arg *arg)
{
    size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (strcmp(text, "null") == 0 && arg->param.kind == LW_PARAM_POINTER) {
        arg->is_null = true;
        return CLI_DONE;
    }
    if (text[word] != '[' && text[word] != '@')
        return cli_fail(CLI_USAGE, "%s: '%s' is not a buffer; write %s[N] or @FILE.npy", arg->label,
                        text, arg->param.has_dtype ? lw_dtype_name(arg->param.dtype) : "struct");
    char *pieces = strdup(text);
    if (!pieces)
        return cli_fail_memory(strlen(text) + 1);
    arg->is_buffer = true;
    int failed = text[word] == '@' ? read_file(pieces, arg) : read_literal(pieces, arg);
    free(pieces);
    return failed;
}

static int read_layout(const char *text, struct lw__type **type)
{
    const lw_status status = lw__type_read(text, type);
    if (status == LW_E_MEMORY)
        return cli_fail_memory(sizeof **type);
    return status
               ? cli_fail(CLI_LAUNCH, "a defect in Lanewise: the layout '%s' cannot be read", text)
               : CLI_DONE;
}

int cli_arg_read(size_t index, const lw_param *param, const char *text, struct cli_arg *arg)
{
    memset(arg, 0, sizeof *arg);
    arg->param = *param;
    int failed = set_label(index, arg);
    if (!failed)
        failed = read_layout(param->layout, &arg->type);
    if (failed)
        return failed;
    if (param->kind == LW_PARAM_POINTER || param->kind == LW_PARAM_TENSOR)
        return read_buffer(text, arg);
    return read_by_value(text, arg);
}

void cli_arg_free(struct cli_arg *arg)
{
    if (!arg->is_borrowed)
        lw_buffer_destroy(arg->buffer);
    lw__type_free(arg->type);
    free(arg->label);
    free(arg->value);
    free(arg->out);
}
