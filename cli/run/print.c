/* print.c - values and buffers as people read them.
 *
 *     name: f32[3] = [0.0, 1.0, 2.0]
 *
 * Brackets are the axes, braces the parts of an element, so that {...} can be given back as an ARG.
 * Past 1000 values every axis longer than six shows three at each end, as NumPy does.
 * matrix.c breaks buffers of two and more axes into lines.
 */
#include "cli/run/run.h"
#include <inttypes.h>
#include <string.h>

enum { SUMMARY_ABOVE = 1000, SUMMARY_EDGE = 3 };

/* write_number - JSON has no nan and inf: they become strings. */
static void write_number(FILE *to, enum cli_notation notation, lw_dtype dtype, const char *value)
{
    char text[LW_NUMBER_SIZE];
    lw__number_write(dtype, value, text);
    bool is_word = lw__dtype_is_float(dtype) && (strstr(text, "inf") || strstr(text, "nan"));
    fprintf(to, notation == CLI_JSON && is_word ? "\"%s\"" : "%s", text);
}

static void write_address(FILE *to, enum cli_notation notation, const char *value)
{
    uint64_t address;
    memcpy(&address, value, sizeof address);
    fprintf(to, notation == CLI_JSON ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, address);
}

/* write_parts - the fields of a struct or the elements of an array. */
static void write_parts(FILE *to, enum cli_notation notation, const struct lw__type *type,
                        const char *value)
{
    const struct lw__type *part = type->inner;
    fputc(notation == CLI_JSON ? '[' : '{', to);
    for (size_t i = 0; i < type->count; i++) {
        bool is_field = type->form == LW_STRUCT;
        fputs(i > 0 ? ", " : "", to);
        cli_print_value(to, notation, part, value + (is_field ? part->offset : i * part->bytes));
        part = is_field ? part->next : part;
    }
    fputc(notation == CLI_JSON ? ']' : '}', to);
}

void cli_print_value(FILE *to, enum cli_notation notation, const struct lw__type *type,
                     const char *value)
{
    uint64_t bits;
    if (type->width) {
        cli_bits_get(type, value, &bits);
        value = (const char *)&bits;
    }
    switch (type->form) {
    case LW_SCALAR: write_number(to, notation, type->dtype, value); break;
    case LW_STRUCT:
    case LW_ARRAY:
    case LW_VECTOR: write_parts(to, notation, type, value); break;
    default: write_address(to, notation, value);
    }
}

size_t cli_next_shown(const struct cli_arg *arg, int axis, size_t at)
{
    size_t extent = arg->extent[axis];
    bool is_short = arg->count > SUMMARY_ABOVE && extent > 2 * SUMMARY_EDGE;
    return is_short && at == SUMMARY_EDGE - 1 ? extent - SUMMARY_EDGE : at + 1;
}

/* write_line - the elements of one axis, or the one where there is none. */
static void write_line(FILE *to, const struct cli_arg *arg, const struct lw__type *element,
                       const char *data)
{
    if (arg->rank == 0) {
        cli_print_value(to, CLI_TEXT, element, data);
        return;
    }
    fputc('[', to);
    size_t next;
    for (size_t i = 0; i < arg->extent[0]; i = next) {
        next = cli_next_shown(arg, 0, i);
        fputs(i > 0 ? ", " : "", to);
        cli_print_value(to, CLI_TEXT, element, data + i * arg->element_bytes);
        fputs(next > i + 1 ? ", ..." : "", to);
    }
    fputc(']', to);
}

/* write_head - "name: f32[2,3] = "; its columns. */
static int write_head(FILE *to, const struct cli_arg *arg)
{
    int columns = fprintf(to, "%s: %s[", arg->param.name,
                          arg->has_dtype ? lw_dtype_name(arg->dtype) : "struct");
    for (int axis = 0; axis < arg->rank; axis++)
        columns += fprintf(to, "%s%zu", axis > 0 ? "," : "", arg->extent[axis]);
    return columns + fprintf(to, "] = ");
}

static int print_buffer(FILE *to, const struct cli_arg *arg)
{
    struct lw__type scratch;
    const struct lw__type *element = cli_arg_element(arg, &scratch);
    int failed = CLI_DONE;
    void *memory;
    lw_status status = lw_buffer_map(arg->buffer, &memory);
    if (status != LW_OK)
        return cli_fail_library(status);
    int columns = write_head(to, arg);
    if (arg->rank >= 2)
        failed = cli_print_matrix(to, arg, element, memory, columns);
    else
        write_line(to, arg, element, memory);
    fputc('\n', to);
    status = lw_buffer_unmap(arg->buffer);
    return status == LW_OK ? failed : cli_fail_library(status);
}

bool cli_is_output(const struct cli_arg *arg)
{
    return arg->is_buffer && !arg->param.is_const;
}

/* write_time - nanoseconds with a unit that leaves few digits. */
static void write_time(FILE *to, uint64_t nanoseconds)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if ((double)nanoseconds >= units[i].size) {
            fprintf(to, "%.3f %s", (double)nanoseconds / units[i].size, units[i].name);
            return;
        }
    }
    fprintf(to, "%" PRIu64 " ns", nanoseconds);
}

static void print_times(FILE *to, const struct cli_result *result)
{
    fprintf(to, "time: min ");
    write_time(to, result->times[0]);
    fprintf(to, ", median ");
    write_time(to, result->times[result->time_count / 2]);
    fprintf(to, ", max ");
    write_time(to, result->times[result->time_count - 1]);
    fprintf(to, " of %zu launch%s\n", result->time_count, result->time_count == 1 ? "" : "es");
}

int cli_print_result(FILE *to, const struct cli_result *result)
{
    for (size_t i = 0; i < result->arg_count && !result->quiet; i++) {
        int failed = cli_is_output(&result->args[i]) ? print_buffer(to, &result->args[i]) : 0;
        if (failed)
            return failed;
    }
    if (result->time_count > 0)
        print_times(to, result);
    return CLI_DONE;
}
