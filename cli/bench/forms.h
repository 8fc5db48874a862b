/* forms.h - the forms of `lanewise bench` that the command itself has; without the library of
 * operations there are none.
 */
#ifndef LW_CLI_BENCH_FORMS_H
#define LW_CLI_BENCH_FORMS_H

#include "cli/core/cli.h"

struct bench_form;

/* cli_bench - one of its forms, or become lanewise-bench; NULL ends the words. */
int cli_bench(char **words);

#ifndef LW_STAGE1
/* bench_find_form - the form of that name, or NULL.
 * bench_run_form - run it with words, which NULL ends. */
const struct bench_form *bench_find_form(const char *name);
int bench_run_form(const struct bench_form *form, char **words);
#else
static inline const struct bench_form *bench_find_form(const char *name)
{
    (void)name;
    return NULL;
}
static inline int bench_run_form(const struct bench_form *form, char **words)
{
    (void)form, (void)words;
    return CLI_BROKEN;
}
#endif

#endif
