/* attention.c - an operation of one's own, `classic::attention`, recorded into a graph.
 *
 *     transpose   K (16,16)                   -> keys (16,16), temporary
 *     matmul      q (1,16), keys (16,16)      -> scores (1,16), temporary
 *     softmax     scores (16)                 -> weights (16), in place
 *     matmul      weights (1,16), V (16,16)   -> output (1,16)
 *
 * The operation is in operation.c. It runs on every device there is, and each result is compared
 * with plain C.
 *
 *     classic_attention [KERNELS.c [FOLDER [PICTURE.svg]]]
 *
 * The folder holds q.npy, K.npy and V.npy; the graph is drawn into the picture.
 */
#include "operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16 };

/* must - end the program with the library's message unless all went well. */
static void must(lw_status status)
{
    if (status == LW_OK)
        return;
    fprintf(stderr, "attention: %s\n", lw_last_error());
    exit(1);
}
/* read_npy - count float32 values in C order from a NumPy file: a magic of 6 bytes, a version of 2,
 * the header's length as 2 bytes (low byte first), the header as text, then the values. */
static void read_npy(const char *folder, const char *name, float *values, size_t count)
{
    char path[1100], header[1024];
    unsigned char start[10];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    bool ok = file && fread(start, 1, 10, file) == 10 && memcmp(start, "\x93NUMPY\1", 7) == 0;
    size_t length = ok ? start[8] + 256u * start[9] : 0;
    ok = ok && length < sizeof header && fread(header, 1, length, file) == length;
    if (ok) {
        header[length] = 0;
        ok = strstr(header, "'<f4'") && strstr(header, "'fortran_order': False") &&
             fread(values, sizeof *values, count, file) == count;
    }
    if (file)
        fclose(file);
    if (!ok) {
        fprintf(stderr, "attention: %s is no NumPy file of %zu float32 values\n", path, count);
        exit(1);
    }
}

/* ---- the numbers ---- */

/* reference - the same in plain C, in double. */
static void reference(const float *q, const float *K, const float *V, double output[N])
{
    double weights[N], largest = -INFINITY, total = 0;

    for (int i = 0; i < N; i++) {
        weights[i] = 0;
        for (int d = 0; d < N; d++)
            weights[i] += (double)q[d] * (double)K[i * N + d];
        largest = fmax(largest, weights[i]);
    }
    for (int i = 0; i < N; i++)
        total += weights[i] = exp(weights[i] - largest);
    for (int c = 0; c < N; c++) {
        output[c] = 0;
        for (int i = 0; i < N; i++)
            output[c] += weights[i] / total * (double)V[i * N + c];
    }
}

static void show(const char *name, lw_tensor t, float values[N])
{
    must(lw_buffer_read(t.buffer, 0, N, values));
    printf("%s", name);
    for (int i = 0; i < N; i++)
        printf(" %.8f", (double)values[i]);
    printf("\n");
}

/* tensor_of - ordinary memory with these values; zeros where values is NULL. */
static lw_tensor tensor_of(lw_device *device, int rank, const float *values)
{
    const size_t count = rank == 1 ? N : N * N;
    const float zero = 0;
    lw_buffer *buffer;

    must(lw_buffer_create(device, LW_F32, count, &buffer));
    must(values ? lw_buffer_write(buffer, 0, count, values) : lw_buffer_fill(buffer, &zero));
    lw_tensor t;
    must(lw_tensor_of(buffer, rank, (ptrdiff_t[]){N, N}, &t));
    return t;
}

/* ---- the graph ---- */

static lw_executable *record_graph(lw_device *device, lw_op *op, const char *picture)
{
    static const ptrdiff_t shape[] = {N, N};
    lw_tensor in[3], out[3];
    lw_graph *g;

    must(lw_graph_create(device, &g));
    must(lw_graph_input(g, "q", LW_F32, 1, shape, &in[0]));
    must(lw_graph_input(g, "K", LW_F32, 2, shape, &in[1]));
    must(lw_graph_input(g, "V", LW_F32, 2, shape, &in[2]));
    must(lw_graph_temporary(g, LW_F32, 1, shape, &out[0]));
    must(lw_graph_temporary(g, LW_F32, 2, shape, &out[1]));
    must(lw_graph_temporary(g, LW_F32, 1, shape, &out[2]));
    must(lw_op_run(op, lw_graph_stream(g), "{\"seq_len\": 16, \"d\": 16}", out, 3, in, 3));
    must(lw_graph_output(g, "output", out[0]));
    lw_executable *x;
    must(lw_graph_compile(g, &x));
    if (picture)
        must(lw_graph_draw(g, "svg", picture));
    lw_graph_destroy(g);
    return x;
}

static void show_plan(const lw_executable *x)
{
    lw_executable_info info;

    must(lw_executable_get_info(x, &info));
    printf("plan %zu launches, %zu temporaries in %zu bytes\n", info.launches, info.temporaries,
           info.bytes_planned);
    for (size_t k = 0; k < info.temporaries; k++)
        printf("  %zu bytes at %zu, launches %zu to %zu\n", info.placements[k].bytes,
               info.placements[k].offset, info.placements[k].first_launch,
               info.placements[k].last_launch);
}

/* compare - the graph's output with plain C, and with the same launches one by one, to the bit. */
static bool compare(const float *output, const float *direct, const double *expected)
{
    double norm = 0, difference = 0;

    for (int i = 0; i < N; i++) {
        norm += (double)output[i] * (double)output[i];
        difference = fmax(difference, fabs((double)output[i] - expected[i]));
    }
    printf("norm %.6f\n", sqrt(norm));
    if (difference <= 1e-5 && !memcmp(output, direct, N * sizeof *output))
        return true;
    printf("the graph's output differs: by %g from plain C, by bits from the launches: %s\n",
           difference, memcmp(output, direct, N * sizeof *output) ? "yes" : "no");
    return false;
}

/* ---- one device ---- */

/* run_direct - the steps one by one, on a stream that runs them, each shown. */
static void run_direct(lw_stream *s, const struct kernels *k, lw_device *device,
                       const lw_tensor *in, float output[N])
{
    lw_tensor out = tensor_of(device, 1, NULL), keys = tensor_of(device, 2, NULL);
    lw_tensor scores = tensor_of(device, 1, NULL);
    float values[N];
    double sum = 0;

    must(attention_score(s, k, scores, keys, in[0], in[1], 1));
    show("scores", scores, values);
    must(attention_weigh(s, k, out, scores, in[2]));
    show("weights", scores, values);
    for (int i = 0; i < N; i++)
        sum += (double)values[i];
    printf("sum of weights %.6f\n", sum);
    must(lw_buffer_read(out.buffer, 0, N, output));
    must(lw_stream_wait(s));
    lw_buffer_destroy(out.buffer);
    lw_buffer_destroy(keys.buffer);
    lw_buffer_destroy(scores.buffer);
}

static bool run_on(lw_device *device, lw_op *op, const char *path, const char *picture,
                   float data[3][N * N])
{
    lw_tensor t[4];
    float direct[N], output[N];
    double expected[N];

    struct kernels k;
    must(attention_open(device, path, &k));
    lw_stream *s;
    must(lw_stream_create(device, &s));
    for (int i = 0; i < 3; i++)
        t[i] = tensor_of(device, i ? 2 : 1, data[i]);
    t[3] = tensor_of(device, 1, NULL);
    printf("q (%d), K (%d, %d), V (%d, %d)\n", N, N, N, N, N);
    run_direct(s, &k, device, t, direct);
    lw_executable *x = record_graph(device, op, picture);
    must(lw_executable_run(x, s, NULL, t, 4));
    must(lw_stream_wait(s));
    show("output", t[3], output);
    reference(data[0], data[1], data[2], expected);
    bool agrees = compare(output, direct, expected);
    show_plan(x);
    lw_executable_destroy(x);
    for (int i = 0; i < 4; i++)
        lw_buffer_destroy(t[i].buffer);
    lw_stream_destroy(s);
    attention_close(&k);
    return agrees;
}

int main(int argc, char **argv)
{
    const char *kernels_path = argc > 1 ? argv[1] : "kernels.c";
    const char *folder = argc > 2 ? argv[2] : "../puzzles/attention";
    const char *picture = argc > 3 ? argv[3] : NULL;
    static const char *const names[] = {"ref", "cpu", "cuda"};
    static float data[3][N * N];
    bool agrees = true;

    read_npy(folder, "q.npy", data[0], N);
    read_npy(folder, "K.npy", data[1], N * N);
    read_npy(folder, "V.npy", data[2], N * N);
    lw_op *op;
    must(attention_register(kernels_path, &op));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lw_device *device;

        if (lw_device_open(names[i], &device) != LW_OK) {
            printf("%s: %s\n", names[i], lw_last_error());
            continue;
        }
        printf("device %s\n", names[i]);
        agrees = run_on(device, op, kernels_path, picture, data) && agrees;
        lw_device_close(device);
    }
    return agrees ? 0 : 1;
}
