/* session.c - what run, op and bench do alike: open a device, put work between two marks, wait,
 * tell how it ended.
 */
#include "cli/run/run.h"
#include <stdlib.h>
#include <unistd.h>

int cli_session_open(struct cli_session *session, const struct cli_options *options)
{
    const char *name = options->device;
    session->options = options;
    lw_status status = lw_device_open(name, &session->device);
    if (status == LW_E_DEVICE && name) {
        int failed = cli_fail_library(status);
        return cli_is_device(name) ? failed : CLI_USAGE;
    }
    if (status == LW_OK)
        status = lw_device_get_info(session->device, &session->info);
    if (status == LW_OK && options->is_check)
        status = cli_configure_check(session->device, options);
    if (status == LW_OK)
        status = lw_stream_create(session->device, &session->stream);
    if (status == LW_OK)
        status = lw_event_create(session->device, &session->begin);
    if (status == LW_OK)
        status = lw_event_create(session->device, &session->end);
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

void cli_session_close(struct cli_session *session)
{
    lw_event_destroy(session->begin);
    lw_event_destroy(session->end);
    lw_stream_destroy(session->stream);
    lw_device_close(session->device);
}

int cli_trap_faults(void)
{
    if (setenv("LANEWISE_GUARD", "all", 0))
        return cli_fail_memory(sizeof "LANEWISE_GUARD=all");
    lw_status status = lw_trap_faults();
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

/* ---- one time -------------------------------------------------------------------------------- */

lw_status cli_session_time(struct cli_session *session, cli_queue *queue, void *job, uint64_t calls,
                           uint64_t *time)
{
    session->was_queued = false;
    lw_status status = lw_event_record(session->begin, session->stream);
    for (uint64_t i = 0; i < calls && status == LW_OK; i++)
        status = queue(job, session->stream);
    if (status != LW_OK)
        return status;
    session->was_queued = true;
    if (session->progress)
        cli_progress_count(session->progress, "running", session->running, session->runs,
                           session->options->time_launches);
    /* A launch that failed already refuses the mark too; wait then says why, after its output. */
    lw_status marked = lw_event_record(session->end, session->stream);
    char why_not[1024];
    snprintf(why_not, sizeof why_not, "%s", lw_last_error());
    uint64_t timeout = session->options->timeout;
    status =
        timeout ? lw_stream_wait_for(session->stream, timeout) : lw_stream_wait(session->stream);
    if (status == LW_E_CHECK) { /* it ran to its end */
        session->has_found = true;
        status = LW_OK;
    }
    if (status == LW_OK && marked != LW_OK)
        return lw_fail(marked, "%s", why_not);
    return status == LW_OK ? lw_event_elapsed(session->begin, session->end, time) : status;
}

/* ---- as often as the options say ------------------------------------------------------------- */

/* write_json - the result, with findings where there may be some. */
static int write_json(const struct cli_session *session, struct cli_result *result)
{
    char *members;
    int failed = cli_json_findings(session, &members);
    result->findings = members;
    if (!failed)
        failed = cli_json_result(stdout, result);
    result->findings = NULL;
    free(members);
    return failed;
}

/* fail_task - report, as JSON too where that is asked for. After a timeout the work still runs and
 * could keep us from ever ending in good order. */
static int fail_task(struct cli_session *session, const struct cli_task *task, lw_status status)
{
    char text[1024];
    struct cli_result *result = task->result;
    if (status == LW_E_TIMEOUT)
        snprintf(text, sizeof text, "%s '%s': not done after %g s, given up", task->what,
                 result->kernel, (double)session->options->timeout / 1e9);
    else
        snprintf(text, sizeof text, "%s", lw_last_error());
    int failed = cli_exit_of(status);
    if (!session->was_queued && failed == CLI_USAGE && task->is_limit && task->is_limit(task->job))
        failed = CLI_LAUNCH;
    if (status == LW_E_IO) /* code for this size of block: no file of the command line */
        failed = CLI_LAUNCH;
    if (session->was_queued)
        failed = CLI_LAUNCH;
    if (session->options->is_check && (status == LW_E_TIMEOUT || status == LW_E_MEMORY))
        failed = CLI_BROKEN;
    const bool has_found = cli_has_findings(session);
    cli_sarif_write(session);
    if (has_found)
        failed = CLI_FOUND;
    cli_fail((enum cli_exit)failed, "%s%s",
             session->options->is_check && !has_found ? "not checked: " : "", text);
    result->failed = failed;
    if (session->options->json && write_json(session, result))
        cli_report_json(stdout, failed);
    if (has_found)
        cli_print_findings(session);
    if (status == LW_E_TIMEOUT)
        _exit(cli_deliver(failed));
    return failed;
}

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* run_once - *status: the library's, of the work itself. */
static int run_once(struct cli_session *session, const struct cli_task *task, lw_status *status)
{
    for (size_t i = 0; i < task->arg_count; i++) {
        int failed = cli_arg_refill(&task->args[i]);
        if (failed)
            return failed;
    }
    *status =
        cli_session_time(session, task->queue, task->job, 1, &task->result->times[session->runs]);
    return CLI_DONE;
}

int cli_session_run(struct cli_session *session, const struct cli_task *task)
{
    struct cli_result *result = task->result;
    size_t timed = session->options->time_launches, launches = timed ? timed : 1;
    lw_status status = LW_OK;
    int failed = CLI_DONE;
    result->times = calloc(launches, sizeof *result->times);
    if (!result->times)
        return cli_fail_memory(launches * sizeof *result->times);
    struct cli_progress progress;
    cli_progress_begin(&progress, session->options, "building", result->kernel);
    session->progress = &progress;
    session->running = result->kernel;
    for (session->runs = 0; session->runs < launches && !failed && !status;)
        if (!(failed = run_once(session, task, &status)) && !status)
            session->runs++;
    session->progress = NULL;
    cli_progress_end(&progress);
    if (failed || status)
        return failed ? failed : fail_task(session, task, status);
    result->time_count = timed;
    qsort(result->times, timed, sizeof *result->times, compare_times);
    return CLI_DONE;
}

/* ---- results --------------------------------------------------------------------------------- */

/* save_all - a file that cannot be saved keeps none of the others from it. */
static int save_all(const struct cli_result *result)
{
    size_t wanted = 0, saved = 0;
    int failed = CLI_DONE;
    for (size_t i = 0; i < result->arg_count; i++) {
        int unsaved = cli_arg_write_file(&result->args[i]);
        wanted += result->args[i].out != NULL;
        saved += result->args[i].out && !unsaved;
        failed = failed ? failed : unsaved;
    }
    if (!failed)
        return CLI_DONE;
    return cli_fail((enum cli_exit)failed, "%zu of %zu files are saved, and no buffer is printed",
                    saved, wanted);
}

int cli_session_deliver(const struct cli_session *session, struct cli_result *result)
{
    int failed = save_all(result);
    if (!failed)
        failed =
            session->options->json ? write_json(session, result) : cli_print_result(stdout, result);
    if (!failed)
        failed = cli_print_findings(session);
    if (!failed)
        failed = cli_sarif_write(session);
    return failed || !session->has_found ? failed : CLI_FOUND;
}
