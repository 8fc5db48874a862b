/* main.c - the command `lanewise`: the table of commands, and how everything here reports.
 */
#include "cli.h"
#include <errno.h>
#include <signal.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

int cli_fail(enum cli_exit status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("lanewise: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
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

bool cli_find_program(char *path, const char *built, const char *installed)
{
    const char *const places[] = {built, installed};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        int folder = (int)(slash - self);
        int written = snprintf(path, PATH_MAX, "%.*s/%s", folder, self, places[i]);
        if (written < PATH_MAX && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

int cli_fail_memory(size_t bytes)
{
    return cli_fail(CLI_LAUNCH, "out of memory, %zu bytes more were needed", bytes);
}

void cli_print_diagnostic(const lw_diagnostic *diagnostic, void *user)
{
    size_t *count = user;
    if (*diagnostic->file)
        fprintf(stderr, "%s:", diagnostic->file);
    if (diagnostic->line > 0)
        fprintf(stderr, "%d:%d:", diagnostic->line, diagnostic->column);
    fprintf(stderr, "%s%s: %s\n", *diagnostic->file ? " " : "", diagnostic->severity,
            diagnostic->text);
    if (count)
        ++*count;
}

/* ---- commands -------------------------------------------------------------------------------- */

struct command {
    const char *name;
    enum cli_command bit;
    int (*run)(const struct cli_options *options); /* NULL: not built yet */
    enum cli_exit missing;                         /* its exit status then */
    bool needs_file;
    const char *help;
};

static const struct command commands[] = {
    {"run", CLI_RUN, cli_run, 0, true,
     "run FILE [options] [ARG...]     build FILE, launch one kernel, print what it wrote"},
    {"check", 0, NULL, CLI_BROKEN, true,
     "check FILE [options] [ARG...]   the same under the checker (not built yet)"},
    {"show", CLI_SHOW, cli_show, 0, true,
     "show FILE --stage STAGE         what the compiler made: ir, instances, asm, ptx"},
    {"bench", CLI_BENCH, NULL, 0, false,
     "bench [ROW...] [options]        time the bench kernels and their peers; bench --help\n"
     "  lanewise bench op|operations|dot  time ready-made operations; bench op --help"},
    {"cc", CLI_CC, cli_cc, 0, true,
     "cc FILE -o OUT.o [--header H]   compile ahead of time: an object for your program"},
#ifndef LW_STAGE1
    {"op", CLI_OP, cli_op, 0, true,
     "op NAME [key=value...] [ARG...]  a ready-made operation on files or fills; op --list"},
#endif
    {"devices", CLI_DEVICES, cli_devices, 0, false,
     "devices                         what this machine has"},
};

static void print_help(FILE *to)
{
    fputs("lanewise - run and check SIMT kernels written in plain C\n\n", to);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(to, "  lanewise %s\n", commands[i].help);
    fputs("  lanewise --help | --version\n\noptions\n", to);
    cli_options_help(to);
    fputs(
        "\nARG, one for each parameter of the kernel\n"
        "  42  -1.5  0x10  inf  true        a scalar\n"
        "  {1,2.5,{3,4}}                    a struct by value\n"
        "  f32[8]  i32[4,6]  struct[8]      a buffer of zeros\n"
        "  f32[8]=iota                      filled: zeros, none, iota, const:VALUE, rand:SEED,\n"
        "                                   normal:SEED, or a list 1,2,3\n"
        "  @in.npy  bf16@in.npy             a buffer from a NumPy file; struct@in.npy from bytes\n"
        "  f32[8]:out.npy                   any buffer, written to a NumPy file afterwards\n"
        "\nexit status\n"
        "  0 done   1 the checker found something   2 the command line or a file is wrong\n"
        "  3 the kernel does not compile   4 the device or the launch failed\n"
        "  5 the check could not run, or the compiler is missing or broken\n",
        to);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* run_command - words are what follows the command's name. */
static int run_command(const struct command *command, char **words, size_t count)
{
    struct cli_options options;
    if (!command->run)
        return cli_fail(command->missing, "%s is not built yet", command->name);
    int failed = cli_options_read(command->bit, words, count, &options);
    if (!failed && options.help)
        print_help(stdout);
    else if (!failed && command->needs_file && !options.file && !options.list)
        failed = cli_fail(CLI_USAGE, "%s needs a FILE; see lanewise --help", command->name);
    else if (!failed && !command->needs_file && options.file)
        failed = cli_fail(CLI_USAGE, "%s takes no '%s'", command->name, options.file);
    else if (!failed)
        failed = command->run(&options);
    cli_options_free(&options);
    return failed;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("lanewise %s\n", lw_version());
        return CLI_DONE;
    }
    const struct command *command = find_command(argv[1]);
    if (!command)
        return cli_fail(CLI_USAGE, "there is no command '%s'; see lanewise --help", argv[1]);
    if (command->bit == CLI_BENCH)
        return cli_bench(argv + 2);
    return run_command(command, argv + 2, (size_t)argc - 2);
}

/* Results that did not arrive are a failure: a full disk, a closed pipe. */
int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    int status = dispatch(argc, argv);
    errno = 0;
    bool is_delivered = fflush(stdout) == 0 && !ferror(stdout);
    if (!is_delivered && status == CLI_DONE)
        status = cli_fail(CLI_LAUNCH, "standard output: %s",
                          errno ? strerror(errno) : "could not be written");
    return status;
}
