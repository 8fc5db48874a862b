/* json.c - the result of a run for programs; docs/cli.md describes the object.
 */
#include "cli/run/run.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_dim3(FILE *to, const char *name, lw_dim3 dim)
{
    fprintf(to, "\"%s\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", name, dim.x, dim.y, dim.z);
}

static void write_buffer(FILE *to, const struct cli_arg *arg, const char *data)
{
    struct lw__type scratch;
    const struct lw__type *element = cli_arg_element(arg, &scratch);
    lw__json_member(to, "{", "name", arg->param.name);
    fprintf(to, ", \"dtype\": \"%s\", \"shape\": [",
            arg->has_dtype ? lw_dtype_name(arg->dtype) : "struct");
    for (int axis = 0; axis < arg->rank; axis++)
        fprintf(to, "%s%zu", axis > 0 ? ", " : "", arg->extent[axis]);
    fputs("], \"data\": [", to);
    for (size_t i = 0; i < arg->count; i++, data += arg->element_bytes) {
        fputs(i > 0 ? ", " : "", to);
        cli_print_value(to, CLI_JSON, element, data);
    }
    fputs("]}", to);
}

static bool is_shown(const struct cli_result *result, size_t index)
{
    return !result->quiet && !result->failed && cli_is_output(&result->args[index]);
}

/* map_buffers - all that are shown, before the first character is written: a failure is another
 * object. */
static int map_buffers(const struct cli_result *result, void **data)
{
    for (size_t i = 0; i < result->arg_count; i++) {
        lw_status status =
            is_shown(result, i) ? lw_buffer_map(result->args[i].buffer, &data[i]) : LW_OK;
        if (status != LW_OK)
            return cli_fail_library(status);
    }
    return CLI_DONE;
}

static int unmap_buffers(const struct cli_result *result, void **data)
{
    int failed = CLI_DONE;
    for (size_t i = 0; i < result->arg_count; i++) {
        lw_status status = data[i] ? lw_buffer_unmap(result->args[i].buffer) : LW_OK;
        if (status != LW_OK && !failed)
            failed = cli_fail_library(status);
    }
    return failed;
}

static void write_buffers(FILE *to, const struct cli_result *result, void **data)
{
    bool is_first = true;
    fputs(",\n \"buffers\": [", to);
    for (size_t i = 0; i < result->arg_count; i++) {
        if (!data[i])
            continue;
        fputs(is_first ? "\n  " : ",\n  ", to);
        is_first = false;
        write_buffer(to, &result->args[i], data[i]);
    }
    fputs("]", to);
}

static void write_lines(FILE *to, const struct cli_result *result)
{
    fputs(",\n \"output\": [", to);
    for (size_t i = 0; i < result->line_count; i++) {
        const struct cli_line *line = &result->lines[i];
        fputs(i > 0 ? ",\n  {" : "\n  {", to);
        write_dim3(to, "block", line->block);
        fputs(", ", to);
        write_dim3(to, "thread", line->thread);
        lw__json_member(to, ", ", "text", line->text);
        fputs("}", to);
    }
    fprintf(to, "],\n \"lost\": %zu", result->lost);
}

static void write_times(FILE *to, const struct cli_result *result)
{
    if (result->time_count > 0)
        fprintf(to,
                ",\n \"time_ns\": {\"launches\": %zu, \"min\": %" PRIu64 ", \"median\": %" PRIu64
                ", \"max\": %" PRIu64 "}",
                result->time_count, result->times[0], result->times[result->time_count / 2],
                result->times[result->time_count - 1]);
}

static void write_result(FILE *to, const struct cli_result *result, void **data)
{
    lw__json_member(to, "{", "kernel", result->kernel);
    lw__json_member(to, ", ", "device", result->device);
    fputs(", ", to);
    write_dim3(to, "grid", result->grid);
    fputs(", ", to);
    write_dim3(to, "block", result->block);
    if (result->failed) {
        fputs(",\n ", to);
        cli_report_failure(to, result->failed);
    }
    cli_report_diagnostics(to);
    write_buffers(to, result, data);
    write_lines(to, result);
    write_times(to, result);
    if (result->findings)
        fprintf(to, ",\n %s", result->findings);
    if (result->write_more && !result->failed)
        result->write_more(to, result->more);
    fputs("}\n", to);
}

int cli_json_result(FILE *to, const struct cli_result *result)
{
    void **data = calloc(result->arg_count + 1, sizeof *data);
    if (!data)
        return cli_fail_memory((result->arg_count + 1) * sizeof *data);
    int failed = map_buffers(result, data);
    if (!failed) {
        cli_report_begin();
        write_result(to, result, data);
    }
    int also = unmap_buffers(result, data);
    free(data);
    return failed ? failed : also;
}
