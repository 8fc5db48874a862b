/* streams.c - all streams that exist, and which of them can go on.
 *
 * An await whose mark is pending takes its stream out of the pool; the mark puts it back. So
 * waiting streams occupy no thread.
 */
#include "run/queue/queue.h"
#include <assert.h>

static lw_stream *streams; /* locked */

lw_stream *lw__streams(void)
{
    return streams;
}

void lw__streams_add(lw_stream *stream)
{
    assert(lw__is_locked());
    stream->next = streams;
    if (streams)
        streams->previous = stream;
    streams = stream;
}

void lw__streams_remove(lw_stream *stream)
{
    assert(lw__is_locked() && !stream->head && !stream->ahead);
    assert(stream->previous ? stream->previous->next == stream : streams == stream);
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        streams = stream->next;
    lw__pool_forget(&stream->task);
}

bool lw__stream_can_step(const lw_stream *stream)
{
    const struct lw__job *job = stream->head;

    assert(lw__is_locked() && (stream->stepping || !stream->running));
    return job && !stream->stepping &&
           (job->kind != LW_JOB_AWAIT || job->mark->state != LW_MARK_PENDING);
}

void lw__stream_schedule(lw_stream *stream)
{
    if (lw__stream_can_step(stream))
        lw__pool_schedule(&stream->task);
}

/* The streams that wait for a mark check it again. */
void lw__streams_schedule(void)
{
    for (lw_stream *s = streams; s; s = s->next)
        lw__stream_schedule(s);
    lw__announce();
}
