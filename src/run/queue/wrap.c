/* wrap.c - wrapped streams, and the state of a stream without waiting.
 *
 * For the library a launch on a wrapped stream is over once the device has it: its buffers are no
 * longer in use. A buffer that such a launch has used is marked. To read or free a marked buffer,
 * the library waits for all wrapped streams of the device. Programs and scratch memory stay until
 * the stream is destroyed, since a captured graph may run them again.
 */
#include "run/queue/queue.h"
#include <assert.h>

static const struct lw__queue_ops *queue_ops(const lw_stream *s)
{
    return s->device->ops->queue;
}

lw_status lw_stream_wrap(lw_device *device, void *native, lw_stream **stream)
{
    if (!stream)
        return lw__fail(LW_E_ARG, "the place for the stream is NULL");
    *stream = NULL;
    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    const struct lw__queue_ops *ops = device->ops->queue;
    if (!ops || !ops->wrap)
        return lw__fail(LW_E_UNSUPPORTED,
                        "device '%s' has no streams that could be wrapped; use lw_stream_create",
                        device->info.name);
    void *queue;
    LW_TRY(ops->wrap(device->state, native, &queue));
    return lw__stream_make(device, queue, true, stream);
}

bool lw_stream_is_wrapped(const lw_stream *stream)
{
    return stream && stream->is_wrapped;
}

bool lw_stream_is_captured(lw_stream *stream)
{
    return lw_stream_is_wrapped(stream) &&
           queue_ops(stream)->refuse_capture(stream->device->state, stream->queue, "it is") ==
               LW_E_ARG;
}

/* ---- failures ---- */

/* Not locked. The failures known so far; asks: also those that only a call to the device finds. */
static lw_status look(lw_stream *s, bool asks)
{
    const lw_status status = queue_ops(s)->check(s->device->state, s->queue, asks);

    if (!status)
        return LW_OK;
    lw__lock();
    struct lw__job *dropped = lw__stream_fail(s, status, lw_last_error());
    s->finished += lw__jobs_count(dropped);
    assert(s->is_wrapped && s->finished <= s->queued);
    lw__unlock();
    lw__jobs_free(dropped);
    return status;
}

lw_status lw__stream_admit(lw_stream *stream, enum lw__job_kind kind)
{
    if (!stream->is_wrapped)
        return LW_OK;
    LW_TRY(look(stream, false));
    return kind == LW_JOB_LAUNCH
               ? LW_OK
               : queue_ops(stream)->refuse_capture(stream->device->state, stream->queue,
                                                   "no event can be recorded or waited for");
}

lw_status lw_stream_check(lw_stream *stream)
{
    if (!stream)
        return lw__fail(LW_E_ARG, "the stream is NULL");
    lw__lock();
    lw__ahead_look(stream);
    lw_status status = lw__stream_failure(stream);
    lw__unlock();
    return !status && stream->is_wrapped ? look(stream, true) : status;
}

/* ---- waiting ---- */

lw_status lw__stream_await_wrapped(lw_stream *s, const struct timespec *deadline)
{
    lw_status status = queue_ops(s)->await(s->device->state, s->queue, NULL, deadline);

    if (status == LW_E_TIMEOUT || status == LW_E_ARG)
        return status;
    return status ? look(s, false) : look(s, true);
}

lw_status lw__streams_await_wrapped(const lw_device *device)
{
    lw_status status = LW_OK;

    for (lw_stream *s = lw__streams(); s && !status; s = s->next) {
        if (!s->is_wrapped || s->device != device)
            continue;
        s->guests++;
        lw__unlock();
        status = queue_ops(s)->await(device->state, s->queue, NULL, NULL);
        lw__lock();
        assert(s->guests > 0 && !s->is_gone);
        s->guests--;
        lw__announce();
    }
    return status;
}
