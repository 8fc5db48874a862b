/* batch.c - launches that are queued as one.
 *
 * A run is a job whose parts are jobs of the launches. Some devices take all parts at once, as
 * their own graph, which they keep from run to run (lw__queue_ops). On others the thread that steps
 * the stream runs one part after the other; the run takes one place in the queue. All runs use the
 * same memory between launches, so they run one after the other. `under_way` counts the runs that
 * are queued or running. The thread that unclaims a run's buffers decrements it, also if the stream
 * has failed.
 */
#include "run/host/host.h"
#include <stdlib.h>
#include <string.h>

struct lw_batch {
    atomic_size_t holds;
    lw_device *device;
    size_t count;
    void *native;            /* the device's own; NULL: it has none */
    atomic_size_t under_way; /* changed under the lock */
    lw_stream *last;         /* locked: of the latest run, while one is under way */
};

static const struct lw__queue_ops *queue_ops(const lw_device *device)
{
    return device->ops->queue;
}

/* ---- life ---- */

lw_status lw_batch_create(lw_device *device, size_t count, const size_t *begin, const size_t *after,
                          lw_batch **batch)
{
    const struct lw__queue_ops *ops;
    lw_status status = LW_OK;
    lw_batch *b;

    if (!batch)
        return lw__fail(LW_E_ARG, "the place for the batch is NULL");
    *batch = NULL;
    if (!device || !begin || !after)
        return lw__fail(LW_E_ARG, "the %s is NULL", device ? "list of what follows" : "device");
    ops = queue_ops(device);
    if (ops && !ops->batch_create)
        return lw__fail(LW_E_UNSUPPORTED, "device '%s' has no batches", device->info.name);
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
    if (b->native)
        queue_ops(b->device)->batch_destroy(b->device->state, b->native);
    lw_device_close(b->device);
    free(b);
}

void lw_batch_destroy(lw_batch *batch)
{
    lw__batch_release(batch);
}

/* ---- queueing ---- */

void lw__batch_begin(lw_batch *batch, lw_stream *stream)
{
    atomic_fetch_add(&batch->under_way, 1);
    batch->last = stream;
}

void lw__batch_end(lw_batch *batch)
{
    atomic_fetch_sub(&batch->under_way, 1);
}

/* Until those on other streams than `own` are over. None is added meanwhile. */
static void await_others(lw_batch *b, const lw_stream *own)
{
    if (!atomic_load(&b->under_way))
        return;
    lw__lock();
    while (atomic_load(&b->under_way) && b->last != own)
        if (!lw__ahead_drain_batch(b) && !lw__pool_lend_hand(b->last))
            lw__wait_change(NULL);
    lw__unlock();
}

void lw_batch_wait(lw_batch *batch)
{
    if (batch)
        await_others(batch, NULL);
}

/* All launches in order; what was made before a failure goes with the job. */
static lw_status make_parts(struct lw__job *job, const lw_recorded *launches, size_t count)
{
    struct lw__job **end = &job->parts, *before = NULL;

    for (size_t k = 0; k < count; k++) {
        const lw_recorded *l = &launches[k];

        LW_TRY(lw__launch_make(job->stream, l->kernel, l->grid, l->block, l->shared_bytes, l->args,
                               l->count, end));
        (*end)->launch.queue = job->stream->queue;
        (*end)->launch.cancelled = &job->stream->cancelled;
        (*end)->launch.findings = job->stream->findings;
        if (before)
            before->launch.next_of_batch = &(*end)->launch;
        before = *end;
        end = &before->next;
    }
    return LW_OK;
}

static lw_status check_taken(const lw_stream *s, const struct lw__job *job)
{
    if (!s->queue || !job->parts ||
        queue_ops(s->device)->batch_takes(s->device->state, &job->parts->launch))
        return LW_OK;
    return lw__fail(LW_E_UNSUPPORTED, "device '%s' runs these launches one by one",
                    s->device->info.name);
}

lw_status lw_batch_run(lw_batch *batch, lw_stream *stream, const lw_recorded *launches)
{
    struct lw__job *job;
    lw_status status;

    if (!batch || !stream || (batch->count && !launches))
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !batch    ? "batch"
                        : !stream ? "stream"
                                  : "list of launches");
    LW_TRY(lw__stream_check_runs(stream, "lw_batch_run"));
    if (stream->is_wrapped)
        return lw__fail(LW_E_UNSUPPORTED, "launches on a wrapped stream come one by one");
    job = lw__job_take(stream, LW_JOB_BATCH);
    if (!job)
        return lw__fail(LW_E_MEMORY, "out of memory: a batch of launches");
    job->batch = batch;
    atomic_fetch_add(&batch->holds, 1);
    status = make_parts(job, launches, batch->count);
    if (!status)
        status = check_taken(stream, job);
    if (!status) {
        await_others(batch, stream);
        status = lw__stream_enqueue(stream, job);
    }
    if (status)
        lw__job_free(job);
    return status;
}

/* ---- running: all locked ---- */

static lw_status issue(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;
    lw_status status;

    job->is_ahead = true;
    lw__unlock();
    status = queue_ops(device)->batch_issue(device->state, job->batch->native, &job->parts->launch,
                                            &job->flight);
    lw__lock();
    return status;
}

/* The output of the launches that ran is kept, and that of the one that failed. A stream that is
 * cancelled meanwhile has failed: the rest does not run. */
lw_status lw__batch_step(lw_stream *s, struct lw__job *job)
{
    const lw_device *device = s->device;
    const struct lw__job *part = job->parts;
    lw_status status = LW_OK;

    if (s->queue && job->parts)
        return issue(s, job);
    lw__unlock();
    for (; part && !status && !atomic_load(&s->cancelled); part = part->next)
        status = device->ops->launch(device->state, &part->launch);
    lw__lock();
    for (struct lw__job *done = job->parts; done != part; done = done->next)
        lw__stream_keep_output(s, done);
    return status;
}

lw_status lw__batch_retire(lw_stream *s, struct lw__job *job, const char *awaited)
{
    const lw_device *device = s->device;
    const lw_status status =
        queue_ops(device)->batch_retire(device->state, &job->parts->launch, job->flight, awaited);

    return job->is_void ? LW_OK : status;
}

uint64_t lw__batch_known_time(const lw_stream *s, const struct lw__job *job)
{
    const struct lw__device_ops *ops = s->device->ops;
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
