/* Memory runs short at every place it can: the n-th allocation fails, for n = 1, 2, 3 ... until the
 * whole host API passes. Each time the answer is LW_E_MEMORY with a message, and nothing is
 * left. */
#include "alloc.h"
#include "run/gpu/gpu.h"
#include "run_test.h"
#include <pthread.h>

static long kept;   /* blocks that workers may begin to keep: what a thread has, its block memory */
static bool failed; /* an allocation of the last attempt */

/* ---- the whole host API, stopping at the first failure ---- */

struct objects {
    lw_device *device;
    lw_program *program;
    lw_buffer *buffer, *structs, *wrapped;
    lw_stream *stream, *wrapped_stream;
    lw_event *event;
    float memory[8];
};

static lw_status launch(struct objects *o)
{
    lw_tensor t = {.buffer = o->buffer, .rank = 1, .extent = {8}};

    lw_kernel *k;
    LW_TRY(lw_program_kernel(o->program, "add", &k));
    LW_TRY(LW_LAUNCH(o->stream, k, 1, 8, o->buffer, o->buffer, o->buffer, 8));
    LW_TRY(lw_program_kernel(o->program, "view", &k));
    LW_TRY(LW_LAUNCH(o->stream, k, 1, 8, t));
    LW_TRY(lw_event_record(o->event, o->stream));
    LW_TRY(lw_stream_wait_event(o->stream, o->event));
    LW_TRY(lw_event_wait(o->event));
    LW_TRY(lw_stream_wait(o->stream));
    LW_TRY(lw_buffer_fill(o->buffer, &(float){1}));
    void *memory;
    LW_TRY(lw_buffer_map(o->buffer, &memory));
    return lw_buffer_unmap(o->buffer);
}

static lw_status use(struct objects *o)
{
    lw_build_options options = {
        .source =
            ADD_ROWS "kernel\tview\tvoid view(TENSOR(float, 1) t)\t1\t0\t0\t0\t0\t0\t24\n"
                     "param\tt\tTENSOR(float, 1)\tt1(f32)\t0\t24\t0\nsite\tk.c\t1\t1\tbarrier\n"};

    LW_TRY(lw_device_open("null", &o->device));
    LW_TRY(lw_program_build(o->device, "k.c", &options, &o->program));
    LW_TRY(lw_buffer_create(o->device, LW_F32, 8, &o->buffer));
    LW_TRY(lw_buffer_create_structs(o->device, 12, 8, &o->structs));
    LW_TRY(lw_buffer_wrap(o->device, LW_F32, 8, o->memory, true, NULL, NULL, &o->wrapped));
    LW_TRY(lw_stream_create(o->device, &o->stream));
    LW_TRY(lw_stream_reserve(o->stream, 1000));
    LW_TRY(lw_stream_reserve(o->stream, 1000000));
    LW_TRY(lw_event_create(o->device, &o->event));
    return launch(o);
}

#define TOTAL_ROWS(shared)                                                                         \
    "kernel\ttotal\tvoid total(unsigned long *out, long n)\t1\t0\t0\t0\t" shared "\t0\t16\n"       \
    "param\tout\tunsigned long *\tp(u64)\t0\t8\t0\n"                                               \
    "param\tn\tlong\ti64\t8\t8\t0\n"

/* Code for a size of block, built at the launch: cpu_payload.c has the kernel. */
static lw_status use_cpu_for(struct objects *o, const char *rows)
{
    lw_build_options options = {.source = rows};

    LW_TRY(lw_device_open("cpu", &o->device));
    LW_TRY(lw_program_build(o->device, "k.c", &options, &o->program));
    lw_kernel *k;
    LW_TRY(lw_program_kernel(o->program, "total", &k));
    LW_TRY(lw_buffer_create(o->device, LW_U64, 1, &o->buffer));
    LW_TRY(lw_stream_create(o->device, &o->stream));
    LW_TRY(LW_LAUNCH(o->stream, k, 8, 8, o->buffer, 0));
    LW_TRY(LW_LAUNCH(o->stream, k, 8, 9, o->buffer, 0));
    LW_TRY(lw_stream_wait(o->stream));
    LW_TRY(LW_LAUNCH(o->stream, k, 8, 9, o->buffer, 0)); /* known to be small: in this thread */
    return lw_stream_wait(o->stream);
}

static lw_status use_cpu(struct objects *o)
{
    return use_cpu_for(o, TOTAL_ROWS("0"));
}

static lw_status use_block_memory(struct objects *o)
{
    return use_cpu_for(o, TOTAL_ROWS("64"));
}

/* On the double of the driver, fake_cuda.c; more launches than come between two fences. */
static lw_status use_cuda(struct objects *o)
{
    lw_build_options options = {.source = ADD_ROWS};

    LW_TRY(lw_device_open("cuda", &o->device));
    LW_TRY(lw_program_build(o->device, "k.c", &options, &o->program));
    lw_kernel *k;
    LW_TRY(lw_program_kernel(o->program, "add", &k));
    LW_TRY(lw_buffer_create(o->device, LW_F32, 8, &o->buffer));
    LW_TRY(lw_stream_create(o->device, &o->stream));
    LW_TRY(lw_event_create(o->device, &o->event));
    for (int i = 0; i < 40; i++)
        LW_TRY(LW_LAUNCH(o->stream, k, 1, 8, o->buffer, o->buffer, o->buffer, 8));
    LW_TRY(lw_event_record(o->event, o->stream));
    LW_TRY(lw_stream_wait_event(o->stream, o->event));
    LW_TRY(lw_event_wait(o->event));
    uint64_t ns;
    LW_TRY(lw_event_elapsed(o->event, o->event, &ns));
    LW_TRY(lw_stream_wrap(o->device, ((struct lw__gpu_queue *)o->stream->queue)->stream,
                          &o->wrapped_stream));
    LW_TRY(LW_LAUNCH(o->wrapped_stream, k, 1, 8, o->buffer, o->buffer, o->buffer, 8));
    LW_TRY(lw_stream_reserve(o->wrapped_stream, 1000));
    LW_TRY(lw_stream_wait(o->wrapped_stream));
    return lw_stream_wait(o->stream);
}

static void destroy(struct objects *o)
{
    lw_event_destroy(o->event);
    lw_stream_destroy(o->wrapped_stream);
    lw_stream_destroy(o->stream);
    lw_buffer_destroy(o->structs);
    lw_buffer_destroy(o->wrapped);
    lw_buffer_destroy(o->buffer);
    lw_program_destroy(o->program);
    lw_device_close(o->device);
}

struct attempt {
    lw_status (*whole)(struct objects *);
    long n;
};

/* Where memory is short only for a message or for the cache, the call succeeds. */
static void *fail_once(void *argument)
{
    const struct attempt *a = argument;
    struct objects o = {0};

    alloc_until_failure = a->n;
    lw_status status = a->whole(&o);
    alloc_until_failure = 0;
    failed = alloc_failed;
    if (status && (status != LW_E_MEMORY || strlen(lw_last_error()) < 10)) {
        failures++;
        printf("allocation %ld: status %d, \"%s\"\n", a->n, status, lw_last_error());
    }
    destroy(&o);
    return NULL;
}

/* In a thread of its own: what is kept for a thread goes with it. */
static bool attempt(lw_status (*whole)(struct objects *), long n)
{
    struct attempt a = {whole, n};

    failed = false;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, fail_once, &a) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    for (; alloc_outstanding > 0 && kept > 0; kept--)
        alloc_outstanding--;
    if (alloc_outstanding) {
        failures++;
        printf("allocation %ld: %ld blocks are left\n", n, (long)alloc_outstanding);
        alloc_outstanding = 0;
    }
    return failed;
}

static void sweep(lw_status (*whole)(struct objects *))
{
    long n = 1;

    while (attempt(whole, n))
        n++;
    printf("%ld allocations failed in turn\n", n - 1);
    CHECK(n > 30);
}

/* Where the compiler is nowhere that can be said only if memory sufficed to look everywhere. */
static void look_for_compiler(void)
{
    char *named = lw__copy_string(getenv("LANEWISE_COMPILE")), *path;
    lw_status status = LW_E_MEMORY;
    long n = 0;

    unsetenv("LANEWISE_COMPILE");
    while (status == LW_E_MEMORY && n < 100) {
        alloc_failed = false;
        alloc_until_failure = ++n;
        status = lw__compiler_find(&path);
        alloc_until_failure = 0;
        CHECK(!alloc_failed || (status == LW_E_MEMORY && !path));
        free(path);
    }
    CHECK(status != LW_E_MEMORY && n > 1);
    setenv("LANEWISE_COMPILE", named, 1);
    free(named);
}

int main(void)
{
    char folder[] = "/tmp/lanewise-memory-XXXXXX", command[100], log[100];
    char text[] = "/tmp/lanewise-ptx-XXXXXX";
    int file = mkstemp(text);

    sweep(use);
    setenv("LW_FAKE_PAYLOAD", getenv("LW_UNIT_CPU_PAYLOAD"), 1);
    kept = sysconf(_SC_NPROCESSORS_ONLN);
    sweep(use_cpu);
    kept += sysconf(_SC_NPROCESSORS_ONLN);
    sweep(use_block_memory);
    kept = 0;
    CHECK(file >= 0 && write(file, "// fake\n", 8) == 8);
    setenv("LW_FAKE_SECOND_PAYLOAD", text, 1);
    sweep(use_cuda);
    unsetenv("LW_FAKE_SECOND_PAYLOAD");
    unlink(text);
    unsetenv("LW_FAKE_PAYLOAD");
    CHECK(mkdtemp(folder) != NULL);
    setenv("LANEWISE_CACHE_DIR", folder, 1);
    unsetenv("LANEWISE_CACHE");
    look_for_compiler();
    sweep(use);
    /* What the cache has and memory does not suffice to read is not compiled, which takes more. */
    snprintf(log, sizeof log, "%s/log", folder);
    setenv("LW_FAKE_LOG", log, 1);
    sweep(use);
    CHECK(access(log, F_OK) != 0);
    unsetenv("LW_FAKE_LOG");
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    return failures != 0;
}
