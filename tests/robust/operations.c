/* operations.c - eight threads call ready-made operations on a device that they share, each on a
 * stream of its own, and get the bits that one thread gets. Also run under TSan.
 *
 *     robust_operations DEVICE ROUNDS
 */
#include "robust.h"
#include <lanewise/ops.h>
#include <pthread.h>

enum { THREADS = 8, ROWS = 40, COLUMNS = 1500, COUNT = ROWS * COLUMNS };

/* Inputs: m is a matrix, t one that a product with it takes, v all of its elements in a row. */
static const struct operation {
    const char *name, *parameters, *inputs;
} operations[] = {
    {"dot", "{}", "vv"},
    {"dot", "{\"sum\": \"exact\"}", "vv"},
    {"sum", "{}", "m"},
    {"sum", "{\"axis\": 0}", "m"},
    {"mean", "{\"axis\": 1}", "m"},
    {"argmax", "{}", "m"},
    {"scan", "{}", "v"},
    {"softmax", "{}", "m"},
    {"layer_norm", "{}", "m"},
    {"permute", "{}", "m"},
    {"matmul", "{}", "mt"},
    {"matmul", "{}", "tm"},
    {"attention", "{\"causal\": true}", "mmm"},
    {"map", "{\"expression\": \"a * b + 1\"}", "mm"},
    {"map_reduce", "{\"map\": \"a * a\", \"combine\": \"x + y\", \"identity\": 0}", "m"},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static lw_device *device;
static lw_buffer *values;
static lw_shape shapes[OPERATIONS];
static void *expected[OPERATIONS];
static int rounds;

static lw_tensor input(char kind)
{
    lw_tensor t = {0};

    if (kind == 'v')
        WORKS(lw_tensor_of(values, 1, (ptrdiff_t[]){COUNT}, &t));
    else
        WORKS(lw_tensor_of(values, 2, (ptrdiff_t[]){ROWS, COLUMNS}, &t));
    if (kind == 't')
        WORKS(lw_tensor_permute(t, NULL, &t));
    return t;
}

static size_t count_of(const lw_shape *shape)
{
    size_t count = 1;

    for (int k = 0; k < shape->rank; k++)
        count *= (size_t)shape->extent[k];
    return count;
}

static void infer(size_t index)
{
    const struct operation *o = &operations[index];
    lw_shape inputs[4] = {0};

    for (size_t k = 0; o->inputs[k]; k++) {
        const lw_tensor t = input(o->inputs[k]);

        inputs[k] = (lw_shape){.dtype = LW_F32, .rank = t.rank};
        memcpy(inputs[k].extent, t.extent, sizeof t.extent);
    }
    lw_op *op;
    WORKS(lw_op_find(o->name, &op));
    WORKS(lw_op_infer(op, o->parameters, inputs, strlen(o->inputs), &shapes[index], 1));
}

/* Calls an operation and leaves its result in `to`. */
static void call(size_t index, lw_stream *stream, void *to)
{
    const struct operation *o = &operations[index];
    const lw_shape *shape = &shapes[index];
    lw_tensor inputs[4], out = {.rank = shape->rank};

    for (size_t k = 0; o->inputs[k]; k++)
        inputs[k] = input(o->inputs[k]);
    memcpy(out.extent, shape->extent, sizeof out.extent);
    WORKS(lw_buffer_create(device, shape->dtype, count_of(shape), &out.buffer));
    lw_op *op;
    WORKS(lw_op_find(o->name, &op));
    WORKS(lw_op_run(op, stream, o->parameters, &out, 1, inputs, strlen(o->inputs)));
    WORKS(lw_stream_wait(stream));
    WORKS(lw_buffer_read(out.buffer, 0, count_of(shape), to));
    lw_buffer_destroy(out.buffer);
}

static size_t bytes_of(size_t index)
{
    return count_of(&shapes[index]) * lw_dtype_size(shapes[index].dtype);
}

/* Each thread begins with another operation. */
static void *work(void *number)
{
    lw_stream *stream;

    WORKS(lw_stream_create(device, &stream));
    for (size_t k = 0; k < OPERATIONS * (size_t)rounds; k++) {
        const size_t index = (k + 2 * (size_t)number) % OPERATIONS;
        void *got = malloc(bytes_of(index));

        CHECK(got != NULL);
        call(index, stream, got);
        CHECK(!memcmp(got, expected[index], bytes_of(index)));
        free(got);
    }
    lw_stream_destroy(stream);
    return NULL;
}

static void fill(void)
{
    static float x[COUNT];
    uint32_t state = 1;

    for (size_t i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(state >> 8) / (1 << 23) - 1;
    }
    WORKS(lw_buffer_create(device, LW_F32, COUNT, &values));
    WORKS(lw_buffer_write(values, 0, COUNT, x));
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    device = open_device(argc > 1 ? argv[1] : "cpu");
    rounds = argc > 2 ? atoi(argv[2]) : 1;
    fill();
    lw_stream *stream;
    WORKS(lw_stream_create(device, &stream));
    for (size_t k = 0; k < OPERATIONS; k++) {
        infer(k);
        expected[k] = malloc(bytes_of(k));
        CHECK(expected[k] != NULL);
        call(k, stream, expected[k]);
    }
    lw_stream_destroy(stream);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (size_t k = 0; k < OPERATIONS; k++)
        free(expected[k]);
    lw_buffer_destroy(values);
    lw_device_close(device);
    return failures != 0;
}
