/* job.c - jobs: what a stream has queued. They are reused once they are over.
 *
 * A stream keeps its jobs with their memory for arguments and output. A repeated launch therefore
 * allocates nothing, unless more are under way than ever. The list of spare jobs has no lock. To
 * take one, a thread takes the whole list and puts the rest back; so it never reads a link that
 * another thread may change.
 */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE_MAX = 2048 };

/* ---- spare jobs ---- */

static struct lw__job *take_spare(lw_stream *s)
{
    struct lw__job *job = atomic_exchange(&s->spare, NULL);

    if (!job)
        return NULL;
    atomic_fetch_sub_explicit(&s->spare_count, 1, memory_order_relaxed);
    /* Put back the rest of the list, and before it what has been added meanwhile. */
    struct lw__job *list = job->next, *newer = NULL;
    while (list && !atomic_compare_exchange_strong(&s->spare, &newer, list)) {
        struct lw__job **end = &newer;

        newer = atomic_exchange(&s->spare, NULL);
        while (*end)
            end = &(*end)->next;
        *end = list;
        list = newer;
        newer = NULL;
    }
    return job;
}

static void destroy(struct lw__job *job)
{
    lw__output_destroy(job->output);
    free(job->args_block);
    free(job->params_block);
    free(job);
}

void lw__jobs_destroy_spare(lw_stream *stream)
{
    struct lw__job *job = atomic_exchange(&stream->spare, NULL);

    while (job) {
        struct lw__job *next = job->next;

        destroy(job);
        job = next;
    }
}

/* ---- life ---- */

struct lw__job *lw__job_take(lw_stream *stream, enum lw__job_kind kind)
{
    struct lw__job *job = take_spare(stream);

    if (!job) {
        job = aligned_alloc(LW_JOB_ALIGN, sizeof *job);
        if (!job)
            return NULL;
        memset(job, 0, offsetof(struct lw__job, own_args));
        job->stream = stream;
        job->args = job->own_args;
        job->args_room = sizeof job->own_args;
        job->buffers = job->own_buffers;
        job->buffer_params = job->own_params;
        job->objects = job->own_objects;
        job->params_room = LW_JOB_PARAMS;
    }
    assert(job->stream == stream && !job->buffer_count && !job->mark && !job->batch &&
           !job->kernel);
    job->next = NULL;
    job->kind = kind;
    return job;
}

bool lw__job_make_room(struct lw__job *job, size_t arg_bytes, size_t params)
{
    if (arg_bytes > job->args_room) {
        void *block;
        char *args = lw__alloc_aligned(arg_bytes, &block);

        if (!args)
            return false;
        free(job->args_block);
        job->args = args;
        job->args_block = block;
        job->args_room = arg_bytes;
    }
    if (params > job->params_room) {
        const size_t bytes =
            sizeof *job->buffers + sizeof *job->buffer_params + sizeof *job->objects;
        char *block = malloc(params * bytes);

        if (!block)
            return false;
        free(job->params_block);
        job->params_block = block;
        job->buffers = (lw_buffer **)(void *)block;
        job->buffer_params = (size_t *)(void *)(block + params * sizeof *job->buffers);
        job->objects = (struct lw__object *)(void *)(job->buffer_params + params);
        job->params_room = params;
    }
    assert((uintptr_t)job->args % LW_JOB_ALIGN == 0 && !job->buffer_count);
    memset(job->args, 0, arg_bytes);
    memset(job->objects, 0, params * sizeof *job->objects);
    return true;
}

bool lw__job_make_output(struct lw__job *job, lw_dim3 grid, lw_dim3 block)
{
    if (job->output)
        lw__output_reuse(job->output, grid, block);
    else
        job->output = lw__output_create(grid, block);
    job->launch.output = job->output;
    return job->output != NULL;
}

void lw__job_free(struct lw__job *job)
{
    lw_stream *s = job->stream;

    assert(!job->claimed); /* else a buffer would count a use for ever */
    if (job->mark) {
        lw__lock();
        lw__mark_release(job->mark);
        lw__unlock();
    }
    for (size_t i = 0; i < job->buffer_count; i++)
        lw_buffer_destroy(job->buffers[i]);
    lw__reach_release(job->reach);
    (void)lw__jobs_free(job->parts);
    lw__batch_release(job->batch);
    if (job->output && !lw__output_is_empty(job->output)) {
        lw__output_destroy(job->output); /* with text that is not to be delivered */
        job->output = NULL;
    }
    if (job->kernel)
        lw_program_destroy(job->kernel->program);
    job->mark = NULL;
    job->batch = NULL;
    job->parts = NULL;
    job->kernel = NULL;
    job->flight = NULL;
    job->reach = NULL;
    job->buffer_count = 0;
    job->is_ahead = job->is_void = job->is_lost = false;
    if (atomic_fetch_add_explicit(&s->spare_count, 1, memory_order_relaxed) < SPARE_MAX) {
        job->next = atomic_load_explicit(&s->spare, memory_order_relaxed);
        while (!atomic_compare_exchange_weak(&s->spare, &job->next, job))
            ;
        return;
    }
    atomic_fetch_sub_explicit(&s->spare_count, 1, memory_order_relaxed);
    destroy(job);
}

uint64_t lw__jobs_count(const struct lw__job *jobs)
{
    uint64_t count = 0;

    for (; jobs; jobs = jobs->next)
        count += jobs->kind != LW_JOB_FENCE;
    return count;
}

uint64_t lw__jobs_free(struct lw__job *jobs)
{
    const uint64_t count = lw__jobs_count(jobs);

    while (jobs) {
        struct lw__job *next = jobs->next;

        lw__job_free(jobs);
        jobs = next;
    }
    return count;
}

/* ---- buffers: all locked ---- */

static lw_status check_unmapped(const struct lw__job *job)
{
    for (size_t i = 0; i < job->buffer_count; i++)
        if (job->buffers[i]->mapped) {
            size_t p = job->buffer_params[i];

            return lw__fail(LW_E_ARG,
                            "%s: parameter %zu '%s' (%s): the buffer is mapped; it needs "
                            "lw_buffer_unmap first",
                            job->kernel->row->name, p + 1, job->kernel->params[p].name,
                            job->kernel->params[p].type);
        }
    for (const struct lw__job *part = job->parts; part; part = part->next)
        LW_TRY(check_unmapped(part));
    return LW_OK;
}

static void add_uses(const struct lw__job *job, lw_buffer *const *buffers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffers[i]->uses++;
        buffers[i]->is_used_unseen |= job->stream->is_wrapped;
    }
}

static void end_uses(lw_buffer *const *buffers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert(buffers[i]->uses > 0);
        buffers[i]->uses--;
    }
}

static void claim(struct lw__job *job)
{
    assert(lw__is_locked() && !job->claimed);
    add_uses(job, job->buffers, job->buffer_count);
    if (job->reach)
        add_uses(job, job->reach->buffers, job->reach->count);
    for (struct lw__job *part = job->parts; part; part = part->next)
        claim(part);
    if (job->batch)
        lw__batch_begin(job->batch, job->stream);
    job->claimed = true;
}

lw_status lw__job_claim(struct lw__job *job)
{
    LW_TRY(check_unmapped(job));
    claim(job);
    return LW_OK;
}

void lw__job_unclaim(struct lw__job *job)
{
    assert(lw__is_locked());
    if (!job->claimed)
        return;
    end_uses(job->buffers, job->buffer_count);
    if (job->reach)
        end_uses(job->reach->buffers, job->reach->count);
    for (struct lw__job *part = job->parts; part; part = part->next)
        lw__job_unclaim(part);
    if (job->batch)
        lw__batch_end(job->batch);
    job->claimed = false;
}
