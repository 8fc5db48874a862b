/* The device `cuda` when things go wrong: no driver, kernels that end the context, calls of the
 * driver that fail, one after the other. */
#include "run/gpu/gpu.h"
#include "run_cuda.h"

#define ROWS                                                                                       \
    CUDA_ROW("plain", "0") CUDA_ROW("faults", "0") CUDA_ROW("asserts", "0") CUDA_ROW("prints", "0")

static int fault(const struct fake_launch *l, int *out, int n)
{
    (void)l, (void)out;
    return n ? 700 : 0;
}
static const struct kernel plain = {"plain", 0, NULL}, faults = {"faults", 0, fault},
                           asserts = {"asserts", LW_CUDA_ASSERTS | LW_CUDA_STOPS, NULL},
                           prints = {"prints", LW_CUDA_PRINTS, NULL};

/* ---- the driver ---- */

static void drivers(void)
{
    const char *path = strdup(getenv("LANEWISE_CUDA_DRIVER"));

    setenv("LANEWISE_CUDA_DRIVER", getenv("LW_UNIT_CPU_PAYLOAD"), 1);
    lw_device *d;
    FAILS(lw_device_open("cuda", &d), LW_E_DEVICE,
          "device 'cuda' cannot be used: the NVIDIA driver is too old: it lacks "
          "cuEventElapsedTime; need 450 or newer");
    setenv("LANEWISE_CUDA_DRIVER", path, 1);
    fake->init_result = 100;
    FAILS(lw_device_open("cuda", &d), LW_E_DEVICE,
          "device 'cuda' cannot be used: the NVIDIA driver does not start: CUDA_ERROR_NO_DEVICE");
    fake->init_result = 0;
    fake->gpus = 0;
    FAILS(lw_device_open("cuda", &d), LW_E_DEVICE,
          "device 'cuda' cannot be used: the NVIDIA driver finds no GPU");
    fake->gpus = 1;
    WORKS(lw_device_open("cuda", &d));
    lw_device_close(d);
    free((char *)path);
}

/* ---- the context ---- */

#define LOSS "kernel 'faults': CUDA_ERROR_ILLEGAL_ADDRESS (as told)"
#define LOST "device 'cuda:0' is lost (" LOSS "); close all that uses it, then open it anew"

static void lost(void)
{
    lw_device *d = open_device("cuda"), *other;
    lw_program *p = build_rows(d, ROWS);
    lw_buffer *b;

    WORKS(lw_buffer_create(d, LW_I32, 8, &b));
    lw_stream *s;
    WORKS(lw_stream_create(d, &s));
    WORKS(launch(s, p, &plain, lw_dim_1(1), 32, b, 0));
    WORKS(lw_stream_wait(s));
    WORKS(launch(s, p, &faults, lw_dim_1(1), 32, b, 1));
    FAILS(lw_stream_wait(s), LW_E_LAUNCH, LOSS "; device 'cuda:0' is lost");
    int x;
    FAILS(lw_buffer_read(b, 0, 1, &x), LW_E_DEVICE, LOST);
    FAILS(lw_buffer_write(b, 0, 1, &x), LW_E_DEVICE, LOST);
    lw_buffer *c;
    FAILS(lw_buffer_create(d, LW_I32, 8, &c), LW_E_DEVICE, LOST);
    lw_stream *t;
    FAILS(lw_stream_create(d, &t), LW_E_DEVICE, LOST);
    FAILS(lw_device_open("cuda:0", &other), LW_E_DEVICE, LOST);
    FAILS(launch(s, p, &plain, lw_dim_1(1), 64, b, 0), LW_E_DEVICE, LOST);
    lw_stream_destroy(s);
    lw_buffer_destroy(b);
    lw_program_destroy(p);
    lw_device_close(d);
    check_empty();
}

/* ---- every call fails once ---- */

struct objects {
    lw_device *device;
    lw_program *program;
    lw_buffer *buffer;
    lw_stream *stream, *other, *wrapped;
    lw_event *begin, *end;
};

static lw_status use_events(struct objects *o)
{
    LW_TRY(lw_event_record(o->begin, o->stream));
    LW_TRY(launch(o->stream, o->program, &plain, lw_dim_1(1), 32, o->buffer, 0));
    LW_TRY(lw_event_record(o->end, o->stream));
    LW_TRY(lw_stream_wait_event(o->other, o->end));
    LW_TRY(launch(o->other, o->program, &plain, lw_dim_1(1), 32, o->buffer, 0));
    LW_TRY(lw_stream_wait(o->other));
    LW_TRY(lw_event_wait(o->end));
    uint64_t ns;
    return lw_event_elapsed(o->begin, o->end, &ns);
}

/* A stream of ours stands for someone else's. */
static lw_status use_wrapped(struct objects *o)
{
    const struct lw__gpu_queue *q = o->stream->queue;

    LW_TRY(lw_stream_wrap(o->device, q->stream, &o->wrapped));
    LW_TRY(launch(o->wrapped, o->program, &asserts, lw_dim_1(1), 32, o->buffer, 0));
    LW_TRY(launch(o->wrapped, o->program, &plain, lw_dim_1(1), 32, o->buffer, 0));
    LW_TRY(lw_stream_check(o->wrapped));
    LW_TRY(lw_stream_reserve(o->wrapped, 1000));
    return lw_stream_wait(o->wrapped);
}

static lw_status use(struct objects *o)
{
    int x[8] = {0};

    LW_TRY(lw_device_open("cuda", &o->device));
    o->program = build_rows(o->device, ROWS);
    LW_TRY(lw_buffer_create(o->device, LW_I32, 8, &o->buffer));
    LW_TRY(lw_buffer_write(o->buffer, 0, 8, x));
    LW_TRY(lw_stream_create(o->device, &o->stream));
    LW_TRY(lw_stream_create(o->device, &o->other));
    LW_TRY(lw_event_create(o->device, &o->begin));
    LW_TRY(lw_event_create(o->device, &o->end));
    LW_TRY(use_events(o));
    LW_TRY(launch(o->stream, o->program, &asserts, lw_dim_1(1), 32, o->buffer, 0));
    LW_TRY(launch(o->stream, o->program, &prints, lw_dim_1(1), 32, o->buffer, 0));
    LW_TRY(lw_stream_wait_for(o->stream, 10000000000u));
    LW_TRY(use_wrapped(o));
    return lw_buffer_read(o->buffer, 0, 8, x);
}

static void destroy(struct objects *o)
{
    lw_event_destroy(o->begin);
    lw_event_destroy(o->end);
    lw_stream_destroy(o->wrapped);
    lw_stream_destroy(o->stream);
    lw_stream_destroy(o->other);
    lw_buffer_destroy(o->buffer);
    lw_program_destroy(o->program);
    lw_device_close(o->device);
}

/* A call whose failure changes nothing may fail: one that destroys, and the first try to load. */
static bool attempt(long n, int result)
{
    struct objects o = {0};

    fake->failed = false;
    fake->fail_with = result;
    fake->fail_at = n;
    lw_status status = use(&o);
    if (status && status != LW_E_MEMORY && !strstr(lw_last_error(), "CUDA_ERROR")) {
        failures++;
        printf("call %ld: status %d, \"%s\"\n", n, status, lw_last_error());
    }
    destroy(&o);
    fake->fail_at = 0;
    check_empty();
    return fake->failed;
}

static void sweep(int result)
{
    long n = 1;

    while (attempt(n, result))
        n++;
    CHECK(n > 60);
}

int main(void)
{
    if (!fake_set_up())
        return 1;
    drivers();
    for (int i = 0; i < 3; i++)
        lost();
    sweep(1);
    sweep(700);
    sweep(2);
    fake_tear_down();
    return failures != 0;
}
