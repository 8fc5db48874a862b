/* run.c - `lanewise run`: build, read the ARGs by the kernel's parameters, launch, report.
 *
 * Every launch starts from what the ARGs say, so the results of --time are those of one launch.
 */
#include "cli/make/make.h"
#include "cli/run/run.h"
#include "lanewise/picture.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
    struct cli_options asked;
    const struct cli_options *options; /* those */
    struct cli_session session;
    lw_program *program;
    lw_kernel *kernel;
    lw_arg *packed;     /* of result.args */
    size_t param_count; /* result.args are these, then the symbols */
    bool lost_line;     /* one could not be kept for want of memory */
    char *text;         /* of standard input, or NULL */
    struct cli_messages messages;
    struct cli_progress progress; /* of building */
    struct cli_result result;
};

/* ---- device, program, kernel ----------------------------------------------------------------- */

static int trap_faults(struct job *job)
{
    (void)job;
    return cli_trap_faults();
}

/* check_count - --count is for devices that can be recorded. */
static int check_count(const struct job *job)
{
    const char *name = job->session.info.name;
    if (!job->options->count || strcmp(name, "ref") == 0 || strcmp(name, "check") == 0)
        return CLI_DONE;
    return cli_fail(CLI_USAGE, "--count is for devices ref and check, and not for %s", name);
}

static int open_device(struct job *job)
{
    struct cli_options *asked = &job->asked;
    if (asked->count && !asked->device)
        asked->device = "ref";
    int failed = cli_session_open(&job->session, job->options);
    job->result.device = job->options->device ? job->options->device : job->session.info.name;
    if (!failed && job->options->debug && strcmp(job->session.info.name, "ref") != 0)
        return cli_fail(CLI_USAGE,
                        "-O0 is for device ref, which runs one thread at a time, and not for %s; "
                        "add -d ref",
                        job->session.info.name);
    return failed ? failed : check_count(job);
}

/* is_text_file - true if nothing about the file itself keeps it from being read. */
static bool is_text_file(const char *path)
{
    struct stat about;
    bool is_text = stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, R_OK) == 0;
    return is_text || cli_is_input(path);
}

/* read_input - where FILE is `-`. */
static int read_input(struct job *job)
{
    return cli_is_input(job->options->file) ? cli_input_read(&job->text) : CLI_DONE;
}

static void on_diagnostic(const lw_diagnostic *diagnostic, void *user)
{
    struct job *job = user;
    cli_progress_erase(&job->progress);
    cli_print_diagnostic(diagnostic, &job->messages);
}

static int build(struct job *job)
{
    const struct cli_options *options = job->options;
    const char *name = cli_input_name(options->file);
    lw_build_options build = {
        .defines = options->defines,
        .define_count = options->define_count,
        .include_dirs = options->include_dirs,
        .include_dir_count = options->include_dir_count,
        .on_diagnostic = on_diagnostic,
        .user = job,
        .source = job->text,
        .debug = options->debug,
        .first_kernel = options->kernel,
        .first_block = options->block,
        .picture = options->is_picture || options->count,
        .cuda = options->cuda,
        .cuda_arch = options->cuda_arch,
    };
    job->messages.color = cli_wants_color(options->color);
    cli_progress_begin(&job->progress, options, "building", name);
    lw_status status = lw_program_build(job->session.device, name, &build, &job->program);
    cli_progress_end(&job->progress);
    if (status == LW_E_COMPILE && job->messages.count > 0)
        return CLI_COMPILE;
    if (status == LW_E_IO && is_text_file(options->file)) /* descriptors ran out */
        return cli_fail(CLI_LAUNCH, "%s", lw_last_error());
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

/* fail_choice - several kernels and none named. */
static int fail_choice(struct job *job, size_t count)
{
    cli_fail(CLI_USAGE,
             "%s has %zu kernels; choose one with -k NAME:", cli_input_name(job->options->file),
             count);
    for (size_t i = 0; i < count; i++) {
        lw_kernel *kernel;
        if (lw_program_kernel_at(job->program, i, &kernel) == LW_OK)
            fprintf(stderr, "    %s\n", lw_kernel_signature(kernel));
    }
    return CLI_USAGE;
}

static int find_kernel(struct job *job)
{
    const char *name = job->options->kernel;
    size_t count = lw_program_kernel_count(job->program);
    if (!name && count == 0)
        return cli_fail(CLI_USAGE, "%s has no KERNEL", cli_input_name(job->options->file));
    if (!name && count > 1)
        return fail_choice(job, count);
    lw_status status = name ? lw_program_kernel(job->program, name, &job->kernel)
                            : lw_program_kernel_at(job->program, 0, &job->kernel);
    if (status != LW_OK)
        return cli_fail_library(status);
    job->result.kernel = lw_kernel_name(job->kernel);
    job->result.grid = job->options->grid;
    job->result.block = job->options->block;
    lw_dim3 fixed = lw_kernel_fixed_block(job->kernel);
    if (!job->options->has_block && fixed.x > 0)
        job->result.block = fixed;
    return CLI_DONE;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* check_outs - no file is written twice. */
static int check_outs(const struct cli_result *result)
{
    for (size_t i = 0; i < result->arg_count; i++) {
        const char *out = result->args[i].out;
        for (size_t j = 0; j < i && out; j++)
            if (result->args[j].out && strcmp(result->args[j].out, out) == 0)
                return cli_fail(CLI_USAGE, "%s and %s both write %s", result->args[j].label,
                                result->args[i].label, out);
    }
    return CLI_DONE;
}

static int read_args(struct job *job)
{
    size_t given = job->options->arg_count, count = lw_kernel_param_count(job->kernel);
    struct cli_result *result = &job->result;
    if (given != count)
        return cli_fail(CLI_USAGE, "%zu argument%s given, %zu needed: %s", given,
                        given == 1 ? "" : "s", count, lw_kernel_signature(job->kernel));
    const size_t room = count + job->options->symbol_count + 1;
    result->args = calloc(room, sizeof *result->args);
    job->packed = calloc(room, sizeof *job->packed);
    job->param_count = count;
    if (!result->args || !job->packed)
        return cli_fail_memory(count * sizeof *result->args);
    for (size_t i = 0; i < count; i++) {
        lw_param param;
        lw_status status = lw_kernel_param(job->kernel, i, &param);
        if (status != LW_OK)
            return cli_fail_library(status);
        result->arg_count++;
        int failed = cli_arg_read(i, &param, job->options->args[i], &result->args[i]);
        if (failed)
            return failed;
    }
    for (size_t i = 0; i < job->options->symbol_count; i++) {
        struct cli_arg *arg = &result->args[result->arg_count++];
        int failed = cli_symbol_read(job->program, job->options->symbols[i], arg);
        if (failed)
            return failed;
    }
    return check_outs(result);
}

static int create_buffers(struct job *job)
{
    for (size_t i = 0; i < job->result.arg_count; i++) {
        int failed = cli_arg_create(job->session.device, &job->result.args[i]);
        if (failed)
            return failed;
        job->packed[i] = cli_arg_pack(&job->result.args[i]);
    }
    return CLI_DONE;
}

/* ---- what the kernel prints ------------------------------------------------------------------ */

static void keep_line(struct job *job, const lw_output *output)
{
    struct cli_result *result = &job->result;
    size_t count = result->line_count;
    char *text = strdup(output->text);
    bool is_full = (count & (count - 1)) == 0; /* room is always a power of two */
    struct cli_line *lines = result->lines;
    if (text && is_full)
        lines = realloc(lines, (count ? 2 * count : 1) * sizeof *lines);
    if (!text || !lines) {
        free(text);
        job->lost_line = true;
        return;
    }
    result->lines = lines;
    lines[count] = (struct cli_line){output->block, output->thread, text};
    result->line_count++;
}

static void on_output(const lw_output *output, void *user)
{
    struct job *job = user;
    lw_dim3 b = output->block, t = output->thread;
    if (job->session.runs > 0)
        return;
    if (!output->text) {
        job->result.lost += output->lost;
    } else if (job->options->json) {
        keep_line(job, output);
    } else {
        cli_progress_erase(job->session.progress);
        printf("[block %" PRIu32 ",%" PRIu32 ",%" PRIu32 " thread %" PRIu32 ",%" PRIu32 ",%" PRIu32
               "] %s\n",
               b.x, b.y, b.z, t.x, t.y, t.z, output->text);
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* is_beyond_limits - does the size of the launch break a limit of the language, the kernel or the
 * device? Only asked after the library refused it, to tell a limit from a wrong ARG. */
static bool is_beyond_limits(const void *of)
{
    const struct job *job = of;
    lw_dim3 g = job->result.grid, b = job->result.block, fixed = lw_kernel_fixed_block(job->kernel);
    bool is_grid =
        g.x >= 1 && g.x <= INT32_MAX && g.y >= 1 && g.y <= 65535 && g.z >= 1 && g.z <= 65535;
    bool is_block = b.x >= 1 && b.y >= 1 && b.z >= 1 && b.z <= 64 && b.x <= 1024 && b.y <= 1024 &&
                    b.x * b.y * b.z <= 1024;
    bool is_fixed = fixed.x == 0 || (fixed.x == b.x && fixed.y == b.y && fixed.z == b.z);
    bool is_shared = job->options->shared_bytes <= job->session.info.max_dynamic_bytes;
    return !(is_grid && is_block && is_fixed && is_shared);
}

static lw_status queue(void *of, lw_stream *stream)
{
    const struct job *job = of;
    const struct cli_result *result = &job->result;
    lw_launch_options launch = {.shared_bytes = job->options->shared_bytes};
    return lw_stream_launch(stream, job->kernel, result->grid, result->block, &launch, job->packed,
                            job->param_count);
}

/* draw - also of a launch that failed: that is what one wants to see. */
static int draw(struct job *job, int failed)
{
    int unsaved = job->options->is_picture ? cli_picture_save(&job->session) : CLI_DONE;
    return failed ? failed : unsaved;
}

static int launch_all(struct job *job)
{
    struct cli_task task = {.what = "kernel",
                            .args = job->result.args,
                            .arg_count = job->result.arg_count,
                            .queue = queue,
                            .is_limit = is_beyond_limits,
                            .job = job,
                            .result = &job->result};
    lw_stream_on_output(job->session.stream, on_output, job);
    int failed = cli_picture_begin(&job->session, job->text);
    if (failed)
        return failed;
    failed = cli_session_run(&job->session, &task);
    return job->session.was_queued || !failed ? draw(job, failed) : failed;
}

/* ---- results --------------------------------------------------------------------------------- */

static int deliver(struct job *job)
{
    if (job->lost_line)
        return cli_fail_memory(sizeof(struct cli_line));
    lw_picture_counts counts;
    if (job->options->count && lw_picture_get_counts(job->session.stream, &counts) == LW_OK) {
        job->result.write_more = cli_json_counts;
        job->result.more = &counts;
    }
    int failed = cli_session_deliver(&job->session, &job->result);
    if (failed && failed != CLI_FOUND)
        return failed;
    int untold = cli_picture_print_counts(stdout, &job->session);
    return failed ? failed : untold;
}

/* print_remarks - a launch that breaks a limit has none; it is refused with the limit's message. */
static int print_remarks(struct job *job)
{
    struct cli_options asked = *job->options;
    asked.kernel = job->result.kernel;
    asked.block = job->result.block;
    asked.has_block = true;
    asked.device = job->result.device;
    bool is_wanted = asked.remarks && !is_beyond_limits(job);
    return is_wanted ? cli_show_remarks(&asked, job->text) : CLI_DONE;
}

static int run_job(struct job *job)
{
    int (*const steps[])(struct job *) = {trap_faults, read_input, open_device,   build,
                                          find_kernel, read_args,  print_remarks, create_buffers,
                                          launch_all,  deliver};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        int failed = steps[i](job);
        if (failed)
            return failed;
    }
    return CLI_DONE;
}

static void release(struct job *job)
{
    struct cli_result *result = &job->result;
    cli_session_close(&job->session);
    for (size_t i = 0; i < result->arg_count; i++)
        cli_arg_free(&result->args[i]);
    for (size_t i = 0; i < result->line_count; i++)
        free(result->lines[i].text);
    free(result->args);
    free(result->lines);
    free(result->times);
    free(job->packed);
    free(job->text);
    lw_program_destroy(job->program);
}

int cli_run(const struct cli_options *options)
{
    struct job job = {.asked = *options, .result = {.quiet = options->quiet}};
    job.options = &job.asked;
    int failed = run_job(&job);
    if (job.result.lost > 0)
        fprintf(stderr,
                "lanewise: %zu lines that the kernel printed were lost (%zu bytes of text are "
                "kept for a launch)\n",
                job.result.lost, job.session.info.max_print_bytes);
    release(&job);
    return failed;
}
