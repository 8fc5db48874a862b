/* stream.c - a stream is made, and freed. */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdlib.h>

/* ---- programs that wrapped streams hold ---- */

struct lw__kept {
    struct lw__kept *next;
    lw_program *program;
};

bool lw__stream_keep(lw_stream *s, lw_program *program)
{
    struct lw__kept *k = s->kept;

    while (k && k->program != program)
        k = k->next;
    if (k)
        return true;
    k = malloc(sizeof *k);
    if (!k)
        return false;
    lw__program_hold(program);
    k->program = program;
    k->next = s->kept;
    s->kept = k;
    return true;
}

/* ---- life ---- */

void lw__stream_free(lw_stream *s)
{
    const struct lw__device_ops *ops = s->device->ops;

    assert(s->is_gone && !s->head && !s->running && !s->ahead && !s->lost && !s->guests);
    lw__jobs_free(s->orphans);
    lw__scratch_free(s);
    while (s->kept) {
        struct lw__kept *next = s->kept->next;

        lw_program_destroy(s->kept->program);
        free(s->kept);
        s->kept = next;
    }
    struct lw__output *out;
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
    lw__streams_add(s);
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

lw_device *lw_stream_device(const lw_stream *stream)
{
    return stream ? stream->device : NULL;
}
