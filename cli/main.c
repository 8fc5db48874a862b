/* main.c - the command `lanewise`: the table of commands, and how the command ends.
 */
#include "cli/bench/forms.h"
#include "cli/learn/learn.h"
#include "cli/make/make.h"
#include "cli/run/run.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- commands -------------------------------------------------------------------------------- */

struct command {
    const char *name;
    enum cli_command bit;
    int (*run)(const struct cli_options *options); /* NULL: bench, and its forms */
    bool needs_file;
};

static const struct command commands[] = {
#define COMMAND(name, bit, function, has_file, usage, summary, about)                              \
    {name, bit, function, has_file},
#include "cli/core/help.def"
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0 && !strchr(name, ' '))
            return &commands[i];
    return NULL;
}

/* run_command - words are what follows the command's name. */
static int run_command(const struct command *command, char **words, size_t count)
{
    struct cli_options options;
    int failed = cli_options_read(command->bit, words, count, &options);
    if (!failed && options.help)
        cli_help_command(stdout, command->name);
    else if (!failed && command->needs_file && !options.file && !options.list)
        failed = cli_fail(CLI_USAGE, "%s needs a FILE; see lanewise --help", command->name);
    else if (!failed && !command->needs_file && options.file && command->bit != CLI_LEARN)
        failed = cli_fail(CLI_USAGE, "%s takes no '%s'", command->name, options.file);
    else if (!failed)
        failed = command->run(&options);
    cli_options_free(&options);
    return failed;
}

static int fail_command(const char *name)
{
    struct lw__nearest nearest = {.typed = name, .length = strlen(name)};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        lw__nearest_try(&nearest, commands[i].name);
    return cli_fail(CLI_USAGE, "there is no command '%s'; see lanewise help%s", name,
                    lw__nearest_text(&nearest));
}

/* help - words are what follows `help`; a form of bench is two words. */
static int help(char **words, size_t count)
{
    char name[64];
    if (count == 0) {
        cli_help(stdout);
        return CLI_DONE;
    }
    snprintf(name, sizeof name, "%s%s%s", words[0], count > 1 ? " " : "",
             count > 1 ? words[1] : "");
    if (count <= 2 && cli_help_command(stdout, name))
        return CLI_DONE;
    return fail_command(name);
}

static int print_version(void)
{
    printf("lanewise %s%s%s%s\n", lw_version(), *cli_commit ? ", commit " : "", cli_commit,
           LW_LLVM);
    return CLI_DONE;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cli_help(stderr);
        return cli_fail(CLI_USAGE, "a command is needed");
    }
    if (is_help(argv[1]) || (strcmp(argv[1], "help") == 0 && argc > 2 && is_help(argv[2])))
        return help(argv + 2, 0);
    if (strcmp(argv[1], "help") == 0)
        return help(argv + 2, (size_t)argc - 2);
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    const struct command *command = find_command(argv[1]);
    if (!command)
        return fail_command(argv[1]);
    if (command->bit == CLI_BENCH)
        return argc == 3 && is_help(argv[2]) ? help(argv + 1, 1) : cli_bench(argv + 2);
    return run_command(command, argv + 2, (size_t)argc - 2);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* asks_json - true if the words, whether they are right or not, ask for an object on standard
 * output. bench may have the name of a file after --json, which takes the object. */
static bool asks_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return strcmp(argv[1], "bench") != 0 || i + 1 == argc || !cli_is_json_file(argv[i + 1]);
    return false;
}

/* open_standard - a standard descriptor that is closed would be given to the next file that is
 * opened, which would then get the text. Reading or writing these is an error as before. */
static void open_standard(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 &&
            open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) != i)
            _exit(CLI_LAUNCH);
}

int main(int argc, char **argv)
{
    open_standard();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that is too large is an error as a full disk is */
    int status = dispatch(argc, argv);
    if (status != CLI_DONE && asks_json(argc, argv))
        cli_report_json(stdout, status);
    status = cli_deliver(status);
    cli_report_end();
    return status;
}
