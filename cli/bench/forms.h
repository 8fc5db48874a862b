/* forms.h - the forms of `lanewise bench` that the command itself has. */
#ifndef LW_CLI_BENCH_FORMS_H
#define LW_CLI_BENCH_FORMS_H

#include "cli/core/cli.h"

struct bench_form;

/* cli_bench - one of its forms, or become lanewise-bench; NULL ends the words. */
int cli_bench(char **words);

/* bench_find_form - the form of that name, or NULL.
 * bench_run_form - run it with words, which NULL ends. */
const struct bench_form *bench_find_form(const char *name);
int bench_run_form(const struct bench_form *form, char **words);

#endif
