/* bench_forms.c - which forms there are, and their help.
 */
#include "bench_forms.h"
#include "bench.h"
#include <stdlib.h>
#include <string.h>

struct bench_form {
    const char *name;
    enum cli_command bit;
    int (*run)(struct bench *bench);
};

static const struct bench_form forms[] = {
    {"op", CLI_BENCH_OP, bench_op},
    {"operations", CLI_BENCH_OPERATIONS, bench_operations},
    {"dot", CLI_BENCH_DOT, bench_dot},
};

static const char help[] =
    "lanewise bench op NAME [key=value...] ARG... [options]   one ready-made operation\n"
    "lanewise bench operations [options]                      a list of them\n"
    "lanewise bench dot [options]                             the dot product in steps\n"
    "lanewise bench [ROW...] [options]                        kernels and their peers; --help\n\n"
    "  -d DEVICE[,DEVICE]   default: the first that is available; dot: cpu, and cuda if it is "
    "there\n"
    "  --threads N[,N]      (op, operations) threads of cpu, a measurement for each; default: all\n"
    "  --seconds S          at most about that long: op 3, dot 5, each of the operations 1\n"
    "  --filter TEXT        (operations) those with TEXT in their name\n"
    "  --small              (operations) small shapes: says nothing about speed\n"
    "  -n N                 (dot) elements, default 16777216\n"
    "  --json [FILE.json]   results as JSON, to standard output without a FILE\n"
    "  --svg FILE           a drawing of them\n\n"
    "NAME, key=value and ARG are those of `lanewise op`. Ctrl-C ends it with the results so far.\n";

const struct bench_form *bench_find_form(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

int bench_run_form(const struct bench_form *form, char **words)
{
    struct cli_options options;
    size_t count = 0;
    while (words[count])
        count++;
    int failed = cli_options_read(form->bit, words, count, &options);
    struct bench *bench = failed ? NULL : calloc(1, sizeof *bench);
    if (!failed && !bench)
        failed = cli_fail_memory(sizeof *bench);
    if (bench) {
        bench->options = &options;
        bench->form = form->name;
        bench->signals = -1;
        if (options.help)
            fputs(help, stdout);
        else
            failed = form->run(bench);
        bench_free(bench);
        free(bench);
    }
    cli_options_free(&options);
    return failed;
}
