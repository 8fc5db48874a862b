/* inflight.c - jobs that a device has taken ahead of their end.
 *
 * A device with its own queue for each stream (lw__queue_ops) takes launches, marks and awaits as
 * they come. They stay in the stream's list `ahead` until a thread needs their end:
 * - It waits for the stream, for an event or for a buffer.
 * - It queues more than LW_AHEAD_MAX jobs.
 * - It runs short of memory.
 * That thread drains the stream: it waits, without the lock, and then retires the jobs in order.
 * One thread at a time drains a stream; others wait until it signals.
 *
 * After every LW_AHEAD_FENCE jobs there is a mark of our own, a fence. So a long list can be
 * drained in part. An await fails if its mark's stream failed. So the thread that drains the
 * await's stream first has the mark's stream retire the mark.
 */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { LW_AHEAD_FENCE = 128, LW_AHEAD_MAX = 1024 };
static const struct timespec long_ago;

static const struct lw__queue_ops *queue_ops(const lw_stream *s)
{
    return s->device->ops->queue;
}

/* The mark in the device's queue that comes with the job; NULL: none. */
static void *own_mark(const struct lw__job *job)
{
    return job->kind == LW_JOB_MARK || job->kind == LW_JOB_FENCE ? job->mark->native : NULL;
}

/* ---- retiring: all locked ---- */

static bool has_to_wait(const struct lw__job *job)
{
    return job->kind == LW_JOB_AWAIT && job->mark->state == LW_MARK_ISSUED;
}

void lw__ahead_void(lw_stream *stream)
{
    for (struct lw__job *job = stream->ahead; job; job = job->next)
        job->is_void = true;
}

static lw_status end_launch(lw_stream *s, struct lw__job *job, const char *awaited)
{
    lw_status status = queue_ops(s)->retire(s->device->state, &job->launch, job->flight, awaited);

    if (!job->is_void)
        lw__stream_keep_output(s, job);
    return job->is_void ? LW_OK : status;
}

static lw_status end_batch(const lw_stream *s, const struct lw__job *job, const char *awaited)
{
    const lw_status status =
        queue_ops(s)->batch_retire(s->device->state, &job->parts->launch, job->flight, awaited);

    return job->is_void ? LW_OK : status;
}

/* The lock is never open here. */
static lw_status end(lw_stream *s, struct lw__job *job, const char *awaited)
{
    switch (job->kind) {
    case LW_JOB_LAUNCH: return end_launch(s, job, awaited);
    case LW_JOB_BATCH: return end_batch(s, job, awaited);
    case LW_JOB_AWAIT: return job->is_void ? LW_OK : lw__mark_result(job->mark);
    case LW_JOB_MARK:
        return awaited && !job->is_void ? lw__fail(LW_E_LAUNCH, "%s", awaited) : LW_OK;
    default: return LW_OK;
    }
}

/* The oldest; *dropped gets what was queued after a failure. */
static struct lw__job *retire(lw_stream *s, const char *awaited, struct lw__job **dropped)
{
    struct lw__job *job = s->ahead;

    assert(lw__is_locked() && s->is_draining && s->ahead_count > 0);
    s->ahead = job->next;
    if (!s->ahead)
        s->ahead_end = &s->ahead;
    s->ahead_count--;
    assert(!s->ahead == !s->ahead_count);
    lw_status status = end(s, job, awaited);
    lw__job_unclaim(job);
    if (status) {
        lw__ahead_void(s);
        *dropped = lw__stream_fail(s, status, lw_last_error());
    }
    if (job->kind == LW_JOB_MARK)
        lw__mark_reach(job->mark, status || job->is_void ? s : NULL);
    return job;
}

/* Up to `last`, or to an await that cannot be retired yet. Unlocked while they are freed. */
static void retire_up_to(lw_stream *s, const struct lw__job *last, const char *awaited)
{
    struct lw__job *done = NULL, **end_of_done = &done, *dropped = NULL;
    const struct lw__job *job = NULL;

    while (job != last && !has_to_wait(s->ahead)) {
        *end_of_done = retire(s, awaited, &dropped);
        job = *end_of_done;
        end_of_done = &(*end_of_done)->next;
        assert(job == last || s->ahead); /* nobody else retires what is in between */
    }
    *end_of_done = dropped; /* there is one failure at most, the others are void */
    lw__unlock();
    uint64_t count = lw__jobs_free(done);
    lw__lock();
    s->finished += count;
    assert(s->finished <= s->queued);
}

/* ---- draining: locked, but while they wait ---- */

static struct lw__job *job_of(const lw_stream *s, const struct lw__mark *mark)
{
    struct lw__job *job = s->ahead;

    while (job && (job->kind != LW_JOB_MARK || job->mark != mark))
        job = job->next;
    assert(job); /* what is ISSUED is ahead */
    return job;
}

/* The await at the head is of a stream that has to retire its mark first. */
static bool drain_for_await(lw_stream *s, const struct timespec *deadline)
{
    struct lw__mark *mark = s->ahead ? s->ahead->mark : NULL;

    if (!s->ahead || !has_to_wait(s->ahead))
        return true;
    mark->holds++;
    bool in_time = lw__ahead_drain_mark(mark, deadline);
    lw__mark_release(mark);
    return in_time;
}

/* False: not in time. The caller checks again whether it has what it needs. */
static bool drain(lw_stream *s, struct lw__job *job, const struct timespec *deadline)
{
    struct lw__job *last = job; /* the first from there on after which there is a mark */
    char error[LW_MESSAGE_MAX + 1] = "";
    lw_status status;

    assert(lw__is_locked() && job->is_ahead && job->stream == s);
    while (!own_mark(last) && last->next)
        last = last->next;
    if (s->is_draining)
        return lw__wait_change(deadline);
    s->is_draining = true;
    lw__unlock();
    status = queue_ops(s)->await(s->device->state, s->queue, own_mark(last), deadline);
    if (status && status != LW_E_TIMEOUT)
        snprintf(error, sizeof error, "%s", lw_last_error());
    lw__lock();
    assert(s->is_draining && s->ahead);
    if (status != LW_E_TIMEOUT)
        retire_up_to(s, last, status ? error : NULL);
    s->is_draining = false;
    lw__announce();
    return status == LW_E_TIMEOUT ? false : drain_for_await(s, deadline);
}

bool lw__ahead_drain(lw_stream *stream, const struct timespec *deadline)
{
    struct lw__job *job = stream->ahead;

    while (job->next)
        job = job->next;
    return drain(stream, job, deadline);
}

bool lw__stream_wait_more(lw_stream *s, const struct timespec *deadline)
{
    return s->ahead ? lw__ahead_drain(s, deadline) : lw__wait_change(deadline);
}

bool lw__ahead_drain_mark(struct lw__mark *mark, const struct timespec *deadline)
{
    bool in_time = true;

    while (in_time && mark->state == LW_MARK_ISSUED)
        in_time = drain(mark->stream, job_of(mark->stream, mark), deadline);
    return in_time;
}

static bool has_buffer(const struct lw__job *job, const lw_buffer *buffer)
{
    for (size_t i = 0; i < job->buffer_count; i++)
        if (job->buffers[i] == buffer)
            return true;
    for (size_t i = 0; job->reach && i < job->reach->count; i++)
        if (job->reach->buffers[i] == buffer)
            return true;
    for (const struct lw__job *part = job->parts; part; part = part->next)
        if (has_buffer(part, buffer))
            return true;
    return false;
}

static struct lw__job *last_use(const lw_stream *s, const lw_buffer *buffer)
{
    struct lw__job *last = NULL;

    for (struct lw__job *job = s->ahead; job; job = job->next)
        if (has_buffer(job, buffer))
            last = job;
    return last;
}

bool lw__ahead_drain_batch(const lw_batch *batch)
{
    for (lw_stream *s = lw__streams(); s; s = s->next)
        for (struct lw__job *job = s->ahead; job; job = job->next)
            if (job->batch == batch)
                return drain(s, job, NULL);
    return false;
}

bool lw__ahead_drain_use(const lw_buffer *buffer, const struct timespec *deadline, bool *in_time)
{
    for (lw_stream *s = lw__streams(); s; s = s->next) {
        struct lw__job *job = s->ahead ? last_use(s, buffer) : NULL;

        if (job) {
            *in_time = drain(s, job, deadline);
            return true;
        }
    }
    return false;
}

bool lw__ahead_drain_device(const lw_device *device)
{
    for (lw_stream *s = lw__streams(); s; s = s->next)
        if (s->ahead && s->device->ops == device->ops)
            return lw__ahead_drain(s, NULL);
    return false;
}

void lw__ahead_look(lw_stream *stream)
{
    const struct lw__job *first = NULL;

    while (stream->ahead && stream->ahead != first && !stream->is_draining) {
        first = stream->ahead;
        if (!drain(stream, stream->ahead, &long_ago))
            return;
    }
}

/* ---- adding: locked, but while they wait ---- */

static void append(lw_stream *s, struct lw__job *job)
{
    assert(lw__is_locked() && !*s->ahead_end);
    job->next = NULL;
    *s->ahead_end = job;
    s->ahead_end = &job->next;
    s->ahead_count++;
}

static struct lw__job *make_fence(lw_stream *s)
{
    struct lw__job *job = lw__job_take(s, LW_JOB_FENCE);

    if (!job)
        return NULL;
    job->mark = lw__mark_create(s->device);
    job->is_ahead = true;
    if (job->mark && !queue_ops(s)->mark(s->device->state, s->queue, &job->mark->native))
        return job;
    lw__job_free(job);
    return NULL;
}

void lw__ahead_add(lw_stream *stream, struct lw__job *job)
{
    assert(job->is_ahead && !job->is_lost);
    append(stream, job);
    if ((job->kind != LW_JOB_LAUNCH && job->kind != LW_JOB_BATCH) ||
        ++stream->fences_due < LW_AHEAD_FENCE)
        return;
    lw__unlock();
    struct lw__job *fence = make_fence(stream);
    lw__lock();
    if (fence) /* without it the list is drained as a whole */
        append(stream, fence);
    stream->fences_due = 0;
    /* Jobs that are over are released. If too many are pending, it waits for the oldest. */
    if (stream->ahead && !stream->is_draining)
        (void)drain(stream, stream->ahead, &long_ago);
    while (stream->ahead_count > LW_AHEAD_MAX)
        (void)drain(stream, stream->ahead, NULL);
}
