/* bench.c - `lanewise bench`: hands its words to the program lanewise-bench.
 *
 * That is a program of its own, since it looks for OpenBLAS and OpenCL and holds code by hand that
 * nobody needs who runs kernels.
 */
#include "cli.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_bench(char **words)
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
