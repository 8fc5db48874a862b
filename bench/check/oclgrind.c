/* oclgrind.c - the same kernels in OpenCL C under Oclgrind's detection of races.
 *
 * oclgrind-kernel takes a file that names the kernel, the threads and the arguments. It prints the
 * buffers that the file asks for. Findings go to a log, and its exit status is 0 then, too. The
 * time to start, to read, to compile and to print is that of two blocks alone (--quick). Of a row
 * with no more blocks it is that of a shape of 0. It is subtracted.
 */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 32 };

/* The files of a row. */
enum { SIMULATION, OUTPUT, FOUND, FILES };
struct files {
    char paths[FILES][PATH_SIZE];
};

static bool make_files(struct files *files)
{
    bool ok = true;
    for (int i = 0; i < FILES && ok; i++) {
        strcpy(files->paths[i], "/tmp/check-speed-XXXXXX");
        const int file = mkstemp(files->paths[i]);
        ok = file >= 0 && close(file) == 0;
        if (!ok)
            files->paths[i][0] = '\0';
    }
    return ok;
}

static void remove_files(const struct files *files)
{
    for (int i = 0; i < FILES; i++)
        if (files->paths[i][0])
            unlink(files->paths[i]);
}

/* ---- the simulation -------------------------------------------------------------------------- */

static void write_argument(FILE *f, const struct row *row, char letter, bool is_empty)
{
    const size_t count = row_elements(row, letter);
    const lw_dtype dtype = row_dtype(letter);
    if (!count) {
        fprintf(f, "<size=4 uint>\n%zu\n", is_empty ? 0 : row_number(row, letter));
        return;
    }
    fprintf(f, "<size=%zu %s%s>\n", count * lw_dtype_size(dtype),
            dtype == LW_U8    ? "uchar"
            : dtype == LW_U32 ? "uint"
                              : "float",
            row_is_result(letter) ? " dump" : "");
    for (size_t i = 0; i < count; i++)
        fprintf(f, "%.9g ", row_value(row, letter, i));
    fprintf(f, "\n");
}

static bool write_simulation(const char *path, const struct row *row, const char *kernels,
                             bool is_empty)
{
    const lw_dim3 b = row->block, g = row->grid;
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "%s/opencl/%s.cl\n%s_kernel\n%u %u %u\n%u %u %u\n", kernels, row->name, row->name,
            b.x * g.x, b.y * g.y, b.z * g.z, b.x, b.y, b.z);
    for (const char *at = row->params; *at; at++)
        write_argument(f, row, *at, is_empty);
    return fclose(f) == 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Processor time of the program; negative: it failed, or found something. */
static double seconds_of(struct files *files, char *option)
{
    char *words[] = {"oclgrind-kernel",
                     "--num-threads",
                     "1",
                     "--log",
                     files->paths[FOUND],
                     option,
                     files->paths[SIMULATION],
                     NULL};
    struct rusage used;
    struct stat found;
    int status = 1;
    fflush(NULL); /* or the child would write it, too */
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen(files->paths[OUTPUT], "w", stdout))
            _exit(126);
        execvp(words[0], words);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0 || status ||
        stat(files->paths[FOUND], &found) || found.st_size)
        return -1;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Lines `  NAME[INDEX] = VALUE` of the buffers, in their order. */
static bool read_results(const char *path, const struct row *row, double **results)
{
    char line[256];
    FILE *f = fopen(path, "r");
    bool ok = f;
    for (const char *at = row->params; *at && ok; at++) {
        if (!row_is_result(*at))
            continue;
        double *to = results[at - row->params];
        for (size_t i = 0, count = row_elements(row, *at); i < count && ok;) {
            ok = fgets(line, sizeof line, f);
            const char *value = ok ? strstr(line, "] = ") : NULL;
            if (value)
                to[i++] = strtod(value + 4, NULL);
        }
    }
    if (f)
        fclose(f);
    return ok;
}

double oclgrind_seconds(const struct row *row, const char *kernels, double **results)
{
    const bool is_small = row->grid.x * row->grid.y <= 2;
    double seconds = -1, least = -1;
    struct files files;
    memset(&files, 0, sizeof files);
    if (make_files(&files) && write_simulation(files.paths[SIMULATION], row, kernels, false)) {
        seconds = seconds_of(&files, "--data-races");
        if (seconds >= 0 && read_results(files.paths[OUTPUT], row, results) &&
            (!is_small || write_simulation(files.paths[SIMULATION], row, kernels, true)))
            least = seconds_of(&files, is_small ? "--data-races" : "--quick");
    }
    remove_files(&files);
    return seconds < 0 || least < 0 ? -1 : seconds - least;
}
