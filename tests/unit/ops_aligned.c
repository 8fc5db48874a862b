/* Operands whose memory is aligned for their dtype alone: the same bits as where it is aligned for
 * vectors, on the device that the argument names. Memory of someone else, one element behind what
 * is aligned, and views that begin one element behind their buffer's begin. */
#include "ops_test.h"
#include <dlfcn.h>

enum how { ALIGNED, WRAPPED, VIEWED, HOWS };
enum { MOST = 128 << 10, OPERANDS = 4 };

static struct opened device;
static char *memory[OPERANDS]; /* what the device can access, aligned to 256 bytes */

/* ---- memory ---- */

static int (*host_create)(void **memory, size_t bytes, unsigned flags);

/* The function of the driver that liblanewise has loaded. */
static void find_driver(void)
{
    const char *name = getenv("LANEWISE_CUDA_DRIVER");
    void *driver = dlopen(name ? name : "libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), *found = NULL;
    int (*retain)(void **, int) = NULL, (*push)(void *) = NULL;
    void *context;

    CHECK(driver && (found = dlsym(driver, "cuDevicePrimaryCtxRetain")));
    memcpy(&retain, &found, sizeof retain);
    CHECK((found = dlsym(driver, "cuCtxPushCurrent_v2")));
    memcpy(&push, &found, sizeof push);
    CHECK((found = dlsym(driver, "cuMemHostAlloc")));
    memcpy(&host_create, &found, sizeof host_create);
    CHECK(!retain(&context, 0) && !push(context));
}

static void take_memory(bool is_gpu)
{
    if (is_gpu)
        find_driver();
    for (int i = 0; i < OPERANDS; i++) {
        void *block = NULL;

        if (is_gpu)
            CHECK(!host_create(&block, MOST + 512, 3)); /* portable, mapped */
        else
            block = malloc(MOST + 512);
        memory[i] = (char *)(((uintptr_t)block + 255) & ~(uintptr_t)255);
    }
}

/* ---- operands ---- */

/* Operand `number`, in C order, with its values; its buffer goes with drop(). */
static lw_tensor make(enum how how, int number, lw_dtype dtype, int rank, const ptrdiff_t *extents)
{
    const size_t size = lw_dtype_size(dtype), behind = how != ALIGNED;
    size_t count = 1;
    uint64_t state = (uint64_t)number + 1;
    lw_buffer *b = NULL;
    lw_tensor t = {0};

    for (int k = 0; k < rank; k++)
        count *= (size_t)extents[k];
    CHECK((count + behind) * size <= MOST);
    if (how == WRAPPED)
        WORKS(lw_buffer_wrap(device.device, dtype, count, memory[number] + size, false, NULL, NULL,
                             &b));
    else
        WORKS(lw_buffer_create(device.device, dtype, count + behind, &b));
    CHECK(lw_buffer_alignment(b) >= 64 || (how == WRAPPED && lw_buffer_alignment(b) == size));
    char *values = malloc(count * size);
    for (size_t i = 0; i < count * size; i += size)
        if (size == 1)
            values[i] = (char)(next_number(&state) * 127);
        else
            put_real(dtype, values + i, next_number(&state));
    WORKS(lw_buffer_write(b, how == VIEWED, count, values));
    free(values);
    t.buffer = b;
    t.offset = how == VIEWED;
    t.rank = rank;
    memcpy(t.extent, extents, (size_t)rank * sizeof *extents);
    return t;
}

static void drop(lw_tensor t)
{
    lw_buffer_destroy(t.buffer);
}

/* ---- operations ---- */

struct result {
    size_t bytes;
    char data[MOST];
};

static void read(lw_tensor out, struct result *r)
{
    const size_t size = lw_dtype_size(lw_buffer_dtype(out.buffer));
    size_t count = 1;

    for (int k = 0; k < out.rank; k++)
        count *= (size_t)out.extent[k];
    r->bytes = count * size;
    WORKS(lw_stream_wait(device.stream));
    WORKS(lw_buffer_read(out.buffer, out.offset, count, r->data));
}

static void copy(enum how how, lw_dtype dtype, struct result *r)
{
    const ptrdiff_t extents[] = {4096};
    lw_tensor out = make(how, 0, dtype, 1, extents), x = make(how, 1, dtype, 1, extents);

    WORKS(lw_copy(device.stream, out, x));
    read(out, r);
    drop(out);
    drop(x);
}

/* Of a part of each row. */
static void copy_rows(enum how how, lw_dtype dtype, struct result *r)
{
    const ptrdiff_t of_out[] = {8, 64}, of_x[] = {8, 80};
    lw_tensor out = make(how, 0, dtype, 2, of_out), x = make(how, 1, dtype, 2, of_x), part = x;

    WORKS(lw_tensor_slice(x, 1, 0, 64, 1, &part));
    WORKS(lw_copy(device.stream, out, part));
    read(out, r);
    drop(out);
    drop(x);
}

static void matmul(enum how how, lw_dtype dtype, struct result *r)
{
    const ptrdiff_t extents[] = {64, 64};
    lw_tensor out = make(how, 0, dtype, 2, extents), x = make(how, 1, dtype, 2, extents),
              y = make(how, 2, dtype, 2, extents);

    WORKS(lw_matmul(device.stream, out, x, y, NULL));
    read(out, r);
    drop(out);
    drop(x);
    drop(y);
}

/* Of 32 queries, which tiles take, or of one. */
static void attend(enum how how, lw_dtype dtype, ptrdiff_t queries, struct result *r)
{
    const ptrdiff_t of_q[] = {queries, 16}, of_k[] = {40, 16};
    lw_tensor out = make(how, 0, dtype, 2, of_q), q = make(how, 1, dtype, 2, of_q),
              k = make(how, 2, dtype, 2, of_k), v = make(how, 3, dtype, 2, of_k);

    WORKS(lw_attention(device.stream, out, q, k, v, NULL));
    read(out, r);
    drop(out);
    drop(q);
    drop(k);
    drop(v);
}

static void attention_of_many(enum how how, lw_dtype dtype, struct result *r)
{
    attend(how, dtype, 32, r);
}

static void attention_of_one(enum how how, lw_dtype dtype, struct result *r)
{
    attend(how, dtype, 1, r);
}

static void reduce(enum how how, lw_dtype dtype, struct result *r)
{
    const ptrdiff_t of_x[] = {3, 1500}, of_out[] = {3};
    lw_tensor x = make(how, 1, dtype, 2, of_x), out = make(how, 0, dtype, 1, of_out);

    WORKS(lw_sum(device.stream, out, x, &(lw_reduce_options){.axis = LW_AXIS(1)}));
    read(out, r);
    drop(out);
    drop(x);
}

static void soften(enum how how, lw_dtype dtype, struct result *r)
{
    const ptrdiff_t extents[] = {3, 1500};
    lw_tensor out = make(how, 0, dtype, 2, extents), x = make(how, 1, dtype, 2, extents);

    WORKS(lw_softmax(device.stream, out, x, NULL));
    read(out, r);
    drop(out);
    drop(x);
}

static const struct {
    const char *name;
    lw_dtype dtype;
    void (*run)(enum how how, lw_dtype dtype, struct result *r);
} all[] = {
    {"copy", LW_U8, copy},
    {"copy", LW_F16, copy},
    {"copy", LW_F32, copy},
    {"copy", LW_F64, copy},
    {"copy of rows", LW_U8, copy_rows},
    {"copy of rows", LW_F32, copy_rows},
    {"matmul", LW_F32, matmul},
    {"matmul", LW_F64, matmul},
    {"attention of many queries", LW_F32, attention_of_many},
    {"attention of many queries", LW_F64, attention_of_many},
    {"attention of one query", LW_F32, attention_of_one},
    {"attention of one query", LW_F64, attention_of_one},
    {"sum", LW_F16, reduce},
    {"sum", LW_F32, reduce},
    {"softmax", LW_F32, soften},
};

int main(int count, char **arguments)
{
    static struct result expected, got;
    const struct setting setting = {.device = count > 1 ? arguments[1] : "cpu"};

    open_device(&setting, &device);
    if (!device.device)
        return 77;
    take_memory(!strncmp(setting.device, "cuda", 4));
    for (size_t i = 0; i < sizeof all / sizeof *all && !failures; i++) {
        all[i].run(ALIGNED, all[i].dtype, &expected);
        for (enum how how = WRAPPED; how < HOWS && !failures; how++) {
            all[i].run(how, all[i].dtype, &got);
            if (got.bytes == expected.bytes && !memcmp(got.data, expected.data, got.bytes))
                continue;
            failures++;
            printf("%s of %s: other bits where it is %s\n", all[i].name,
                   lw_dtype_name(all[i].dtype), how == WRAPPED ? "wrapped" : "a view");
        }
    }
    close_device(&device);
    return failures != 0;
}
