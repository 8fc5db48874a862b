/* end.c - the end of a stream, or of its work: it is cancelled or destroyed, or the process forks.
 *
 * Of a cancelled stream, what is queued is dropped. The device reads the stream's flag, and threads
 * in kernel code are taken out of it (threads/stop.c). Work that has not ended after GIVE_UP_NS is
 * given up:
 * - A job that a thread runs is lost. It counts as finished, and the thread is replaced. The job
 *   keeps the program, the buffers and the stream until the thread comes back.
 * - Jobs in a device's queue stay there, and the stream is never freed.
 */
#include "run/queue/queue.h"
#include <stdio.h>
#include <string.h>

enum { AGAIN_NS = 1000000, GIVE_UP_NS = 80000000 };

/* Locked. */
static struct lw__job *cancel(lw_stream *s)
{
    const struct lw__job *job = s->ahead;
    char text[LW_MESSAGE_MAX + 1];

    while (job && !job->kernel)
        job = job->next;
    if (!job)
        job = s->running;
    if (job && job->kernel)
        snprintf(text, sizeof text, "%s: cancelled while it ran", job->kernel->row->name);
    else
        strcpy(text, "the stream was cancelled");
    atomic_store(&s->cancelled, true);
    if (s->queue)
        s->device->ops->queue->stop(s->device->state, s->queue);
    lw__ahead_void(s);
    return lw__stream_fail(s, LW_E_LAUNCH, text);
}

/* ---- a job that a thread runs: all locked ---- */

static void lose(lw_stream *s, struct lw__job *job, size_t threads)
{
    job->is_lost = true;
    job->lost_threads = threads ? threads : 1;
    s->lost = job;
    s->running = NULL;
    s->stepping = false;
    lw__stream_drop(s, job);
    s->finished += lw__jobs_count(job);
    lw__pool_lose(job->lost_threads);
    lw__announce();
}

void lw__stream_found(lw_stream *s, struct lw__job *job)
{
    bool is_gone;

    lw__pool_find(job->lost_threads);
    lw__unlock();
    lw__job_free(job);
    lw__lock();
    s->lost = NULL;
    is_gone = s->is_gone && !s->ahead;
    lw__unlock();
    if (is_gone)
        lw__stream_free(s);
    lw__lock();
}

/* Not a call that adds to the device's queue: that returns. */
static bool can_be_lost(const lw_stream *s, const struct lw__job *job)
{
    return !s->queue || (job->kind == LW_JOB_LAUNCH && !job->is_ahead);
}

static void stop_running(lw_stream *s)
{
    const uint64_t end = lw__clock() + GIVE_UP_NS;
    struct lw__job *const job = s->running;
    size_t threads = 0;

    while (job && s->running == job && lw__clock() < end) {
        const struct timespec again = lw__deadline(AGAIN_NS);

        threads = lw__stop_send(&s->cancelled);
        (void)lw__wait_change(&again);
    }
    if (job && s->running == job && can_be_lost(s, job))
        lose(s, job, threads);
}

/* ---- jobs in a device's queue: locked ---- */

static void stop_ahead(lw_stream *s)
{
    const struct timespec deadline = lw__deadline(GIVE_UP_NS);
    bool in_time = true;

    while (s->ahead && in_time)
        in_time = lw__ahead_drain(s, &deadline);
    s->is_given_up = s->ahead != NULL;
}

void lw_stream_cancel(lw_stream *stream)
{
    struct lw__job *dropped;
    uint64_t count;

    if (!stream || lw_stream_records(stream))
        return;
    lw__lock();
    stream->guests++;
    dropped = cancel(stream);
    lw__unlock();
    count = lw__jobs_free(dropped);
    lw__lock();
    stream->finished += count;
    lw__announce();
    stop_running(stream);
    stop_ahead(stream);
    stream->guests--;
    lw__announce();
    lw__unlock();
}

/* ---- destroying ---- */

/* Locked. */
static bool has_work(const lw_stream *s)
{
    return (s->finished < s->queued || s->ahead || s->is_draining) && !s->is_given_up;
}

/* What was given up still runs and uses the stream: whoever runs it frees the stream, and nobody
 * where that is a queue of the device. */
void lw_stream_destroy(lw_stream *stream)
{
    bool is_used;

    if (!stream)
        return;
    if (stream->is_wrapped)
        (void)lw__stream_await_wrapped(stream, NULL);
    else if (stream->is_overdue)
        lw_stream_cancel(stream);
    lw__alive_remove(&stream->alive);
    lw__lock();
    while (has_work(stream) || stream->guests)
        (void)lw__stream_wait_more(stream, NULL);
    stream->is_gone = true;
    is_used = stream->lost || stream->ahead;
    if (!stream->ahead)
        lw__streams_remove(stream);
    lw__unlock();
    if (!is_used)
        lw__stream_free(stream);
}

/* ---- fork ---- */

/* In the child of a fork the threads that ran the jobs are gone. The jobs' references stay until
 * the stream is destroyed: a fork handler must not unload code. */
static void orphan(lw_stream *s)
{
    if (!s->status) {
        s->status = LW_E_LAUNCH;
        strcpy(s->error, "the process was forked while this stream had work; the child needs a "
                         "new one");
    }
    s->orphans = s->head;
    if (s->running) {
        s->running->next = s->head;
        s->orphans = s->running;
    }
    *s->ahead_end = s->orphans;
    s->orphans = s->ahead;
    s->ahead = NULL;
    s->ahead_end = &s->ahead;
    s->ahead_count = 0;
    s->head = s->tail = s->running = NULL;
    s->finished = s->queued;
}

/* First all queues are emptied, so that a mark that fails wakes no stream. */
void lw__streams_after_fork(void)
{
    lw__stop_after_fork();
    for (lw_stream *s = lw__streams(); s; s = s->next) {
        s->task.ready = s->stepping = s->is_draining = false;
        s->task.next = NULL;
        if (s->finished < s->queued)
            orphan(s);
    }
    for (lw_stream *s = lw__streams(); s; s = s->next)
        for (struct lw__job *job = s->orphans; job; job = job->next)
            lw__stream_drop(s, job);
}
