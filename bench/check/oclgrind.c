/* oclgrind.c - the same kernels in OpenCL C under Oclgrind's detection of races.
 *
 * oclgrind-kernel takes a file that names the kernel, the threads and the arguments. To start, to
 * read them and to compile takes what it needs for two blocks alone (--quick). That is subtracted,
 * but of rows that have no more blocks.
 */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static void write_argument(FILE *f, const struct row *row, char letter)
{
    const size_t count = row_elements(row, letter);
    const lw_dtype dtype = row_dtype(letter);
    if (!count) {
        fprintf(f, "<size=4 uint>\n%zu\n", row_number(row, letter));
        return;
    }
    fprintf(f, "<size=%zu %s>\n", count * lw_dtype_size(dtype),
            dtype == LW_U8    ? "uchar"
            : dtype == LW_U32 ? "uint"
                              : "float");
    for (size_t i = 0; i < count; i++)
        fprintf(f, "%.9g ", row_value(row, letter, i));
    fprintf(f, "\n");
}

static bool write_simulation(const char *path, const struct row *row, const char *kernels)
{
    const lw_dim3 b = row->block, g = row->grid;
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "%s/opencl/%s.cl\n%s_kernel\n%u %u %u\n%u %u %u\n", kernels, row->name, row->name,
            b.x * g.x, b.y * g.y, b.z * g.z, b.x, b.y, b.z);
    for (const char *at = row->params; *at; at++)
        write_argument(f, row, *at);
    return fclose(f) == 0;
}

/* Processor time of the program; negative: it failed. */
static double seconds_of(char *const words[])
{
    struct rusage used;
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(126);
        execvp(words[0], words);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0 || status)
        return -1;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

double oclgrind_seconds(const struct row *row, const char *kernels)
{
    char path[] = "/tmp/check-speed-XXXXXX";
    char *words[] = {"oclgrind-kernel", "--num-threads", "1", "--data-races", path, NULL};
    char *start[] = {"oclgrind-kernel", "--num-threads", "1", "--quick", path, NULL};
    const int file = mkstemp(path);
    double seconds = -1;
    if (file < 0)
        return -1;
    close(file);
    if (write_simulation(path, row, kernels)) {
        seconds = seconds_of(words);
        const double least = row->grid.x * row->grid.y > 2 ? seconds_of(start) : 0;
        seconds = seconds < 0 || least < 0 ? -1 : seconds - least;
    }
    unlink(path);
    return seconds;
}
