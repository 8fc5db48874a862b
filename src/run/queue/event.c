/* event.c - events: marks in streams (mark.c).
 *
 * Recording an event makes a new mark and queues it; the event only points to its latest one. Who
 * waits holds the mark, so that an event may be recorded again, or destroyed, at any time.
 */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdlib.h>

struct lw_event {
    lw_device *device;
    struct lw__mark *mark; /* locked; NULL: never recorded */
};

/* ---- events ---- */

lw_status lw_event_create(lw_device *device, lw_event **event)
{
    if (!event)
        return lw__fail(LW_E_ARG, "the place for the event is NULL");
    *event = NULL;
    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    lw_event *e;
    e = calloc(1, sizeof *e);
    if (!e)
        return lw__fail(LW_E_MEMORY, "out of memory: an event");
    e->device = device;
    lw__device_hold(device);
    *event = e;
    return LW_OK;
}

void lw_event_destroy(lw_event *event)
{
    if (!event)
        return;
    lw__lock();
    lw__mark_release(event->mark);
    lw__unlock();
    lw_device_close(event->device);
    free(event);
}

static lw_status check_pair(const lw_event *e, const lw_stream *s)
{
    if (!e || !s)
        return lw__fail(LW_E_ARG, "the %s is NULL", e ? "stream" : "event");
    if (e->device != s->device)
        return lw__fail(LW_E_DEVICE, "the event is of device '%s', the stream of %s '%s'",
                        e->device->ops->info.name,
                        e->device->ops == s->device->ops ? "another opening of device" : "device",
                        s->device->ops->info.name);
    return LW_OK;
}

/* A job that shares the mark. */
static lw_status enqueue(lw_stream *stream, enum lw__job_kind kind, struct lw__mark *mark)
{
    struct lw__job *job = lw__job_take(stream, kind);

    if (!job)
        return lw__fail(LW_E_MEMORY, "out of memory: an event's place in a stream");
    job->mark = mark;
    lw__lock();
    assert(mark->holds > 0);
    mark->holds++;
    lw__unlock();
    lw_status status = lw__stream_enqueue(stream, job);
    if (status)
        lw__job_free(job);
    return status;
}

static void release(struct lw__mark *mark)
{
    lw__lock();
    lw__mark_release(mark);
    lw__unlock();
}

lw_status lw_event_record(lw_event *event, lw_stream *stream)
{
    LW_TRY(lw__stream_check_runs(stream, "lw_event_record"));
    LW_TRY(check_pair(event, stream));
    struct lw__mark *mark = lw__mark_create(event->device);
    if (!mark)
        return lw__fail(LW_E_MEMORY, "out of memory: an event's place in a stream");
    mark->stream = stream;
    lw_status status = enqueue(stream, LW_JOB_MARK, mark);
    if (status) {
        release(mark);
        return status;
    }
    lw__lock();
    struct lw__mark *old = event->mark;
    event->mark = mark;
    lw__mark_release(old);
    lw__unlock();
    return LW_OK;
}

/* Locked. The event's mark, held, if it has one. */
static struct lw__mark *hold(const lw_event *event)
{
    assert(lw__is_locked() && (!event->mark || event->mark->holds > 0));
    if (event->mark)
        event->mark->holds++;
    return event->mark;
}

/* The latest mark, held; NULL with the message set. */
static struct lw__mark *latest(lw_event *event)
{
    lw__lock();
    struct lw__mark *mark = hold(event);
    lw__unlock();
    if (!mark)
        lw__fail(LW_E_ARG, "the event was never recorded; lw_event_record comes first");
    return mark;
}

lw_status lw_event_wait(lw_event *event)
{
    lw_status status = LW_OK;

    if (!event)
        return lw__fail(LW_E_ARG, "the event is NULL");
    struct lw__mark *mark = latest(event);
    if (!mark)
        return LW_E_ARG;
    lw__lock();
    while (mark->state == LW_MARK_PENDING || mark->state == LW_MARK_ISSUED) {
        assert(mark->stream); /* it has the mark to reach, and so lives */
        if (mark->state == LW_MARK_ISSUED)
            (void)lw__ahead_drain_mark(mark, NULL);
        else if (!lw__pool_lend_hand(&mark->stream->task))
            lw__wait_change(NULL);
    }
    lw__pool_release();
    if (mark->state == LW_MARK_FAILED)
        status = lw__fail(mark->status, "%s", mark->error);
    lw__mark_release(mark);
    lw__unlock();
    return status;
}

lw_status lw_stream_wait_event(lw_stream *stream, lw_event *event)
{
    LW_TRY(lw__stream_check_runs(stream, "lw_stream_wait_event"));
    LW_TRY(check_pair(event, stream));
    struct lw__mark *mark = latest(event);
    if (!mark)
        return LW_E_ARG;
    lw_status status = enqueue(stream, LW_JOB_AWAIT, mark);
    release(mark);
    return status;
}

/* Locked, but while it asks the device whether the mark has been reached. */
static lw_status check_done(struct lw__mark *mark, const char *which)
{
    static const struct timespec long_ago;

    if (!mark)
        return lw__fail(LW_E_ARG, "the %s event was never recorded", which);
    (void)lw__ahead_drain_mark(mark, &long_ago);
    if (mark->state == LW_MARK_DONE)
        return LW_OK;
    return lw__fail(LW_E_ARG, "the %s event is not done%s", which,
                    mark->state == LW_MARK_FAILED ? ": its stream failed" : "; wait for it first");
}

/* Locked; both are held. The clock is the device's, if it has marks of its own. */
static lw_status measure(struct lw__mark *begin, struct lw__mark *end, int64_t *nanoseconds)
{
    LW_TRY(check_done(begin, "first"));
    LW_TRY(check_done(end, "last"));
    const lw_device *device = begin->device;
    *nanoseconds = (int64_t)(end->nanoseconds - begin->nanoseconds);
    if (!begin->native || !end->native || device->state != end->device->state)
        return LW_OK;
    lw__unlock();
    lw_status status;
    status =
        device->ops->queue->mark_elapsed(device->state, begin->native, end->native, nanoseconds);
    lw__lock();
    return status;
}

lw_status lw_event_elapsed(const lw_event *begin, const lw_event *end, uint64_t *nanoseconds)
{
    int64_t time = 0;

    if (!begin || !end || !nanoseconds)
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !begin ? "first event"
                        : !end ? "last event"
                               : "place for the time");
    *nanoseconds = 0;
    lw__lock();
    struct lw__mark *first = hold(begin);
    struct lw__mark *last = hold(end);
    lw_status status = measure(first, last, &time);
    lw__mark_release(first);
    lw__mark_release(last);
    lw__unlock();
    LW_TRY(status);
    if (time < 0)
        return lw__fail(LW_E_ARG, "the last event came %lld nanoseconds before the first",
                        (long long)-time);
    *nanoseconds = (uint64_t)time;
    return LW_OK;
}
