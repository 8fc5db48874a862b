/* cc.c - `lanewise cc`: an object and a header from a kernel file, ahead of time.
 *
 * lanewise-compile makes and writes them (its --image); the command gives it the words, and prints
 * what it says.
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
    int result, input;       /* memory files; input: of standard input, or -1 */
    size_t size, plain_size; /* with --verbose: of the object, and of it without bounds */
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
    if (o->arg_count > 0)
        return cli_fail(CLI_USAGE, "cc takes one FILE, not also '%s'", o->args[0]);
    if (!o->out)
        return cli_fail(CLI_USAGE, "cc needs -o OUT.o");
    make_name(job);
    if (cli_is_input(o->file)) {
        snprintf(job->file, sizeof job->file, "4");
        return cli_compiler_find(job->compiler);
    }
    struct stat about;
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

static int make_words(const struct job *job, const struct cli_options *o, const char ***made,
                      char **names)
{
    size_t room = 24 + CLI_LANGUAGE_WORDS, n = 0;
    room += 2 * (o->block_count + o->define_count + o->include_dir_count);
    const char **words = *made = calloc(room, sizeof *words);
    if (!words)
        return cli_fail_memory(room * sizeof *words);
    words[n++] = job->compiler;
    add(words, &n, "--image", job->name);
    add(words, &n, "--object", o->out);
    add(words, &n, "--header", o->header);
    add(words, &n, "--depfile", o->depfile);
    add(words, &n, "--out", "3");
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
    int failed = cli_compiler_language(o, words, &n, names);
    if (cli_is_input(o->file))
        words[n++] = "--source";
    words[n] = job->file;
    return failed;
}

static int compile(struct job *job, const struct cli_options *o, int result, bool *is_refused)
{
    const int files[] = {result, job->input};
    const char **words;
    char *names = NULL;
    if (job->input >= 0)
        lseek(job->input, 0, SEEK_SET);
    int failed = make_words(job, o, &words, &names);
    if (!failed)
        failed = cli_compiler_run(o, words, files, job->input < 0 ? 1 : 2, is_refused);
    free(words);
    free(names);
    return failed;
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* print_messages - where the kernels do not compile, these are the reasons. */
static int print_messages(const struct job *job)
{
    struct cli_messages messages = {.color = cli_wants_color(job->options->color)};
    char *text;
    size_t size;
    int failed = cli_text_read(job->result, &text, &size);
    const char *payload;
    if (!failed)
        failed = cli_compiler_result(job->options, text, size, &messages, &payload, &size);
    free(text);
    return failed;
}

static void write_name(const char *name, const char *path)
{
    fprintf(stdout, "\"%s\": ", name);
    if (path)
        lw__json_write(stdout, path);
    else
        fputs("null", stdout);
}

static void write_json(const struct job *job)
{
    const struct cli_options *options = job->options;
    cli_report_begin();
    fputc('{', stdout);
    write_name("object", options->out);
    fputs(", ", stdout);
    write_name("header", options->header);
    fputs(", ", stdout);
    write_name("depfile", options->depfile);
    if (options->verbose)
        fprintf(stdout, ", \"bytes\": %zu, \"bounds_bytes\": %zu", job->size,
                job->size - job->plain_size);
    cli_report_diagnostics(stdout);
    fputs("}\n", stdout);
}

static void tell_size(const struct job *job)
{
    fprintf(stderr, "%s: %zu bytes", job->options->out, job->size);
    if (job->size > job->plain_size)
        fprintf(stderr, ", %zu of them for bounds; --bounds=off leaves them out\n",
                job->size - job->plain_size);
    else
        fprintf(stderr, ", none of them for bounds\n");
}

/* ---- what bounds add ------------------------------------------------------------------------- */

static int size_of(const char *path, size_t *size)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return cli_fail(CLI_LAUNCH, "%s: %s", path, strerror(errno));
    *size = (size_t)about.st_size;
    return CLI_DONE;
}

/* make_plain - the object without bounds at the path, which is there. What the compiler says is
 * known. */
static int make_plain(struct job *job, const char *path)
{
    struct cli_options options = *job->options;
    int said = memfd_create("lanewise-result", MFD_CLOEXEC);
    if (said < 0)
        return cli_fail(CLI_LAUNCH, "no memory file can be made: %s", strerror(errno));
    options.no_bounds = true;
    options.out = path;
    options.header = options.depfile = NULL;
    bool is_refused;
    int failed = compile(job, &options, said, &is_refused);
    close(said);
    if (!failed && is_refused)
        failed = CLI_COMPILE;
    return failed ? failed : size_of(path, &job->plain_size);
}

/* weigh - with --verbose: how large the object is, and would be without bounds; it is made for
 * that. */
static int weigh(struct job *job)
{
    char path[] = "/tmp/lanewise-XXXXXX";
    if (!job->options->verbose)
        return CLI_DONE;
    int failed = size_of(job->options->out, &job->size);
    job->plain_size = job->size;
    if (failed || job->options->no_bounds)
        return failed;
    int file = mkstemp(path);
    if (file < 0)
        return cli_fail(CLI_LAUNCH, "%s: %s", path, strerror(errno));
    close(file);
    failed = make_plain(job, path);
    unlink(path);
    if (job->plain_size > job->size)
        job->plain_size = job->size;
    return failed;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int make_files(struct job *job)
{
    job->result = memfd_create("lanewise-result", MFD_CLOEXEC);
    if (job->result < 0)
        return cli_fail(CLI_LAUNCH, "no memory file can be made: %s", strerror(errno));
    return cli_is_input(job->options->file) ? cli_input_file(&job->input) : CLI_DONE;
}

int cli_cc(const struct cli_options *options)
{
    struct job job = {.options = options, .result = -1, .input = -1};
    bool is_refused = false;
    int failed = check(&job);
    if (!failed)
        failed = make_files(&job);
    if (!failed)
        failed = compile(&job, options, job.result, &is_refused);
    if (!failed)
        failed = print_messages(&job);
    if (!failed && is_refused)
        failed = CLI_COMPILE;
    if (!failed)
        failed = weigh(&job);
    if (!failed && options->json)
        write_json(&job);
    else if (!failed && options->verbose)
        tell_size(&job);
    if (job.result >= 0)
        close(job.result);
    if (job.input >= 0)
        close(job.input);
    return failed;
}
