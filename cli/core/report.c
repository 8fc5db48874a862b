/* report.c - how the command reports errors: a line on standard error, an exit status, and with
 * --json one object on standard output.
 *
 * This file keeps the first failure of a thread and the compiler's diagnostics until
 * cli_report_json writes them. The library keeps its last message in the same way, for
 * lw_last_error.
 */
#include "cli/core/cli.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct report {
    char error[2048];  /* the first; "": none */
    FILE *diagnostics; /* their JSON so far, a memory stream; NULL: none */
    char *text;        /* of it */
    size_t size;
    bool is_done; /* an object has been written */
};

static struct report *get_report(void)
{
    static _Thread_local struct report report;
    return &report;
}

static void keep_error(const char *format, va_list list)
{
    struct report *report = get_report();
    if (!report->error[0])
        vsnprintf(report->error, sizeof report->error, format, list);
}

/* ---- failures -------------------------------------------------------------------------------- */

int cli_fail(enum cli_exit status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    va_list again;
    va_copy(again, list);
    cli_message_begin();
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    if (status != CLI_DONE)
        keep_error(format, again);
    va_end(again);
    va_end(list);
    return status;
}

int cli_exit_of(lw_status status)
{
    switch (status) {
    case LW_OK: return CLI_DONE;
    case LW_E_CHECK: return CLI_FOUND;
    case LW_E_ARG:
    case LW_E_SHAPE:
    case LW_E_DTYPE:
    case LW_E_IO: return CLI_USAGE;
    case LW_E_COMPILE: return CLI_COMPILE;
    case LW_E_INTERNAL: return CLI_BROKEN;
    default: return CLI_LAUNCH;
    }
}

int cli_fail_library(lw_status status)
{
    const char *text = lw_last_error();
    return cli_fail((enum cli_exit)cli_exit_of(status), "%s",
                    *text ? text : lw_status_text(status));
}

int cli_fail_file(int error, const char *path)
{
    bool is_short = error == ENOMEM || error == EMFILE || error == ENFILE;
    return cli_fail(is_short ? CLI_LAUNCH : CLI_USAGE, "%s: %s", path,
                    error == ENOMEM ? "out of memory" : strerror(error));
}

int cli_fail_memory(size_t bytes)
{
    return cli_fail(CLI_LAUNCH, "out of memory, %zu bytes more were needed", bytes);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* is_closed - true if standard output is a pipe or socket that nobody reads any more. */
static bool is_closed(void)
{
    struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP));
}

/* A result or a finding that did not arrive is a failure, as on a full disk. A reader that closed
 * the pipe has seen enough. */
int cli_deliver(int status)
{
    errno = 0;
    bool is_delivered = fflush(stdout) == 0 && !ferror(stdout);
    int error = errno;
    bool is_lost = status == CLI_DONE || status == CLI_FOUND;
    if (status == CLI_FOUND && ferror(stderr)) /* run -d check has its findings there */
        return CLI_LAUNCH;
    if (is_delivered || is_closed())
        return status;
    cli_fail(CLI_LAUNCH, "standard output: %s", error ? strerror(error) : "could not be written");
    return is_lost ? CLI_LAUNCH : status;
}

/* ---- the compiler's messages ----------------------------------------------------------------- */

void cli_report_keep(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    keep_error(format, list);
    va_end(list);
}

/* keep_first - the first error is what went wrong, where nothing else has been told. */
static void keep_first(const lw_diagnostic *diagnostic)
{
    if (strcmp(diagnostic->severity, "error") != 0)
        return;
    if (diagnostic->line > 0)
        cli_report_keep("%s:%d:%d: %s", diagnostic->file, diagnostic->line, diagnostic->column,
                        diagnostic->text);
    else
        cli_report_keep("%s%s%s", diagnostic->file, *diagnostic->file ? ": " : "",
                        diagnostic->text);
}

/* keep_diagnostic - without memory for it, only standard error has it. */
static void keep_diagnostic(const lw_diagnostic *diagnostic)
{
    struct report *report = get_report();
    bool is_first = !report->diagnostics;
    if (is_first)
        report->diagnostics = open_memstream(&report->text, &report->size);
    FILE *to = report->diagnostics;
    if (!to)
        return;
    lw__json_member(to, is_first ? "\n  {" : ",\n  {", "severity", diagnostic->severity);
    lw__json_member(to, ", ", "file", diagnostic->file);
    fprintf(to, ", \"line\": %d, \"column\": %d, \"text\": ", diagnostic->line, diagnostic->column);
    lw__json_write(to, diagnostic->text);
    if (diagnostic->picture && *diagnostic->picture) {
        lw__json_member(to, ", ", "picture", diagnostic->picture);
    }
    fputc('}', to);
}

void cli_print_diagnostic(const lw_diagnostic *diagnostic, void *user)
{
    struct cli_messages *messages = user;
    const bool is_note = strcmp(diagnostic->severity, "note") == 0;
    if (!is_note)
        messages->is_of_remark = strcmp(diagnostic->severity, "remark") == 0;
    if (messages->remarks != CLI_WITH_REMARKS &&
        messages->is_of_remark != (messages->remarks == CLI_REMARKS_ALONE))
        return;
    keep_first(diagnostic);
    keep_diagnostic(diagnostic);
    cli_message_print(diagnostic, messages->color);
    messages->count++;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void cli_report_diagnostics(FILE *to)
{
    const struct report *report = get_report();
    FILE *kept = report->diagnostics;
    if (kept && fflush(kept) == 0 && !ferror(kept))
        fprintf(to, ",\n \"diagnostics\": [%s]", report->text);
}

void cli_report_begin(void)
{
    get_report()->is_done = true;
}

void cli_report_failure(FILE *to, int status)
{
    const char *error = get_report()->error;
    lw__json_member(to, "", "error", *error ? error : "the kernel does not compile");
    fprintf(to, ", \"status\": %d", status);
}

void cli_report_json(FILE *to, int status)
{
    if (get_report()->is_done)
        return;
    fputc('{', to);
    cli_report_failure(to, status);
    cli_report_diagnostics(to);
    fputs("}\n", to);
}

void cli_report_end(void)
{
    struct report *report = get_report();
    if (report->diagnostics)
        fclose(report->diagnostics);
    free(report->text);
    *report = (struct report){0};
}
