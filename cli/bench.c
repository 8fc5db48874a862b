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

/* find_bench - beside this program in the build tree or as installed. */
static int find_bench(char path[PATH_MAX])
{
    static const char *const places[] = {"bench/lanewise-bench",
                                         "../libexec/lanewise/lanewise-bench"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        int folder = (int)(slash - self);
        int written = snprintf(path, PATH_MAX, "%.*s/%s", folder, self, places[i]);
        if (written < PATH_MAX && access(path, X_OK) == 0)
            return CLI_DONE;
    }
    return cli_fail(CLI_LAUNCH, "lanewise-bench is not installed beside lanewise");
}

int cli_bench(char **words)
{
    char path[PATH_MAX];
    size_t count = 0;
    int failed = find_bench(path);
    if (failed)
        return failed;
    while (words[count])
        count++;
    char **all = calloc(count + 2, sizeof *all);
    if (!all)
        return cli_fail_memory((count + 2) * sizeof *all);
    all[0] = path;
    memcpy(all + 1, words, count * sizeof *all);
    execv(path, all);
    failed = cli_fail(CLI_LAUNCH, "%s: %s", path, strerror(errno));
    free(all);
    return failed;
}
