/* no_operations.c - the command of a cross build, which has no library of operations. */
#include "cli/bench/forms.h"
#include "cli/run/run.h"

static int fail(const char *command)
{
    return cli_fail(CLI_BROKEN, "%s needs the operations, which a cross build is without", command);
}

int cli_op(const struct cli_options *options)
{
    (void)options;
    return fail("op");
}

int cli_graph(const struct cli_options *options)
{
    (void)options;
    return fail("graph");
}

const struct bench_form *bench_find_form(const char *name)
{
    (void)name;
    return NULL;
}

int bench_run_form(const struct bench_form *form, char **words)
{
    (void)form, (void)words;
    return fail("bench");
}
