/* mark.c - a place in a stream, which events and other streams wait for.
 *
 * Who waits holds the mark. A device keeps marks that nobody holds, to be used again.
 */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Locked. One that was used before, or NULL. */
static struct lw__mark *take_spare(lw_device *device)
{
    struct lw__mark *mark = device->spare_marks;

    assert(!mark || !mark->holds);
    if (mark)
        device->spare_marks = mark->next_spare;
    return mark;
}

struct lw__mark *lw__mark_create(lw_device *device)
{
    lw__lock();
    struct lw__mark *mark = take_spare(device);
    lw__unlock();
    if (!mark)
        mark = malloc(sizeof *mark);
    if (!mark)
        return NULL;
    memset(mark, 0, offsetof(struct lw__mark, error));
    mark->holds = 1;
    mark->device = device;
    return mark;
}

void lw__mark_release(struct lw__mark *mark)
{
    assert(lw__is_locked() && (!mark || mark->holds > 0));
    if (!mark || --mark->holds)
        return;
    if (mark->native)
        mark->device->ops->queue->mark_destroy(mark->device->state, mark->native);
    mark->next_spare = mark->device->spare_marks;
    mark->device->spare_marks = mark;
}

void lw__marks_destroy_spare(lw_device *device)
{
    struct lw__mark *mark;

    while ((mark = take_spare(device)))
        free(mark);
}

void lw__mark_reach(struct lw__mark *mark, const lw_stream *failed)
{
    assert(lw__is_locked() && mark->holds > 0 && (!failed || failed->status));
    assert(mark->state == LW_MARK_PENDING || mark->state == LW_MARK_ISSUED);
    mark->state = failed ? LW_MARK_FAILED : LW_MARK_DONE;
    mark->nanoseconds = lw__clock();
    if (failed) {
        mark->status = failed->status;
        memcpy(mark->error, failed->error, sizeof mark->error);
    }
    lw__streams_schedule();
}

void lw__mark_issue(struct lw__mark *mark, lw_stream *stream)
{
    assert(lw__is_locked() && mark->state == LW_MARK_PENDING && stream->queue);
    mark->state = LW_MARK_ISSUED;
    mark->stream = stream;
    lw__streams_schedule();
}

/* A wait returns the failure of the stream that it waited for. */
lw_status lw__mark_result(const struct lw__mark *mark)
{
    assert(mark->state == LW_MARK_DONE || mark->state == LW_MARK_FAILED);
    return mark->state == LW_MARK_DONE
               ? LW_OK
               : lw__fail(mark->status, "an event waited for failed: %s", mark->error);
}
