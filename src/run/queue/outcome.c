/* outcome.c - what a stream keeps for its next wait: its failure, a launch that was refused, what
 * its launches printed.
 *
 * The first failure stays with the stream: queued jobs are dropped, and new ones are refused.
 * Dropped jobs count as finished. A launch that was refused is a note, which one wait tells; a
 * launch that failed is the stream's failure, which each wait tells.
 */
#include "run/queue/queue.h"
#include <assert.h>
#include <stdio.h>

/* ---- what went wrong ---- */

/* A job that will not run: its buffers are free, who waits for its mark is told. */
void lw__stream_drop(lw_stream *s, struct lw__job *job)
{
    assert(job->stream == s && s->status);
    lw__job_unclaim(job);
    if (job->kind == LW_JOB_MARK)
        lw__mark_reach(job->mark, s);
}

struct lw__job *lw__stream_fail(lw_stream *s, lw_status status, const char *error)
{
    struct lw__job *jobs = s->head;

    assert(lw__is_locked() && status);
    if (!s->status) {
        s->status = status;
        snprintf(s->error, sizeof s->error, "%s", error);
    }
    s->head = s->tail = NULL;
    for (struct lw__job *job = jobs; job; job = job->next)
        lw__stream_drop(s, job);
    return jobs;
}

lw_status lw__stream_failure(const lw_stream *s)
{
    assert(lw__is_locked());
    return s->status ? lw__fail(s->status, "%s", s->error) : LW_OK;
}

/* A failed stream notes no refusal: each wait returns the failure anyway. */
void lw__stream_note(lw_stream *s, lw_status status)
{
    lw__lock();
    if (!s->status && !s->note_status) {
        s->note_status = status;
        snprintf(s->note, sizeof s->note, "%s", lw_last_error());
    }
    lw__unlock();
}

/* ---- what kernels print ---- */

/* Until the next wait, which hands it over, or drops it where nobody asked for it. */
void lw__stream_keep_output(lw_stream *s, struct lw__job *job)
{
    assert(lw__is_locked() && job->launch.output == job->output && !*s->outputs_end);
    if (lw__output_is_empty(job->launch.output))
        return;
    *s->outputs_end = job->output;
    s->outputs_end = lw__output_next(job->output);
    job->output = job->launch.output = NULL;
}
