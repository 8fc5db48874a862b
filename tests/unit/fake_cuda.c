/* fake_cuda.c - see fake_cuda.h. */
#include "fake_cuda_streams.h"
#include <stdio.h>

/* The driver's values, written down once more: a test of those in cuda/driver.h. */
enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    NOT_READY = 600,
    OUT_OF_RESOURCES = 701,
    CAPTURE_UNSUPPORTED = 900
};

/* ---- calls ---- */

static _Thread_local int depth; /* contexts pushed */

/* Locked. The result of a call: what it was told, or what the context has come to. */
static int begin(bool needs_context)
{
    fake_cuda.calls++;
    if (fake_cuda.fail_at && --fake_cuda.fail_at == 0) {
        fake_cuda.failed = true;
        if (fake_cuda.fail_with >= 700 && fake_cuda.fail_with != OUT_OF_RESOURCES)
            context_error = fake_cuda.fail_with;
        return fake_cuda.fail_with;
    }
    if (needs_context && !depth)
        return INVALID_CONTEXT;
    return needs_context ? context_error : 0;
}

#define BODY(needs_context, statement)                                                             \
    do {                                                                                           \
        int result;                                                                                \
        pthread_mutex_lock(&lock);                                                                 \
        result = begin(needs_context);                                                             \
        if (!result) {                                                                             \
            statement;                                                                             \
        }                                                                                          \
        pthread_mutex_unlock(&lock);                                                               \
        return result;                                                                             \
    } while (0)

/* What is destroyed is gone, whatever the result. */
#define DESTROY(statement)                                                                         \
    do {                                                                                           \
        int result;                                                                                \
        pthread_mutex_lock(&lock);                                                                 \
        result = begin(true);                                                                      \
        statement;                                                                                 \
        pthread_mutex_unlock(&lock);                                                               \
        return result;                                                                             \
    } while (0)

/* Locked. What a capture does not allow: of its stream, or of any (NULL). */
static int refuse_capture(const struct cu_stream *s)
{
    if (!fake_cuda.captured || (s && s != fake_cuda.captured))
        return 0;
    fake_cuda.violations++;
    return CAPTURE_UNSUPPORTED;
}

#define CALL(name, ...) __attribute__((visibility("default"))) int name(__VA_ARGS__)

CALL(cuInit, unsigned flags)
{
    (void)flags;
    BODY(false, result = fake_cuda.init_result);
}

CALL(cuDriverGetVersion, int *version)
{
    BODY(false, *version = 12040);
}

CALL(cuGetErrorName, int result, const char **name)
{
    static const struct {
        int result;
        const char *name;
    } names[] = {{INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
                 {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
                 {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
                 {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                 {OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].result == result) {
            *name = names[i].name;
            return 0;
        }
    return INVALID_VALUE;
}

CALL(cuGetErrorString, int result, const char **text)
{
    *text = "as told";
    return result == NO_DEVICE ? INVALID_VALUE : 0;
}

CALL(cuDeviceGetCount, int *count)
{
    BODY(false, *count = fake_cuda.gpus);
}

CALL(cuDeviceGet, int *device, int ordinal)
{
    BODY(false, *device = 100 + ordinal);
}

CALL(cuDeviceGetName, char *name, int room, int device)
{
    BODY(false, snprintf(name, (size_t)room, "Fake GPU %d", device - 100));
}

CALL(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    (void)device;
    BODY(false, *bytes = fake_cuda.memory);
}

static int attribute(int which)
{
    switch (which) {
    case 16: return 10;
    case 75: return fake_cuda.major;
    case 76: return fake_cuda.minor;
    case 97: return 160 << 10;
    default: return -1;
    }
}

CALL(cuDeviceGetAttribute, int *value, int which, int device)
{
    (void)device;
    BODY(false, *value = attribute(which));
}

/* Locked. All that is in the context goes with it. */
static void destroy_context(void)
{
    context_error = context_error ? context_error : 709; /* streams end early */
    struct object *o;
    while ((o = objects)) {
        while (o->next && o->kind != STREAM)
            o = o->next;
        if (o->kind == STREAM) {
            end_stream((struct cu_stream *)(void *)o->start);
        } else {
            if (objects->kind == EVENT)
                drop_event(((struct cu_event *)(void *)objects->start)->of);
            take_out(objects->start);
        }
    }
    context_error = 0;
}

CALL(cuDevicePrimaryCtxRetain, struct cu_context **out, int device)
{
    (void)device;
    BODY(false, (*out = &context, fake_cuda.contexts++));
}

CALL(cuDevicePrimaryCtxRelease_v2, int device)
{
    (void)device;
    pthread_mutex_lock(&lock);
    (void)begin(false);
    if (--fake_cuda.contexts == 0)
        destroy_context();
    pthread_mutex_unlock(&lock);
    return 0;
}

CALL(cuDevicePrimaryCtxReset_v2, int device)
{
    (void)device;
    BODY(false, destroy_context());
}

CALL(cuCtxPushCurrent_v2, struct cu_context *which)
{
    (void)which;
    BODY(false, depth++);
}

CALL(cuCtxPopCurrent_v2, struct cu_context **out)
{
    *out = &context;
    depth--;
    BODY(false, );
}

CALL(cuMemGetInfo_v2, size_t *unused, size_t *total)
{
    BODY(true, (*unused = fake_cuda.memory - used, *total = fake_cuda.memory));
}

CALL(cuMemAlloc_v2, uint64_t *memory, size_t bytes)
{
    BODY(
        true, result = refuse_capture(NULL); if (result)(void) 0;
        else if (!bytes) result = INVALID_VALUE;
        else if (bytes > fake_cuda.memory - used) result = OUT_OF_MEMORY; else {
            used += bytes;
            *memory = (uintptr_t)add(MEMORY, bytes);
        });
}

CALL(cuMemFree_v2, uint64_t memory)
{
    DESTROY(take_out((void *)(uintptr_t)memory));
}

CALL(cuMemsetD8Async, uint64_t to, unsigned char value, size_t bytes, struct cu_stream *s)
{
    BODY(true,
         append(s, (struct op){
                       .kind = FILL, .to = (char *)(uintptr_t)to, .value = value, .bytes = bytes}));
}

/* Locked. */
static void copy(struct cu_stream *s, void *to, const void *from, size_t bytes)
{
    fake_cuda.copies++;
    append(s, (struct op){.kind = COPY, .to = to, .from = from, .bytes = bytes});
}

CALL(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t bytes, struct cu_stream *s)
{
    BODY(true, copy(s, (void *)(uintptr_t)to, from, bytes));
}

CALL(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, struct cu_stream *s)
{
    BODY(true, copy(s, to, (const void *)(uintptr_t)from, bytes));
}

CALL(cuMemcpyPeerAsync, uint64_t to, struct cu_context *to_context, uint64_t from,
     struct cu_context *from_context, size_t bytes, struct cu_stream *s)
{
    BODY(true, (void)to_context; (void)from_context;
         copy(s, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes));
}

CALL(cuCtxEnablePeerAccess, struct cu_context *context, unsigned flags)
{
    BODY(true, (void)context; (void)flags);
}

CALL(cuPointerGetAttribute, void *value, int which, uint64_t address)
{
    BODY(true, if (which != 3 || !is_inside(address)) result = INVALID_VALUE;
         else memcpy(value, &address, sizeof address));
}

CALL(cuMemHostAlloc, void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    BODY(true, result = refuse_capture(NULL); if (!result) *memory = add(PINNED, bytes));
}

CALL(cuMemFreeHost, void *memory)
{
    DESTROY(take_out(memory));
}

CALL(cuMemHostGetDevicePointer_v2, uint64_t *address, void *memory, unsigned flags)
{
    (void)flags;
    BODY(true, *address = (uintptr_t)memory);
}

/* Locked. */
static int refuse(unsigned count, const int *options, void **values)
{
    if (count == 2 && options[0] == 5 && options[1] == 6)
        snprintf(values[0], (size_t)(uintptr_t)values[1], "%s", fake_cuda.log);
    return fake_cuda.refusal;
}

/* Locked. */
static struct cu_module *load(void)
{
    struct cu_module *m = add(MODULE, sizeof *m);

    m->uses = fake_cuda.uses;
    memcpy(m->text, fake_cuda.text, FAKE_TEXT);
    m->static_bytes = fake_cuda.static_bytes;
    m->threads = fake_cuda.threads;
    m->dynamic_bytes = 48 << 10;
    m->user = fake_cuda.user;
    return m;
}

CALL(cuModuleLoadDataEx, struct cu_module **module, const void *image, unsigned count,
     const int *options, void **values)
{
    BODY(true, if (strncmp(image, "// fake", 7)) result = 218;
         else if (fake_cuda.log) result = refuse(count, options, values); else *module = load());
}

CALL(cuModuleUnload, struct cu_module *module)
{
    DESTROY(take_out(module));
}

CALL(cuModuleGetFunction, struct cu_function **function, struct cu_module *module, const char *name)
{
    BODY(true, if (strcmp(name, "lw_kernel")) result = NOT_FOUND;
         else *function = (struct cu_function *)module);
}

CALL(cuModuleGetGlobal_v2, uint64_t *address, size_t *bytes, struct cu_module *m, const char *name)
{
    BODY(true,
         if (!strcmp(name, "lw_uses"))(*address = (uintptr_t)&m->uses, *bytes = sizeof m->uses);
         else if (!strcmp(name, "lw_text"))(*address = (uintptr_t)m->text, *bytes = FAKE_TEXT);
         else result = NOT_FOUND);
}

static int function_attribute(const struct cu_module *m, int which)
{
    return which == 0 ? m->threads : which == 1 ? m->static_bytes : m->dynamic_bytes;
}

CALL(cuFuncGetAttribute, int *value, int which, struct cu_function *f)
{
    BODY(true, *value = function_attribute(module_of(f), which));
}

CALL(cuFuncSetAttribute, struct cu_function *f, int which, int value)
{
    BODY(true, if (which != 8) result = INVALID_VALUE;
         else module_of(f)->dynamic_bytes = fake_cuda.max_dynamic = value);
}

CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, struct cu_function *f, int threads,
     size_t dynamic_bytes)
{
    (void)f;
    BODY(true, *blocks = dynamic_bytes > 80 << 10 ? 1 : 1024 / threads);
}

/* Locked. */
static int launch(struct cu_module *m, const unsigned *sizes, unsigned dynamic_bytes,
                  struct cu_stream *s, void **parameters)
{
    struct op op = {.kind = LAUNCH,
                    .launch = {.dynamic_bytes = dynamic_bytes,
                               .user = m->user,
                               .text_address = (uintptr_t)m->text}};
    uint64_t record;

    if (sizes[3] * sizes[4] * sizes[5] > (unsigned)m->threads)
        return OUT_OF_RESOURCES;
    if (dynamic_bytes > (unsigned)m->dynamic_bytes)
        return INVALID_VALUE;
    memcpy(op.launch.grid, sizes, sizeof op.launch.grid);
    memcpy(op.launch.block, sizes + 3, sizeof op.launch.block);
    memcpy(op.launch.args, parameters[0], fake_cuda.args_bytes);
    memcpy(&record, parameters[1], sizeof record);
    op.launch.record = (struct lw_cuda_launch *)(uintptr_t)record;
    append(s, op);
    fake_cuda.launches++;
    return 0;
}

CALL(cuLaunchKernel, struct cu_function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
     unsigned by, unsigned bz, unsigned dynamic_bytes, struct cu_stream *s, void **parameters,
     void **extra)
{
    const unsigned sizes[] = {gx, gy, gz, bx, by, bz};

    (void)extra;
    BODY(true, result = launch(module_of(f), sizes, dynamic_bytes, s, parameters));
}

CALL(cuStreamCreate, struct cu_stream **stream, unsigned flags)
{
    (void)flags;
    BODY(true, (*stream = add(STREAM, sizeof **stream), (*stream)->end = &(*stream)->first,
                pthread_create(&(*stream)->thread, NULL, work, *stream)));
}

CALL(cuStreamDestroy_v2, struct cu_stream *s)
{
    DESTROY(end_stream(s));
}

CALL(cuStreamGetCtx, struct cu_stream *s, struct cu_context **out)
{
    (void)s;
    BODY(true, *out = &context);
}

CALL(cuStreamIsCapturing, struct cu_stream *s, int *status)
{
    BODY(true, *status = s == fake_cuda.captured);
}

CALL(cuStreamQuery, struct cu_stream *s)
{
    BODY(true, result = refuse_capture(s);
         if (!result && (s->first || s->busy)) result = NOT_READY);
}

/* A wait that fails has waited. */
CALL(cuStreamSynchronize, struct cu_stream *s)
{
    pthread_mutex_lock(&lock);
    int result = begin(true);
    result = result ? result : refuse_capture(s);
    while (s->first || s->busy)
        pthread_cond_wait(&changed, &lock);
    result = result ? result : context_error;
    pthread_mutex_unlock(&lock);
    return result;
}

CALL(cuStreamWaitEvent, struct cu_stream *s, struct cu_event *e, unsigned flags)
{
    (void)flags;
    BODY(true, result = refuse_capture(s); if (!result)
             append(s, (struct op){.kind = AWAIT, .event = e->of, .count = e->of->recorded}));
}

CALL(cuEventCreate, struct cu_event **e, unsigned flags)
{
    (void)flags;
    BODY(true,
         (*e = add(EVENT, sizeof **e), (*e)->of = calloc(1, sizeof *(*e)->of), (*e)->of->refs = 1));
}

CALL(cuEventDestroy_v2, struct cu_event *e)
{
    DESTROY((drop_event(e->of), take_out(e)));
}

CALL(cuEventRecord, struct cu_event *e, struct cu_stream *s)
{
    BODY(true, result = refuse_capture(s); if (!result)
             append(s, (struct op){.kind = RECORD, .event = e->of, .count = ++e->of->recorded}));
}

CALL(cuEventQuery, struct cu_event *e)
{
    BODY(true, if (e->of->done < e->of->recorded) result = NOT_READY);
}

CALL(cuEventSynchronize, struct cu_event *e)
{
    pthread_mutex_lock(&lock);
    int result = begin(true);
    while (e->of->done < e->of->recorded)
        pthread_cond_wait(&changed, &lock);
    result = result ? result : context_error;
    pthread_mutex_unlock(&lock);
    return result;
}

CALL(cuEventElapsedTime, float *milliseconds, struct cu_event *a, struct cu_event *b)
{
    BODY(true, *milliseconds = (float)((double)(b->of->time.tv_sec - a->of->time.tv_sec) * 1e3 +
                                       (double)(b->of->time.tv_nsec - a->of->time.tv_nsec) / 1e6));
}
