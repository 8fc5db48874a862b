/* Launches, operations and runs of graphs on a stream of someone else, who captures it. For a GPU
 * or a simulated one: LANEWISE_CUDA_DRIVER names the driver, or it is the system's. */
#include "ops_test.h"
#include <dlfcn.h>
#include <lanewise/record.h>

enum { N = 64, REPLAYS = 3 };

static struct opened d;
static lw_program *program;
static lw_kernel *scale, *demand;

static const char kernels[] =
    "#include <lanewise/kernel.h>\n"
    "KERNEL void scale(float *out, const float *a, float k)\n"
    "{ out[global_idx.x] = a[global_idx.x] * k; }\n"
    "KERNEL void demand(const float *a) { assert(a[global_idx.x] < 5.0f); }\n";

/* ---- the owner of the stream, who knows the driver alone ---- */

#define DRIVER(X)                                                                                  \
    X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                          \
    X(push, "cuCtxPushCurrent_v2", (void *))                                                       \
    X(pop, "cuCtxPopCurrent_v2", (void **))                                                        \
    X(create, "cuStreamCreate", (void **, unsigned))                                               \
    X(destroy, "cuStreamDestroy_v2", (void *))                                                     \
    X(wait, "cuStreamSynchronize", (void *))                                                       \
    X(begin, "cuStreamBeginCapture_v2", (void *, int))                                             \
    X(end, "cuStreamEndCapture", (void *, void **))                                                \
    X(instantiate, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long))           \
    X(launch, "cuGraphLaunch", (void *, void *))                                                   \
    X(free_exec, "cuGraphExecDestroy", (void *))                                                   \
    X(free_graph, "cuGraphDestroy", (void *))

static struct {
#define MEMBER(name, symbol, parameters) int(*name) parameters;
    DRIVER(MEMBER)
#undef MEMBER
    void *context, *stream, *graph, *exec;
} owner;

static bool open_driver(void)
{
    const char *path = getenv("LANEWISE_CUDA_DRIVER");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW), *address;

    if (!library)
        return false;
#define FIND(name, symbol, parameters)                                                             \
    address = dlsym(library, symbol);                                                              \
    if (!address)                                                                                  \
        return false;                                                                              \
    memcpy(&owner.name, &address, sizeof address);
    DRIVER(FIND)
#undef FIND
    return !owner.retain(&owner.context, 0);
}

#define AS_OWNER(call)                                                                             \
    do {                                                                                           \
        void *unused;                                                                              \
        CHECK(owner.push(owner.context) == 0);                                                     \
        CHECK((call) == 0);                                                                        \
        (void)owner.pop(&unused);                                                                  \
    } while (0)

static void replay(void)
{
    AS_OWNER(owner.launch(owner.exec, owner.stream));
    AS_OWNER(owner.wait(owner.stream));
}

/* ---- what is captured ---- */

struct work {
    lw_executable *x;
    lw_tensor in, mid, out, soft, strided;
};

static lw_tensor filled(size_t count, float value)
{
    lw_buffer *b = NULL;

    WORKS(lw_buffer_create(d.device, LW_F32, count, &b));
    WORKS(lw_buffer_fill(b, &value));
    return (lw_tensor){.buffer = b, .rank = 1, .extent = {(ptrdiff_t)count}};
}

/* in -> out = 3 in: one temporary, and an assert. */
static lw_executable *record(void)
{
    lw_graph *g = NULL;
    lw_executable *x = NULL;

    WORKS(lw_graph_create(d.device, &g));
    lw_stream *s = lw_graph_stream(g);
    lw_tensor in;
    WORKS(lw_graph_input(g, "in", LW_F32, 1, (ptrdiff_t[]){N}, &in));
    lw_tensor mid;
    WORKS(lw_graph_temporary(g, LW_F32, 1, (ptrdiff_t[]){N}, &mid));
    lw_tensor out;
    WORKS(lw_graph_temporary(g, LW_F32, 1, (ptrdiff_t[]){N}, &out));
    WORKS(LW_LAUNCH(s, demand, 1, N, in));
    WORKS(LW_LAUNCH(s, scale, 1, N, mid, in, 6.0));
    WORKS(LW_LAUNCH(s, scale, 1, N, out, mid, 0.5));
    WORKS(lw_graph_output(g, "out", out));
    WORKS(lw_graph_compile(g, &x));
    lw_graph_destroy(g);
    return x;
}

/* A launch, an operation that copies into scratch memory, a run of a graph, strided tensors. */
static void queue(lw_stream *s, const struct work *w)
{
    WORKS(LW_LAUNCH(s, scale, 1, N, w->mid, w->in, 2.0));
    WORKS(lw_softmax(s, w->soft, w->strided, NULL));
    WORKS(lw_executable_run(w->x, s, NULL, (lw_tensor[]){w->mid, w->out}, 2));
    WORKS(lw_executable_run(w->x, s, NULL, (lw_tensor[]){w->strided, w->soft}, 2));
}

static bool is_first(lw_tensor t, float value)
{
    float got = -1;

    WORKS(lw_buffer_read(t.buffer, 0, 1, &got));
    return got == value;
}

static void set(lw_tensor t, float value)
{
    WORKS(lw_buffer_fill(t.buffer, &value));
}

static void capture(lw_stream *s, const struct work *w)
{
    AS_OWNER(owner.begin(owner.stream, 0));
    CHECK(lw_stream_is_captured(s));
    queue(s, w);
    WORKS(lw_stream_check(s));
    CHECK(lw_stream_wait(s) == LW_E_ARG && strstr(lw_last_error(), "captured"));
    AS_OWNER(owner.end(owner.stream, &owner.graph));
    CHECK(owner.graph && !lw_stream_is_captured(s));
}

/* Nothing ran when it was captured; each replay reads the inputs as they are then. */
static void captured(lw_stream *s, const struct work *w)
{
    queue(s, w); /* the first of each kind */
    WORKS(lw_stream_wait(s));
    set(w->out, 0);
    capture(s, w);
    CHECK(is_first(w->out, 0));
    AS_OWNER(owner.instantiate(&owner.exec, owner.graph, 0));
    for (int k = 0; k < REPLAYS; k++) {
        set(w->in, (float)k / 2);
        replay();
        CHECK(is_first(w->out, 3 * (float)k) && is_first(w->soft, 3));
        WORKS(lw_stream_check(s));
    }
}

/* What fails in a replay shows at the next check, and from then on at all calls. */
static void failing(lw_stream *s, const struct work *w)
{
    set(w->in, 4);
    replay();
    CHECK(lw_stream_check(s) == LW_E_LAUNCH && strstr(lw_last_error(), "demand"));
    CHECK(LW_LAUNCH(s, scale, 1, N, w->mid, w->in, 2.0) == LW_E_LAUNCH);
    CHECK(lw_executable_run(w->x, s, NULL, (lw_tensor[]){w->mid, w->out}, 2) == LW_E_LAUNCH);
}

/* The executable goes on elsewhere. */
static void elsewhere(const struct work *w)
{
    set(w->mid, 2);
    WORKS(lw_executable_run(w->x, d.stream, NULL, (lw_tensor[]){w->mid, w->out}, 2));
    WORKS(lw_stream_wait(d.stream));
    CHECK(is_first(w->out, 6));
}

int main(void)
{
    const struct setting setting = {.device = "cuda"};
    const lw_build_options options = {.source = kernels};
    lw_stream *s = NULL;

    if (!open_driver()) {
        printf("skipped: no NVIDIA driver with graphs\n");
        return 77;
    }
    open_device(&setting, &d);
    WORKS(lw_program_build(d.device, "capture.c", &options, &program));
    WORKS(lw_program_kernel(program, "scale", &scale));
    WORKS(lw_program_kernel(program, "demand", &demand));
    AS_OWNER(owner.create(&owner.stream, 1));
    WORKS(lw_stream_wrap(d.device, owner.stream, &s));
    struct work w;
    if (!failures) {
        w = (struct work){.x = record(),
                          .in = filled(N, 1),
                          .mid = filled(N, 0),
                          .out = filled(N, 0),
                          .soft = filled(N, 0),
                          .strided = filled((size_t)2 * N, 1)};
        w.strided.extent[0] = N;
        w.strided.stride[0] = 2;
        captured(s, &w);
        failing(s, &w);
        elsewhere(&w);
        AS_OWNER(owner.free_exec(owner.exec));
        AS_OWNER(owner.free_graph(owner.graph));
        lw_executable_destroy(w.x);
        lw_stream_destroy(s);
        for (lw_tensor *t = &w.in; t <= &w.strided; t++)
            lw_buffer_destroy(t->buffer);
    }
    AS_OWNER(owner.destroy(owner.stream));
    lw_program_destroy(program);
    close_device(&d);
    return failures != 0;
}
