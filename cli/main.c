/* main.c - the command `lanewise`: the table of commands, and how the command ends.
 */
#include "cli.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

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
    {"graph", CLI_GRAPH, cli_graph, 0, true,
     "graph FILE.so NAME [ARG...]     record, run, plan, draw an operation of a shared object"},
#endif
    {"devices", CLI_DEVICES, cli_devices, 0, false,
     "devices                         what this machine has"},
    {"cache", CLI_CACHE, cli_cache, 0, false,
     "cache [--clear|--trim[=SIZE]]   compiled kernels that are kept: place, entries, size"},
    {"init", CLI_INIT, cli_init, 0, false,
     "init                            make this folder good for an editor: compile_flags.txt"},
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
        return cli_fail(CLI_USAGE, "a command is needed");
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

/* ---- the end --------------------------------------------------------------------------------- */

/* asks_json - true if the words, whether they are right or not, ask for an object on standard
 * output. bench may have the name of a file behind --json, which takes the object. */
static bool asks_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return strcmp(argv[1], "bench") != 0 || i + 1 == argc || !cli_is_json_file(argv[i + 1]);
    return false;
}

/* is_closed - true if standard output is a pipe or socket that nobody reads any more. */
static bool is_closed(void)
{
    struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP));
}

/* deliver - what is left for standard output. A result that did not arrive is a failure, as on a
 * full disk; but who closed the pipe has seen enough. */
static int deliver(int status)
{
    errno = 0;
    bool is_delivered = fflush(stdout) == 0 && !ferror(stdout);
    int error = errno;
    if (is_delivered || status != CLI_DONE || is_closed())
        return status;
    return cli_fail(CLI_LAUNCH, "standard output: %s",
                    error ? strerror(error) : "could not be written");
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    int status = dispatch(argc, argv);
    if (status != CLI_DONE && asks_json(argc, argv))
        cli_report_json(stdout, status);
    status = deliver(status);
    cli_report_end();
    return status;
}
