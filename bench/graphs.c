/* graphs - what graphs cost. `graphs [DEVICE [KERNELS.c]]`, DEVICE cpu if it is left out:
 *
 *     record    nanoseconds a launch takes to record and to compile, in graphs of several sizes and
 *               shapes; and the attention of examples/attention, given its KERNELS.c
 *     runs      microseconds of four small launches: queued one by one, as a graph, and on cuda as
 *               a CUDA graph made by hand (graphs_cuda.c); in turns, medians, and their ratios
 */
#include "graphs.h"
#include <lanewise/ops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 21, CALLS = 400, N = 1024, BLOCK = 256, LINKS = 4 };

static const char text[] = "#include <lanewise/kernel.h>\n"
                           "KERNEL void scale(float *out, const float *a, int n, float k)\n"
                           "{ int i = (int)global_idx.x; if (i < n) out[i] = a[i] * k; }\n";

static void must(lw_status status)
{
    if (status == LW_OK)
        return;
    fprintf(stderr, "graphs: %s\n", lw_last_error());
    exit(1);
}

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

/* ---- recording ---- */

enum shape { CHAIN, FORTH_AND_BACK, SHAPES };
static const char *const shape_names[] = {"a chain", "forth and back"};

/* CHAIN: each launch reads what the one before wrote. FORTH_AND_BACK: then, from the last on, each
 * of what was written is read once more. */
static void record(lw_graph *g, lw_kernel *scale, enum shape shape, size_t launches)
{
    const size_t forth = shape == CHAIN ? launches : launches / 2;
    lw_tensor *t = calloc(forth + 2, sizeof *t);

    must(t ? LW_OK : lw_fail(LW_E_MEMORY, "out of memory"));
    must(lw_graph_input(g, "in", LW_F32, 1, (ptrdiff_t[]){N}, &t[0]));
    for (size_t k = 1; k <= forth; k++) {
        must(lw_graph_temporary(g, LW_F32, 1, (ptrdiff_t[]){N}, &t[k]));
        must(LW_LAUNCH(lw_graph_stream(g), scale, N / BLOCK, BLOCK, t[k], t[k - 1], N, 2.0));
    }
    must(lw_graph_temporary(g, LW_F32, 1, (ptrdiff_t[]){N}, &t[forth + 1]));
    for (size_t k = forth; k > 2 * forth - launches; k--)
        must(LW_LAUNCH(lw_graph_stream(g), scale, N / BLOCK, BLOCK, t[forth + 1], t[k], N, 2.0));
    free(t);
}

static void time_recording(lw_device *device, lw_kernel *scale)
{
    static const size_t sizes[] = {1000, 3000, 10000, 30000};

    for (enum shape shape = CHAIN; shape < SHAPES; shape++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            lw_graph *g;

            must(lw_graph_create(device, &g));
            double begin = bench_now();
            record(g, scale, shape, sizes[k]);
            double recorded = bench_now();
            lw_executable *x;
            must(lw_graph_compile(g, &x));
            double compiled = bench_now();
            printf("record %s of %zu: %.0f + %.0f ns a launch\n", shape_names[shape], sizes[k],
                   (recorded - begin) / (double)sizes[k], (compiled - recorded) / (double)sizes[k]);
            lw_executable_destroy(x);
            lw_graph_destroy(g);
        }
}

/* As examples/attention records it. */
static void record_attention(lw_device *device, lw_kernel *const *k)
{
    static const ptrdiff_t square[] = {16, 16};
    const lw_dim3 block = lw_dim_2(8, 8), wide = lw_dim_2(2, 1);
    lw_graph *g;

    must(lw_graph_create(device, &g));
    lw_stream *s = lw_graph_stream(g);
    lw_tensor q;
    must(lw_graph_input(g, "q", LW_F32, 1, square, &q));
    lw_tensor K;
    must(lw_graph_input(g, "K", LW_F32, 2, square, &K));
    lw_tensor V;
    must(lw_graph_input(g, "V", LW_F32, 2, square, &V));
    lw_tensor out;
    must(lw_graph_temporary(g, LW_F32, 1, square, &out));
    lw_tensor keys;
    must(lw_graph_temporary(g, LW_F32, 2, square, &keys));
    lw_tensor scores;
    must(lw_graph_temporary(g, LW_F32, 1, square, &scores));
    lw_tensor q_row;
    must(lw_tensor_reshape(q, 2, (ptrdiff_t[]){1, 16}, &q_row));
    lw_tensor row;
    must(lw_tensor_reshape(scores, 2, (ptrdiff_t[]){1, 16}, &row));
    lw_tensor out_row;
    must(lw_tensor_reshape(out, 2, (ptrdiff_t[]){1, 16}, &out_row));
    must(LW_LAUNCH(s, k[0], lw_dim_2(2, 2), block, keys, K));
    must(LW_LAUNCH(s, k[1], wide, block, row, q_row, keys, 1.0));
    must(LW_LAUNCH(s, k[2], 1, 16, scores, scores));
    must(LW_LAUNCH(s, k[1], wide, block, out_row, row, V, 1.0));
    must(lw_graph_output(g, "output", out));
    lw_executable *x;
    must(lw_graph_compile(g, &x));
    lw_executable_destroy(x);
    lw_graph_destroy(g);
}

static void time_attention(lw_device *device, const char *path)
{
    static const char *const names[] = {"transpose", "matmul", "softmax"};
    double times[ROUNDS];
    lw_kernel *kernels[3];
    lw_program *program;

    must(lw_program_build(device, path, NULL, &program));
    for (int k = 0; k < 3; k++)
        must(lw_program_kernel(program, names[k], &kernels[k]));
    record_attention(device, kernels);
    for (int k = 0; k < ROUNDS; k++) {
        const double begin = bench_now();

        record_attention(device, kernels);
        times[k] = bench_now() - begin;
    }
    printf("record and compile the attention: %.1f us\n", median(times, ROUNDS) / 1e3);
    lw_program_destroy(program);
}

/* ---- runs ---- */

struct runs {
    lw_kernel *scale;
    lw_stream *stream;
    lw_executable *x;
    lw_tensor t[LINKS + 1];
};

static void launch_all(const struct runs *r)
{
    for (int k = 0; k < LINKS; k++)
        must(LW_LAUNCH(r->stream, r->scale, N / BLOCK, BLOCK, r->t[k + 1], r->t[k], N, 1.0));
}

static void launch_graph(const struct runs *r)
{
    must(lw_executable_run(r->x, r->stream, NULL, (lw_tensor[]){r->t[0], r->t[LINKS]}, 2));
}

static double time_calls(const struct runs *r, void (*call)(const struct runs *))
{
    const double begin = bench_now();

    for (int k = 0; k < CALLS; k++)
        call(r);
    must(lw_stream_wait(r->stream));
    return (bench_now() - begin) / CALLS / 1e3;
}

static lw_executable *record_links(lw_device *device, lw_kernel *scale)
{
    lw_tensor t[LINKS + 1];
    lw_graph *g;

    must(lw_graph_create(device, &g));
    must(lw_graph_input(g, "in", LW_F32, 1, (ptrdiff_t[]){N}, &t[0]));
    for (int k = 1; k <= LINKS; k++) {
        must(lw_graph_temporary(g, LW_F32, 1, (ptrdiff_t[]){N}, &t[k]));
        must(LW_LAUNCH(lw_graph_stream(g), scale, N / BLOCK, BLOCK, t[k], t[k - 1], N, 1.0));
    }
    must(lw_graph_output(g, "out", t[LINKS]));
    lw_executable *x;
    must(lw_graph_compile(g, &x));
    lw_graph_destroy(g);
    return x;
}

static void time_runs(lw_device *device, const char *name, lw_kernel *scale)
{
    struct runs r = {.scale = scale, .x = record_links(device, scale)};
    struct bench_hand *hand = strncmp(name, "cuda", 4) ? NULL : bench_hand_make(name, LINKS, N);
    double plain[ROUNDS], graph[ROUNDS], by_hand[ROUNDS] = {0}, p, g, h;

    must(lw_stream_create(device, &r.stream));
    for (int k = 0; k <= LINKS; k++) {
        lw_buffer *b;

        must(lw_buffer_create(device, LW_F32, N, &b));
        must(lw_tensor_of(b, 1, (ptrdiff_t[]){N}, &r.t[k]));
    }
    for (int k = -1; k < ROUNDS; k++) { /* the first warms up */
        plain[k < 0 ? 0 : k] = time_calls(&r, launch_all);
        graph[k < 0 ? 0 : k] = time_calls(&r, launch_graph);
        if (hand)
            by_hand[k < 0 ? 0 : k] = bench_hand_time(hand, CALLS) / 1e3;
    }
    p = median(plain, ROUNDS), g = median(graph, ROUNDS), h = median(by_hand, ROUNDS);
    printf("%d launches on %s: one by one %.2f us, as a graph %.2f us, ratio %.2f\n", LINKS, name,
           p, g, g / p);
    if (hand)
        printf("a CUDA graph by hand %.2f us; the graph takes %.2f times as long\n", h, g / h);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cpu";
    const lw_build_options options = {.source = text};
    lw_device *device;

    if (lw_device_open(name, &device)) {
        printf("graphs: skipped: %s\n", lw_last_error());
        return 0;
    }
    lw_program *program;
    must(lw_program_build(device, "graphs.c", &options, &program));
    lw_kernel *scale;
    must(lw_program_kernel(program, "scale", &scale));
    time_recording(device, scale);
    if (argc > 2)
        time_attention(device, argv[2]);
    time_runs(device, name, scale);
    return 0; /* what was made goes with the process */
}
