/* attention.c - one step of attention on the host API: four launches over two scratch buffers.
 *
 *     transpose   K (16,16)                   -> keys (16,16), scratch
 *     matmul      q (1,16), keys (16,16)      -> weights (1,16), scratch
 *     softmax     weights (16)                -> weights (16), in place
 *     matmul      weights (1,16), V (16,16)   -> output (1,16)
 *
 * The weights are a vector to softmax and a matrix of one row to matmul: two views of the same
 * memory, nothing is copied. Each step is printed, and the end is compared with plain C.
 *
 *     attention [KERNELS.c [FOLDER]]      the folder holds q.npy, K.npy and V.npy
 */
#include <lanewise/lanewise.h>

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
    char path[1024], header[1024];
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

/* buffer_of - a buffer that holds these values; zeros where values is NULL. */
static lw_buffer *buffer_of(lw_device *device, const float *values, size_t count)
{
    lw_buffer *buffer;
    must(lw_buffer_create(device, LW_F32, count, &buffer));
    if (values)
        must(lw_buffer_write(buffer, 0, count, values));
    return buffer;
}

static lw_tensor vector(lw_buffer *buffer, int length)
{
    return (lw_tensor){.buffer = buffer, .rank = 1, .extent = {length}};
}

static lw_tensor matrix(lw_buffer *buffer, int rows, int columns)
{
    return (lw_tensor){.buffer = buffer, .rank = 2, .extent = {rows, columns}};
}

/* show - read a buffer of N values back and print it. */
static void show(const char *name, lw_buffer *buffer, float values[N])
{
    must(lw_buffer_read(buffer, 0, N, values));
    printf("%s", name);
    for (int i = 0; i < N; i++)
        printf(" %.8f", (double)values[i]);
    printf("\n");
}

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

/* report - what can be said about the result; false when it is not the reference's. */
static bool report(const float weights[N], const float output[N], const double expected[N])
{
    double sum = 0, norm = 0, difference = 0;
    for (int i = 0; i < N; i++) {
        sum += (double)weights[i];
        norm += (double)output[i] * (double)output[i];
        difference = fmax(difference, fabs((double)output[i] - expected[i]));
    }
    printf("sum of weights %.6f\nnorm of output %.6f\n", sum, sqrt(norm));
    bool agrees = difference <= 1e-5;
    printf("the plain C reference %s to 1e-5\n", agrees ? "agrees" : "does NOT agree");
    return agrees;
}

int main(int argc, char **argv)
{
    const char *kernels = argc > 1 ? argv[1] : "solution.c";
    const char *folder = argc > 2 ? argv[2] : ".";
    static float q[N], K[N * N], V[N * N];
    read_npy(folder, "q.npy", q, N);
    read_npy(folder, "K.npy", K, N * N);
    read_npy(folder, "V.npy", V, N * N);

    lw_device *device;
    lw_program *program;
    lw_kernel *transpose, *matmul, *softmax;
    lw_stream *stream;
    must(lw_device_open(NULL, &device));
    must(lw_program_build(device, kernels, NULL, &program));
    must(lw_program_kernel(program, "transpose", &transpose));
    must(lw_program_kernel(program, "matmul", &matmul));
    must(lw_program_kernel(program, "softmax", &softmax));
    must(lw_stream_create(device, &stream));

    lw_buffer *q_buffer = buffer_of(device, q, N);
    lw_buffer *k_buffer = buffer_of(device, K, N * N);
    lw_buffer *v_buffer = buffer_of(device, V, N * N);
    lw_buffer *keys = buffer_of(device, NULL, N * N);
    lw_buffer *weights = buffer_of(device, NULL, N);
    lw_buffer *output = buffer_of(device, NULL, N);

    lw_dim3 square = lw_dim_2(N / TILE, N / TILE), row = lw_dim_2(N / TILE, 1);
    lw_dim3 block = lw_dim_2(TILE, TILE);
    float weights_out[N], output_out[N];

    must(LW_LAUNCH(stream, transpose, square, block, matrix(keys, N, N), matrix(k_buffer, N, N)));
    must(LW_LAUNCH(stream, matmul, row, block, matrix(weights, 1, N), matrix(q_buffer, 1, N),
                   matrix(keys, N, N)));
    show("scores", weights, weights_out);
    must(LW_LAUNCH(stream, softmax, 1, N, vector(weights, N), vector(weights, N)));
    show("weights", weights, weights_out);
    must(LW_LAUNCH(stream, matmul, row, block, matrix(output, 1, N), matrix(weights, 1, N),
                   matrix(v_buffer, N, N)));
    show("output", output, output_out);
    must(lw_stream_wait(stream));

    double expected[N];
    reference(q, K, V, expected);
    bool agrees = report(weights_out, output_out, expected);

    lw_buffer *buffers[] = {q_buffer, k_buffer, v_buffer, keys, weights, output};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        lw_buffer_destroy(buffers[i]);
    lw_stream_destroy(stream);
    lw_program_destroy(program);
    lw_device_close(device);
    return agrees ? 0 : 1;
}
