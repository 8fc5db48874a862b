/* check.c - `lanewise check`, and what launches on the device `check` have found.
 */
#include "cli/run/run.h"
#include "lanewise/check.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_SECONDS = 60 };

lw_status cli_configure_check(lw_device *device, const struct cli_options *options)
{
    const lw_check_options check = {.schedules = options->schedules,
                                    .strict = options->strict,
                                    .seed = options->seed,
                                    .suppressions = options->suppress};
    return lw_check_configure(device, &check);
}

struct findings {
    lw_stream *stream;
    lw_check_format format;
};

static lw_status write_findings(const void *of, const char *path)
{
    const struct findings *findings = of;
    return lw_check_write(findings->stream, findings->format, path);
}

/* read_findings - of the stream, in a format; release with free. */
static int read_findings(lw_stream *stream, lw_check_format format, char **text, size_t *size)
{
    return cli_capture(write_findings, &(struct findings){stream, format}, text, size);
}

/* print_text - paragraphs; their first lines are bold where colours are wanted. */
static void print_text(FILE *to, char *text, bool color)
{
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        bool is_first = color && *line != ' ';
        fprintf(to, "%s%.*s%s\n", is_first ? "\033[1m" : "", (int)(end - line), line,
                is_first ? "\033[0m" : "");
        end += *end == '\n';
    }
}

static bool is_checked(const struct cli_session *session)
{
    return session->stream && lw_device_has_findings(session->device);
}

bool cli_has_findings(const struct cli_session *session)
{
    return is_checked(session) && lw_check_get_verdict(session->stream, NULL) == LW_CHECK_FOUND;
}

static void count(const lw_finding *finding, void *user)
{
    (void)finding;
    ++*(size_t *)user;
}

int cli_print_findings(const struct cli_session *session)
{
    size_t size, found = 0;
    FILE *to = session->options->is_check ? stdout : stderr;
    if (!is_checked(session) || session->options->json)
        return CLI_DONE;
    lw_check_findings(session->stream, count, &found);
    if (!found && !session->options->is_check)
        return CLI_DONE;
    char *text;
    int failed =
        read_findings(session->stream, session->options->verbose ? LW_CHECK_VERBOSE : LW_CHECK_TEXT,
                      &text, &size);
    if (failed)
        return failed;
    print_text(to, text, isatty(fileno(to)) && cli_wants_color(session->options->color));
    free(text);
    return CLI_DONE;
}

int cli_json_stream(lw_stream *stream, const char *first, char **members)
{
    size_t size;
    int failed = read_findings(stream, LW_CHECK_JSON, members, &size);
    char *text = *members;
    if (failed)
        return failed;
    const char *from = strstr(text, first); /* no string has it, for its quotes are escaped there */
    char *end = strrchr(text, '}');         /* the object's: what is within goes into another */
    if (end)
        *end = '\0';
    if (from)
        memmove(text, from, strlen(from) + 1);
    return CLI_DONE;
}

int cli_json_findings(const struct cli_session *session, char **members)
{
    *members = NULL;
    return is_checked(session) ? cli_json_stream(session->stream, "\"verdict\":", members)
                               : CLI_DONE;
}

/* ---- the file of --sarif --------------------------------------------------------------------- */

/* Does it begin as our logs do? So does an empty file. */
static bool is_log(const char *path)
{
    static const char begin[] = "{\"$schema\": \"https://json.schemastore.org/sarif-";
    char text[sizeof begin] = "";
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof begin - 1, file) : 0;
    if (file)
        fclose(file);
    return file && (!length || !strcmp(text, begin));
}

/* Where nothing runs, the log of an earlier run would be taken for one of this. Another file stays
 * as it is until there is a log. */
int cli_sarif_begin(const struct cli_options *options)
{
    if (!options->sarif)
        return CLI_DONE;
    FILE *file = fopen(options->sarif, "a");
    if (!file || fclose(file))
        return cli_fail_file(errno, options->sarif);
    struct stat about;
    if (stat(options->sarif, &about) == 0 && S_ISREG(about.st_mode) && is_log(options->sarif))
        unlink(options->sarif);
    return CLI_DONE;
}

int cli_sarif_write(const struct cli_session *session)
{
    const char *path = session->options->sarif;
    char *text;
    size_t size;
    int failed = path ? read_findings(session->stream, LW_CHECK_SARIF, &text, &size) : CLI_DONE;
    if (!path || failed)
        return failed;
    failed = cli_save(path, &(struct lw__part){text, size}, 1);
    free(text);
    return failed;
}

int cli_check(const struct cli_options *options)
{
    struct cli_options asked = *options;
    asked.device = "check";
    asked.is_check = asked.quiet = true;
    if (!asked.timeout)
        asked.timeout = DEFAULT_SECONDS * UINT64_C(1000000000);
    const int failed = cli_sarif_begin(options);
    return failed ? failed : cli_run(&asked);
}
