/* event.c - events: marks in streams.
 *
 * Recording an event makes a new mark and queues it; the event only points to its latest one. Who
 * waits holds the mark, so that an event may be recorded again, or destroyed, at any time.
 */
#include "run/run.h"
#include <stdlib.h>

struct lw_event {
    lw_device *device;
    struct lw__mark *mark; /* locked; NULL: never recorded */
};

void lw__mark_release(struct lw__mark *mark)
{
    if (mark && --mark->holds == 0)
        free(mark);
}

lw_status lw_event_create(lw_device *device, lw_event **event)
{
    lw_event *e;

    if (!event)
        return lw__fail(LW_E_ARG, "the place for the event is NULL");
    *event = NULL;
    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
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

/* A job that shares the mark; NULL where memory is short. */
static struct lw__job *job_for(enum lw__job_kind kind, struct lw__mark *mark)
{
    struct lw__job *job = calloc(1, sizeof *job);

    if (!job)
        return NULL;
    job->kind = kind;
    job->mark = mark;
    lw__lock();
    mark->holds++;
    lw__unlock();
    return job;
}

static lw_status enqueue(lw_stream *stream, enum lw__job_kind kind, struct lw__mark *mark)
{
    struct lw__job *job = job_for(kind, mark);
    lw_status status;

    if (!job)
        return lw__fail(LW_E_MEMORY, "out of memory: an event's place in a stream");
    status = lw__stream_enqueue(stream, job);
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
    struct lw__mark *mark, *old;
    lw_status status;

    LW_TRY(check_pair(event, stream));
    mark = calloc(1, sizeof *mark);
    if (!mark)
        return lw__fail(LW_E_MEMORY, "out of memory: an event's place in a stream");
    mark->holds = 1;
    status = enqueue(stream, LW_JOB_MARK, mark);
    if (status) {
        release(mark);
        return status;
    }
    lw__lock();
    old = event->mark;
    event->mark = mark;
    lw__mark_release(old);
    lw__unlock();
    return LW_OK;
}

/* The latest mark, held; NULL with the message set. */
static struct lw__mark *latest(lw_event *event)
{
    struct lw__mark *mark;

    lw__lock();
    mark = event->mark;
    if (mark)
        mark->holds++;
    lw__unlock();
    if (!mark)
        lw__fail(LW_E_ARG, "the event was never recorded; lw_event_record comes first");
    return mark;
}

lw_status lw_event_wait(lw_event *event)
{
    struct lw__mark *mark;
    lw_status status = LW_OK;

    if (!event)
        return lw__fail(LW_E_ARG, "the event is NULL");
    mark = latest(event);
    if (!mark)
        return LW_E_ARG;
    lw__lock();
    while (mark->state == LW_MARK_PENDING)
        lw__wait_change(NULL);
    if (mark->state == LW_MARK_FAILED)
        status = lw__fail(mark->status, "%s", mark->error);
    lw__mark_release(mark);
    lw__unlock();
    return status;
}

lw_status lw_stream_wait_event(lw_stream *stream, lw_event *event)
{
    struct lw__mark *mark;
    lw_status status;

    LW_TRY(check_pair(event, stream));
    mark = latest(event);
    if (!mark)
        return LW_E_ARG;
    status = enqueue(stream, LW_JOB_AWAIT, mark);
    release(mark);
    return status;
}

/* Locked. */
static lw_status time_of(const lw_event *e, const char *which, uint64_t *nanoseconds)
{
    if (!e->mark)
        return lw__fail(LW_E_ARG, "the %s event was never recorded", which);
    if (e->mark->state != LW_MARK_DONE)
        return lw__fail(LW_E_ARG, "the %s event is not done%s", which,
                        e->mark->state == LW_MARK_FAILED ? ": its stream failed"
                                                         : "; wait for it first");
    *nanoseconds = e->mark->nanoseconds;
    return LW_OK;
}

lw_status lw_event_elapsed(const lw_event *begin, const lw_event *end, uint64_t *nanoseconds)
{
    uint64_t from = 0, to = 0;
    lw_status status;

    if (!begin || !end || !nanoseconds)
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !begin ? "first event"
                        : !end ? "last event"
                               : "place for the time");
    *nanoseconds = 0;
    lw__lock();
    status = time_of(begin, "first", &from);
    if (!status)
        status = time_of(end, "last", &to);
    lw__unlock();
    LW_TRY(status);
    if (to < from)
        return lw__fail(LW_E_ARG, "the last event came %llu nanoseconds before the first",
                        (unsigned long long)(from - to));
    *nanoseconds = to - from;
    return LW_OK;
}
