/* addresses.c - robust_addresses DEVICE: pointers as CUDA programs have them. An address is an
 * argument, a member of a struct, or lies in memory; it may be into the middle of any buffer of the
 * device, and what is outside of that buffer fails with its place.
 */
#include "robust.h"
#include <lanewise/check.h>

static const char source[] =
    "#include <cuda_runtime.h>\n"
    "struct node { int value; node *next; };\n"
    "struct matrix { int rows, columns; float *at; };\n"
    "struct large { float x[2000]; int *out; };\n"
    "__device__ int *kept;\n"
    "__global__ void sums(node *const *lists, int *out, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;\n"
    "    if (i >= n) return;\n"
    "    for (node *at = lists[i]; at; at = at->next) sum += at->value;\n"
    "    out[i] = sum;\n"
    "}\n"
    "__global__ void scale(matrix m, float factor) {\n"
    "    int i = threadIdx.x;\n"
    "    if (i < m.rows * m.columns) m.at[i] *= factor;\n"
    "}\n"
    "__global__ void add(float4 *x, const float4 *y) {\n"
    "    if (!y) return;\n"
    "    x[threadIdx.x].x += y[threadIdx.x].w;\n"
    "}\n"
    "__global__ void keep(int *x) { kept = x + threadIdx.x; }\n"
    "__global__ void use(int value) { *kept = value; }\n"
    "__global__ void far(large p) { p.out[threadIdx.x] = (int)p.x[1999 - threadIdx.x]; }\n"
    "__global__ void many(float **rows, int n) {\n"
    "    for (int i = 0; i < n; i++) rows[i][threadIdx.x] += i;\n"
    "}\n";

struct node {
    int value;
    struct node *next;
};
struct matrix {
    int rows, columns;
    float *at;
};
struct large {
    float x[2000];
    int *out;
};

static lw_device *device;
static lw_stream *stream;
static lw_program *program;
static bool is_gpu;

static lw_kernel *kernel_of(const char *name)
{
    lw_kernel *kernel = NULL;
    WORKS(lw_program_kernel(program, name, &kernel));
    return kernel;
}

static lw_buffer *bytes(size_t count)
{
    lw_buffer *buffer = NULL;
    WORKS(lw_buffer_create_bytes(device, count, &buffer));
    return buffer;
}

static lw_buffer *filled(const void *data, size_t count)
{
    lw_buffer *buffer = bytes(count);
    WORKS(lw_buffer_write(buffer, 0, count, data));
    return buffer;
}

/* The launch, or what comes of it, fails with a text that has all of `part`. */
static void fails(lw_status status, const char *part)
{
    if (!status)
        status = lw_stream_wait(stream);
    if (!status || !strstr(lw_last_error(), part)) {
        failures++;
        printf("status %d, \"%s\"\n    need \"%s\"\n", status, status ? lw_last_error() : "", part);
    }
    lw_stream_destroy(stream);
    WORKS(lw_stream_create(device, &stream));
}

static void lists(void)
{
    struct node first[3] = {{1, NULL}, {10, NULL}, {100, NULL}}, second[2] = {{5, NULL}, {7, NULL}};
    lw_buffer *a = bytes(sizeof first), *b = bytes(sizeof second);
    struct node *at = lw_buffer_address(a), *other = lw_buffer_address(b);
    first[0].next = at + 2;
    first[2].next = other + 1;
    second[0].next = at + 1;
    WORKS(lw_buffer_write(a, 0, sizeof first, first));
    WORKS(lw_buffer_write(b, 0, sizeof second, second));
    const struct node *heads[4] = {at, other, NULL, other + 1};
    lw_buffer *head = filled(heads, sizeof heads);
    lw_buffer *out;
    int got[4];
    WORKS(lw_buffer_create(device, LW_I32, 4, &out));
    WORKS(LW_LAUNCH(stream, kernel_of("sums"), 1, 32, lw_arg_address(lw_buffer_address(head)), out,
                    4));
    WORKS(lw_buffer_read(out, 0, 4, got));
    CHECK(got[0] == 108 && got[1] == 15 && got[2] == 0 && got[3] == 7);
    lw_buffer_destroy(b); /* a pointer to what is no more */
    if (!is_gpu)
        fails(LW_LAUNCH(stream, kernel_of("sums"), 1, 32, head, out, 4), "test.cu:9");
    lw_buffer_destroy(a);
    lw_buffer_destroy(head);
    lw_buffer_destroy(out);
}

static void members(void)
{
    float values[40], got[40];
    for (int i = 0; i < 40; i++)
        values[i] = (float)i;
    lw_buffer *x = filled(values, sizeof values), *unused = bytes(4);
    struct matrix m = {3, 4, (float *)lw_buffer_address(x) + 10};
    WORKS(LW_LAUNCH(stream, kernel_of("scale"), 1, 64, lw_arg_bytes(&m, sizeof m), 2.0));
    WORKS(lw_buffer_read(x, 0, sizeof got, got)); /* waits, though nobody said that it is used */
    for (int i = 0; i < 40; i++)
        CHECK(got[i] == (i >= 10 && i < 22 ? 2 * values[i] : values[i]));
    m.columns = 11;
    if (!is_gpu)
        fails(LW_LAUNCH(stream, kernel_of("scale"), 1, 64, lw_arg_bytes(&m, sizeof m), 2.0),
              "test.cu:14");
    m.at = NULL;
    if (!is_gpu)
        fails(LW_LAUNCH(stream, kernel_of("scale"), 1, 64, lw_arg_bytes(&m, sizeof m), 2.0),
              "test.cu:14");
    lw_buffer_destroy(x);
    lw_buffer_destroy(unused);
}

static void arguments(void)
{
    float values[16], got[16], none = 0;
    for (int i = 0; i < 16; i++)
        values[i] = (float)i;
    lw_buffer *x = filled(values, sizeof values), *f32;
    WORKS(lw_buffer_create(device, LW_F32, 16, &f32)); /* for float4 * */
    WORKS(lw_buffer_write(f32, 0, 16, values));
    char *middle = (char *)lw_buffer_address(x) + 32;
    WORKS(LW_LAUNCH(stream, kernel_of("add"), 1, 2, lw_arg_address(middle), f32));
    WORKS(LW_LAUNCH(stream, kernel_of("add"), 1, 2, f32, lw_arg_address(NULL)));
    WORKS(lw_buffer_read(x, 0, sizeof got, got));
    for (int i = 0; i < 16; i++)
        CHECK(got[i] == values[i] + (i == 8 ? 3.0f : i == 12 ? 7.0f : 0));
    if (!is_gpu)
        fails(LW_LAUNCH(stream, kernel_of("add"), 1, 3, lw_arg_address(middle), f32), "'x'");
    fails(LW_LAUNCH(stream, kernel_of("add"), 1, 2, lw_arg_address(middle + 32), f32),
          "is in no buffer of device");
    fails(LW_LAUNCH(stream, kernel_of("add"), 1, 2, lw_arg_address(&none), f32),
          "is in no buffer of device");
    if (!is_gpu)
        fails(LW_LAUNCH(stream, kernel_of("add"), 1, 2, lw_arg_address(NULL), f32), "'x'");
    fails(LW_LAUNCH(stream, kernel_of("use"), 1, 1, lw_arg_address(middle)),
          "takes a number, not an address");
    lw_buffer_destroy(x);
    lw_buffer_destroy(f32);
}

static void kept(void)
{
    lw_buffer *x, *variable;
    int got[4];
    int *pointer;
    WORKS(lw_buffer_create(device, LW_I32, 4, &x));
    WORKS(LW_LAUNCH(stream, kernel_of("keep"), 1, 1,
                    lw_arg_address((int *)lw_buffer_address(x) + 2)));
    WORKS(LW_LAUNCH(stream, kernel_of("use"), 1, 1, 7));
    WORKS(lw_buffer_read(x, 0, 4, got));
    CHECK(got[2] == 7 && !got[0] && !got[1] && !got[3]);
    /* What a kernel has stored is an address, too. */
    WORKS(lw_program_symbol(program, "kept", &variable));
    WORKS(lw_buffer_read(variable, 0, 1, &pointer));
    WORKS(LW_LAUNCH(stream, kernel_of("keep"), 1, 1, lw_arg_address(pointer)));
    WORKS(lw_stream_wait(stream));
    lw_buffer_destroy(x);
    if (!is_gpu)
        fails(LW_LAUNCH(stream, kernel_of("use"), 1, 1, 8), "test.cu:21");
}

static void large(void)
{
    static struct large p;
    int got[64];
    for (int i = 0; i < 2000; i++)
        p.x[i] = (float)i;
    lw_buffer *out = bytes(sizeof got);
    p.out = lw_buffer_address(out);
    WORKS(LW_LAUNCH(stream, kernel_of("far"), 1, 64, lw_arg_bytes(&p, sizeof p)));
    WORKS(lw_buffer_read(out, 0, sizeof got, got));
    for (int i = 0; i < 64; i++)
        CHECK(got[i] == 1999 - i);
    lw_buffer_destroy(out);
}

/* More buffers than there are parameters, by far. */
static void many(void)
{
    enum { COUNT = 300, N = 33 };
    lw_buffer *rows[COUNT];
    float *addresses[COUNT], got[N];
    for (int i = 0; i < COUNT; i++) {
        rows[i] = bytes(sizeof got + 1000 * (size_t)(i % 3));
        addresses[i] = lw_buffer_address(rows[i]);
    }
    lw_buffer *list = filled(addresses, sizeof addresses);
    WORKS(LW_LAUNCH(stream, kernel_of("many"), 1, N, list, (int)COUNT));
    for (int i = 0; i < COUNT; i++) {
        WORKS(lw_buffer_read(rows[i], 0, sizeof got, got));
        CHECK(got[0] == (float)i && got[N - 1] == (float)i);
    }
    for (int i = 0; i < COUNT; i++)
        lw_buffer_destroy(rows[i]);
    lw_buffer_destroy(list);
}

int main(int argc, char **argv)
{
    lw_device_info info;
    lw_status status = lw_device_open(argc > 1 ? argv[1] : "cpu", &device);
    if (status == LW_E_DEVICE) {
        printf("skipped: %s\n", lw_last_error());
        return 77;
    }
    WORKS(status);
    WORKS(lw_device_get_info(device, &info));
    is_gpu = !strcmp(info.name, "cuda");
    const lw_build_options options = {.source = source};
    WORKS(lw_program_build(device, "test.cu", &options, &program));
    WORKS(lw_stream_create(device, &stream));
    if (!failures) {
        lists();
        members();
        arguments();
        kept();
        large();
        many();
    }
    WORKS(lw_stream_wait(stream));
    lw_stream_destroy(stream);
    lw_program_destroy(program);
    lw_device_close(device);
    return failures != 0;
}
