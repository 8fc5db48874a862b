/* scratch.c - memory that a stream lends to the code that queues launches on it.
 *
 * A stream's launches run in order. The same memory can therefore serve two users in turn while the
 * launches of both are queued. Two users at the same time, in two threads, get separate memory. A
 * buffer that is too small is replaced by a larger one; queued launches keep theirs.
 */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdlib.h>

enum { SCRATCH_STEP = 64 << 10 };

struct lw__scratch {
    struct lw__scratch *next;
    lw_buffer *buffer; /* NULL: it is being made, or could not be */
    bool is_taken;
};

/* Locked. The smallest that is free and fits; else the largest that is free, but on a wrapped
 * stream, where queued launches do not hold what they use. */
static struct lw__scratch *choose(const lw_stream *s, size_t bytes)
{
    struct lw__scratch *best = NULL;
    size_t best_size = 0;

    for (struct lw__scratch *p = s->scratch; p; p = p->next) {
        const size_t size = lw_buffer_bytes(p->buffer);
        const bool is_better =
            size >= bytes && best_size >= bytes ? size < best_size : size > best_size;

        if (p->is_taken || (best && !is_better) || (s->is_wrapped && size < bytes))
            continue;
        best = p;
        best_size = size;
    }
    return best;
}

/* Locked, but for the allocation. NULL: memory is short. */
static struct lw__scratch *take(lw_stream *s, size_t bytes)
{
    struct lw__scratch *p = choose(s, bytes);

    assert(lw__is_locked() && (!p || !p->is_taken));
    if (!p) {
        lw__unlock();
        p = calloc(1, sizeof *p);
        lw__lock();
        if (!p)
            return NULL;
        p->next = s->scratch;
        s->scratch = p;
    }
    p->is_taken = true;
    return p;
}

/* Locked, except during the allocation. The piece that was taken gets a larger buffer, or none and
 * is free. */
static lw_status grow(lw_stream *s, struct lw__scratch *p, size_t bytes)
{
    const size_t more = bytes % SCRATCH_STEP ? SCRATCH_STEP - bytes % SCRATCH_STEP : 0;
    lw_buffer *old = p->buffer, *buffer = NULL;
    lw_status status = LW_OK;

    assert(p->is_taken);
    p->buffer = NULL;
    lw__unlock();
    lw_buffer_destroy(old);
    if (s->is_wrapped)
        status = s->device->ops->queue->refuse_capture(
            s->device->state, s->queue, "lw_stream_reserve has scratch memory made before");
    if (!status)
        status = lw__buffer_create(s->device, LW_U8, bytes > SIZE_MAX - more ? bytes : bytes + more,
                                   &buffer);
    lw__lock();
    p->buffer = buffer;
    p->is_taken = !status;
    return status;
}

/* Locked. */
static lw_status lend(lw_stream *s, size_t bytes, lw_buffer **buffer)
{
    struct lw__scratch *p = take(s, bytes);

    if (!p)
        return lw__fail(LW_E_MEMORY, "out of memory: a stream's scratch memory");
    if (!p->buffer || lw_buffer_bytes(p->buffer) < bytes)
        LW_TRY(grow(s, p, bytes));
    *buffer = p->buffer;
    return LW_OK;
}

lw_status lw_stream_scratch(lw_stream *stream, size_t bytes, lw_buffer **buffer)
{
    if (!stream || !buffer)
        return lw__fail(LW_E_ARG, "the %s is NULL", stream ? "place for the buffer" : "stream");
    *buffer = NULL;
    if (stream->recorder.launch)
        return stream->recorder.scratch(bytes, buffer, stream->recorder.user);
    if (stream->lender.lend)
        return stream->lender.lend(bytes, buffer, stream->lender.user);
    lw__lock();
    lw_status status = lend(stream, bytes, buffer);
    lw__unlock();
    return status;
}

void lw_stream_scratch_done(lw_stream *stream, lw_buffer *buffer)
{
    if (!stream || !buffer)
        return;
    if (stream->lender.lend) {
        stream->lender.done(buffer, stream->lender.user);
        return;
    }
    lw__lock();
    for (struct lw__scratch *p = stream->scratch; p; p = p->next)
        if (p->buffer == buffer)
            p->is_taken = false;
    lw__unlock();
}

void lw_stream_on_scratch(lw_stream *stream, lw_lender lender)
{
    if (stream)
        stream->lender = lender;
}

lw_status lw_stream_reserve(lw_stream *stream, size_t scratch_bytes)
{
    if (stream && stream->recorder.launch)
        return LW_OK; /* a graph's memory is planned as a whole */
    lw_buffer *buffer;
    LW_TRY(lw_stream_scratch(stream, scratch_bytes, &buffer));
    lw_stream_scratch_done(stream, buffer);
    return LW_OK;
}

void lw__scratch_free(lw_stream *stream)
{
    while (stream->scratch) {
        struct lw__scratch *next = stream->scratch->next;

        lw_buffer_destroy(stream->scratch->buffer);
        free(stream->scratch);
        stream->scratch = next;
    }
}
