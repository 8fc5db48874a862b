/* device.c - the thread that does what streams have to do.
 *
 * It goes round the streams and does the first command of each; of a launch one turn of one block,
 * so that a kernel which waits for the host, or for another stream, keeps nobody off.
 */
#include "device.h"
#include <stdlib.h>
#include <string.h>

pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
struct gpu_context device_context;

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* a command came, or is done */

/* ---- commands ---- */

static void drop_command(struct gpu_stream *s)
{
    struct command *c = s->first;

    s->first = c->next;
    if (!s->first)
        s->end = &s->first;
    if (c->launch)
        launch_destroy(c->launch);
    if (c->run)
        graph_run_destroy(c->run);
    free(c);
    pthread_cond_broadcast(&changed);
}

/* After a kernel has gone wrong, or in a reset. */
static void drop_all(void)
{
    for (struct gpu_stream *s = device_context.streams; s; s = s->next)
        while (s->first)
            drop_command(s);
}

/* Others may take the lock meanwhile; commands are dropped by this thread only. */
static bool run_launch(struct launch *l)
{
    pthread_mutex_unlock(&device_lock);
    const bool is_done = launch_run(l);
    pthread_mutex_lock(&device_lock);
    return is_done;
}

/* Is the command done, of those that are in graphs too? */
static bool do_command(struct command *c)
{
    switch (c->kind) {
    case COPY: memmove(c->to, c->from, c->bytes); return true;
    case FILL: memset(c->to, c->value, c->bytes); return true;
    default: return run_launch(c->launch);
    }
}

/* Is the first command of the stream done? Or was there something to do, at least? */
static bool step(struct gpu_stream *s, bool *some)
{
    struct command *c = s->first;
    bool is_done;

    if ((c->kind == AWAIT && c->event->done < c->turn) ||
        (c->kind == GRAPH && !graph_run_is_due(c->run)))
        return false;
    *some = true;
    switch (c->kind) {
    case GRAPH: return graph_run_step(c->run, do_command, &device_context.error);
    case RECORD:
        c->event->done = c->turn;
        clock_gettime(CLOCK_MONOTONIC, &c->event->time);
        return true;
    case AWAIT: return true;
    default: break;
    }
    is_done = do_command(c);
    if (is_done && c->launch && c->launch->error)
        device_context.error = c->launch->error;
    return is_done;
}

/* A stream is destroyed only when it has nothing to do. */
static bool go_round(void)
{
    bool some = false;

    for (struct gpu_stream *s = device_context.streams; s; s = s->next)
        if (s->first && step(s, &some))
            drop_command(s);
    if (device_context.error)
        drop_all();
    return some;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&device_lock);
    for (;;)
        if (!go_round())
            pthread_cond_wait(&changed, &device_lock);
    return NULL;
}

bool device_start(void)
{
    static bool is_started;
    pthread_t thread;

    if (!is_started) {
        is_started = !pthread_create(&thread, NULL, work, NULL);
        if (is_started)
            pthread_detach(thread);
    }
    return is_started;
}

/* ---- for the driver's functions ---- */

bool device_enqueue(struct gpu_stream *s, const struct command *what)
{
    if (s->captured)
        return capture_command(s->captured, what);
    struct command *c;
    c = malloc(sizeof *c);
    if (!c)
        return false;
    *c = *what;
    c->next = NULL;
    c->number = ++device_context.commands;
    *s->end = c;
    s->end = &c->next;
    pthread_cond_broadcast(&changed);
    return true;
}

/* Has the stream, or any, something to do of the first so many commands? */
static bool is_busy(const struct gpu_stream *s, uint64_t commands)
{
    bool some = false;

    if (s)
        return s->first && s->first->number <= commands;
    for (s = device_context.streams; s; s = s->next)
        some |= s->first && s->first->number <= commands;
    return some;
}

int device_drain(const struct gpu_stream *s)
{
    const uint64_t commands = device_context.commands;

    while (is_busy(s, commands))
        pthread_cond_wait(&changed, &device_lock);
    return device_context.error;
}

int device_await(const struct gpu_event *e, uint64_t turn)
{
    while (e->done < turn && !device_context.error)
        pthread_cond_wait(&changed, &device_lock);
    return device_context.error;
}
