/* wait.c - waiting for a stream: what its kernels printed is handed over, then what went wrong is
 * told (outcome.c).
 */
#include "run/queue/queue.h"
#include <assert.h>

/* Nanoseconds. PROMPT_NS: a wait this soon after a launch follows it at once. LENT_NS: a thread
 * that has to be back in time steps jobs up to so long. */
enum { PROMPT_NS = 50000, LENT_NS = 10000000 };

/* ---- what kernels print ---- */

static void set_output(lw_stream *stream, void (*fn)(const lw_output *output, void *user),
                       void *user, enum lw__output_form form)
{
    if (!stream || lw_stream_records(stream))
        return;
    lw__lock();
    stream->on_output = fn;
    stream->user = user;
    stream->output_form = form;
    lw__unlock();
}

void lw_stream_on_output(lw_stream *stream, void (*fn)(const lw_output *output, void *user),
                         void *user)
{
    set_output(stream, fn, user, LW_OUTPUT_LINES);
}

void lw_stream_on_print(lw_stream *stream, void (*fn)(const lw_output *output, void *user),
                        void *user)
{
    set_output(stream, fn, user, LW_OUTPUT_CALLS);
}

void lw_stream_on_text(lw_stream *stream, void (*fn)(const lw_output *output, void *user),
                       void *user)
{
    set_output(stream, fn, user, LW_OUTPUT_TEXT);
}

/* Without the lock while fn is called, which may call the library. Another thread that waits gets
 * what comes later. */
static void deliver(lw_stream *s)
{
    lw__lock();
    struct lw__output *out = s->outputs;
    void (*const fn)(const lw_output *, void *) = s->on_output;
    void *const user = s->user;
    const enum lw__output_form form = s->output_form;
    s->outputs = NULL;
    s->outputs_end = &s->outputs;
    lw__unlock();
    for (struct lw__output *next; out; out = next) {
        next = *lw__output_next(out);
        if (fn)
            lw__output_deliver(out, form, fn, user);
        lw__output_destroy(out);
    }
}

/* ---- what went wrong ---- */

/* Locked. A note comes before a failure: it is told once, and the failure by each wait. Findings
 * are told once, and the stream goes on. */
static lw_status wait_result(lw_stream *s)
{
    lw_status status = s->note_status;

    s->note_status = LW_OK;
    status = status ? lw__fail(status, "%s", s->note) : lw__stream_failure(s);
    return status || !s->findings ? status : lw__findings_news(s->findings);
}

/* ---- waiting ---- */

/* Locked, but while it asks: this thread can run launches. Workers can, where memory is short. */
static bool is_able(const lw_stream *s)
{
    const struct lw__device_ops *ops = s->device->ops;

    if (!ops->thread_ready)
        return true;
    lw__unlock();
    const bool is_ready = ops->thread_ready();
    lw__lock();
    return is_ready;
}

/* Locked. A thread that has to be back by the deadline takes only what has been short before. */
static bool lend_hand(lw_stream *s, const struct timespec *deadline)
{
    const uint64_t time = deadline && s->head ? lw__job_known_time(s, s->head) : 0;

    if (deadline && (!time || time > LENT_NS || lw__clock_of(deadline) < lw__clock() + 2 * time))
        return false;
    return lw__pool_lend_hand(&s->task);
}

static lw_status wait_until(lw_stream *s, const struct timespec *deadline)
{
    bool in_time = true, done;

    if (!s)
        return lw__fail(LW_E_ARG, "the stream is NULL");
    lw__lock();
    assert(s->finished <= s->queued);
    const bool lends = s->finished < s->queued && is_able(s);
    const uint64_t target = s->queued;
    if (s->is_unseen) {
        s->is_unseen = false;
        s->is_prompt = lw__clock() - s->queued_at < PROMPT_NS;
    }
    while (s->finished < target && in_time && !s->is_given_up)
        if (!lends || !lend_hand(s, deadline))
            in_time = lw__stream_wait_more(s, deadline);
    lw__pool_release();
    done = s->finished >= target || s->is_given_up;
    s->is_overdue = !done;
    lw_status status;
    if (done && !s->is_wrapped && !s->outputs) { /* mostly */
        status = wait_result(s);
        lw__unlock();
        return status;
    }
    lw__unlock();
    if (done && s->is_wrapped) {
        status = lw__stream_await_wrapped(s, deadline);
        if (status == LW_E_ARG)
            return status;
        done = status != LW_E_TIMEOUT;
    }
    deliver(s);
    lw__lock();
    status = done
                 ? wait_result(s)
                 : lw__fail(LW_E_TIMEOUT, "the work of the stream is not done in time; it goes on");
    lw__unlock();
    return status;
}

lw_status lw_stream_wait(lw_stream *stream)
{
    LW_TRY(lw__stream_check_runs(stream, "lw_stream_wait"));
    return wait_until(stream, NULL);
}

lw_status lw_stream_wait_for(lw_stream *stream, uint64_t nanoseconds)
{
    const struct timespec deadline = lw__deadline(nanoseconds);

    LW_TRY(lw__stream_check_runs(stream, "lw_stream_wait_for"));
    return wait_until(stream, &deadline);
}

void lw__streams_finish(const lw_device *device)
{
    lw_stream *s = lw__streams();

    while (s)
        if (s->device == device && s->finished < s->queued) {
            (void)lw__stream_wait_more(s, NULL);
            s = lw__streams(); /* the list may be another one now */
        } else {
            s = s->next;
        }
}
