/* cuda.c - `--device cuda`: hands the words to cuda/run.py. What kernels are compared with on a GPU
 * is PyTorch's, in one process with them.
 */
#include "bench.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_THERE = 4, WORDS = 16 };

bool cuda_is_meant(const struct options *options)
{
    return strncmp(options->device, "cuda", 4) == 0 &&
           (!options->device[4] || options->device[4] == ':');
}

/* Beside this program where it is installed, else in the source tree. */
static bool find_script(char *path)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    const size_t room = slash ? PATH_MAX - (size_t)(slash - path) : 0;
    if (room && snprintf(slash, room, "/bench/cuda/run.py") < (int)room && !access(path, R_OK))
        return true;
    return snprintf(path, PATH_MAX, "%s/cuda/run.py", BENCH_SOURCE) < PATH_MAX &&
           !access(path, R_OK);
}

/* What was opened goes with the process. */
static bool has_gpu(const char *device)
{
    lw_device *opened;
    if (lw_device_open(device, &opened) == LW_OK)
        return true;
    bench_fail(NOT_THERE, "%s", lw_last_error());
    return false;
}

static int become(char **words)
{
    execvp(words[0], words);
    bench_fail(NOT_THERE, "%s: %s; on a GPU kernels are compared with PyTorch, from Python",
               words[0], strerror(errno));
    return NOT_THERE;
}

int cuda_bench(const struct options *o)
{
    char script[PATH_MAX], library[PATH_MAX];
    const struct {
        const char *name, *value;
    } texts[] = {{"--rows", o->rows}, {"--json", o->json}, {"--svg", o->svg}};
    if (!o->help && !has_gpu(o->device))
        return NOT_THERE;
    Dl_info info;
    if (!find_script(script) || !dladdr((void *)(uintptr_t)lw_device_open, &info) ||
        !realpath(info.dli_fname, library)) {
        return bench_fail(NOT_THERE, "cuda/run.py is not installed beside lanewise-bench");
    }
    const char *words[WORDS] = {"python3",  script,    "--library", library,
                                "--device", o->device, "--commit",  o->commit};
    size_t n = 8;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].value) {
            words[n++] = texts[i].name;
            words[n++] = texts[i].value;
        }
    if (o->quick)
        words[n++] = "--quick";
    if (o->help)
        words[n++] = "--help";
    return become((char **)(uintptr_t)words);
}
