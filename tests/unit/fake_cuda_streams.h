/* fake_cuda_streams.h - what is behind the calls of fake_cuda.c, which alone includes it: objects,
 * and streams as threads.
 */
#include "fake_cuda.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fake_cuda fake_cuda = {
    .gpus = 1, .major = 9, .minor = 0, .memory = 1 << 28, .threads = 1024, .text = ""};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int context_error;
static size_t used;
static struct cu_context {
    char unused;
} context;

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

struct cu_event {
    struct event *of;
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

struct cu_stream {
    pthread_t thread;
    struct op *first, **end;
    bool busy, ending;
};

struct cu_module {
    uint32_t uses;
    char text[FAKE_TEXT];
    int static_bytes, threads, dynamic_bytes;
    void *user;
};

/* A module has one function. */
struct cu_function;
static struct cu_module *module_of(struct cu_function *function)
{
    return (struct cu_module *)function;
}

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

/* Locked. */
static bool is_inside(uint64_t address)
{
    const struct object *o = objects;

    while (o && (o->kind != MEMORY || address - (uintptr_t)o->start >= o->bytes))
        o = o->next;
    return o != NULL;
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
    struct cu_stream *s = argument;

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
static void append(struct cu_stream *s, struct op model)
{
    if (s == fake_cuda.captured) {
        fake_cuda.recorded++;
        return;
    }
    struct op *op;
    op = malloc(sizeof *op);

    *op = model;
    op->next = NULL;
    if (op->event)
        op->event->refs++;
    *s->end = op;
    s->end = &op->next;
    pthread_cond_broadcast(&changed);
}

/* Locked, but while it waits for the thread. */
static void end_stream(struct cu_stream *s)
{
    s->ending = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(s->thread, NULL);
    pthread_mutex_lock(&lock);
    take_out(s);
}
