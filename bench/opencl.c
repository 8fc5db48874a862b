/* opencl.c - the same kernels in OpenCL C on PoCL, through the ICD loader.
 *
 * Its buffers are ours (CL_MEM_USE_HOST_PTR), which PoCL's processor device uses in place.
 */
#include "bench.h"
#include "opencl_api.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct opencl {
    struct opencl_api api;
    cl_platform platform;
    cl_device device;
    cl_context context;
    cl_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_memory a, b, x, u, out;
    size_t out_bytes;
    size_t global[2], local[2];
    char salt[48];
    int builds;
};

/* ---- the library and its device -------------------------------------------------------------- */

static const char *const call_names[] = {
#define OPENCL_NAME(result, name, parameters) "cl" #name,
    OPENCL_CALLS(OPENCL_NAME)
#undef OPENCL_NAME
};

_Static_assert(sizeof(struct opencl_api) == sizeof(void *) * (sizeof call_names / sizeof(char *)),
               "the calls are pointers and nothing else");

static bool find_calls(struct variant *v, struct opencl_api *api)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return variant_fail(v, "not measured: no libOpenCL.so.1 (make bench installs it)");
    for (size_t i = 0; i < sizeof call_names / sizeof call_names[0]; i++) {
        void *call = dlsym(library, call_names[i]);
        if (!call)
            return variant_fail(v, "not measured: libOpenCL.so.1 lacks %s", call_names[i]);
        memcpy((char *)api + i * sizeof call, &call, sizeof call);
    }
    return true;
}

static bool find_pocl(struct variant *v, struct opencl *o)
{
    cl_platform platforms[16];
    uint32_t count = 0;
    char name[64];
    if (o->api.GetPlatformIDs(16, platforms, &count))
        count = 0;
    for (uint32_t i = 0; i < count && i < 16; i++)
        if (!o->api.GetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL) &&
            strstr(name, "Portable Computing Language") &&
            !o->api.GetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &o->device, NULL))
            return true;
    return variant_fail(v, "not measured: no PoCL (make bench installs it)");
}

/* Everything that comes before a program. */
static bool open_queue(struct variant *v)
{
    struct opencl *o = v->state = calloc(1, sizeof *o);
    int32_t error = 0;
    if (!o)
        return variant_fail(v, "out of memory");
    if (!find_calls(v, &o->api) || !find_pocl(v, o))
        return false;
    o->context = o->api.CreateContext(NULL, 1, &o->device, NULL, NULL, &error);
    if (!error)
        o->queue = o->api.CreateCommandQueue(o->context, o->device, 0, &error);
    return !error || variant_fail(v, "not measured: OpenCL error %d", error);
}

/* ---- program and arguments ------------------------------------------------------------------- */

static bool build_log(struct variant *v, struct opencl *o)
{
    char log[TEXT_SIZE] = "";
    o->api.GetProgramBuildInfo(o->program, o->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                               NULL);
    return variant_fail(v, "refused: %.180s", log[0] ? log : "no log");
}

static bool build(struct variant *v, const struct session *s)
{
    struct opencl *o = v->state;
    char options[128] = "", name[64];
    size_t length;
    const char *text = kernel_text("opencl", s->row->kernel, &length);
    if (s->row->define)
        snprintf(options, sizeof options, "-D%s", s->row->define);
    if (o->salt[0])
        snprintf(options, sizeof options, "-D%s", o->salt);
    snprintf(name, sizeof name, "%s_kernel", s->row->kernel);
    int32_t error;
    o->program = o->api.CreateProgramWithSource(o->context, 1, &text, &length, &error);
    if (!error && o->api.BuildProgram(o->program, 1, &o->device, options, NULL, NULL))
        return build_log(v, o);
    if (!error)
        o->kernel = o->api.CreateKernel(o->program, name, &error);
    return !error || variant_fail(v, "refused: OpenCL error %d", error);
}

static cl_memory wrap(struct opencl *o, const void *data, size_t bytes, int32_t *error)
{
    if (!data || *error)
        return NULL;
    return o->api.CreateBuffer(o->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                               (void *)(uintptr_t)data, error);
}

static bool open_buffers(struct variant *v, struct session *s)
{
    struct opencl *o = v->state;
    int32_t error = 0;
    o->out_bytes = s->out_count * sizeof(float);
    o->a = wrap(o, s->work.a, lw_buffer_bytes(s->a), &error);
    o->b = wrap(o, s->work.b, s->shape.n * s->b_element, &error);
    o->x = wrap(o, s->work.x, s->x ? lw_buffer_bytes(s->x) : 0, &error);
    o->u = wrap(o, s->work.u, s->u ? lw_buffer_bytes(s->u) : 0, &error);
    o->out = wrap(o, s->work.out, o->out_bytes, &error);
    return !error || variant_fail(v, "not measured: OpenCL error %d", error);
}

static bool set_args(struct variant *v, const struct session *s)
{
    struct opencl *o = v->state;
    const int n = (int)s->shape.n, rows = (int)s->shape.rows, cols = (int)s->shape.cols;
    int32_t error = 0;
    uint32_t i = 0;
    for (const char *at = s->row->params ? s->row->params : "o"; *at && !error; at++, i++) {
        switch (*at) {
        case 'o': error = o->api.SetKernelArg(o->kernel, i, sizeof o->out, &o->out); break;
        case 'a': error = o->api.SetKernelArg(o->kernel, i, sizeof o->a, &o->a); break;
        case 'b': error = o->api.SetKernelArg(o->kernel, i, sizeof o->b, &o->b); break;
        case 'x': error = o->api.SetKernelArg(o->kernel, i, sizeof o->x, &o->x); break;
        case 'u': error = o->api.SetKernelArg(o->kernel, i, sizeof o->u, &o->u); break;
        case 'n': error = o->api.SetKernelArg(o->kernel, i, sizeof n, &n); break;
        case 'r': error = o->api.SetKernelArg(o->kernel, i, sizeof rows, &rows); break;
        default: error = o->api.SetKernelArg(o->kernel, i, sizeof cols, &cols); break;
        }
    }
    return !error || variant_fail(v, "refused: OpenCL error %d", error);
}

static void set_sizes(struct variant *v, const struct session *s)
{
    struct opencl *o = v->state;
    if (v->block.x == 0)
        v->block = lw_dim_1(1);
    lw_dim3 grid = lw_dim_1(1);
    if (s->row->grid)
        grid = s->row->grid(&s->shape, v->block, s->bench->threads);
    o->local[0] = v->block.x, o->local[1] = v->block.y;
    o->global[0] = (size_t)grid.x * v->block.x, o->global[1] = (size_t)grid.y * v->block.y;
}

static bool launch_and_wait(struct variant *v)
{
    struct opencl *o = v->state;
    int32_t error = o->api.EnqueueNDRangeKernel(o->queue, o->kernel, 2, NULL, o->global, o->local,
                                                0, NULL, NULL);
    if (!error)
        error = o->api.Finish(o->queue);
    return !error || variant_fail(v, "failed: OpenCL error %d", error);
}

/* ---- the ways -------------------------------------------------------------------------------- */

static bool opencl_open(struct variant *v, struct session *s)
{
    if (!open_queue(v) || !build(v, s) || !open_buffers(v, s))
        return false;
    set_sizes(v, s);
    return set_args(v, s);
}

static bool opencl_run(struct variant *v, struct session *s)
{
    (void)s;
    for (int i = 0; i < v->repeat; i++)
        if (!launch_and_wait(v))
            return false;
    return true;
}

/* The standard lets the host look only at what it has mapped. */
static void look_at(struct variant *v, cl_memory memory, size_t bytes, const void *data)
{
    struct opencl *o = v->state;
    int32_t error;
    void *at =
        o->api.EnqueueMapBuffer(o->queue, memory, 1, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &error);
    if (error || at != data) {
        variant_fail(v, "not measured: PoCL copies the buffers");
        return;
    }
    o->api.EnqueueUnmapMemObject(o->queue, memory, at, 0, NULL, NULL);
    o->api.Finish(o->queue);
}

static void opencl_settle(struct variant *v, struct session *s)
{
    const struct opencl *o = v->state;
    look_at(v, o->out, o->out_bytes, s->work.out);
    if (s->u)
        look_at(v, o->u, lw_buffer_bytes(s->u), s->work.u);
}

static void drop_program(struct opencl *o)
{
    if (o->kernel)
        o->api.ReleaseKernel(o->kernel);
    if (o->program)
        o->api.ReleaseProgram(o->program);
    o->kernel = NULL;
    o->program = NULL;
}

static void opencl_close(struct variant *v)
{
    struct opencl *o = v->state;
    if (!o)
        return;
    cl_memory buffers[] = {o->a, o->b, o->x, o->u, o->out};
    drop_program(o);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i])
            o->api.ReleaseMemObject(buffers[i]);
    if (o->queue)
        o->api.ReleaseCommandQueue(o->queue);
    if (o->context)
        o->api.ReleaseContext(o->context);
    free(o);
    v->state = NULL;
}

const struct way way_opencl = {
    .open = opencl_open, .run = opencl_run, .settle = opencl_settle, .close = opencl_close};
const struct way way_launch_opencl = {
    .open = opencl_open, .run = opencl_run, .close = opencl_close};

/* ---- building as the thing measured ---------------------------------------------------------- */

static bool build_open(struct variant *v, struct session *s)
{
    v->block = lw_dim_1(256);
    if (!open_queue(v) || !open_buffers(v, s))
        return false;
    set_sizes(v, s);
    return true;
}

/* PoCL compiles a kernel for its sizes at the first launch. */
static bool build_run(struct variant *v, struct session *s)
{
    return build(v, s) && set_args(v, s) && launch_and_wait(v);
}

static void build_ready(struct variant *v, struct session *s)
{
    struct opencl *o = v->state;
    (void)s;
    snprintf(o->salt, sizeof o->salt, "SALT=%ld_%d", (long)getpid(), o->builds++);
}

static void build_settle(struct variant *v, struct session *s)
{
    (void)s;
    drop_program(v->state);
}

const struct way way_build_opencl = {.open = build_open,
                                     .ready = build_ready,
                                     .run = build_run,
                                     .settle = build_settle,
                                     .close = opencl_close};

const struct way way_cached_opencl = {
    .open = build_open, .run = build_run, .settle = build_settle, .close = opencl_close};
