/* stream.c - streams: queues of jobs, each in order, side by side with each other.
 *
 * A job is one of
 *     launch   one launch
 *     batch    several launches
 *     mark     an event to reach
 *     await    an event to wait for
 * A pool thread steps the head of a stream's queue. An await whose mark is pending takes the stream
 * out of the pool; the mark puts it back. So waiting streams occupy no thread. If the stream is
 * idle, the thread that queues a job steps it itself if that is quick: marks, launches that the
 * device calls small, and those that it takes ahead of their end (inflight.c).
 *
 * The first failure stays with the stream: queued jobs are dropped, and new ones are refused.
 * Dropped jobs count as finished. A job gives up all its references before it counts as finished;
 * so none is left after lw_stream_wait.
 */
#include "run/host/host.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds. SMALL_NS: shorter launches run in the thread that queues them. HELD_NS: for shorter
 * launches no worker is woken if that thread may wait at once; then that thread runs them. */
enum { SMALL_NS = 10000, HELD_NS = 500000 };

static lw_stream *streams; /* locked: all that exist */

/* ---- stepping: all locked ---- */

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

/* The streams that wait for a mark check it again. */
void lw__streams_schedule(void)
{
    for (lw_stream *s = streams; s; s = s->next)
        schedule(s);
    lw__announce();
}

lw_stream *lw__streams(void)
{
    return streams;
}

/* A job that will not run: its buffers are free, who waits for its mark is told. */
void lw__stream_drop(lw_stream *s, struct lw__job *job)
{
    lw__job_unclaim(job);
    if (job->kind == LW_JOB_MARK)
        lw__mark_reach(job->mark, s);
}

struct lw__job *lw__stream_fail(lw_stream *s, lw_status status, const char *error)
{
    struct lw__job *jobs = s->head;

    if (!s->status) {
        s->status = status;
        snprintf(s->error, sizeof s->error, "%s", error);
    }
    s->head = s->tail = NULL;
    for (struct lw__job *job = jobs; job; job = job->next)
        lw__stream_drop(s, job);
    return jobs;
}

/* Until the next wait, which hands it over, or drops it where nobody asked for it. */
void lw__stream_keep_output(lw_stream *s, struct lw__job *job)
{
    if (lw__output_is_empty(job->launch.output))
        return;
    *s->outputs_end = job->output;
    s->outputs_end = lw__output_next(job->output);
    job->output = job->launch.output = NULL;
}

static bool is_taken(const lw_stream *s, const struct lw__job *job)
{
    return s->queue && s->device->ops->queue->takes(s->device->state, &job->launch);
}

/* The lock is open while the device works. */
static lw_status run_launch(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;
    lw_status status;

    job->launch.queue = s->queue;
    job->launch.cancelled = &s->cancelled;
    job->launch.findings = s->findings;
    job->launch.recorder = s->picture;
    job->launch.recording = s->picture_recording;
    job->is_ahead = is_taken(s, job);
    lw__unlock();
    if (s->is_wrapped && !lw__stream_keep(s, job->kernel->program))
        status = lw__fail(LW_E_MEMORY, "%s: out of memory: a launch", job->launch.kernel);
    else if (job->is_ahead)
        status = device->ops->queue->issue(device->state, &job->launch, &job->flight);
    else
        status = device->ops->launch(device->state, &job->launch);
    lw__lock();
    job->is_ahead = job->is_ahead && !s->is_wrapped;
    if (!job->is_ahead)
        lw__stream_keep_output(s, job);
    return status;
}

/* A stream that failed meanwhile, as it was cancelled, does not fail the mark: it is retired. */
static lw_status run_mark(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;
    lw_status status;

    if (!s->queue) {
        lw__mark_reach(job->mark, NULL);
        return LW_OK;
    }
    lw__unlock();
    status = device->ops->queue->mark(device->state, s->queue, &job->mark->native);
    lw__lock();
    job->is_ahead = true;
    if (!status)
        lw__mark_issue(job->mark, s);
    return status;
}

/* An await of a mark that is ahead in another queue is ahead itself. So it can take on the failure
 * there. */
static lw_status run_await(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;
    lw_status status;

    if (job->mark->state != LW_MARK_ISSUED)
        return lw__mark_result(job->mark);
    lw__unlock();
    status = device->ops->queue->mark_await(device->state, s->queue, job->mark->native);
    lw__lock();
    job->is_ahead = true;
    return status;
}

static lw_status run_job(lw_stream *s, struct lw__job *job)
{
    switch (job->kind) {
    case LW_JOB_LAUNCH: return run_launch(s, job);
    case LW_JOB_BATCH: return lw__batch_step(s, job);
    case LW_JOB_MARK: return run_mark(s, job);
    default: return run_await(s, job);
    }
}

/* The device has taken the job: the stream goes on. */
static void go_ahead(lw_stream *s, struct lw__job *job)
{
    job->is_void = s->status != LW_OK;
    s->running = NULL;
    lw__ahead_add(s, job);
    s->stepping = false;
    schedule(s);
    lw__announce();
}

/* It is over, or it failed. */
static void finish(lw_stream *s, struct lw__job *job, lw_status status)
{
    struct lw__job *dropped = NULL;
    uint64_t count;

    if (status) {
        dropped = lw__stream_fail(s, status, lw_last_error());
        lw__stream_drop(s, job);
    }
    lw__job_unclaim(job);
    job->next = dropped;
    s->running = NULL;
    lw__unlock();
    count = lw__jobs_free(job);
    lw__lock();
    s->stepping = false;
    s->finished += count;
    schedule(s);
    lw__announce();
}

void lw__stream_step(lw_stream *stream)
{
    struct lw__job *job = stream->head;
    lw_status status;

    if (!lw__stream_can_step(stream))
        return;
    stream->head = job->next;
    if (!stream->head)
        stream->tail = NULL;
    job->next = NULL;
    stream->stepping = true;
    stream->running = job;
    status = run_job(stream, job);
    if (job->is_lost)
        lw__stream_found(stream, job);
    else if (!status && job->is_ahead)
        go_ahead(stream, job);
    else
        finish(stream, job, status);
}

/* ---- life ---- */

void lw__stream_free(lw_stream *s)
{
    const struct lw__device_ops *ops = s->device->ops;
    struct lw__output *out;

    lw__jobs_free(s->orphans);
    lw__scratch_free(s);
    lw__stream_let_go(s);
    while ((out = s->outputs)) {
        s->outputs = *lw__output_next(out);
        lw__output_destroy(out);
    }
    lw__jobs_destroy_spare(s);
    lw__findings_destroy(s->findings);
    if (s->picture)
        s->picture_free(s->picture_recording);
    if (s->queue)
        ops->queue->destroy(s->device->state, s->queue);
    lw_device_close(s->device);
    free(s);
}

lw_status lw__stream_make(lw_device *device, void *queue, bool is_wrapped, lw_stream **stream)
{
    lw_stream *s = calloc(1, sizeof *s);

    if (s && device->ops->has_findings)
        s->findings = lw__findings_create();
    if (!s || (device->ops->has_findings && !s->findings)) {
        free(s);
        if (queue)
            device->ops->queue->destroy(device->state, queue);
        return lw__fail(LW_E_MEMORY, "out of memory: a stream");
    }
    atomic_init(&s->cancelled, false);
    atomic_init(&s->spare, NULL);
    atomic_init(&s->spare_count, 0);
    s->outputs_end = &s->outputs;
    s->ahead_end = &s->ahead;
    s->device = device;
    s->queue = queue;
    s->is_wrapped = is_wrapped;
    lw__device_hold(device);
    lw__lock();
    s->next = streams;
    if (streams)
        streams->previous = s;
    streams = s;
    lw__unlock();
    *stream = s;
    return LW_OK;
}

lw_status lw_stream_create(lw_device *device, lw_stream **stream)
{
    void *queue = NULL;

    if (!stream)
        return lw__fail(LW_E_ARG, "the place for the stream is NULL");
    *stream = NULL;
    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    if (device->ops->queue)
        LW_TRY(device->ops->queue->create(device->state, &queue));
    LW_TRY(lw__stream_make(device, queue, false, stream));
    lw__alive_add(device, &(*stream)->alive, NULL, __builtin_return_address(0));
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

lw_device *lw_stream_device(const lw_stream *stream)
{
    return stream ? stream->device : NULL;
}

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
        unlist(stream);
    lw__unlock();
    if (!is_used)
        lw__stream_free(stream);
}

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
    for (lw_stream *s = streams; s; s = s->next) {
        s->ready = s->stepping = s->is_draining = false;
        s->next_ready = NULL;
        if (s->finished < s->queued)
            orphan(s);
    }
    for (lw_stream *s = streams; s; s = s->next)
        for (struct lw__job *job = s->orphans; job; job = job->next)
            lw__stream_drop(s, job);
}

/* ---- queueing ---- */

/* Locked. Nanoseconds that the launch at the head of an idle stream takes; 0: not known. */
static uint64_t known_time(const lw_stream *s, const struct lw__job *job)
{
    const struct lw__device_ops *ops = s->device->ops;

    if (job->kind == LW_JOB_BATCH)
        return lw__batch_known_time(s, job);
    return ops->known_time ? ops->known_time(s->device->state, &job->launch) : 0;
}

/* Locked. On an idle stream a small launch ends before another thread could take it. So does a
 * mark, or an await whose mark is reached. The owner of a wrapped stream may queue its own work
 * after a launch at once. */
static bool runs_here(const lw_stream *s, const struct lw__job *job)
{
    const bool is_launch = job->kind == LW_JOB_LAUNCH;

    if (is_launch ? s->is_wrapped || is_taken(s, job) : job->kind != LW_JOB_BATCH || s->queue)
        return true;
    uint64_t time = known_time(s, job);
    return time && time <= SMALL_NS;
}

/* Locked. Nothing is lost where the wait comes at once again, and else no more than the time. */
static bool is_held(const lw_stream *s, const struct lw__job *job)
{
    uint64_t time = s->is_prompt ? known_time(s, job) : 0;

    return time && time <= HELD_NS;
}

/* Locked. */
static void start(lw_stream *s, struct lw__job *job)
{
    bool is_first = s->head == job && lw__stream_can_step(s);

    if (is_first && runs_here(s, job)) {
        lw__stream_step(s);
        return;
    }
    s->queued_at = lw__clock();
    if (is_first && is_held(s, job))
        lw__pool_hold(s);
    else
        schedule(s);
}

/* Locked, but while the job runs, if it runs here. */
static lw_status enqueue(lw_stream *s, struct lw__job *job)
{
    LW_TRY(lw__stream_failure(s));
    LW_TRY(lw__pool_ready());
    LW_TRY(lw__job_claim(job));
    lw__pool_release();
    if (s->tail)
        s->tail->next = job;
    else
        s->head = job;
    s->tail = job;
    s->queued++;
    s->is_overdue = false;
    start(s, job);
    return LW_OK;
}

lw_status lw__stream_enqueue(lw_stream *stream, struct lw__job *job)
{
    lw_status status;

    LW_TRY(lw__stream_admit(stream, job->kind));
    lw__lock();
    status = enqueue(stream, job);
    lw__unlock();
    return status;
}
