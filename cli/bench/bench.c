/* bench.c - `lanewise bench`: its forms op, operations and dot; all other words are those of the
 * program lanewise-bench.
 *
 * That is a separate program, since it looks for OpenBLAS and OpenCL. It also contains hand-written
 * C, which users of kernels do not need.
 */
#include "cli/bench/forms.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int become_bench(char **words)
{
    char path[PATH_MAX];
    size_t count = 0;
    if (!cli_find_program(path, "bench/lanewise-bench", "../libexec/lanewise/lanewise-bench"))
        return cli_fail(CLI_BROKEN, "lanewise-bench is not installed beside lanewise");
    while (words[count])
        count++;
    char **all = calloc(count + 2, sizeof *all);
    if (!all)
        return cli_fail_memory((count + 2) * sizeof *all);
    all[0] = path;
    memcpy(all + 1, words, count * sizeof *all);
    execv(path, all);
    int failed = cli_fail(CLI_BROKEN, "%s: %s", path, strerror(errno));
    free(all);
    return failed;
}

int cli_bench(char **words)
{
    const struct bench_form *form = words[0] ? bench_find_form(words[0]) : NULL;
    return form ? bench_run_form(form, words + 1) : become_bench(words);
}
