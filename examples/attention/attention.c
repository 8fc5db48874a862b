/* attention.c - an operation of one's own, `classic::attention`, recorded into a graph.
 *
 *     transpose   K (16,16)                   -> keys (16,16), temporary
 *     matmul      q (1,16), keys (16,16)      -> scores (1,16), temporary
 *     softmax     scores (16)                 -> weights (16), in place
 *     matmul      weights (1,16), V (16,16)   -> output (1,16)
 *
 * The scores are a vector to softmax and a matrix of one row to matmul: two views of the same
 * temporary, so the graph plans two of them. An operation gets a stream and tensors, and never asks
 * whether the stream runs or records; its temporaries come from whoever calls it. It runs on every
 * device there is, and each result is compared with plain C.
 *
 *     classic_attention [KERNELS.c [FOLDER [PICTURE.svg]]]
 *
 * The folder holds q.npy, K.npy and V.npy; the graph is drawn into the picture.
 */
#include <lanewise/ops.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, TILE = 8 };

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

/* ---- the operation ---- */

/* What its launches need: of one device. */
struct kernels {
    lw_kernel *transpose, *matmul, *softmax;
};

static lw_tensor as_vector(lw_tensor t, ptrdiff_t length)
{
    return (lw_tensor){.buffer = t.buffer, .rank = 1, .extent = {length}};
}

static lw_tensor as_row(lw_tensor t, ptrdiff_t length)
{
    return (lw_tensor){.buffer = t.buffer, .rank = 2, .extent = {1, length}};
}

static lw_dim3 tiles(ptrdiff_t columns, ptrdiff_t rows)
{
    return lw_dim_2((uint32_t)(columns + TILE - 1) / TILE, (uint32_t)(rows + TILE - 1) / TILE);
}

/* score - scores[i] = scale q.K[i] */
static lw_status score(lw_stream *s, const struct kernels *k, lw_tensor scores, lw_tensor keys,
                       lw_tensor q, lw_tensor K, double scale)
{
    const ptrdiff_t n = K.extent[0], d = K.extent[1];
    const lw_dim3 block = lw_dim_2(TILE, TILE);
    lw_status status = LW_LAUNCH(s, k->transpose, tiles(d, n), block, keys, K);

    if (!status)
        status = LW_LAUNCH(s, k->matmul, tiles(n, 1), block, as_row(scores, n), as_row(q, d), keys,
                           scale);
    return status;
}

/* weigh - scores become weights, and output their mean of V's rows. */
static lw_status weigh(lw_stream *s, const struct kernels *k, lw_tensor output, lw_tensor scores,
                       lw_tensor V)
{
    const ptrdiff_t n = V.extent[0], d = V.extent[1];
    lw_status status =
        LW_LAUNCH(s, k->softmax, 1, (int)n, as_vector(scores, n), as_vector(scores, n));

    if (!status)
        status = LW_LAUNCH(s, k->matmul, tiles(d, 1), lw_dim_2(TILE, TILE), as_row(output, d),
                           as_row(scores, n), V, 1.0);
    return status;
}

/* infer - output (d), and what it works in: keys (d, n) and scores (n). seq_len and d are checks:
 * 0 takes them from the shapes. */
static lw_status infer(const lw_shape *in, const lw_params *params, lw_shape *out, void *user)
{
    const ptrdiff_t n = in[1].extent[0], d = in[1].extent[1];
    int64_t seq_len = 0, width = 0;
    lw_status status = lw_params_int(params, "seq_len", &seq_len);

    (void)user;
    if (!status)
        status = lw_params_int(params, "d", &width);
    if (status)
        return status;
    if (in[0].rank != 1 || in[1].rank != 2 || in[2].rank != 2 || in[0].extent[0] != d ||
        in[2].extent[0] != n || in[2].extent[1] != d || (seq_len && seq_len != n) ||
        (width && width != d))
        return lw_fail(LW_E_SHAPE, "classic::attention: need q (%td), K (%td, %td), V alike", d, n,
                       d);
    out[0] = (lw_shape){.dtype = LW_F32, .rank = 1, .extent = {d}};
    out[1] = (lw_shape){.dtype = LW_F32, .rank = 2, .extent = {d, n}};
    out[2] = (lw_shape){.dtype = LW_F32, .rank = 1, .extent = {n}};
    return LW_OK;
}

static lw_status record(lw_stream *s, const lw_tensor *out, const lw_tensor *in,
                        const lw_params *params, void *user)
{
    const struct kernels *k = user;
    double scale = 1;
    lw_status status = lw_params_real(params, "scale", &scale);

    if (!status)
        status = score(s, k, out[2], out[1], in[0], in[1], scale);
    return status ? status : weigh(s, k, out[0], out[2], in[2]);
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
    lw_tensor t;

    must(lw_buffer_create(device, LW_F32, count, &buffer));
    must(values ? lw_buffer_write(buffer, 0, count, values) : lw_buffer_fill(buffer, &zero));
    must(lw_tensor_of(buffer, rank, (ptrdiff_t[]){N, N}, &t));
    return t;
}

/* ---- the graph ---- */

static lw_executable *record_graph(lw_device *device, lw_op *op, const char *picture)
{
    static const ptrdiff_t shape[] = {N, N};
    lw_tensor in[3], out[3];
    lw_executable *x;
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

    must(score(s, k, scores, keys, in[0], in[1], 1));
    show("scores", scores, values);
    must(weigh(s, k, out, scores, in[2]));
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

static bool run_on(lw_device *device, struct kernels *k, lw_op *op, const char *path,
                   const char *picture, float data[3][N * N])
{
    lw_tensor t[4];
    float direct[N], output[N];
    double expected[N];
    lw_program *program;
    lw_executable *x;
    lw_stream *s;
    bool agrees;

    must(lw_program_build(device, path, NULL, &program));
    must(lw_program_kernel(program, "transpose", &k->transpose));
    must(lw_program_kernel(program, "matmul", &k->matmul));
    must(lw_program_kernel(program, "softmax", &k->softmax));
    must(lw_stream_create(device, &s));
    for (int i = 0; i < 3; i++)
        t[i] = tensor_of(device, i ? 2 : 1, data[i]);
    t[3] = tensor_of(device, 1, NULL);
    printf("q (%d), K (%d, %d), V (%d, %d)\n", N, N, N, N, N);
    run_direct(s, k, device, t, direct);
    x = record_graph(device, op, picture);
    must(lw_executable_run(x, s, NULL, t, 4));
    must(lw_stream_wait(s));
    show("output", t[3], output);
    reference(data[0], data[1], data[2], expected);
    agrees = compare(output, direct, expected);
    show_plan(x);
    lw_executable_destroy(x);
    for (int i = 0; i < 4; i++)
        lw_buffer_destroy(t[i].buffer);
    lw_stream_destroy(s);
    lw_program_destroy(program);
    return agrees;
}

int main(int argc, char **argv)
{
    const char *kernels_path = argc > 1 ? argv[1] : "kernels.c";
    const char *folder = argc > 2 ? argv[2] : "../puzzles/07-attention";
    const char *picture = argc > 3 ? argv[3] : NULL;
    static const char *const names[] = {"ref", "cpu", "cuda"};
    static float data[3][N * N];
    struct kernels kernels;
    lw_op *op;
    bool agrees = true;

    read_npy(folder, "q.npy", data[0], N);
    read_npy(folder, "K.npy", data[1], N * N);
    read_npy(folder, "V.npy", data[2], N * N);
    must(lw_op_register(&(lw_op_def){.name = "classic::attention",
                                     .parameters = "seq_len:int=0 d:int=0 scale:real=1",
                                     .inputs = 3,
                                     .outputs = 3,
                                     .infer = infer,
                                     .record = record,
                                     .user = &kernels},
                        &op));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lw_device *device;

        if (lw_device_open(names[i], &device) != LW_OK) {
            printf("%s: %s\n", names[i], lw_last_error());
            continue;
        }
        printf("device %s\n", names[i]);
        agrees = run_on(device, &kernels, op, kernels_path, picture, data) && agrees;
        lw_device_close(device);
    }
    return agrees ? 0 : 1;
}
