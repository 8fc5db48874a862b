/* numpy.c - NumPy's dot of the row's two arrays, in a Python process of its own.
 *
 * It gets a copy of the arrays in a memory file and answers each line that it reads with one
 * product; the way through the pipes, some 50 us, counts in its time of several ms.
 */
#include "bench.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = "import sys, mmap\n"
                              "import numpy\n"
                              "n = int(sys.argv[1])\n"
                              "data = mmap.mmap(3, 5 * n)\n"
                              "a = numpy.frombuffer(data, numpy.float32, n)\n"
                              "b = numpy.frombuffer(data, numpy.bool_, n, 4 * n)\n"
                              "print('ready', flush=True)\n"
                              "for line in sys.stdin:\n"
                              "    print(float(numpy.dot(a, b)), flush=True)\n";

struct numpy {
    pid_t child;
    FILE *to, *from;
};

static bool write_all(int file, const void *from, size_t bytes)
{
    const char *at = from;
    while (bytes > 0) {
        ssize_t wrote = write(file, at, bytes);
        if (wrote <= 0)
            return false;
        at += wrote;
        bytes -= (size_t)wrote;
    }
    return true;
}

static int copy_arrays(const struct work *w)
{
    int file = memfd_create("lanewise-bench", MFD_CLOEXEC);
    if (file >= 0 && write_all(file, w->a, w->n * 4) && write_all(file, w->b, w->n))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* In the child: 0 and 1 are the pipes, 3 the arrays. */
static void become_python(const char *python, int in, int out, int arrays, size_t n)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    char count[32];
    int spare = dup(arrays);
    snprintf(count, sizeof count, "%zu", n);
    if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2 && dup2(spare, 3) == 3) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execlp(python, python, "-c", program, count, (char *)NULL);
    }
    _exit(127);
}

static bool start_python(struct numpy *p, const char *python, int arrays, size_t n)
{
    int in[2], out[2];
    if (pipe(in) || pipe(out))
        return false;
    p->child = fork();
    if (p->child < 0)
        return false;
    if (p->child == 0) {
        close(in[1]);
        close(out[0]);
        become_python(python, in[0], out[1], arrays, n);
    }
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = fdopen(out[0], "r");
    return p->to && p->from;
}

static bool read_line(struct numpy *p, char line[64])
{
    return fgets(line, 64, p->from) != NULL;
}

static void end_python(struct numpy *p)
{
    if (p->to)
        fclose(p->to);
    if (p->from)
        fclose(p->from);
    if (p->child > 0)
        while (waitpid(p->child, NULL, 0) < 0 && errno == EINTR)
            continue;
    *p = (struct numpy){0};
}

/* The first python3 of PATH may be one without packages; the system's own has those of apt. */
static bool numpy_open(struct variant *v, struct session *s)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    struct numpy *p = v->state = calloc(1, sizeof *p);
    char line[64];
    int arrays = copy_arrays(&s->work);
    if (!p || arrays < 0)
        return variant_fail(v, "not measured: no memory for a copy of the arrays");
    bool is_ready = false;
    for (int i = 0; i < 2 && !is_ready; i++) {
        is_ready = start_python(p, pythons[i], arrays, s->shape.n) && read_line(p, line);
        if (!is_ready)
            end_python(p);
    }
    close(arrays);
    return is_ready ||
           variant_fail(v, "not measured: no python3 with NumPy (make bench installs it)");
}

static bool numpy_run(struct variant *v, struct session *s)
{
    struct numpy *p = v->state;
    char line[64];
    if (fputs("\n", p->to) < 0 || fflush(p->to) || !read_line(p, line))
        return variant_fail(v, "failed: python3 ended");
    s->work.out[0] = strtof(line, NULL);
    return true;
}

static void numpy_close(struct variant *v)
{
    struct numpy *p = v->state;
    if (!p)
        return;
    end_python(p);
    free(p);
    v->state = NULL;
}

const struct way way_numpy = {.open = numpy_open, .run = numpy_run, .close = numpy_close};
