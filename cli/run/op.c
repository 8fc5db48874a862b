/* op.c - `lanewise op NAME [key=value...] [ARG...]`: a ready-made operation on files or fills.
 *
 * The result is printed as `run` prints a buffer.
 */
#include "cli/run/op_call.h"
#include <stdlib.h>
#include <string.h>

/* ---- the list -------------------------------------------------------------------------------- */

static void write_row(const lw_op_info *info, bool is_first)
{
    lw__json_member(stdout, is_first ? "\n  {" : ",\n  {", "name", info->name);
    lw__json_member(stdout, ", ", "text", info->text);
    lw__json_member(stdout, ", ", "parameters", info->parameters);
    printf(", \"inputs\": [%zu, %zu]}", info->least_inputs, info->most_inputs);
}

static void print_row(const lw_op_info *info, bool markdown)
{
    if (markdown) {
        printf("| **%s** %s | %zu", info->name, info->text, info->least_inputs);
        if (info->most_inputs > info->least_inputs)
            printf(" to %zu", info->most_inputs);
        printf(" | %s%s%s | %s |\n", *info->parameters ? "`" : "", info->parameters,
               *info->parameters ? "`" : "", info->bound);
        return;
    }
    printf("%-16s ", info->name);
    if (*info->text)
        printf("%s\n", info->text);
    else
        printf("%zu inputs, %zu outputs\n", info->most_inputs, info->outputs);
    if (*info->parameters)
        printf("%-16s     %s\n", "", info->parameters);
}

int cli_op_list(const struct cli_options *options, const char *const *names, size_t count)
{
    if (options->json) {
        cli_report_begin();
        fputs("{\"operations\": [", stdout);
    }
    for (size_t i = 0; i < count; i++) {
        lw_op *op;
        lw_status status = lw_op_find(names[i], &op);
        lw_op_info info;
        if (status == LW_OK)
            status = lw_op_get_info(op, &info);
        if (status != LW_OK)
            return cli_fail_library(status);
        if (options->json)
            write_row(&info, i == 0);
        else
            print_row(&info, options->markdown);
    }
    fputs(options->json ? "]}\n" : "", stdout);
    return CLI_DONE;
}

static int list(const struct cli_options *options)
{
    const char **names;
    size_t count;
    int failed = cli_op_names(&names, &count);
    if (!failed)
        failed = cli_op_list(options, names, count);
    free(names);
    return failed;
}

static int run(const struct cli_options *options, struct cli_session *session,
               struct cli_op_call *call)
{
    struct cli_result result = {.kernel = call->info.name,
                                .args = &call->args[call->inputs],
                                .arg_count = call->shown,
                                .quiet = options->quiet};
    struct cli_task task = {.what = "operation",
                            .args = call->args,
                            .arg_count = call->inputs,
                            .queue = cli_op_queue,
                            .job = call,
                            .result = &result};
    int failed = cli_session_open(session, options);
    if (!failed)
        failed = cli_op_create(call, session->device);
    result.device = session->info.name;
    if (!failed)
        failed = cli_session_run(session, &task);
    if (!failed)
        failed = cli_session_deliver(session, &result);
    free(result.times);
    return failed;
}

int cli_op(const struct cli_options *options)
{
    struct cli_session session = {0};
    if (options->list)
        return list(options);
    struct cli_op_call call;
    int failed = cli_op_read(options->file, options->args, options->arg_count, &call);
    if (!failed)
        failed = run(options, &session, &call);
    cli_session_close(&session);
    cli_op_free(&call);
    return failed;
}
