/* queue.h - streams, and what is queued on them.
 *
 * A stream has a list of jobs. A thread steps it, which runs the oldest job or has the device take
 * it ahead of its end; there it stays in flight until somebody needs its end.
 *
 *     streams    all streams; which of them can go on
 *     mark       a place in a stream that events, and other streams, wait for
 *     batch      launches that are queued as one: how many runs are under way
 *     job        one piece of queued work: what it holds, the buffers that it uses
 *     outcome    what a stream keeps for its next wait
 *     inflight   jobs that the device has taken
 *     scratch    memory that a stream lends
 *     stream     a stream is made and freed
 *     record     streams that record, buffers without memory
 *     wrap       streams of someone else
 *     wait       waiting for a stream
 *     end        a stream is cancelled, or destroyed
 *     step       jobs are queued, and run
 *     event      events
 *     contents   buffers are read and written, once no job uses them
 *     hooks      what objects/ asks for
 *
 * Each file uses those above it. All that moves is locked.
 */
#ifndef LW_RUN_QUEUE_H
#define LW_RUN_QUEUE_H

#include "run/program/program.h"
#include "run/report/findings.h"

/* ---- job.c: one piece of queued work ---- */

enum { LW_JOB_ALIGN = 64, LW_JOB_PARAMS = 24 };
enum lw__job_kind { LW_JOB_LAUNCH, LW_JOB_BATCH, LW_JOB_MARK, LW_JOB_AWAIT, LW_JOB_FENCE };

struct lw__job {
    struct lw__job *next;
    enum lw__job_kind kind;
    bool claimed;          /* locked: its buffers' uses are counted */
    bool is_ahead;         /* the device has taken it; locked, as the next */
    bool is_void;          /* and the stream failed before it was over */
    bool is_lost;          /* locked: it runs on, and counts as finished; end.c */
    size_t lost_threads;   /* of the pool, in it */
    lw_stream *stream;     /* whose it is, also when it is over */
    void *flight;          /* LAUNCH, BATCH: what stands for it in the device's queue */
    struct lw__mark *mark; /* MARK, AWAIT, FENCE: held */
    lw_batch *batch;       /* BATCH: held */
    struct lw__job *parts; /* BATCH: its launches, in order; each claims its own buffers */
    lw_kernel *kernel;     /* LAUNCH: its program is held */
    struct lw__launch launch;
    struct lw__output *output; /* of this launch, or empty, for the next */
    lw_buffer **buffers;       /* held; buffers_params[i]: parameter that takes buffers[i] */
    size_t *buffer_params;
    size_t buffer_count;
    struct lw__object *objects; /* one a parameter; room as for buffers */
    struct lw__reach *reach;    /* LAUNCH: owned, or NULL */
    char *args;
    /* What args, buffers and buffer_params have room for; to be freed, where it is not below. */
    size_t args_room, params_room;
    void *args_block, *params_block;
    char own_args[512] __attribute__((aligned(LW_JOB_ALIGN)));
    lw_buffer *own_buffers[LW_JOB_PARAMS];
    size_t own_params[LW_JOB_PARAMS];
    struct lw__object own_objects[LW_JOB_PARAMS];
};

/* ---- a stream ---- */

struct lw_stream {
    struct lw__task task; /* first: pool.c hands its address back */
    lw_device *device;
    void *queue;                   /* of ops->queue_create */
    struct lw__findings *findings; /* fixed; NULL where the device makes none */
    struct lw__alive alive;
    /* all below: locked */
    const struct lw__recorder *picture; /* who records its launches, or NULL */
    void *picture_recording;
    void (*picture_free)(void *recording);
    lw_stream *next, *previous;  /* of all streams */
    uint64_t queued_at;          /* the latest job that did not run at once: lw__clock */
    bool is_unseen;              /* nobody has waited since */
    bool is_prompt;              /* the last wait followed at once */
    uint64_t held_ns;            /* that the jobs take for which no worker was called */
    struct lw__job *head, *tail; /* queued, the oldest first */
    bool stepping;               /* a worker has it in hand */
    struct lw__job *running;     /* and runs this job of it */
    struct lw__job *orphans;     /* after a fork: what the parent's threads had */
    struct lw__job *ahead,
        **ahead_end; /* inflight.c: what the device has taken, the oldest first */
    size_t ahead_count, fences_due;
    bool is_draining;          /* a thread waits for some of them, or retires them */
    uint64_t queued, finished; /* jobs so far; dropped ones are finished */
    lw_status status;          /* of the first failure */
    char error[LW_MESSAGE_MAX + 1];
    lw_status note_status; /* of the first launch that was refused since the last wait; LW_OK */
    char note[LW_MESSAGE_MAX + 1];
    atomic_bool cancelled;           /* read by the device without the lock */
    bool is_overdue;                 /* the last wait ran out of time, nothing was queued since */
    bool is_given_up;                /* cancelled, and the device's queue has not ended `ahead` */
    bool is_gone;                    /* destroyed */
    struct lw__job *lost;            /* cancelled, and its thread has not come back */
    struct lw__scratch *scratch;     /* what it lends */
    lw_lender lender;                /* who lends instead; lend NULL: nobody */
    lw_recorder recorder;            /* fixed: launch is NULL where the stream runs launches */
    bool is_wrapped;                 /* fixed: the queue is someone else's */
    struct lw__kept *kept;           /* of who steps it: programs that are held; wrapped */
    size_t guests;                   /* threads that wait for this wrapped stream for a buffer */
    _Atomic(struct lw__job *) spare; /* job.c; not locked */
    atomic_size_t spare_count;
    struct lw__output *outputs, **outputs_end; /* of finished launches, not delivered yet */
    void (*on_output)(const lw_output *output, void *user);
    enum lw__output_form output_form;
    void *user;
};

/* Launches that are queued as one. */
struct lw_batch {
    atomic_size_t holds;
    lw_device *device;
    size_t count;
    void *native;            /* the device's own; NULL: it has none */
    atomic_size_t under_way; /* changed under the lock */
    lw_stream *last;         /* locked: of the latest run, while one is under way */
};

/* ---- for other folders ---- */

extern const struct lw__device_hooks lw__device_hooks; /* for lw__device_create */

/* lw__job_take - a job of the stream, which holds nothing. NULL: memory is short.
 * owns     lw__stream_enqueue takes it; else lw__job_free */
struct lw__job *lw__job_take(lw_stream *stream, enum lw__job_kind kind);

/* Room for packed arguments, then all zero, and for buffers; for what is printed. False: memory is
 * short. */
bool lw__job_make_room(struct lw__job *job, size_t arg_bytes, size_t params);
bool lw__job_make_output(struct lw__job *job, lw_dim3 grid, lw_dim3 block);

/* lw__job_free - let go of all that it holds. Not under the lock: a last hold may unload code. */
void lw__job_free(struct lw__job *job);

/* lw__stream_enqueue - append job; the stream owns it from then on, and not after a failure.
 * errors   those of the stream, if it failed; LW_E_ARG a buffer is mapped; LW_E_MEMORY no thread */
lw_status lw__stream_enqueue(lw_stream *stream, struct lw__job *job);

lw_status lw__stream_failure(const lw_stream *stream); /* locked; LW_OK: it has not failed */

/* lw__stream_note - a launch was refused with lw_last_error(): for the next wait. Not locked. */
void lw__stream_note(lw_stream *stream, lw_status status);

/* lw__streams_finish - locked, but while it waits: for the work of all streams of the device. */
void lw__streams_finish(const lw_device *device);

/* lw__ahead_drain_batch - locked, but while it waits, for a run of it that the device has taken.
 * False: there is none. */
bool lw__ahead_drain_batch(const lw_batch *batch);

/* lw__job_known_time - locked: nanoseconds that it should take in one thread; 0: not known. */
uint64_t lw__job_known_time(const lw_stream *stream, const struct lw__job *job);

/* lw__job_record - hand a launch that is checked and packed to who records. */
lw_status lw__job_record(struct lw__job *job, const lw_arg *args, size_t count);

/* Can the call have a stream that records? LW_E_ARG, naming the call. */
lw_status lw__stream_check_runs(const lw_stream *stream, const char *call);

/* ---- inside this folder; streams.c: all locked ---- */

lw_stream *lw__streams(void); /* the first of all */
void lw__streams_add(lw_stream *stream);
void lw__streams_remove(lw_stream *stream);
bool lw__stream_can_step(const lw_stream *stream); /* is there a job to run now? */
void lw__stream_schedule(lw_stream *stream);       /* have a worker step it, if so */
void lw__streams_schedule(void);                   /* each of them, and who waits looks again */

/* ---- mark.c ---- */

/* ISSUED: it is in the device's queue, and reached when that is drained. */
enum lw__mark_state { LW_MARK_PENDING, LW_MARK_ISSUED, LW_MARK_DONE, LW_MARK_FAILED };

/* One lw_event_record: events, and the streams that wait, share it. All locked. */
struct lw__mark {
    size_t holds;
    enum lw__mark_state state;
    lw_device *device;
    struct lw__mark *next_spare; /* held by nobody */
    void *native;                /* the device's own; NULL: it has none */
    lw_stream *stream;           /* PENDING, ISSUED: where */
    uint64_t nanoseconds;        /* DONE: when, by the monotonic clock */
    lw_status status;            /* FAILED: the stream's failure */
    char error[LW_MESSAGE_MAX + 1];
};
struct lw__mark *lw__mark_create(lw_device *device);    /* not locked; NULL: memory is short */
void lw__marks_destroy_spare(lw_device *device);        /* the device goes away */
void lw__mark_release(struct lw__mark *mark);           /* locked */
lw_status lw__mark_result(const struct lw__mark *mark); /* locked; DONE or FAILED */

/* lw__mark_reach - locked: streams and threads that wait for it go on. failed: its stream, which
 * has; NULL. lw__mark_issue: it is in the device's queue. */
void lw__mark_reach(struct lw__mark *mark, const lw_stream *failed);
void lw__mark_issue(struct lw__mark *mark, lw_stream *stream);

/* ---- batch.c ---- */

void lw__batch_release(lw_batch *batch); /* not locked */
/* A run of it is queued; one is over. Locked. */
void lw__batch_begin(lw_batch *batch, lw_stream *stream);
void lw__batch_end(lw_batch *batch);

/* ---- job.c ---- */

/* lw__jobs_free - lw__job_free of a list; how many there were, but for fences. */
uint64_t lw__jobs_free(struct lw__job *jobs);
uint64_t lw__jobs_count(const struct lw__job *jobs); /* the same */
void lw__jobs_destroy_spare(lw_stream *stream);      /* the stream goes away */

/* lw__job_claim - locked: its launch uses the buffers from now on. lw__job_unclaim: no more.
 * errors   LW_E_ARG one is mapped */
lw_status lw__job_claim(struct lw__job *job);
void lw__job_unclaim(struct lw__job *job);

/* ---- outcome.c: locked ---- */

/* lw__stream_fail - keep the first failure and take out all that is queued; lw__jobs_free it
 * without the lock, then add their number to finished. */
struct lw__job *lw__stream_fail(lw_stream *stream, lw_status status, const char *error);

/* lw__stream_drop - a job that will not run lets its buffers go, and its mark fails. */
void lw__stream_drop(lw_stream *stream, struct lw__job *job);
void lw__stream_keep_output(lw_stream *stream, struct lw__job *job); /* until a wait */

/* ---- inflight.c: jobs that the device has taken; all locked, but while they wait ---- */

void lw__ahead_add(lw_stream *stream, struct lw__job *job); /* the stream owns it */
void lw__ahead_look(lw_stream *stream);                     /* retire what is over by now */
void lw__ahead_void(lw_stream *stream); /* the stream has failed before all that is ahead */

/* lw__ahead_drain - wait for what is ahead, and retire it; for another thread, if one does so
 * already, and so perhaps for a part only. ahead is not empty. False: not in time. */
bool lw__ahead_drain(lw_stream *stream, const struct timespec *deadline);
bool lw__ahead_drain_mark(struct lw__mark *mark, const struct timespec *deadline); /* all of it */
bool lw__ahead_drain_use(const lw_buffer *buffer, const struct timespec *deadline,
                         bool *in_time);              /* false: no job ahead uses it */
bool lw__ahead_drain_device(const lw_device *device); /* some; false: nothing is ahead on it */

/* lw__stream_wait_more - until some of its work is over, or something else has changed. False: not
 * in time. */
bool lw__stream_wait_more(lw_stream *stream, const struct timespec *deadline);

/* ---- scratch.c ---- */

void lw__scratch_free(lw_stream *stream); /* not locked; nobody uses the stream any more */

/* ---- stream.c ---- */

/* lw__stream_make - the queue is its own from then on, also after a failure. errors: LW_E_MEMORY */
lw_status lw__stream_make(lw_device *device, void *queue, bool is_wrapped, lw_stream **stream);

/* lw__stream_free - it is destroyed, and nothing uses it any more. Not locked. */
void lw__stream_free(lw_stream *stream);

/* lw__stream_keep - a wrapped stream holds the program until its end. False: memory is short. */
bool lw__stream_keep(lw_stream *stream, lw_program *program);

/* ---- wrap.c ---- */

/* lw__stream_admit - may a wrapped stream take the job? Not locked.
 * errors   a failure that is known by now; LW_E_ARG it is being captured */
lw_status lw__stream_admit(lw_stream *stream, enum lw__job_kind kind);

/* Wait for a wrapped stream; for all of a device, locked but while it waits. errors: LW_E_ARG it is
 * being captured; LW_E_TIMEOUT, without a message; the stream's failure */
lw_status lw__stream_await_wrapped(lw_stream *stream, const struct timespec *deadline);
lw_status lw__streams_await_wrapped(const lw_device *device);

/* ---- end.c ---- */

/* lw__stream_found - locked: the thread of a lost job is back. It may free the stream. */
void lw__stream_found(lw_stream *stream, struct lw__job *job);

void lw__streams_after_fork(void); /* locked, in the child */
#endif
