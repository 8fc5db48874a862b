/* fake_cuda.c - see fake_cuda.h. */
#include "fake_cuda.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The driver's values, written down once more: a test of those in cuda_driver.h. */
enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    NOT_READY = 600,
    OUT_OF_RESOURCES = 701
};

struct fake_cuda fake_cuda = {
    .gpus = 1, .major = 9, .minor = 0, .memory = 1 << 28, .threads = 1024, .text = ""};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int context_error;
static size_t used;
static char context[1]; /* its address is the context */

/* ---- objects ---- */

enum kind { MEMORY, PINNED, MODULE, STREAM, EVENT };

struct object {
    struct object *next, *previous;
    enum kind kind;
    size_t bytes;
    char start[] __attribute__((aligned(64))); /* what the caller gets, for memory */
};
static struct object *objects;

struct event {
    long recorded, done; /* how often */
    int refs;
    struct timespec time;
};

enum op_kind { COPY, FILL, LAUNCH, RECORD, AWAIT };

struct op {
    struct op *next;
    enum op_kind kind;
    char *to;
    const char *from;
    size_t bytes;
    int value;
    struct event *event;
    long count;
    struct fake_launch launch;
};

struct stream {
    pthread_t thread;
    struct op *first, **end;
    bool busy, ending;
};

struct module {
    uint32_t uses;
    char text[FAKE_TEXT];
    int static_bytes, threads, dynamic_bytes;
    void *user;
};

static _Thread_local int current[8], depth; /* contexts pushed */

static long *counter(enum kind kind)
{
    switch (kind) {
    case MEMORY: return &fake_cuda.memories;
    case PINNED: return &fake_cuda.pinned;
    case MODULE: return &fake_cuda.modules;
    case STREAM: return &fake_cuda.streams;
    default: return &fake_cuda.events;
    }
}

/* All locked. */
static void *add(enum kind kind, size_t bytes)
{
    struct object *o = aligned_alloc(64, (sizeof *o + bytes + 63) / 64 * 64);

    memset(o, 0, sizeof *o);
    memset(o->start, kind == MEMORY ? 0xa5 : 0, bytes);
    o->kind = kind;
    o->bytes = bytes;
    o->next = objects;
    if (objects)
        objects->previous = o;
    objects = o;
    ++*counter(kind);
    return o->start;
}

static struct object *object_of(void *start)
{
    return (struct object *)(void *)((char *)start - offsetof(struct object, start));
}

static void take_out(void *start)
{
    struct object *o = object_of(start);

    if (o->next)
        o->next->previous = o->previous;
    if (o->previous)
        o->previous->next = o->next;
    else
        objects = o->next;
    --*counter(o->kind);
    if (o->kind == MEMORY)
        used -= o->bytes;
    free(o);
}

static void drop_event(struct event *e)
{
    if (--e->refs == 0)
        free(e);
}

/* ---- streams ---- */

static void run(struct op *op)
{
    int result = 0;

    if (op->kind == LAUNCH) {
        result = fake_cuda.run ? fake_cuda.run(&op->launch) : 0;
    } else if (op->kind == COPY) {
        memcpy(op->to, op->from, op->bytes);
    } else if (op->kind == FILL) {
        memset(op->to, op->value, op->bytes);
    }
    pthread_mutex_lock(&lock);
    if (result)
        context_error = result;
    pthread_mutex_unlock(&lock);
}

/* Locked. */
static void finish(struct op *op)
{
    if (op->kind == RECORD) {
        op->event->done = op->count;
        clock_gettime(CLOCK_MONOTONIC, &op->event->time);
    }
    while (op->kind == AWAIT && op->event->done < op->count && !context_error)
        pthread_cond_wait(&changed, &lock);
    if (op->event)
        drop_event(op->event);
    free(op);
    pthread_cond_broadcast(&changed);
}

static void *work(void *argument)
{
    struct stream *s = argument;

    pthread_mutex_lock(&lock);
    while (s->first || !s->ending) {
        struct op *op = s->first;
        bool runs = !context_error;

        if (!op) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        s->first = op->next;
        if (!s->first)
            s->end = &s->first;
        s->busy = true;
        pthread_mutex_unlock(&lock);
        if (runs)
            run(op);
        pthread_mutex_lock(&lock);
        finish(op);
        s->busy = false;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Locked. */
static void append(struct stream *s, struct op model)
{
    struct op *op = malloc(sizeof *op);

    *op = model;
    op->next = NULL;
    if (op->event)
        op->event->refs++;
    *s->end = op;
    s->end = &op->next;
    pthread_cond_broadcast(&changed);
}

/* Locked, but while it waits for the thread. */
static void end_stream(struct stream *s)
{
    s->ending = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(s->thread, NULL);
    pthread_mutex_lock(&lock);
    take_out(s);
}

/* ---- calls ---- */

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

#define CALL(name, ...) __attribute__((visibility("default"))) int name(__VA_ARGS__)

CALL(cuInit, unsigned);
CALL(cuInit, unsigned flags)
{
    (void)flags;
    BODY(false, result = fake_cuda.init_result);
}

CALL(cuDriverGetVersion, int *);
CALL(cuDriverGetVersion, int *version)
{
    BODY(false, *version = 12040);
}

CALL(cuGetErrorName, int, const char **);
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

CALL(cuGetErrorString, int, const char **);
CALL(cuGetErrorString, int result, const char **text)
{
    *text = "as told";
    return result == NO_DEVICE ? INVALID_VALUE : 0;
}

CALL(cuDeviceGetCount, int *);
CALL(cuDeviceGetCount, int *count)
{
    BODY(false, *count = fake_cuda.gpus);
}

CALL(cuDeviceGet, int *, int);
CALL(cuDeviceGet, int *device, int ordinal)
{
    BODY(false, *device = 100 + ordinal);
}

CALL(cuDeviceGetName, char *, int, int);
CALL(cuDeviceGetName, char *name, int room, int device)
{
    BODY(false, snprintf(name, (size_t)room, "Fake GPU %d", device - 100));
}

CALL(cuDeviceTotalMem_v2, size_t *, int);
CALL(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    (void)device;
    BODY(false, *bytes = fake_cuda.memory);
}

static int attribute(int which)
{
    switch (which) {
    case 16: return 10;
    case 39: return 2048;
    case 75: return fake_cuda.major;
    case 76: return fake_cuda.minor;
    case 97: return 160 << 10;
    default: return -1;
    }
}

CALL(cuDeviceGetAttribute, int *, int, int);
CALL(cuDeviceGetAttribute, int *value, int which, int device)
{
    (void)device;
    BODY(false, *value = attribute(which));
}

/* Locked. All that is in the context goes with it. */
static void destroy_context(void)
{
    struct object *o;

    context_error = context_error ? context_error : 709; /* streams end early */
    while ((o = objects)) {
        while (o->next && o->kind != STREAM)
            o = o->next;
        if (o->kind == STREAM) {
            end_stream((struct stream *)(void *)o->start);
        } else {
            if (objects->kind == EVENT)
                drop_event(*(struct event **)(void *)objects->start);
            take_out(objects->start);
        }
    }
    context_error = 0;
}

CALL(cuDevicePrimaryCtxRetain, void **, int);
CALL(cuDevicePrimaryCtxRetain, void **out, int device)
{
    (void)device;
    BODY(false, (*out = context, fake_cuda.contexts++));
}

CALL(cuDevicePrimaryCtxRelease_v2, int);
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

CALL(cuDevicePrimaryCtxReset_v2, int);
CALL(cuDevicePrimaryCtxReset_v2, int device)
{
    (void)device;
    BODY(false, destroy_context());
}

CALL(cuCtxPushCurrent_v2, void *);
CALL(cuCtxPushCurrent_v2, void *which)
{
    (void)which;
    BODY(false, current[depth++] = 1);
}

CALL(cuCtxPopCurrent_v2, void **);
CALL(cuCtxPopCurrent_v2, void **out)
{
    *out = context;
    current[--depth] = 0;
    BODY(false, );
}

CALL(cuMemGetInfo_v2, size_t *, size_t *);
CALL(cuMemGetInfo_v2, size_t *unused, size_t *total)
{
    BODY(true, (*unused = fake_cuda.memory - used, *total = fake_cuda.memory));
}

CALL(cuMemAlloc_v2, uint64_t *, size_t);
CALL(cuMemAlloc_v2, uint64_t *memory, size_t bytes)
{
    BODY(
        true, if (!bytes) result = INVALID_VALUE;
        else if (bytes > fake_cuda.memory - used) result = OUT_OF_MEMORY; else {
            used += bytes;
            *memory = (uintptr_t)add(MEMORY, bytes);
        });
}

CALL(cuMemFree_v2, uint64_t);
CALL(cuMemFree_v2, uint64_t memory)
{
    DESTROY(take_out((void *)(uintptr_t)memory));
}

CALL(cuMemsetD8Async, uint64_t, unsigned char, size_t, struct stream *);
CALL(cuMemsetD8Async, uint64_t to, unsigned char value, size_t bytes, struct stream *s)
{
    BODY(true,
         append(s, (struct op){
                       .kind = FILL, .to = (char *)(uintptr_t)to, .value = value, .bytes = bytes}));
}

CALL(cuMemcpyHtoDAsync_v2, uint64_t, const void *, size_t, struct stream *);
CALL(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t bytes, struct stream *s)
{
    BODY(true,
         (fake_cuda.copies++,
          append(s, (struct op){
                        .kind = COPY, .to = (char *)(uintptr_t)to, .from = from, .bytes = bytes})));
}

CALL(cuMemcpyDtoHAsync_v2, void *, uint64_t, size_t, struct stream *);
CALL(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, struct stream *s)
{
    BODY(true, (fake_cuda.copies++, append(s, (struct op){.kind = COPY,
                                                          .to = to,
                                                          .from = (const char *)(uintptr_t)from,
                                                          .bytes = bytes})));
}

CALL(cuMemHostAlloc, void **, size_t, unsigned);
CALL(cuMemHostAlloc, void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    BODY(true, *memory = add(PINNED, bytes));
}

CALL(cuMemFreeHost, void *);
CALL(cuMemFreeHost, void *memory)
{
    DESTROY(take_out(memory));
}

CALL(cuMemHostGetDevicePointer_v2, uint64_t *, void *, unsigned);
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
static struct module *load(void)
{
    struct module *m = add(MODULE, sizeof *m);

    m->uses = fake_cuda.uses;
    memcpy(m->text, fake_cuda.text, FAKE_TEXT);
    m->static_bytes = fake_cuda.static_bytes;
    m->threads = fake_cuda.threads;
    m->dynamic_bytes = 48 << 10;
    m->user = fake_cuda.user;
    return m;
}

CALL(cuModuleLoadDataEx, struct module **, const void *, unsigned, const int *, void **);
CALL(cuModuleLoadDataEx, struct module **module, const void *image, unsigned count,
     const int *options, void **values)
{
    BODY(true, if (strncmp(image, "// fake", 7)) result = 218;
         else if (fake_cuda.log) result = refuse(count, options, values); else *module = load());
}

CALL(cuModuleUnload, struct module *);
CALL(cuModuleUnload, struct module *module)
{
    DESTROY(take_out(module));
}

CALL(cuModuleGetFunction, struct module **, struct module *, const char *);
CALL(cuModuleGetFunction, struct module **function, struct module *module, const char *name)
{
    BODY(true, if (strcmp(name, "lw_kernel")) result = NOT_FOUND; else *function = module);
}

CALL(cuModuleGetGlobal_v2, uint64_t *, size_t *, struct module *, const char *);
CALL(cuModuleGetGlobal_v2, uint64_t *address, size_t *bytes, struct module *m, const char *name)
{
    BODY(true,
         if (!strcmp(name, "lw_uses"))(*address = (uintptr_t)&m->uses, *bytes = sizeof m->uses);
         else if (!strcmp(name, "lw_text"))(*address = (uintptr_t)m->text, *bytes = FAKE_TEXT);
         else result = NOT_FOUND);
}

CALL(cuFuncGetAttribute, int *, int, struct module *);
CALL(cuFuncGetAttribute, int *value, int which, struct module *m)
{
    BODY(true, *value = which == 0 ? m->threads : which == 1 ? m->static_bytes : m->dynamic_bytes);
}

CALL(cuFuncSetAttribute, struct module *, int, int);
CALL(cuFuncSetAttribute, struct module *m, int which, int value)
{
    BODY(true, if (which != 8) result = INVALID_VALUE;
         else m->dynamic_bytes = fake_cuda.max_dynamic = value);
}

CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *, struct module *, int, size_t);
CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, struct module *m, int threads,
     size_t dynamic_bytes)
{
    (void)m;
    BODY(true, *blocks = dynamic_bytes > 80 << 10 ? 1 : 1024 / threads);
}

/* Locked. */
static int launch(struct module *m, const unsigned *sizes, unsigned dynamic_bytes, struct stream *s,
                  void **parameters)
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

CALL(cuLaunchKernel, struct module *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
     unsigned, struct stream *, void **, void **);
CALL(cuLaunchKernel, struct module *m, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
     unsigned by, unsigned bz, unsigned dynamic_bytes, struct stream *s, void **parameters,
     void **extra)
{
    const unsigned sizes[] = {gx, gy, gz, bx, by, bz};

    (void)extra;
    BODY(true, result = launch(m, sizes, dynamic_bytes, s, parameters));
}

CALL(cuStreamCreate, struct stream **, unsigned);
CALL(cuStreamCreate, struct stream **stream, unsigned flags)
{
    (void)flags;
    BODY(true, (*stream = add(STREAM, sizeof **stream), (*stream)->end = &(*stream)->first,
                pthread_create(&(*stream)->thread, NULL, work, *stream)));
}

CALL(cuStreamDestroy_v2, struct stream *);
CALL(cuStreamDestroy_v2, struct stream *s)
{
    DESTROY(end_stream(s));
}

CALL(cuStreamQuery, struct stream *);
CALL(cuStreamQuery, struct stream *s)
{
    BODY(true, if (s->first || s->busy) result = NOT_READY);
}

CALL(cuStreamSynchronize, struct stream *);
CALL(cuStreamSynchronize, struct stream *s)
{
    BODY(true, while (s->first || s->busy) pthread_cond_wait(&changed, &lock);
         result = context_error);
}

CALL(cuStreamWaitEvent, struct stream *, struct event **, unsigned);
CALL(cuStreamWaitEvent, struct stream *s, struct event **e, unsigned flags)
{
    (void)flags;
    BODY(true, append(s, (struct op){.kind = AWAIT, .event = *e, .count = (*e)->recorded}));
}

CALL(cuEventCreate, struct event ***, unsigned);
CALL(cuEventCreate, struct event ***e, unsigned flags)
{
    (void)flags;
    BODY(true, (*e = add(EVENT, sizeof **e), **e = calloc(1, sizeof ***e), (**e)->refs = 1));
}

CALL(cuEventDestroy_v2, struct event **);
CALL(cuEventDestroy_v2, struct event **e)
{
    DESTROY((drop_event(*e), take_out(e)));
}

CALL(cuEventRecord, struct event **, struct stream *);
CALL(cuEventRecord, struct event **e, struct stream *s)
{
    BODY(true, append(s, (struct op){.kind = RECORD, .event = *e, .count = ++(*e)->recorded}));
}

CALL(cuEventQuery, struct event **);
CALL(cuEventQuery, struct event **e)
{
    BODY(true, if ((*e)->done < (*e)->recorded) result = NOT_READY);
}

CALL(cuEventSynchronize, struct event **);
CALL(cuEventSynchronize, struct event **e)
{
    BODY(true,
         while ((*e)->done < (*e)->recorded && !context_error) pthread_cond_wait(&changed, &lock);
         result = context_error);
}

CALL(cuEventElapsedTime, float *, struct event **, struct event **);
CALL(cuEventElapsedTime, float *milliseconds, struct event **a, struct event **b)
{
    BODY(true, *milliseconds = (float)((double)((*b)->time.tv_sec - (*a)->time.tv_sec) * 1e3 +
                                       (double)((*b)->time.tv_nsec - (*a)->time.tv_nsec) / 1e6));
}
