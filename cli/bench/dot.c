/* dot.c - `lanewise bench dot`: the same dot product in steps, from a loop in C to all
 * threads and a GPU.
 *
 * The kernels are those of bench/kernels and bench/steps. What each step gives is compared with a
 * sum in double.
 */
#include "cli/bench/bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_N = 1 << 24, MOST_N = 1 << 30 };

/* ---- plain C --------------------------------------------------------------------------------- */

/* One sum in the order of the elements: no compiler may make vectors of it. */
static void loop_float(void *const *buffers, size_t n)
{
    const float *a = buffers[1], *b = buffers[2];
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    *(float *)buffers[0] = sum;
}

static void loop_bool(void *const *buffers, size_t n)
{
    const float *a = buffers[1];
    const bool *b = buffers[2];
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    *(float *)buffers[0] = sum;
}

/* ---- the steps ------------------------------------------------------------------------------- */

enum { ON_ONE = 1, ON_ALL = 2, ON_GPU = 4 }; /* workers */
enum { PER_ELEMENT = -1 };                   /* blocks of 256: a thread an element */

struct rung {
    const char *name;
    unsigned on;
    enum bench_kind kind;
    const char *what, *folder; /* operation or kernel */
    bench_host *host;
    int blocks;     /* of 256 threads */
    bool is_bool;   /* f32 x bool */
    bool is_strict; /* one chain of n sums */
};

static const struct rung rungs[] = {
    {"C loop, f32 x f32", ON_ONE, BENCH_HOST, "", NULL, loop_float, 0, false, true},
    {"C loop, f32 x bool", ON_ONE, BENCH_HOST, "", NULL, loop_bool, 0, true, true},
    {"kernel: an atomic a thread", ON_GPU, BENCH_KERNEL, "dot_atomic", "steps", NULL, 64, false,
     true},
    {"kernel: tree in block memory", ON_GPU, BENCH_KERNEL, "dot_tree", "kernels", NULL, PER_ELEMENT,
     false, false},
    {"kernel: warp shuffles", ON_GPU, BENCH_KERNEL, "dot_warp", "steps", NULL, 2048, false, false},
    {"kernel: one block", ON_ONE, BENCH_KERNEL, "dot", "kernels", NULL, 1, false, false},
    {"kernel: block_sum, 64 blocks", ON_ALL, BENCH_KERNEL, "dot", "kernels", NULL, 64, false,
     false},
    {"kernel: block_sum, 2048 blocks", ON_GPU, BENCH_KERNEL, "dot", "kernels", NULL, 2048, false,
     false},
    {"one line: map_reduce a*b, x+y", ON_ONE | ON_ALL | ON_GPU, BENCH_OP, "map_reduce", NULL, NULL,
     0, false, false},
    {"operation dot, f32 x bool", ON_ONE | ON_ALL | ON_GPU, BENCH_OP, "dot", NULL, NULL, 0, true,
     false},
    {"operation dot, f32 x f32", ON_ONE | ON_ALL | ON_GPU, BENCH_OP, "dot", NULL, NULL, 0, false,
     false},
};

/* What is right, in double, of the numbers that rand:1 and rand:2 stand for. */
struct truth {
    double floats, bools;
};

static int find_truth(size_t n, struct truth *truth)
{
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    bool *c = malloc(n * sizeof *c);
    int failed = a && b && c ? CLI_DONE : cli_fail_memory(n * (2 * sizeof *a + sizeof *c));
    if (!failed) {
        lw__fill_make(LW_FILL_RAND, LW_F32, 1, n, a);
        lw__fill_make(LW_FILL_RAND, LW_F32, 2, n, b);
        lw__fill_make(LW_FILL_RAND, LW_BOOL, 2, n, c);
    }
    for (size_t i = 0; i < n && !failed; i++) {
        truth->floats += (double)a[i] * b[i];
        truth->bools += c[i] ? (double)a[i] : 0;
    }
    free(a);
    free(b);
    free(c);
    return failed;
}

static int set_words(struct bench_step *step, const struct rung *rung, size_t n)
{
    const char *b = rung->is_bool ? "bool" : "f32";
    size_t blocks = rung->blocks == PER_ELEMENT ? (n + 255) / 256 : (size_t)rung->blocks;
    bool is_one = strcmp(rung->what, "dot_atomic") == 0 || strcmp(rung->what, "dot_warp") == 0;
    step->kind = rung->kind;
    step->name = rung->what;
    step->folder = rung->folder;
    step->host = rung->host;
    step->n = n;
    step->grid = lw_dim_1((uint32_t)blocks);
    step->block = lw_dim_1(256);
    if (rung->kind == BENCH_KERNEL) /* a part for each block, or one number */
        return bench_words(step, "f32[%zu] f32[%zu]=rand:1 f32[%zu]=rand:2 %zu",
                           is_one ? (size_t)1 : blocks, n, n, n);
    if (rung->kind == BENCH_HOST)
        return bench_words(step, "f32[1] f32[%zu]=rand:1 %s[%zu]=rand:2", n, b, n);
    return bench_words(step, "%sf32[%zu]=rand:1 %s[%zu]=rand:2",
                       strcmp(rung->what, "dot") ? "map=a*b combine=x+y identity=0 " : "", n, b, n);
}

static int add_rung(struct bench *bench, int worker, const struct rung *rung, size_t n,
                    const struct truth *truth)
{
    struct bench_row *row = bench_add(bench, worker, 0, rung->name);
    if (!row)
        return CLI_LAUNCH;
    int failed = set_words(&row->step, rung, n);
    if (!failed && rung->kind == BENCH_OP)
        failed = bench_read_op(row);
    row->size[0] = '\0';
    row->bytes = (double)n * (rung->is_bool ? 5 : 8);
    row->flops = 2 * (double)n;
    row->taken[LIMIT_READ] = row->bytes;
    row->has_want = true;
    row->want = rung->is_bool ? truth->bools : truth->floats;
    row->tolerance = rung->is_strict ? fmax(1e-3, (double)n * 0x1p-24) : 1e-3;
    return failed;
}

static int add_rungs(struct bench *bench, unsigned on, const char *device, int threads, size_t n,
                     const struct truth *truth)
{
    size_t first = bench->row_count, limit;
    int worker = bench_add_worker(bench, device, threads), failed = worker < 0 ? CLI_USAGE : 0;
    for (size_t i = 0; i < sizeof rungs / sizeof rungs[0] && !failed; i++)
        if (rungs[i].on & on)
            failed = add_rung(bench, worker, &rungs[i], n, truth);
    if (!failed)
        failed = bench_add_limit(bench, worker, 0, LIMIT_READ, 8 * (double)n, false, &limit);
    for (size_t i = first; i + 1 < bench->row_count && !failed; i++)
        bench->rows[i].limits[LIMIT_READ] = limit;
    return failed;
}

/* ---- the form -------------------------------------------------------------------------------- */

/* has_device - true if a list of devices has the name, with a number or without; NULL has all. */
static const char *find_device(const char *list, const char *name)
{
    size_t length = strlen(name);
    if (!list)
        return name;
    return strncmp(list, name, length) == 0 && (!list[length] || list[length] == ':') ? list : NULL;
}

int bench_dot(struct bench *bench)
{
    const struct cli_options *options = bench->options;
    size_t n = options->elements ? options->elements : DEFAULT_N;
    const char *cpu = find_device(options->device, "cpu");
    const char *gpu = find_device(options->device, "cuda");
    struct truth truth = {0, 0};
    if (options->file)
        return cli_fail(CLI_USAGE, "bench dot takes no '%s'", options->file);
    if (n > MOST_N)
        return cli_fail(CLI_USAGE, "-n: %zu is too large, at most %d", n, MOST_N);
    if (!cpu && !gpu)
        return cli_fail(CLI_USAGE, "-d: the steps are for cpu and cuda, not for '%s'",
                        options->device);
    int failed = find_truth(n, &truth), all = bench_all_threads();
    if (!failed && cpu)
        failed = add_rungs(bench, ON_ONE, cpu, 1, n, &truth);
    if (!failed && cpu && all > 1)
        failed = add_rungs(bench, ON_ALL, cpu, all, n, &truth);
    if (!failed && gpu)
        failed = add_rungs(bench, ON_GPU, gpu, 0, n, &truth);
    if (!failed)
        failed = bench_measure(bench, options->seconds > 0 ? options->seconds : 5);
    if (failed)
        return failed;
    char title[BENCH_NAME];
    snprintf(title, sizeof title, "The dot product of %zu elements, in steps", n);
    bench->title = title;
    /* A GPU that nobody asked for may lack. */
    for (size_t i = 0; i < bench->row_count && !options->device; i++)
        if (bench->workers[bench->rows[i].worker].device == gpu &&
            bench->workers[bench->rows[i].worker].status == CLI_LAUNCH)
            bench->rows[i].status = CLI_DONE;
    failed = bench_deliver(bench, bench_print_ladder);
    bench->title = NULL;
    return failed;
}
