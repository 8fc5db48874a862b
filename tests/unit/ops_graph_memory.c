/* ops_graph_memory DEVICE [EVERY] - memory runs short while a graph is recorded, compiled and run,
 * and around a launch that prints and in which `check` finds something. The n-th allocation of any
 * thread fails, or all from the n-th on, for every EVERY-th n until none does, fewer where n is
 * large, since `check` has an allocation for each element: the answer is LW_E_MEMORY with a
 * message, or the result is there all the same, and nothing is left.
 *
 * Each attempt is a process of its own with a limit of time, so a crash or a wait without end is
 * told with its n, and what is kept as long as a process lives is not counted twice.
 */
#include "alloc.h"
#include "base/base.h"
#include "ops_test.h"
#include <lanewise/check.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 64, INNER = 32, COLUMNS = 16, RUNS = 3, SECONDS = 60, MANY = 1000 };

static const char kernels[] = "#include <lanewise/kernel.h>\n"
                              "KERNEL void tells(const TENSOR(float, 2) x) {\n"
                              "    if (!global_idx.x) printf(\"%g of %s\\n\", x.data[1], \"x\");\n"
                              "}\n"
                              "KERNEL void races(float *out, const float *in) {\n"
                              "    SHARED float s[32];\n"
                              "    s[thread_idx.x / 2] = in[thread_idx.x];\n"
                              "    printf(\"%u\\n\", thread_idx.x);\n"
                              "    out[thread_idx.x] = in[thread_idx.x];\n"
                              "}\n";

static const char *name_of_device, *folder;

/* What an attempt tells the one process that started it. */
struct told {
    long left;
    bool failed; /* an allocation */
};

struct work {
    lw_device *device;
    lw_stream *stream;
    lw_program *program;
    lw_buffer *x, *weights, *out;
    lw_graph *graph;
    lw_executable *executable;
    int lines;
    bool is_right;
};

static void count_line(const lw_output *line, void *user)
{
    struct work *w = user;
    w->lines += line->text != NULL;
}

static lw_status make_things(struct work *w)
{
    static float values[ROWS * INNER];
    const lw_build_options options = {.source = kernels};

    for (int i = 0; i < ROWS * INNER; i++)
        values[i] = (float)(i % 37) / 8;
    LW_TRY(lw_device_open(name_of_device, &w->device));
    LW_TRY(lw_stream_create(w->device, &w->stream));
    lw_stream_on_output(w->stream, count_line, w);
    LW_TRY(lw_program_build(w->device, "k.c", &options, &w->program));
    LW_TRY(lw_buffer_create(w->device, LW_F32, ROWS * INNER, &w->x));
    LW_TRY(lw_buffer_create(w->device, LW_F32, INNER * COLUMNS, &w->weights));
    LW_TRY(lw_buffer_create(w->device, LW_F32, ROWS * COLUMNS, &w->out));
    LW_TRY(lw_buffer_write(w->x, 0, ROWS * INNER, values));
    return lw_buffer_write(w->weights, 0, INNER * COLUMNS, values);
}

/* ---- a graph: the sums of a softmax of a product end at 1 ---- */

static lw_status record(struct work *w)
{
    const ptrdiff_t left[] = {ROWS, INNER}, right[] = {INNER, COLUMNS}, result[] = {ROWS, COLUMNS};
    lw_kernel *tells;

    LW_TRY(lw_program_kernel(w->program, "tells", &tells));
    LW_TRY(lw_graph_create(w->device, &w->graph));
    lw_stream *s = lw_graph_stream(w->graph);
    lw_tensor x;
    LW_TRY(lw_graph_input(w->graph, "x", LW_F32, 2, left, &x));
    lw_tensor weights;
    LW_TRY(lw_graph_input(w->graph, "weights", LW_F32, 2, right, &weights));
    lw_tensor product;
    LW_TRY(lw_graph_temporary(w->graph, LW_F32, 2, result, &product));
    lw_tensor parts;
    LW_TRY(lw_graph_temporary(w->graph, LW_F32, 2, result, &parts));
    lw_tensor sums;
    LW_TRY(lw_graph_temporary(w->graph, LW_F32, 2, result, &sums));
    LW_TRY(LW_LAUNCH(s, tells, 1, 32, x));
    LW_TRY(lw_matmul(s, product, x, weights, NULL));
    LW_TRY(lw_softmax(s, parts, product, NULL));
    LW_TRY(lw_scan(s, sums, parts, NULL));
    LW_TRY(lw_graph_output(w->graph, "sums", sums));
    return lw_graph_compile(w->graph, &w->executable);
}

static lw_status run_graph(struct work *w)
{
    static float out[ROWS * COLUMNS];
    static const char *const names[] = {"x", "weights", "sums"};

    LW_TRY(make_things(w));
    LW_TRY(record(w));
    const lw_tensor tensors[] = {plain(w->x, 2, ROWS, INNER, 0, 0),
                                 plain(w->weights, 2, INNER, COLUMNS, 0, 0),
                                 plain(w->out, 2, ROWS, COLUMNS, 0, 0)};
    for (int run = 0; run < RUNS; run++) {
        LW_TRY(lw_executable_run(w->executable, w->stream, names, tensors, 3));
        LW_TRY(lw_stream_wait(w->stream));
    }
    LW_TRY(lw_buffer_read(w->out, 0, ROWS * COLUMNS, out));
    w->is_right = w->lines == RUNS;
    for (int row = 0; row < ROWS; row++)
        w->is_right &= fabsf(out[row * COLUMNS + COLUMNS - 1] - 1) < 1e-5f;
    return LW_OK;
}

/* ---- a launch, whose findings are written in each format ---- */

static lw_status write_findings(struct work *w)
{
    char path[64];

    for (int format = LW_CHECK_TEXT; format <= LW_CHECK_VERBOSE; format++) {
        snprintf(path, sizeof path, "%s/findings", folder);
        LW_TRY(lw_check_write(w->stream, (lw_check_format)format, path));
    }
    return lw_check_get_verdict(w->stream, NULL) == LW_CHECK_FOUND ? LW_OK : LW_E_INTERNAL;
}

static lw_status run_launch(struct work *w)
{
    const bool is_check = !strcmp(name_of_device, "check");
    float out[2] = {0};

    LW_TRY(make_things(w));
    lw_kernel *races;
    LW_TRY(lw_program_kernel(w->program, "races", &races));
    LW_TRY(LW_LAUNCH(w->stream, races, 2, 64, w->out, w->x));
    lw_status status = lw_stream_wait(w->stream);
    if (status && !(is_check && status == LW_E_CHECK))
        return status;
    LW_TRY(is_check ? write_findings(w) : LW_OK);
    LW_TRY(lw_buffer_read(w->out, 0, 2, out));
    w->is_right = w->lines == 128 && out[1] == 1.0f / 8 && is_check == (status == LW_E_CHECK);
    return LW_OK;
}

static void destroy(struct work *w)
{
    lw_executable_destroy(w->executable);
    lw_graph_destroy(w->graph);
    lw_buffer_destroy(w->x);
    lw_buffer_destroy(w->weights);
    lw_buffer_destroy(w->out);
    lw_stream_destroy(w->stream);
    lw_program_destroy(w->program);
    lw_device_close(w->device);
}

/* ---- attempts ---- */

struct attempt {
    const char *what;
    lw_status (*whole)(struct work *);
    long n;
    bool stays_short;
};

static int try(const struct attempt *a, struct told *told)
{
    struct work w = {0};

    failures = 0; /* the other process knows of those */
    alarm(SECONDS);
    alloc_stays_short = a->stays_short;
    alloc_fails_at = a->n;
    lw_status status = a->whole(&w);
    alloc_fails_at = 0;
    told->failed = a->n && alloc_number >= a->n;
    if (status ? !told->failed || status != LW_E_MEMORY || strlen(lw_last_error()) < 10
               : !w.is_right) {
        failures++;
        printf("%s on %s: status %d, \"%s\", %d lines\n", a->what, name_of_device, status,
               status ? lw_last_error() : "", w.lines);
    }
    destroy(&w);
    told->left = alloc_outstanding;
    return failures != 0;
}

/* True if an allocation failed. most: the blocks that the process may keep. */
static bool attempt(const struct attempt *a, long most, struct told *told)
{
    int end = 0;

    *told = (struct told){0};
    fflush(stdout);
    pid_t child = fork();
    if (!child)
        exit(try(a, told));
    CHECK(child > 0 && waitpid(child, &end, 0) == child);
    if (end || told->left > most) {
        failures++;
        printf("%s on %s, %s %ld: ended with 0x%x, %ld blocks are left where %ld may be\n", a->what,
               name_of_device, a->stays_short ? "allocations from" : "allocation", a->n, end,
               told->left, most);
    }
    return told->failed;
}

static void sweep(const char *what, lw_status (*whole)(struct work *), long every)
{
    struct told *told =
        mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct attempt a = {.what = what, .whole = whole};
    long most = MANY, n = 1;

    CHECK(told != MAP_FAILED);
    attempt(&a, MANY, told); /* fills the cache */
    for (int i = 0; i < 4; i++) {
        attempt(&a, MANY, told);
        most = told->left < most ? told->left : most;
    }
    /* A thread that runs kernels keeps some: the worker does, or this one, or both. What the C
     * library has made, a text, we free. */
    most = most > 0 ? 2 * most : 0;
    do {
        a = (struct attempt){what, whole, n, true};
        attempt(&a, most, told);
        a.stays_short = false;
        n += every + every * n / 256;
    } while (attempt(&a, most, told));
    printf("%s on %s: %ld allocations at most, first each %ldth failed; a process may keep %ld\n",
           what, name_of_device, n, every, most);
    CHECK(n > 100);
    munmap(told, sizeof *told);
}

int main(int count, char **arguments)
{
    char made[] = "/tmp/lanewise-short-XXXXXX", command[100];
    const long every = count > 2 ? atol(arguments[2]) : 1;

    name_of_device = count > 1 ? arguments[1] : "check";
    setenv("LANEWISE_NUM_THREADS", "1", 1);
    folder = mkdtemp(made);
    CHECK(folder != NULL && every > 0);
    setenv("LANEWISE_CACHE_DIR", made, 1);
    sweep("a graph", run_graph, every);
    sweep("a launch", run_launch, every);
    snprintf(command, sizeof command, "rm -r %s", made);
    CHECK(system(command) == 0);
    return failures != 0;
}
