/* numpy.c - a row in NumPy, in a Python process of its own.
 *
 * It shares a memory file with copies of the arrays, in which it leaves what it computes, and
 * answers each line that it reads when it has done so once; the way through the pipes, some 50 us,
 * counts in its time of several ms.
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

/* array(type, bytes of an element) is the next array of the file; all have n elements. */
static const char head[] = "import sys, mmap\n"
                           "import numpy\n"
                           "n, rows, cols = map(int, sys.argv[1:])\n"
                           "data = mmap.mmap(3, 0)\n"
                           "at = 0\n"
                           "def array(type, bytes):\n"
                           "    global at\n"
                           "    at += n * bytes\n"
                           "    return numpy.frombuffer(data, type, n, at - n * bytes)\n";

static const char dot_bool[] = "a = array(numpy.float32, 4)\n"
                               "b = array(numpy.bool_, 1)\n"
                               "out = array(numpy.float32, 4)\n"
                               "def compute():\n"
                               "    out[0] = numpy.dot(a, b)\n";

static const char attention[] =
    "a, b, x, out = (array(numpy.float32, 4).reshape(-1, rows, cols) for i in range(4))\n"
    "def compute():\n"
    "    weight = a @ b.transpose(0, 2, 1)\n"
    "    weight *= cols ** -0.5\n"
    "    weight -= weight.max(axis=2, keepdims=True)\n"
    "    numpy.exp(weight, out=weight)\n"
    "    weight /= weight.sum(axis=2, keepdims=True)\n"
    "    numpy.matmul(weight, x, out=out)\n";

static const char tail[] = "print('ready', flush=True)\n"
                           "for line in sys.stdin:\n"
                           "    compute()\n"
                           "    print('done', flush=True)\n";

struct numpy {
    pid_t child;
    FILE *to, *from;
    char *arrays; /* the file in this process */
    size_t bytes, out_bytes;
};

/* The file, with out last. */
static int share_arrays(struct numpy *p, const struct session *s)
{
    const struct work *w = &s->work;
    size_t floats = w->n * sizeof(float), b_bytes = w->n * s->b_element, at = floats + b_bytes;
    p->out_bytes = s->row->outputs ? floats : sizeof(float);
    p->bytes = at + (w->x ? floats : 0) + floats;
    int file = memfd_create("lanewise-bench", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)p->bytes))
        return file;
    p->arrays = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (p->arrays == MAP_FAILED) {
        p->arrays = NULL;
        return file;
    }
    memcpy(p->arrays, w->a, floats);
    memcpy(p->arrays + floats, w->b, b_bytes);
    if (w->x)
        memcpy(p->arrays + at, w->x, floats);
    return file;
}

/* In the child: 0 and 1 are the pipes, 3 the arrays. */
static void become_python(const char *python, int in, int out, int arrays, const struct session *s)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    char n[32], rows[32], cols[32], program[2048];
    int spare = dup(arrays);
    snprintf(n, sizeof n, "%zu", s->shape.n);
    snprintf(rows, sizeof rows, "%zu", s->shape.rows);
    snprintf(cols, sizeof cols, "%zu", s->shape.cols);
    snprintf(program, sizeof program, "%s%s%s", head,
             s->row->hand == HAND_ATTENTION ? attention : dot_bool, tail);
    if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(null, 2) == 2 && dup2(spare, 3) == 3) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execlp(python, python, "-c", program, n, rows, cols, (char *)NULL);
    }
    _exit(127);
}

static bool start_python(struct numpy *p, const char *python, int arrays, const struct session *s)
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
        become_python(python, in[0], out[1], arrays, s);
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
    p->child = 0;
    p->to = p->from = NULL;
}

/* The first python3 of PATH may be one without packages; the system's own has those of apt. */
static bool numpy_open(struct variant *v, struct session *s)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    struct numpy *p = v->state = calloc(1, sizeof *p);
    char line[64];
    int arrays = p ? share_arrays(p, s) : -1;
    bool is_ready = false;
    for (int i = 0; i < 2 && p && p->arrays && !is_ready; i++) {
        is_ready = start_python(p, pythons[i], arrays, s) && read_line(p, line);
        if (!is_ready)
            end_python(p);
    }
    if (arrays >= 0)
        close(arrays);
    if (!p || !p->arrays)
        return variant_fail(v, "not measured: no memory for a copy of the arrays");
    return is_ready ||
           variant_fail(v, "not measured: no python3 with NumPy (make bench installs it)");
}

static bool numpy_run(struct variant *v, struct session *s)
{
    struct numpy *p = v->state;
    char line[64];
    (void)s;
    if (fputs("\n", p->to) < 0 || fflush(p->to) || !read_line(p, line))
        return variant_fail(v, "failed: python3 ended");
    return true;
}

static void numpy_settle(struct variant *v, struct session *s)
{
    const struct numpy *p = v->state;
    memcpy(s->work.out, p->arrays + p->bytes - s->shape.n * sizeof(float), p->out_bytes);
}

static void numpy_close(struct variant *v)
{
    struct numpy *p = v->state;
    if (!p)
        return;
    end_python(p);
    if (p->arrays)
        munmap(p->arrays, p->bytes);
    free(p);
    v->state = NULL;
}

const struct way way_numpy = {
    .open = numpy_open, .run = numpy_run, .settle = numpy_settle, .close = numpy_close};
