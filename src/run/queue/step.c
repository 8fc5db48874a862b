/* step.c - jobs are queued, and run: each stream's in order, side by side with other streams'.
 *
 * A job is one of
 *     launch   one launch
 *     batch    several launches
 *     mark     an event to reach
 *     await    an event to wait for
 * A pool thread steps the head of a stream's queue. If the stream is idle, the thread that queues a
 * job steps it itself if that is quick: marks, launches that the device calls small, and those that
 * it takes ahead of their end (inflight.c).
 *
 * A job gives up all its references before it counts as finished; so none is left after
 * lw_stream_wait.
 */
#include "run/queue/queue.h"
#include <assert.h>

/* Nanoseconds. SMALL_NS: shorter launches run in the thread that queues them. HELD_NS: for shorter
 * ones no worker is woken if that thread is likely to wait at once; then that thread runs them. */
enum { SMALL_NS = 10000, HELD_NS = 2000000 };

/* ---- stepping: all locked ---- */

static bool is_taken(const lw_stream *s, const struct lw__job *job)
{
    return s->queue && s->device->ops->queue->takes(s->device->state, &job->launch);
}

/* The lock is open while the device works. */
static lw_status run_launch(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;

    job->launch.queue = s->queue;
    job->launch.cancelled = &s->cancelled;
    job->launch.findings = s->findings;
    job->launch.recorder = s->picture;
    job->launch.recording = s->picture_recording;
    job->is_ahead = is_taken(s, job);
    lw__unlock();
    lw_status status;
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

/* The output of the launches that ran is kept, and that of the one that failed. A stream that is
 * cancelled meanwhile has failed: the rest does not run. */
static lw_status run_batch(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;
    const struct lw__job *part = job->parts;
    lw_status status = LW_OK;

    if (s->queue && job->parts) {
        job->is_ahead = true;
        lw__unlock();
        status = device->ops->queue->batch_issue(device->state, job->batch->native,
                                                 &job->parts->launch, &job->flight);
        lw__lock();
        return status;
    }
    lw__unlock();
    for (; part && !status && !atomic_load(&s->cancelled); part = part->next)
        status = device->ops->launch(device->state, &part->launch);
    lw__lock();
    for (struct lw__job *done = job->parts; done != part; done = done->next)
        lw__stream_keep_output(s, done);
    return status;
}

/* A stream that failed meanwhile, as it was cancelled, does not fail the mark: it is retired. */
static lw_status run_mark(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;

    if (!s->queue) {
        lw__mark_reach(job->mark, NULL);
        return LW_OK;
    }
    lw__unlock();
    lw_status status = device->ops->queue->mark(device->state, s->queue, &job->mark->native);
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

    if (job->mark->state != LW_MARK_ISSUED)
        return lw__mark_result(job->mark);
    lw__unlock();
    lw_status status = device->ops->queue->mark_await(device->state, s->queue, job->mark->native);
    lw__lock();
    job->is_ahead = true;
    return status;
}

static lw_status run_job(lw_stream *s, struct lw__job *job)
{
    switch (job->kind) {
    case LW_JOB_LAUNCH: return run_launch(s, job);
    case LW_JOB_BATCH: return run_batch(s, job);
    case LW_JOB_MARK: return run_mark(s, job);
    default: return run_await(s, job);
    }
}

/* This thread looks for work next, so the stream's next job needs no other. */
static void go_on(lw_stream *stream)
{
    if (lw__stream_can_step(stream))
        lw__pool_keep(&stream->task);
    lw__announce();
}

static void step(struct lw__task *task)
{
    lw_stream *stream = (lw_stream *)(void *)task;
    struct lw__job *job = stream->head;

    assert(lw__is_locked());
    if (!lw__stream_can_step(stream))
        return;
    assert(!stream->running && job->stream == stream && job->claimed && !job->is_ahead);
    stream->head = job->next;
    if (!stream->head)
        stream->tail = NULL;
    job->next = NULL;
    stream->stepping = true;
    stream->running = job;
    lw_status status = run_job(stream, job);
    assert(lw__is_locked() && (job->is_lost || (stream->running == job && stream->stepping)));
    if (job->is_lost) {
        lw__stream_found(stream, job);
    } else if (!status && job->is_ahead) { /* the device has taken it: the stream goes on */
        job->is_void = stream->status != LW_OK;
        stream->running = NULL;
        lw__ahead_add(stream, job);
        stream->stepping = false;
        go_on(stream);
    } else { /* it is over, or it failed */
        struct lw__job *dropped = NULL;
        uint64_t count;

        if (status) {
            dropped = lw__stream_fail(stream, status, lw_last_error());
            lw__stream_drop(stream, job);
        }
        lw__job_unclaim(job);
        job->next = dropped;
        stream->running = NULL;
        lw__unlock();
        count = lw__jobs_free(job);
        lw__lock();
        stream->stepping = false;
        stream->finished += count;
        assert(stream->finished <= stream->queued);
        go_on(stream);
    }
}

/* ---- queueing ---- */

uint64_t lw__job_known_time(const lw_stream *s, const struct lw__job *job)
{
    const struct lw__device_ops *ops = s->device->ops;

    if (job->kind != LW_JOB_LAUNCH && job->kind != LW_JOB_BATCH)
        return 1;
    if (job->kind == LW_JOB_BATCH) {
        uint64_t all = job->parts ? 0 : 1;

        for (const struct lw__job *part = job->parts; part; part = part->next) {
            const uint64_t time =
                ops->known_time ? ops->known_time(s->device->state, &part->launch) : 0;

            if (!time)
                return 0;
            all += time;
        }
        return all;
    }
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
    const uint64_t time = lw__job_known_time(s, job);
    return time && time <= SMALL_NS;
}

/* Locked. Nothing is lost where the wait comes at once again, and else no more than the time. */
static bool is_held(lw_stream *s, const struct lw__job *job)
{
    const uint64_t time = lw__job_known_time(s, job);

    if (s->head == job)
        s->held_ns = 0;
    s->held_ns += time;
    return s->is_prompt && time && s->held_ns <= HELD_NS;
}

/* Locked. A held stream takes more jobs without a word to the workers. */
static void start(lw_stream *s, struct lw__job *job)
{
    const bool is_free = lw__stream_can_step(s), is_first = is_free && s->head == job;

    if (is_first && runs_here(s, job)) {
        step(&s->task);
        lw__pool_release();
        return;
    }
    s->queued_at = lw__clock();
    s->is_unseen = true;
    if (is_free && is_held(s, job)) {
        lw__pool_hold(&s->task);
    } else if (is_free) {
        lw__pool_schedule(&s->task);
        lw__pool_release();
    }
}

/* Locked, but while the job runs, if it runs here. */
static lw_status enqueue(lw_stream *s, struct lw__job *job)
{
    assert(job->stream == s && !job->next && !s->head == !s->tail);
    LW_TRY(lw__stream_failure(s));
    LW_TRY(lw__pool_ready(lw__streams_after_fork));
    LW_TRY(lw__job_claim(job));
    if (!s->task.ready)
        lw__pool_release();
    s->task.step = step;
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
    LW_TRY(lw__stream_admit(stream, job->kind));
    lw__lock();
    lw_status status = enqueue(stream, job);
    lw__unlock();
    return status;
}
