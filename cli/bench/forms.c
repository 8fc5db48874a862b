/* forms.c - which forms there are.
 */
#include "cli/bench/forms.h"
#include "cli/bench/bench.h"
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

const struct bench_form *bench_find_form(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

static void print_help(const struct bench_form *form)
{
    char name[32];
    snprintf(name, sizeof name, "bench %s", form->name);
    cli_help_command(stdout, name);
}

int bench_run_form(const struct bench_form *form, char **words)
{
    size_t count = 0;
    while (words[count])
        count++;
    struct cli_options options;
    int failed = cli_options_read(form->bit, words, count, &options);
    struct bench *bench = failed ? NULL : calloc(1, sizeof *bench);
    if (!failed && !bench)
        failed = cli_fail_memory(sizeof *bench);
    if (bench) {
        bench->options = &options;
        bench->form = form->name;
        bench->signals = -1;
        if (options.help)
            print_help(form);
        else
            failed = form->run(bench);
        bench_free(bench);
        free(bench);
    }
    cli_options_free(&options);
    return failed;
}
