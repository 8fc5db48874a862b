/* No memory of the host is made or given back by launches like those before: on a device without
 * queues, on `cpu`, in this thread and in workers, and on `cuda` with a double of the driver. */
#include "alloc.h"
#include "run/gpu/gpu.h"
#include "run_cuda.h"

/* ---- a device that looks at declared sizes ---- */

static lw_status load(void *state, const char *path, const void *payload, size_t bytes, void **code)
{
    (void)state, (void)path, (void)payload, (void)bytes;
    *code = &alloc_calls;
    return LW_OK;
}

static void unload(void *state, void *code)
{
    (void)state, (void)code;
}

static lw_status find(void *code, const char *kernel, void **entry)
{
    (void)kernel;
    *entry = code;
    return LW_OK;
}

static void declare(const char *args, int64_t *sizes)
{
    (void)args;
    sizes[0] = 4, sizes[1] = 2;
}

static lw_status sizes(void *code, const char *kernel, void **function)
{
    lw__sizes_fn *f = declare;

    (void)code, (void)kernel;
    memcpy(function, &f, sizeof f);
    return LW_OK;
}

static lw_status run(void *state, const struct lw__launch *launch)
{
    (void)state, (void)launch;
    return LW_OK;
}

static const struct lw__device_ops plain_ops = {
    .info = {.name = "plain", .description = "", .unavailable = "", .max_dynamic_bytes = 1 << 16},
    .target = "null",
    .load = load,
    .unload = unload,
    .find = find,
    .sizes = sizes,
    .launch = run,
};

/* ---- launches ---- */

enum { WARM = 300, STEADY = 2000 };

struct case_ {
    lw_stream *stream;
    lw_kernel *kernel;
    lw_dim3 block;
    const lw_arg *args;
    size_t count;
    int per_wait; /* launches between two waits */
    lw_event *event;
};

static void go(const struct case_ *c, int times)
{
    for (int i = 0; i < times; i++) {
        WORKS(
            lw_stream_launch(c->stream, c->kernel, lw_dim_1(4), c->block, NULL, c->args, c->count));
        if (c->event && i % 7 == 0)
            WORKS(lw_event_record(c->event, c->stream));
        if (i % c->per_wait == c->per_wait - 1)
            WORKS(lw_stream_wait(c->stream));
    }
    WORKS(lw_stream_wait(c->stream));
}

static void check_steady(const char *what, const struct case_ *c)
{
    /* More may be under way than before: a worker on a busy machine gives a job back late. */
    const long most = 3 * (c->per_wait + 10);
    long before;

    go(c, WARM);
    before = atomic_load(&alloc_calls);
    go(c, STEADY);
    if (atomic_load(&alloc_calls) - before <= most)
        return;
    failures++;
    printf("%s, a wait after %d: %ld calls for %d launches\n", what, c->per_wait,
           atomic_load(&alloc_calls) - before, STEADY);
}

static void check_all(const char *what, struct case_ c)
{
    for (c.per_wait = 1; c.per_wait <= 100; c.per_wait *= 10) {
        c.event = NULL;
        check_steady(what, &c);
        WORKS(lw_event_create(c.stream->device, &c.event));
        check_steady(what, &c);
        lw_event_destroy(c.event);
    }
}

#define MIXED_ROWS                                                                                 \
    "kernel\tmixed\tvoid mixed(float *a, TENSOR(float, 2) t, struct s s)\t1\t0\t0\t0\t0\t0\t648\n" \
    "param\ta\tfloat *\tp(f32)\t0\t8\t2\nparam\tt\tTENSOR(float, 2)\tt2(f32)\t8\t40\t0\n"          \
    "param\ts\tstruct s\ts600(x@0:a600(i8))\t48\t600\t0\n"

/* Arguments that take more than a job has room for of its own. */
static void plainly(void)
{
    static const char bytes[600];
    lw_device *d = open_own(&plain_ops);
    lw_program *p = build_rows(d, MIXED_ROWS);
    lw_tensor view = {.rank = 2, .extent = {2, 4}};
    lw_buffer *b;

    WORKS(lw_buffer_create(d, LW_F32, 8, &b));
    lw_stream *s;
    WORKS(lw_stream_create(d, &s));
    view.buffer = b;
    for (int is_view = 0; is_view < 2; is_view++) {
        lw_tensor array = {.buffer = b, .rank = 2, .extent = {4, 2}};
        const lw_arg args[] = {is_view ? lw_arg_tensor(array) : lw_arg_buffer(b),
                               lw_arg_tensor(view), lw_arg_bytes(bytes, sizeof bytes)};
        const struct case_ c = {s, first_kernel(p), {1, 1, 1}, args, 3, 0, NULL};

        check_all("plain", c);
    }
    lw_stream_destroy(s);
    lw_buffer_destroy(b);
    lw_program_destroy(p);
    lw_device_close(d);
}

#define TOTAL_ROWS(shared)                                                                         \
    "kernel\ttotal\tvoid total(unsigned long *out, long n)\t1\t0\t0\t0\t" shared "\t0\t16\n"       \
    "param\tout\tunsigned long *\tp(u64)\t0\t8\t0\n"                                               \
    "param\tn\tlong\ti64\t8\t8\t0\n"

static void on_cpu(const char *rows)
{
    lw_device *d = open_device("cpu");
    lw_program *p = build_rows(d, rows);
    lw_buffer *b;

    WORKS(lw_buffer_create(d, LW_U64, 1, &b));
    lw_stream *s;
    WORKS(lw_stream_create(d, &s));
    const lw_arg args[] = {lw_arg_buffer(b), lw_arg_int(0)};
    check_all("cpu", (struct case_){s, first_kernel(p), {8, 1, 1}, args, 2, 0, NULL});
    lw_stream_destroy(s);
    lw_buffer_destroy(b);
    lw_program_destroy(p);
    lw_device_close(d);
}

/* More launches than come between two fences; with and without a record. */
static void on_cuda(uint32_t uses)
{
    static const struct kernel none = {"fill", 0, NULL};
    lw_device *d = open_device("cuda");
    lw_program *p = build_rows(d, CUDA_ROW("fill", "0"));

    fake->user = (void *)(uintptr_t)&none;
    fake->uses = uses;
    lw_buffer *b;
    WORKS(lw_buffer_create(d, LW_I32, 1, &b));
    lw_stream *s;
    WORKS(lw_stream_create(d, &s));
    const lw_arg args[] = {lw_arg_buffer(b), lw_arg_int(0)};
    const struct case_ c = {s, first_kernel(p), {8, 1, 1}, args, 2, 0, NULL};
    check_all("cuda", c);
    lw_stream *wrapped;
    WORKS(lw_stream_wrap(d, ((struct lw__gpu_queue *)s->queue)->stream, &wrapped));
    check_all("wrapped", (struct case_){wrapped, c.kernel, {8, 1, 1}, args, 2, 0, NULL});
    lw_stream_destroy(wrapped);
    lw_stream_destroy(s);
    lw_buffer_destroy(b);
    lw_program_destroy(p);
    lw_device_close(d);
}

int main(void)
{
    plainly();
    setenv("LW_FAKE_PAYLOAD", getenv("LW_UNIT_CPU_PAYLOAD"), 1);
    on_cpu(TOTAL_ROWS("0"));
    on_cpu(TOTAL_ROWS("64"));
    if (fake_set_up()) {
        on_cuda(0);
        on_cuda(LW_CUDA_TICKETS | LW_CUDA_ASSERTS);
        fake_tear_down();
    }
    return failures != 0;
}
