/* cc.c - `lanewise cc`: an object and a header from a kernel file, ahead of time.
 *
 * lanewise-compile makes both (its --image); here they become files, each written beside its name
 * and renamed, the object last.
 */
#include "cli/make/make.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
    const struct cli_options *options;
    char compiler[PATH_MAX], file[PATH_MAX], name[NAME_MAX + 2];
    int object, header, input; /* memory files; input: of standard input, or -1 */
    FILE *depfile;             /* text of it */
    char *rule, *text, *header_text;
    size_t rule_size, size, header_size;
    const char *payload;
    size_t payload_size;
    bool is_refused;
};

/* ---- what is asked for ----------------------------------------------------------------------- */

static bool is_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* make_name - FILE: the base name without what follows its last point, as a C identifier. Standard
 * input has none, so it is that of the object. */
static void make_name(struct job *job)
{
    const struct cli_options *o = job->options;
    const char *file = cli_is_input(o->file) ? o->out : o->file;
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    const char *point = strrchr(base, '.');
    size_t length = point && point > base ? (size_t)(point - base) : strlen(base);
    bool is_digit = *base >= '0' && *base <= '9';
    snprintf(job->name, sizeof job->name, "%s%.*s", is_digit ? "_" : "", (int)length, base);
    for (char *c = job->name; *c; c++)
        if (!is_in_name(*c))
            *c = '_';
}

static int check(struct job *job)
{
    const struct cli_options *o = job->options;
    struct stat about;
    if (o->arg_count > 0)
        return cli_fail(CLI_USAGE, "cc takes one FILE, not also '%s'", o->args[0]);
    if (!o->out)
        return cli_fail(CLI_USAGE, "cc needs -o OUT.o");
    make_name(job);
    if (cli_is_input(o->file)) {
        snprintf(job->file, sizeof job->file, "5");
        return cli_compiler_find(job->compiler);
    }
    if (stat(o->file, &about) != 0)
        return cli_fail(CLI_USAGE, "%s: %s", o->file, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return cli_fail(CLI_USAGE, "%s: not a regular file", o->file);
    if (access(o->file, R_OK) != 0)
        return cli_fail(CLI_USAGE, "%s: %s", o->file, strerror(errno));
    snprintf(job->file, sizeof job->file, "%s%s", o->file[0] == '-' ? "./" : "", o->file);
    return cli_compiler_find(job->compiler);
}

/* ---- the compiler ---------------------------------------------------------------------------- */

static void add(const char **words, size_t *n, const char *name, const char *value)
{
    if (!value)
        return;
    words[(*n)++] = name;
    words[(*n)++] = value;
}

static const char **make_words(const struct job *job)
{
    const struct cli_options *o = job->options;
    size_t room = 23 + 2 * (o->block_count + o->define_count + o->include_dir_count), n = 0;
    const char **words = calloc(room, sizeof *words);
    if (!words)
        return NULL;
    words[n++] = job->compiler;
    add(words, &n, "--image", job->name);
    add(words, &n, "--out", "3");
    add(words, &n, "--header", "4");
    add(words, &n, "--name", cli_input_name(o->file));
    add(words, &n, "--targets", o->targets);
    add(words, &n, "--bounds", o->no_bounds ? NULL : "yes");
    add(words, &n, "--debug", o->no_debug ? "no" : NULL);
    add(words, &n, "--bitcode", o->no_bitcode ? "no" : NULL);
    for (size_t i = 0; i < o->block_count; i++)
        add(words, &n, "--block", o->blocks[i]);
    for (size_t i = 0; i < o->define_count; i++)
        add(words, &n, "-D", o->defines[i]);
    for (size_t i = 0; i < o->include_dir_count; i++)
        add(words, &n, "-I", o->include_dirs[i]);
    if (cli_is_input(o->file))
        words[n++] = "--source";
    words[n] = job->file;
    return words;
}

static int compile(struct job *job)
{
    const int files[] = {job->object, job->header, job->input};
    const char **words = make_words(job);
    if (!words)
        return cli_fail_memory(sizeof *words);
    int failed =
        cli_compiler_run(job->options, words, files, job->input < 0 ? 2 : 3, &job->is_refused);
    free(words);
    return failed;
}

/* ---- dependencies ---------------------------------------------------------------------------- */

/* write_path - as make and ninja read it. */
static void write_path(FILE *to, const char *path)
{
    for (; *path; path++) {
        if (*path == '$')
            fputc('$', to);
        else if (*path == ' ' || *path == '#' || *path == '\\')
            fputc('\\', to);
        fputc(*path, to);
    }
}

static void add_dependency(const char *path, void *user)
{
    struct job *job = user;
    fputs(" \\\n  ", job->depfile);
    write_path(job->depfile, path);
}

static int begin_rule(struct job *job)
{
    job->depfile = open_memstream(&job->rule, &job->rule_size);
    if (!job->depfile)
        return cli_fail_memory(1);
    write_path(job->depfile, job->options->out);
    fputc(':', job->depfile);
    add_dependency(job->compiler, job);
    return CLI_DONE;
}

static int end_rule(struct job *job)
{
    fputc('\n', job->depfile);
    FILE *depfile = job->depfile;
    job->depfile = NULL;
    return cli_end_text(depfile, &job->rule);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* save - path may be NULL: not asked for. */
static int save(const char *path, const char *bytes, size_t count)
{
    return path ? cli_save(path, &(struct cli_part){bytes, count}, 1) : CLI_DONE;
}

static void write_name(const char *name, const char *path)
{
    fprintf(stdout, "\"%s\": ", name);
    if (path)
        lw__json_write(stdout, path);
    else
        fputs("null", stdout);
}

static void write_json(const struct cli_options *options)
{
    cli_report_begin();
    fputc('{', stdout);
    write_name("object", options->out);
    fputs(", ", stdout);
    write_name("header", options->header);
    fputs(", ", stdout);
    write_name("depfile", options->depfile);
    cli_report_diagnostics(stdout);
    fputs("}\n", stdout);
}

static int deliver(struct job *job)
{
    const struct cli_options *o = job->options;
    int failed = save(o->header, job->header_text, job->header_size);
    if (!failed)
        failed = save(o->depfile, job->rule, job->rule_size);
    if (!failed)
        failed = save(o->out, job->payload, job->payload_size);
    if (!failed && o->json)
        write_json(o);
    return failed;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* understand - where the kernels do not compile, the reasons are printed here. */
static int understand(struct job *job)
{
    struct cli_messages messages = {.color = cli_wants_color(job->options->color)};
    int failed = cli_text_read(job->object, &job->text, &job->size);
    if (!failed)
        failed = cli_text_read(job->header, &job->header_text, &job->header_size);
    if (!failed)
        failed = begin_rule(job);
    if (!failed)
        failed = cli_compiler_result(job->text, job->size, &messages, add_dependency, job,
                                     &job->payload, &job->payload_size);
    if (!failed)
        failed = end_rule(job);
    return failed ? failed : job->is_refused ? CLI_COMPILE : CLI_DONE;
}

static int make_files(struct job *job)
{
    job->object = memfd_create("lanewise-object", MFD_CLOEXEC);
    job->header = memfd_create("lanewise-header", MFD_CLOEXEC);
    if (job->object < 0 || job->header < 0)
        return cli_fail(CLI_LAUNCH, "no memory file can be made: %s", strerror(errno));
    return cli_is_input(job->options->file) ? cli_input_file(&job->input) : CLI_DONE;
}

int cli_cc(const struct cli_options *options)
{
    int (*const steps[])(struct job *) = {check, make_files, compile, understand, deliver};
    struct job job = {.options = options, .object = -1, .header = -1, .input = -1};
    int failed = CLI_DONE;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && !failed; i++)
        failed = steps[i](&job);
    if (job.depfile)
        fclose(job.depfile);
    if (job.object >= 0)
        close(job.object);
    if (job.header >= 0)
        close(job.header);
    if (job.input >= 0)
        close(job.input);
    free(job.rule);
    free(job.text);
    free(job.header_text);
    return failed;
}
