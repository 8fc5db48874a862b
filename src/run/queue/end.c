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
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { AGAIN_NS = 1000000, GIVE_UP_NS = 80000000 };

void lw__stream_found(lw_stream *s, struct lw__job *job)
{
    assert(s->lost == job && job->is_lost && !job->claimed);
    lw__pool_find(job->lost_threads);
    lw__unlock();
    lw__job_free(job);
    lw__lock();
    s->lost = NULL;
    bool is_gone = s->is_gone && !s->ahead;
    lw__unlock();
    if (is_gone)
        lw__stream_free(s);
    lw__lock();
}

void lw_stream_cancel(lw_stream *stream)
{
    char text[LW_MESSAGE_MAX + 1];

    if (!stream || lw_stream_records(stream))
        return;
    lw__lock();
    stream->guests++;
    const struct lw__job *first = stream->ahead;
    while (first && !first->kernel)
        first = first->next;
    if (!first)
        first = stream->running;
    if (first && first->kernel)
        snprintf(text, sizeof text, "%s: cancelled while it ran", first->kernel->row->name);
    else
        strcpy(text, "the stream was cancelled");
    atomic_store(&stream->cancelled, true);
    if (stream->queue)
        stream->device->ops->queue->stop(stream->device->state, stream->queue);
    lw__ahead_void(stream);
    struct lw__job *dropped = lw__stream_fail(stream, LW_E_LAUNCH, text);
    lw__unlock();
    uint64_t count = lw__jobs_free(dropped);
    lw__lock();
    stream->finished += count;
    assert(stream->finished <= stream->queued && !stream->head);
    lw__announce();

    /* A job that a thread runs. */
    const uint64_t end = lw__clock() + GIVE_UP_NS;
    struct lw__job *const job = stream->running;
    size_t threads = 0;
    while (job && stream->running == job && lw__clock() < end) {
        const struct timespec again = lw__deadline(AGAIN_NS);

        threads = lw__stop_send(&stream->cancelled);
        (void)lw__wait_change(&again);
    }
    /* Not a call that adds to the device's queue: that returns. */
    if (job && stream->running == job &&
        (!stream->queue || (job->kind == LW_JOB_LAUNCH && !job->is_ahead))) {
        job->is_lost = true;
        job->lost_threads = threads ? threads : 1;
        stream->lost = job;
        stream->running = NULL;
        stream->stepping = false;
        lw__stream_drop(stream, job);
        stream->finished += lw__jobs_count(job);
        lw__pool_lose(job->lost_threads);
        lw__announce();
    }

    /* Jobs in the device's queue. */
    const struct timespec deadline = lw__deadline(GIVE_UP_NS);
    bool in_time = true;
    while (stream->ahead && in_time)
        in_time = lw__ahead_drain(stream, &deadline);
    stream->is_given_up = stream->ahead != NULL;
    stream->guests--;
    lw__announce();
    lw__unlock();
}

/* ---- destroying ---- */

/* What was given up still runs and uses the stream: whoever runs it frees the stream, and nobody
 * where that is a queue of the device. */
void lw_stream_destroy(lw_stream *stream)
{
    if (!stream)
        return;
    if (stream->is_wrapped)
        (void)lw__stream_await_wrapped(stream, NULL);
    else if (stream->is_overdue)
        lw_stream_cancel(stream);
    lw__alive_remove(stream->device, &stream->alive);
    lw__lock();
    while (((stream->finished < stream->queued || stream->ahead || stream->is_draining) &&
            !stream->is_given_up) ||
           stream->guests)
        (void)lw__stream_wait_more(stream, NULL);
    stream->is_gone = true;
    bool is_used = stream->lost || stream->ahead;
    if (!stream->ahead)
        lw__streams_remove(stream);
    lw__unlock();
    if (!is_used)
        lw__stream_free(stream);
}

/* ---- fork ---- */

/* First all queues are emptied, so that a mark that fails wakes no stream. */
void lw__streams_after_fork(void)
{
    lw__stop_after_fork();
    for (lw_stream *s = lw__streams(); s; s = s->next) {
        s->task.ready = s->stepping = s->is_draining = false;
        s->task.next = NULL;
        if (s->finished < s->queued) {
            /* In the child of a fork the threads that ran the jobs are gone. The jobs' references
             * stay until the stream is destroyed: a fork handler must not unload code. */
            if (!s->status) {
                s->status = LW_E_LAUNCH;
                strcpy(s->error,
                       "the process was forked while this stream had work; the child needs a "
                       "new one");
            }
            s->orphans = s->head;
            if (s->running) {
                s->running->next = s->head;
                s->orphans = s->running;
            }
            assert(!*s->ahead_end);
            *s->ahead_end = s->orphans;
            s->orphans = s->ahead;
            s->ahead = NULL;
            s->ahead_end = &s->ahead;
            s->ahead_count = 0;
            s->head = s->tail = s->running = NULL;
            s->finished = s->queued;
        }
    }
    for (lw_stream *s = lw__streams(); s; s = s->next)
        for (struct lw__job *job = s->orphans; job; job = job->next)
            lw__stream_drop(s, job);
}
