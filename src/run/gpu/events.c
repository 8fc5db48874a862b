/* events.c - marks in the queues of a GPU, and waiting for them: the driver's events.
 *
 * They are reused. A wait for an event means its last record before the wait; so an event without
 * references is free at once.
 */
#include "run/gpu/gpu.h"
#include "run/threads/threads.h"
#include <assert.h>
#include <stdlib.h>

enum { SPIN_NS = 100000, NAP_MIN_NS = 10000, NAP_MAX_NS = 1000000 };

/* ---- marks ---- */

/* Entered. */
static lw_status take(struct lw__gpu *gpu, struct lw__gpu_mark **out)
{
    pthread_mutex_lock(&gpu->lock);
    *out = gpu->marks;
    if (*out)
        gpu->marks = (*out)->next;
    pthread_mutex_unlock(&gpu->lock);
    assert(!*out || (*out)->event);
    if (*out)
        return LW_OK;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return lw__fail(LW_E_MEMORY, "out of memory: an event's place in a stream");
    int result = gpu->driver->event_create(&(*out)->event, 0);
    if (!result)
        return LW_OK;
    free(*out);
    return lw__gpu_result(gpu, result, "device '%s': an event", gpu->name);
}

lw_status lw__gpu_mark(void *state, void *queue, void **mark)
{
    const struct lw__gpu_queue *q = queue;
    struct lw__gpu *gpu = state;
    int result = 0;

    LW_TRY(lw__gpu_enter(gpu));
    struct lw__gpu_mark *m;
    lw_status status = take(gpu, &m);
    if (!status)
        result = gpu->driver->event_record(m->event, q->stream);
    lw__gpu_leave(gpu);
    LW_TRY(status);
    if (!result) {
        *mark = m;
        return LW_OK;
    }
    lw__gpu_mark_destroy(gpu, m);
    return lw__gpu_result(gpu, result, "device '%s': an event", gpu->name);
}

/* In the child of a fork the lock may be held for ever, and the event is not there. */
void lw__gpu_mark_destroy(void *state, void *mark)
{
    struct lw__gpu *gpu = state;
    struct lw__gpu_mark *m = mark;

    if (gpu->driver->is_forked()) {
        free(m);
        return;
    }
    pthread_mutex_lock(&gpu->lock);
    m->next = gpu->marks;
    gpu->marks = m;
    pthread_mutex_unlock(&gpu->lock);
}

lw_status lw__gpu_mark_await(void *state, void *queue, void *mark)
{
    const struct lw__gpu_queue *q = queue;
    const struct lw__gpu_mark *m = mark;
    struct lw__gpu *gpu = state;

    LW_TRY(lw__gpu_enter(gpu));
    int result = gpu->driver->stream_wait_event(q->stream, m->event, 0);
    lw__gpu_leave(gpu);
    return lw__gpu_result(gpu, result, "device '%s': waiting for an event", gpu->name);
}

/* The driver counts in steps of half a microsecond. */
lw_status lw__gpu_mark_elapsed(void *state, void *begin, void *end, int64_t *nanoseconds)
{
    const struct lw__gpu_mark *from = begin, *to = end;
    struct lw__gpu *gpu = state;
    float milliseconds = 0;

    LW_TRY(lw__gpu_enter(gpu));
    int result = gpu->driver->event_elapsed(&milliseconds, from->event, to->event);
    lw__gpu_leave(gpu);
    *nanoseconds = (int64_t)((double)milliseconds * 1e6);
    return lw__gpu_result(gpu, result, "device '%s': the time between events", gpu->name);
}

/* ---- waiting ---- */

/* Naps grow with the time waited, so that they add little to it. */
static void nap(int64_t waited, int64_t left)
{
    int64_t ns = waited / 16;

    ns = ns > NAP_MAX_NS ? NAP_MAX_NS : ns < NAP_MIN_NS ? NAP_MIN_NS : ns;
    ns = ns > left ? left : ns;
    if (waited > SPIN_NS)
        nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

/* Entered. The driver's own waiting has no limit of time. */
static int wait_until(const struct lw__gpu *gpu, const struct lw__gpu_queue *q,
                      const struct lw__gpu_mark *m, const struct timespec *deadline)
{
    const int64_t begin = (int64_t)lw__clock();
    int64_t end = INT64_MAX, time;

    if (deadline->tv_sec < INT64_MAX / 1000000000)
        end = (int64_t)deadline->tv_sec * 1000000000 + deadline->tv_nsec;
    int result;
    for (;;) {
        result = m ? gpu->driver->event_query(m->event) : gpu->driver->stream_query(q->stream);
        time = (int64_t)lw__clock();
        if (result != gpu->driver->not_ready || time >= end)
            return result;
        nap(time - begin, end - time);
    }
}

lw_status lw__gpu_await(void *state, void *queue, void *mark, const struct timespec *deadline)
{
    const struct lw__gpu_queue *q = queue;
    const struct lw__gpu_mark *m = mark;
    struct lw__gpu *gpu = state;

    LW_TRY(lw__gpu_refuse_capture(gpu, queue, "it cannot be waited for"));
    LW_TRY(lw__gpu_enter(gpu));
    int result;
    if (deadline)
        result = wait_until(gpu, q, m, deadline);
    else if (m)
        result = gpu->driver->event_wait(m->event);
    else
        result = gpu->driver->stream_wait(q->stream);
    if (result &&
        result != gpu->driver->not_ready) /* who is told so lets go of what was under way */
        (void)gpu->driver->stream_wait(q->stream);
    lw__gpu_leave(gpu);
    if (result == gpu->driver->not_ready)
        return LW_E_TIMEOUT;
    return lw__gpu_result(gpu, result, "waiting for device '%s'", gpu->name);
}
