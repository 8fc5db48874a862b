/* picture.c - `lanewise picture`, and the counts of `lanewise run --count` and `check --count`:
 * what the threads of a launch did. docs/picture.md.
 */
#include "cli/run/run.h"
#include "lanewise/picture.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

/* format_of - by the end of the file's name. */
static int format_of(const char *name, lw_picture_format *format)
{
    if (!name)
        return cli_fail(CLI_USAGE, "picture needs -o OUT.html, OUT.svg or OUT.json");
    if (ends_in(name, ".html"))
        *format = LW_PICTURE_HTML;
    else if (ends_in(name, ".svg"))
        *format = LW_PICTURE_SVG;
    else if (ends_in(name, ".json"))
        *format = LW_PICTURE_JSON;
    else
        return cli_fail(CLI_USAGE, "-o: '%s' ends neither in .html nor in .svg or .json", name);
    return CLI_DONE;
}

static int check_block(const struct cli_options *options)
{
    const lw_dim3 g = options->grid, b = options->drawn;
    if (b.x < g.x && b.y < g.y && b.z < g.z)
        return CLI_DONE;
    return cli_fail(CLI_USAGE,
                    "--block: the grid is %" PRIu32 ",%" PRIu32 ",%" PRIu32
                    ", it has no block %" PRIu32 ",%" PRIu32 ",%" PRIu32,
                    g.x, g.y, g.z, b.x, b.y, b.z);
}

int cli_picture(const struct cli_options *options)
{
    struct cli_options asked = *options;
    lw_picture_format format;
    int failed = format_of(options->out, &format);
    if (!failed)
        failed = check_block(options);
    if (failed)
        return failed;
    asked.device = options->with_check ? "check" : "ref";
    asked.is_picture = asked.quiet = true;
    return cli_run(&asked);
}

/* ---- a launch -------------------------------------------------------------------------------- */

int cli_picture_begin(const struct cli_session *session, const char *source)
{
    const struct cli_options *o = session->options;
    lw_picture_options picture = {.block = o->drawn,
                                  .steps = (uint32_t)o->steps,
                                  .traces = o->traces,
                                  .trace_count = o->trace_count,
                                  .source = source,
                                  .counts_only = o->count};
    if (!o->is_picture && !o->count)
        return CLI_DONE;
    lw_status status = lw_picture_begin(session->stream, &picture);
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

static lw_status write_picture(const void *of, const char *path)
{
    const struct cli_session *session = of;
    lw_picture_format format;
    return format_of(session->options->out, &format)
               ? LW_E_ARG
               : lw_picture_write(session->stream, format, path);
}

int cli_picture_save(const struct cli_session *session)
{
    const char *out = session->options->out;
    char *text;
    size_t size;
    int failed = cli_capture(write_picture, session, &text, &size);
    if (failed)
        return failed;
    failed = cli_save(out, &(struct lw__part){text, size}, 1);
    free(text);
    if (failed)
        return failed;
    const char *cut = lw_picture_why_cut(session->stream);
    if (cut)
        fprintf(stderr, "lanewise: %s: %s\n", out, cut);
    return CLI_DONE;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void print_memory(FILE *to, const char *name, uint64_t reads, uint64_t writes,
                         const lw_picture_counts *c)
{
    fprintf(to, "  %-14s %12" PRIu64 " reads %12" PRIu64 " writes   %.4g a thread\n", name, reads,
            writes, cli_share(reads + writes, c->threads));
}

int cli_picture_print_counts(FILE *to, const struct cli_session *session)
{
    if (!session->options->count || session->options->json)
        return CLI_DONE;
    lw_picture_counts c;
    lw_status status = lw_picture_get_counts(session->stream, &c);
    if (status != LW_OK)
        return cli_fail_library(status);
    fprintf(to, "counts of %" PRIu64 " thread%s in %" PRIu64 " warp%s:\n", c.threads,
            c.threads == 1 ? "" : "s", c.warps, c.warps == 1 ? "" : "s");
    print_memory(to, "global memory", c.global_reads, c.global_writes, &c);
    fprintf(to, "  %-14s %12" PRIu64 " in %" PRIu64 " requests of warps, %.4g a request\n",
            "sectors", c.sectors, c.global_requests, cli_share(c.sectors, c.global_requests));
    print_memory(to, "block memory", c.block_reads, c.block_writes, &c);
    fprintf(to,
            "  %-14s %12" PRIu64 " more passes than the %" PRIu64 " requests of warps, %.4g a "
            "request\n",
            "bank conflicts", c.passes - c.block_requests, c.block_requests,
            cli_share(c.passes, c.block_requests));
    fprintf(to, "  %-14s %12" PRIu64 " of blocks, %" PRIu64 " collectives of warps\n", "barriers",
            c.barriers, c.collectives);
    fprintf(to, "  %-14s %12.4g %% of the lanes, while their warps ran a line\n", "idle",
            100 * cli_share(c.lanes_idle, c.lanes + c.lanes_idle));
    return CLI_DONE;
}
