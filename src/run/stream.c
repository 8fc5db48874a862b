/* stream.c - streams: queues of jobs, each in order, side by side with each other.
 *
 * A job is a launch, a mark (an event to reach) or an await (an event to wait for). The head of a
 * stream's queue is stepped by a pool thread; an await whose mark is still pending keeps the stream
 * out of the pool, and reaching the mark brings it back, so waiting streams take up no thread. If
 * the stream is idle, the thread that queues a job steps it itself where that takes next to no
 * time: marks, and launches that the device calls small.
 *
 * The first failure stays with the stream: what is queued is dropped, nothing is taken any more.
 * Dropped jobs count as finished. All that a job holds is let go before it counts as finished, so
 * that after lw_stream_wait nothing of it is left.
 */
#include "run/run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_stream *streams; /* locked: all that exist */

/* ---- jobs ---- */

/* Locked. The launch uses these buffers from now on, unless one is mapped. */
static lw_status claim(struct lw__job *job)
{
    for (size_t i = 0; i < job->buffer_count; i++)
        if (job->buffers[i]->mapped) {
            size_t p = job->buffer_params[i];

            return lw__fail(LW_E_ARG,
                            "%s: parameter %zu '%s' (%s): the buffer is mapped; it needs "
                            "lw_buffer_unmap first",
                            job->kernel->row->name, p + 1, job->kernel->params[p].name,
                            job->kernel->params[p].type);
        }
    for (size_t i = 0; i < job->buffer_count; i++)
        job->buffers[i]->uses++;
    job->claimed = true;
    return LW_OK;
}

/* Locked. */
static void unclaim(struct lw__job *job)
{
    for (size_t i = 0; job->claimed && i < job->buffer_count; i++)
        job->buffers[i]->uses--;
    job->claimed = false;
}

void lw__job_free(struct lw__job *job)
{
    if (job->mark) {
        lw__lock();
        lw__mark_release(job->mark);
        lw__unlock();
    }
    for (size_t i = 0; i < job->buffer_count; i++)
        lw_buffer_destroy(job->buffers[i]);
    lw__output_destroy(job->launch.output);
    free(job->buffers);
    free(job->buffer_params);
    free(job->args_block);
    if (job->kernel)
        lw_program_destroy(job->kernel->program);
    free(job);
}

/* How many there were. */
static uint64_t free_jobs(struct lw__job *jobs)
{
    uint64_t count = 0;

    while (jobs) {
        struct lw__job *next = jobs->next;

        lw__job_free(jobs);
        jobs = next;
        count++;
    }
    return count;
}

/* ---- stepping: all locked ---- */

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool lw__stream_can_step(const lw_stream *stream)
{
    const struct lw__job *job = stream->head;

    return job && !stream->stepping &&
           (job->kind != LW_JOB_AWAIT || job->mark->state != LW_MARK_PENDING);
}

static void schedule(lw_stream *s)
{
    if (lw__stream_can_step(s))
        lw__pool_schedule(s);
}

/* Streams that wait for a mark look again. */
static void reach_mark(struct lw__mark *mark, const lw_stream *failed)
{
    mark->state = failed ? LW_MARK_FAILED : LW_MARK_DONE;
    mark->nanoseconds = now();
    if (failed) {
        mark->status = failed->status;
        memcpy(mark->error, failed->error, sizeof mark->error);
    }
    for (lw_stream *s = streams; s; s = s->next)
        schedule(s);
    lw__announce();
}

/* A job that will not run: its buffers are free, who waits for its mark is told. */
static void drop(lw_stream *s, struct lw__job *job)
{
    unclaim(job);
    if (job->kind == LW_JOB_MARK)
        reach_mark(job->mark, s);
}

/* Keep the first failure and take out all that is queued; free_jobs() them without the lock, then
 * add their number to finished. */
static struct lw__job *fail(lw_stream *s, lw_status status, const char *error)
{
    struct lw__job *jobs = s->head;

    if (!s->status) {
        s->status = status;
        snprintf(s->error, sizeof s->error, "%s", error);
    }
    s->head = s->tail = NULL;
    for (struct lw__job *job = jobs; job; job = job->next)
        drop(s, job);
    return jobs;
}

/* Until the next wait, which hands it over, or drops it where nobody asked for it. */
static void keep_output(lw_stream *s, struct lw__job *job)
{
    if (lw__output_is_empty(job->launch.output))
        return;
    *s->outputs_end = job->launch.output;
    s->outputs_end = lw__output_next(job->launch.output);
    job->launch.output = NULL;
}

/* The lock is open while the device works. */
static lw_status run_launch(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;
    lw_status status;

    job->launch.queue = s->queue;
    job->launch.cancelled = &s->cancelled;
    lw__unlock();
    status = device->ops->launch(device->state, &job->launch);
    lw__lock();
    keep_output(s, job);
    return status;
}

/* A failed await takes on the failure of the stream it waited for. */
static lw_status run_job(lw_stream *s, struct lw__job *job)
{
    switch (job->kind) {
    case LW_JOB_LAUNCH: return run_launch(s, job);
    case LW_JOB_MARK: reach_mark(job->mark, NULL); return LW_OK;
    default:
        return job->mark->state == LW_MARK_DONE
                   ? LW_OK
                   : lw__fail(job->mark->status, "an event waited for failed: %s",
                              job->mark->error);
    }
}

void lw__stream_step(lw_stream *stream)
{
    struct lw__job *job = stream->head, *dropped = NULL;
    lw_status status;
    uint64_t count;

    if (!lw__stream_can_step(stream))
        return;
    stream->head = job->next;
    if (!stream->head)
        stream->tail = NULL;
    job->next = NULL;
    stream->stepping = true;
    stream->running = job;
    status = run_job(stream, job);
    if (status)
        dropped = fail(stream, status, lw_last_error());
    unclaim(job);
    job->next = dropped;
    stream->running = NULL;
    lw__unlock();
    count = free_jobs(job);
    lw__lock();
    stream->stepping = false;
    stream->finished += count;
    schedule(stream);
    lw__announce();
}

/* ---- life ---- */

/* Not locked. */
static void destroy(lw_stream *s)
{
    const struct lw__device_ops *ops = s->device->ops;

    if (s->queue)
        ops->queue_destroy(s->device->state, s->queue);
    lw_device_close(s->device);
    free(s);
}

lw_status lw_stream_create(lw_device *device, lw_stream **stream)
{
    lw_status status = LW_OK;
    lw_stream *s;

    if (!stream)
        return lw__fail(LW_E_ARG, "the place for the stream is NULL");
    *stream = NULL;
    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    s = calloc(1, sizeof *s);
    if (!s)
        return lw__fail(LW_E_MEMORY, "out of memory: a stream");
    atomic_init(&s->cancelled, false);
    s->outputs_end = &s->outputs;
    s->device = device;
    lw__device_hold(device);
    if (device->ops->queue_create)
        status = device->ops->queue_create(device->state, &s->queue);
    if (status) {
        destroy(s);
        return status;
    }
    lw__lock();
    s->next = streams;
    if (streams)
        streams->previous = s;
    streams = s;
    lw__unlock();
    *stream = s;
    return LW_OK;
}

/* Locked. */
static void unlist(lw_stream *s)
{
    if (s->next)
        s->next->previous = s->previous;
    if (s->previous)
        s->previous->next = s->next;
    else
        streams = s->next;
    lw__pool_forget(s);
}

void lw_stream_destroy(lw_stream *stream)
{
    struct lw__output *out;

    if (!stream)
        return;
    lw__lock();
    while (stream->finished < stream->queued)
        lw__wait_change(NULL);
    unlist(stream);
    lw__unlock();
    free_jobs(stream->orphans);
    while ((out = stream->outputs)) {
        stream->outputs = *lw__output_next(out);
        lw__output_destroy(out);
    }
    destroy(stream);
}

/* In the child of a fork the threads that ran the jobs are gone. What the jobs hold stays with the
 * stream until it is destroyed: a fork handler is no place to unload code. */
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
    s->head = s->tail = s->running = NULL;
    s->finished = s->queued;
}

/* First all queues are emptied, so that a mark that fails wakes no stream. */
void lw__streams_after_fork(void)
{
    for (lw_stream *s = streams; s; s = s->next) {
        s->ready = s->stepping = false;
        s->next_ready = NULL;
        if (s->finished < s->queued)
            orphan(s);
    }
    for (lw_stream *s = streams; s; s = s->next)
        for (struct lw__job *job = s->orphans; job; job = job->next)
            drop(s, job);
}

/* ---- queueing ---- */

/* Locked. */
static lw_status stream_failure(const lw_stream *s)
{
    return s->status ? lw__fail(s->status, "%s", s->error) : LW_OK;
}

/* Locked. On an idle stream a small launch is over before another thread could take it up, and so
 * is a mark, or an await whose mark is reached. */
static bool runs_here(const lw_stream *s, const struct lw__job *job)
{
    const struct lw__device_ops *ops = s->device->ops;

    if (s->head != job || !lw__stream_can_step(s))
        return false;
    return job->kind != LW_JOB_LAUNCH ||
           (ops->is_small && ops->is_small(s->device->state, &job->launch));
}

/* Locked, but while the job runs, if it runs here. */
static lw_status enqueue(lw_stream *s, struct lw__job *job)
{
    LW_TRY(stream_failure(s));
    LW_TRY(lw__pool_ready());
    LW_TRY(claim(job));
    if (s->tail)
        s->tail->next = job;
    else
        s->head = job;
    s->tail = job;
    s->queued++;
    if (runs_here(s, job))
        lw__stream_step(s);
    else
        schedule(s);
    return LW_OK;
}

lw_status lw__stream_enqueue(lw_stream *stream, struct lw__job *job)
{
    lw_status status;

    lw__lock();
    status = enqueue(stream, job);
    lw__unlock();
    return status;
}

/* Locked. */
static struct lw__job *cancel(lw_stream *s)
{
    char text[LW_MESSAGE_MAX + 1];

    if (s->running && s->running->kernel)
        snprintf(text, sizeof text, "%s: cancelled while it ran", s->running->kernel->row->name);
    else
        strcpy(text, "the stream was cancelled");
    atomic_store(&s->cancelled, true);
    if (s->queue)
        s->device->ops->queue_stop(s->device->state, s->queue);
    return fail(s, LW_E_LAUNCH, text);
}

void lw_stream_cancel(lw_stream *stream)
{
    struct lw__job *dropped;
    uint64_t count;

    if (!stream)
        return;
    lw__lock();
    dropped = cancel(stream);
    lw__unlock();
    count = free_jobs(dropped);
    lw__lock();
    stream->finished += count;
    lw__announce();
    lw__unlock();
}

/* ---- waiting ---- */

void lw_stream_on_output(lw_stream *stream, void (*fn)(const lw_output *output, void *user),
                         void *user)
{
    if (!stream)
        return;
    lw__lock();
    stream->on_output = fn;
    stream->user = user;
    lw__unlock();
}

/* Not locked: fn may call the library. Another thread that waits gets what comes later. */
static void deliver(lw_stream *s)
{
    struct lw__output *out, *next;
    void (*fn)(const lw_output *, void *);
    void *user;

    lw__lock();
    out = s->outputs;
    s->outputs = NULL;
    s->outputs_end = &s->outputs;
    fn = s->on_output;
    user = s->user;
    lw__unlock();
    for (; out; out = next) {
        next = *lw__output_next(out);
        if (fn)
            lw__output_deliver(out, fn, user);
        lw__output_destroy(out);
    }
}

static lw_status wait_until(lw_stream *s, const struct timespec *deadline)
{
    bool in_time = true, done;
    lw_status status;
    uint64_t target;

    if (!s)
        return lw__fail(LW_E_ARG, "the stream is NULL");
    lw__lock();
    target = s->queued;
    while (s->finished < target && in_time)
        in_time = lw__wait_change(deadline);
    done = s->finished >= target;
    lw__unlock();
    deliver(s);
    lw__lock();
    status = done
                 ? stream_failure(s)
                 : lw__fail(LW_E_TIMEOUT, "the work of the stream is not done in time; it goes on");
    lw__unlock();
    return status;
}

lw_status lw_stream_wait(lw_stream *stream)
{
    return wait_until(stream, NULL);
}

lw_status lw_stream_wait_for(lw_stream *stream, uint64_t nanoseconds)
{
    struct timespec deadline;
    uint64_t seconds = nanoseconds / 1000000000u, rest = nanoseconds % 1000000000u;

    clock_gettime(CLOCK_MONOTONIC, &deadline);
    rest += (uint64_t)deadline.tv_nsec;
    deadline.tv_sec += (time_t)(seconds + rest / 1000000000u);
    deadline.tv_nsec = (long)(rest % 1000000000u);
    return wait_until(stream, &deadline);
}
