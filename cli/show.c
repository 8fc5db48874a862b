/* show.c - `lanewise show`: start lanewise-compile, report its diagnostics, print its payload.
 *
 * What comes back is described in the compiler's manifest format: lines of tab-separated fields, in
 * which \t, \n and \\ are escaped, up to "end <bytes>", and then that many bytes: here the text of
 * the stage.
 */
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OUT_DESCRIPTOR = 3, DIAGNOSTIC_FIELDS = 6 };
enum { BUILT = 0, REFUSED = 1, WRONG_WORDS = 2 }; /* exit statuses of the compiler */

enum whose { ANY, CPU, CUDA };

/* The stages in flow order; those of a device are about one kind of block, or one kernel. */
static const struct stage {
    const char *name;
    enum whose whose;
} stages[] = {{"instances", ANY}, {"ir", ANY},  {"uniform", CPU},
              {"widened", CPU},   {"asm", CPU}, {"ptx", CUDA}};
enum { STAGE_COUNT = sizeof stages / sizeof stages[0] };

static const struct stage *find_stage(const char *name)
{
    for (size_t i = 0; i < STAGE_COUNT; i++)
        if (strcmp(name, stages[i].name) == 0)
            return &stages[i];
    return NULL;
}

static int check_stage(const struct cli_options *options)
{
    static const char known[] = "instances, ir, uniform, widened, asm and ptx";
    if (!options->stage)
        return cli_fail(CLI_USAGE, "show needs --stage; there are %s", known);
    const struct stage *stage = find_stage(options->stage);
    if (!stage)
        return cli_fail(CLI_USAGE, "there is no stage '%s'; there are %s", options->stage, known);
    if (stage->whose == ANY && (options->kernel || options->has_block))
        return cli_fail(CLI_USAGE,
                        "-k and -b go with the stages uniform, widened, asm and ptx, not %s",
                        stage->name);
    return CLI_DONE;
}

/* names_kind - true if name is "cpu" or "cpu:avx2" for the kind "cpu". */
static bool names_kind(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(name, kind, length) == 0 && (!name[length] || name[length] == ':');
}

/* check_device - a device of that name can be compiled for, and passes through the stage. */
static int check_device(const struct cli_options *options)
{
    const char *name = options->device;
    const struct stage *stage = find_stage(options->stage);
    const char *kind = stage->whose == CPU ? "cpu" : "cuda";
    if (!name)
        return CLI_DONE;
    if (!cli_is_target(name))
        return cli_fail(CLI_USAGE,
                        "there is no device '%s' to compile for; `lanewise devices` shows them, "
                        "and there are cpu:avx512, cpu:avx2, cpu:baseline, cpu:aarch64, cuda:sm_NN",
                        name);
    if (stage->whose == ANY || names_kind(name, kind))
        return CLI_DONE;
    return cli_fail(CLI_USAGE, "the stage %s is on the way to device %s, not to '%s'", stage->name,
                    kind, name);
}

static const char *best_level(void)
{
#if defined(__aarch64__)
    return "aarch64";
#else
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v4")   ? "avx512"
           : __builtin_cpu_supports("x86-64-v3") ? "avx2"
                                                 : "baseline";
#endif
}

/* show_device - whose code: what -d says; else the cpu at the level that kernels get here. */
static const char *show_device(const struct cli_options *options, char *word, size_t size)
{
    const char *level = getenv("LANEWISE_CPU"), *gang = getenv("LANEWISE_GANG");
    const bool is_plain = options->device && strcmp(options->device, "cpu") == 0;
    if (options->device && !is_plain)
        return options->device;
    if (find_stage(options->stage)->whose == CUDA)
        return "cuda";
    if (find_stage(options->stage)->whose == ANY)
        return "ref"; /* the same for all */
    level = level && *level ? level : best_level();
    snprintf(word, size, gang && *gang ? "cpu:%s/%s" : "cpu:%s", level, gang);
    return word;
}

static int check_file(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (file < 0)
        return cli_fail(CLI_USAGE, "%s: %s", path, strerror(errno));
    bool is_directory = fstat(file, &about) == 0 && S_ISDIR(about.st_mode);
    close(file);
    return is_directory ? cli_fail(CLI_USAGE, "%s: a directory", path) : CLI_DONE;
}

/* find_compiler - $LANEWISE_COMPILE, or beside this program in the build tree or as installed. */
static int find_compiler(char path[PATH_MAX])
{
    const char *given = getenv("LANEWISE_COMPILE");
    if (given && *given) {
        snprintf(path, PATH_MAX, "%s", given);
        return CLI_DONE;
    }
    if (cli_find_program(path, "src/compile/lanewise-compile",
                         "../libexec/lanewise/lanewise-compile"))
        return CLI_DONE;
    return cli_fail(CLI_BROKEN, "lanewise-compile is not installed; LANEWISE_COMPILE can name it");
}

/* make_words - the compiler's command line; release the array only. */
static const char **make_words(const struct cli_options *options, const char *compiler,
                               const char *device, const char *block, const char *file)
{
    size_t count = 12 + 2 * (options->define_count + options->include_dir_count) + 2, n = 0;
    const char **words = calloc(count, sizeof *words);
    if (!words)
        return NULL;
    const char *fixed[] = {compiler, "--show", options->stage, "--device", device, "--out", "3"};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        words[n++] = fixed[i];
    if (options->kernel) {
        words[n++] = "--kernel";
        words[n++] = options->kernel;
    }
    if (options->has_block) {
        words[n++] = "--block";
        words[n++] = block;
    }
    for (size_t i = 0; i < options->define_count; i++) {
        words[n++] = "-D";
        words[n++] = options->defines[i];
    }
    for (size_t i = 0; i < options->include_dir_count; i++) {
        words[n++] = "-I";
        words[n++] = options->include_dirs[i];
    }
    words[n] = file;
    return words;
}

/* spawn - the compiler, with `out` as its descriptor 3, and its own output to standard error: ours
 * is for the stage. main ignores SIGPIPE; the child shall not. */
static int spawn(const char *const *words, int out, posix_spawn_file_actions_t *actions,
                 posix_spawnattr_t *attributes, pid_t *child)
{
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    int error = posix_spawn_file_actions_adddup2(actions, out, OUT_DESCRIPTOR);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
    if (!error)
        error = posix_spawnattr_setsigdefault(attributes, &pipe);
    if (!error)
        error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
    if (!error)
        error = posix_spawn(child, words[0], actions, attributes, (char *const *)words, environ);
    return error;
}

static int start(const char *const *words, int out, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return cli_fail_memory(sizeof actions);
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = spawn(words, out, &actions, &attributes, child);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error ? cli_fail(CLI_BROKEN, "%s: %s", words[0], strerror(error)) : CLI_DONE;
}

/* fail_compiler - it ended in another way than with a result; what it has to say it has said. */
static int fail_compiler(int ended)
{
    if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXCPU)
        return cli_fail(CLI_COMPILE, "compiling takes more processor time than it is given");
    if (WIFSIGNALED(ended))
        return cli_fail(CLI_BROKEN, "the compiler was ended by signal %d (%s)", WTERMSIG(ended),
                        strsignal(WTERMSIG(ended)));
    if (WEXITSTATUS(ended) == WRONG_WORDS)
        return cli_fail(CLI_USAGE, "the compiler does not take these options");
    return cli_fail(CLI_BROKEN, "the compiler gave up with exit status %d", WEXITSTATUS(ended));
}

/* run_compiler - to its end; *status is BUILT or REFUSED. */
static int run_compiler(const struct cli_options *options, int out, int *status)
{
    char compiler[PATH_MAX], file[PATH_MAX], device[64], block[64];
    pid_t child;
    int failed = find_compiler(compiler), ended;
    if (failed)
        return failed;
    bool is_like_option = options->file[0] == '-';
    snprintf(file, sizeof file, "%s%s", is_like_option ? "./" : "", options->file);
    snprintf(block, sizeof block, "%u,%u,%u", options->block.x, options->block.y, options->block.z);
    const char **words =
        make_words(options, compiler, show_device(options, device, sizeof device), block, file);
    if (!words)
        return cli_fail_memory(options->define_count * sizeof *words);
    failed = start(words, out, &child);
    free(words);
    if (failed)
        return failed;
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR)
            return cli_fail(CLI_BROKEN, "the compiler is gone: %s", strerror(errno));
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return *status == BUILT || *status == REFUSED ? CLI_DONE : fail_compiler(ended);
}

/* ---- what came back -------------------------------------------------------------------------- */

/* unescape - in place. */
static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        char c = *text;
        if (c == '\\' && text[1]) {
            c = *++text;
            c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
        }
        *to++ = c;
    }
    *to = '\0';
}

/* print_row - if the row is a diag row; it is cut into fields. */
static void print_row(char *row)
{
    char *fields[DIAGNOSTIC_FIELDS] = {0}; /* diag severity file line column text */
    for (int i = 0; i < DIAGNOSTIC_FIELDS && row; i++) {
        fields[i] = row;
        row = strchr(row, '\t');
        if (row)
            *row++ = '\0';
        unescape(fields[i]);
    }
    if (strcmp(fields[0], "diag") != 0 || !fields[DIAGNOSTIC_FIELDS - 1])
        return;
    lw_diagnostic diagnostic = {.severity = fields[1],
                                .file = fields[2],
                                .line = atoi(fields[3]),
                                .column = atoi(fields[4]),
                                .text = fields[5]};
    cli_print_diagnostic(&diagnostic, NULL);
}

/* print_result - diagnostics to standard error, the payload to standard output. */
static int print_result(char *text, size_t size)
{
    static const char first[] = "lanewise-manifest\t1\n";
    bool is_manifest = strncmp(text, first, strlen(first)) == 0;
    char *row = text, *end;
    while (is_manifest && (end = memchr(row, '\n', size - (size_t)(row - text)))) {
        *end = '\0';
        if (strncmp(row, "end\t", 4) == 0) {
            size_t payload = strtoull(row + 4, NULL, 10), left = size - (size_t)(end + 1 - text);
            if (payload != left)
                break;
            fwrite(end + 1, 1, payload, stdout);
            return CLI_DONE;
        }
        print_row(row);
        row = end + 1;
    }
    return cli_fail(CLI_BROKEN, "a defect in Lanewise: the compiler's result is not complete");
}

static int read_result(int out)
{
    struct stat about;
    if (fstat(out, &about) != 0)
        return cli_fail(CLI_LAUNCH, "the compiler's result: %s", strerror(errno));
    size_t size = (size_t)about.st_size, have = 0;
    char *text = malloc(size + 1);
    if (!text)
        return cli_fail_memory(size + 1);
    while (have < size) {
        ssize_t n = pread(out, text + have, size - have, (off_t)have);
        if (n <= 0)
            break;
        have += (size_t)n;
    }
    text[have] = '\0';
    int failed = print_result(text, have);
    free(text);
    return failed;
}

int cli_show(const struct cli_options *options)
{
    int failed = check_stage(options), status = BUILT;
    if (!failed)
        failed = check_device(options);
    if (!failed && options->arg_count > 0)
        failed = cli_fail(CLI_USAGE, "show takes one FILE, not also '%s'", options->args[0]);
    if (!failed)
        failed = check_file(options->file);
    if (failed)
        return failed;
    int out = memfd_create("lanewise-show", MFD_CLOEXEC);
    if (out < 0)
        return cli_fail(CLI_LAUNCH, "no memory file can be made: %s", strerror(errno));
    failed = run_compiler(options, out, &status);
    if (!failed)
        failed = read_result(out);
    close(out);
    return failed ? failed : status == REFUSED ? CLI_COMPILE : CLI_DONE;
}
