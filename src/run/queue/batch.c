/* batch.c - launches that are queued as one, and how many runs of them are under way.
 *
 * `under_way` counts the runs that are queued or running. The thread that unclaims a run's buffers
 * decrements it, also if the stream has failed.
 */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdlib.h>

static const struct lw__queue_ops *queue_ops(const lw_device *device)
{
    return device->ops->queue;
}

/* ---- life ---- */

lw_status lw_batch_create(lw_device *device, size_t count, const size_t *begin, const size_t *after,
                          lw_batch **batch)
{
    lw_status status = LW_OK;

    if (!batch)
        return lw__fail(LW_E_ARG, "the place for the batch is NULL");
    *batch = NULL;
    if (!device || !begin || !after)
        return lw__fail(LW_E_ARG, "the %s is NULL", device ? "list of what follows" : "device");
    const struct lw__queue_ops *ops = queue_ops(device);
    if (ops && !ops->batch_create)
        return lw__fail(LW_E_UNSUPPORTED, "device '%s' has no batches", device->info.name);
    lw_batch *b;
    b = calloc(1, sizeof *b);
    if (!b)
        return lw__fail(LW_E_MEMORY, "out of memory: a batch of launches");
    if (ops)
        status = ops->batch_create(device->state, count, begin, after, &b->native);
    if (status) {
        free(b);
        return status;
    }
    atomic_init(&b->holds, 1);
    atomic_init(&b->under_way, 0);
    b->device = device;
    b->count = count;
    lw__device_hold(device);
    *batch = b;
    return LW_OK;
}

void lw__batch_release(lw_batch *b)
{
    if (!b || atomic_fetch_sub(&b->holds, 1) != 1)
        return;
    assert(!atomic_load(&b->under_way)); /* a run holds it */
    if (b->native)
        queue_ops(b->device)->batch_destroy(b->device->state, b->native);
    lw_device_close(b->device);
    free(b);
}

void lw_batch_destroy(lw_batch *batch)
{
    lw__batch_release(batch);
}

/* ---- runs ---- */

void lw__batch_begin(lw_batch *batch, lw_stream *stream)
{
    assert(lw__is_locked() && atomic_load(&batch->holds) > 0);
    atomic_fetch_add(&batch->under_way, 1);
    batch->last = stream;
}

void lw__batch_end(lw_batch *batch)
{
    assert(lw__is_locked() && atomic_load(&batch->under_way) > 0);
    atomic_fetch_sub(&batch->under_way, 1);
}
