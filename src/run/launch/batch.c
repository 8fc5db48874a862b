/* batch.c - a run of launches that are queued as one.
 *
 * A run is a job whose parts are jobs of the launches. Some devices take all parts at once, as
 * their own graph, which they keep from run to run (lw__queue_ops). On others the thread that steps
 * the stream runs one part after the other; the run takes one place in the queue. All runs use the
 * same memory between launches, so they run one after the other.
 */
#include "run/launch/launch.h"
#include <assert.h>

/* Until those on other streams than `own` are over. None is added meanwhile. */
static void await_others(lw_batch *b, const lw_stream *own)
{
    if (!atomic_load(&b->under_way))
        return;
    lw__lock();
    while (atomic_load(&b->under_way) && b->last != own) {
        assert(b->last && !b->last->is_gone);
        if (!lw__ahead_drain_batch(b) && !lw__pool_lend_hand(&b->last->task))
            lw__wait_change(NULL);
    }
    lw__pool_release();
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

    assert(job->kind == LW_JOB_BATCH && !job->parts);
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
        s->device->ops->queue->batch_takes(s->device->state, &job->parts->launch))
        return LW_OK;
    return lw__fail(LW_E_UNSUPPORTED, "device '%s' runs these launches one by one",
                    s->device->info.name);
}

lw_status lw_batch_run(lw_batch *batch, lw_stream *stream, const lw_recorded *launches)
{
    if (!batch || !stream || (batch->count && !launches))
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !batch    ? "batch"
                        : !stream ? "stream"
                                  : "list of launches");
    LW_TRY(lw__stream_check_runs(stream, "lw_batch_run"));
    if (stream->is_wrapped)
        return lw__fail(LW_E_UNSUPPORTED, "launches on a wrapped stream come one by one");
    struct lw__job *job = lw__job_take(stream, LW_JOB_BATCH);
    if (!job)
        return lw__fail(LW_E_MEMORY, "out of memory: a batch of launches");
    job->batch = batch;
    atomic_fetch_add(&batch->holds, 1);
    lw_status status = make_parts(job, launches, batch->count);
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
