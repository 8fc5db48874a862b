/* host.h - the objects behind the public handles, and who may touch what.
 *
 * There are three kinds of state. State that is fixed when an object is made (a program, a kernel,
 * a buffer's size) is read freely. References are counted atomically; the last release frees.
 * Everything that moves while work is queued - streams, marks, a buffer's uses - is guarded by the
 * one lock of pool.c and marked "locked" below: one lock, because then fork() finds the whole of it
 * in order.
 *
 * Files in flow order: alive, device, type_layout, program, image, share, specialize, verdict,
 * buffer, scalar, job, args, launch, batch, stream, stream_cancel, stream_wait, stream_wrap,
 * record, scratch, inflight, event, pool; guard, stack, fault and stop have a header of their own.
 */
#ifndef LW_RUN_HOST_H
#define LW_RUN_HOST_H

#include "lanewise/image.h"
#include "lanewise/record.h"
#include "run/build/build.h"
#include "run/host/fault.h"
#include "run/report/findings.h"
#include <stdatomic.h>
#include <time.h>

/* ---- alive.c ---- */

/* On the list of a device with findings; else all zero. */
struct lw__alive {
    struct lw__alive *next, **link; /* locked */
    const lw_buffer *buffer;        /* NULL: it is a stream */
    const void *creator;            /* where the call that made it returned to */
};

/* Of something on the list, a copy. */
struct lw__alive_row {
    bool is_stream, has_dtype;
    lw_dtype dtype;
    size_t number;       /* from the oldest */
    size_t count, bytes; /* of a buffer */
    const void *creator;
};

/* lw__alive_add - the program has created it. lw__alive_remove - it is about to be released.
 * lw__alive_list - wait for the work of the device's streams, then list what there is, the oldest
 * first; false: memory is short. owns: free(*rows) */
void lw__alive_add(lw_device *device, struct lw__alive *alive, const lw_buffer *buffer,
                   const void *creator);
void lw__alive_remove(struct lw__alive *alive);
bool lw__alive_list(lw_device *device, struct lw__alive_row **rows, size_t *count);

/* ---- device.c ---- */

enum { LW_RESIDENT_BUCKETS = 32 };

struct lw_device {
    atomic_size_t holds;
    const struct lw__device_ops *ops;
    void *state;
    lw_device_info info;          /* of this one, as it was opened */
    struct lw__mark *spare_marks; /* locked; event.c: to be used again */
    struct lw__alive *alive;      /* locked; alive.c */
    /* image.c: programs of images, by address; each list grows at its head */
    _Atomic(lw_program *) residents[LW_RESIDENT_BUCKETS];
    _Atomic(lw_program *) shared; /* share.c: programs of texts; grows at its head */
};

/* lw__device_create - of such devices the one with the name.
 * errors   LW_E_MEMORY; those of ops->open. owns: lw_device_close */
lw_status lw__device_create(const struct lw__device_ops *ops, const char *name, lw_device **device);
void lw__device_describe(const struct lw__device_ops *ops, void *state, lw_device_info *info);
const char *
lw__device_probe(const struct lw__device_ops *ops);     /* why it cannot be used; "": it can */
void lw__device_hold(lw_device *device);                /* lw_device_close lets go */
const char *lw__device_target(const lw_device *device); /* for lanewise-compile --device */

/* ---- type_layout.c ---- */

/* lw__layout_read - fill in kind, dtype, element_bytes, is_const and rank from the text of
 * docs/layout.md. False where it is malformed. *bytes: what a value of the type takes. */
bool lw__layout_read(const char *layout, lw_param *param, size_t *bytes);

/* ---- program.c ---- */

enum { LW_VERDICTS = 64 }; /* that a kernel remembers */

typedef void lw__sizes_fn(const char *args, int64_t *sizes);

struct lw_kernel {
    lw_program *program;
    const struct lw__manifest_kernel *row;
    const struct lw__manifest_param *param_rows;
    lw_param *params;
    char **titles;       /* of its parameters, for messages: "dot: parameter 2 'a' (float *)" */
    size_t size_count;   /* declared sizes of all parameters together */
    lw__sizes_fn *sizes; /* NULL: nothing declared, or the device runs nothing */
    void *entry;         /* NULL: specialize.c finds it, by the size of the block */
    struct lw__times times;
    _Atomic(struct lw__special *) specials; /* grows at its head */
    const struct lw_proofs *proofs;         /* in the code; NULL: bounds says all */
    const struct lw_term **leaves;          /* of the proofs, leaf_count: what a launch decides */
    size_t leaf_count;
    _Atomic uint64_t verdicts[LW_VERDICTS]; /* verdict.c */
};

struct lw_program {
    atomic_size_t holds; /* not of a resident: its holds are its device's */
    lw_device *device;
    char *name;
    char *source;          /* what was built, where the device makes findings; else NULL */
    const lw_image *image; /* of a resident; else NULL */
    uint64_t image_id;
    char *shared_text;         /* share.c: of a resident that was made of it; else NULL */
    lw_program *next_resident; /* of the device; fixed once it is in the list */
    struct lw__code code;
    enum lw__wish bounds; /* which launches run code whose accesses stay within their objects */
    lw_param *params;     /* code.manifest.param_count; the kernels' slices */
    char **titles;        /* of each parameter; see lw_kernel */
    lw_kernel *kernels;   /* code.manifest.kernel_count */
};
void lw__program_hold(lw_program *program); /* lw_program_destroy lets go */

/* lw__program_fill - kernels and parameters by the manifest; entries where code is loaded.
 * errors   LW_E_MEMORY; LW_E_INTERNAL the manifest or the code is damaged */
lw_status lw__program_fill(lw_program *program);
void lw__program_free(lw_program *program); /* whoever holds it; not its device */

/* ---- image.c: programs of images ---- */

/* lw__image_code - what a resident's kernel runs with for such blocks; *found: there is some.
 * errors   LW_E_MEMORY; LW_E_INTERNAL the image is damaged; those of the device's load */
lw_status lw__image_code(const lw_kernel *kernel, lw_dim3 block, bool is_guarded,
                         struct lw__code *code, void **entry, bool *found);

/* lw__image_fail_block - LW_E_UNSUPPORTED: there is none, and why there is no compiler. */
lw_status lw__image_fail_block(const lw_kernel *kernel, lw_dim3 block, bool is_guarded,
                               const char *why);

/* lw__image_has_forms - may its launches run guarded code there? For a GPU there is plain code. */
bool lw__image_has_forms(const lw_program *program);

/* lw__image_suggest - `wanted`, if there is code for it; else the first size that has some. */
lw_dim3 lw__image_suggest(lw_kernel *kernel, lw_dim3 wanted);

void lw__shared_free(lw_device *device);    /* share.c: the same of programs of texts */
void lw__residents_free(lw_device *device); /* all, where nobody holds the device */

/* ---- verdict.c: which launches run guarded code ---- */

/* lw__verdict_open - the proofs of a kernel, where the program's bounds do not say all.
 * errors   LW_E_MEMORY; LW_E_INTERNAL the code lacks them
 * lw__verdict_is_fixed - do all launches of the kernel run the same form?
 * lw__verdict_is_guarded - does this one run the guarded form? Its args and objects are known, or
 * the verdict is fixed. Any thread. */
lw_status lw__verdict_open(lw_kernel *kernel);
bool lw__verdict_is_fixed(const lw_kernel *kernel);
bool lw__verdict_is_guarded(lw_kernel *kernel, const struct lw__launch *launch);

/* ---- specialize.c: code for one size of block ---- */

/* lw__special_use - give the launch the kernel's code for its block size. The first launch with a
 * size builds the code.
 * errors   LW_E_COMPILE the compiler refuses it, "file:line:column: text"; LW_E_MEMORY; LW_E_IO;
 *          LW_E_INTERNAL. thread: any; one builds, the others wait */
lw_status lw__special_use(lw_kernel *kernel, struct lw__launch *launch);
void lw__special_free(lw_kernel *kernel);

/* lw__special_first - of a program that nobody has yet: take the code for its first launch, if the
 * compiler has made it. The launch reports a failure. */
void lw__special_first(lw_program *program, const struct lw__compile *built);

/* ---- buffer.c ---- */

struct lw_buffer {
    atomic_size_t holds;
    lw_device *device;
    bool has_dtype;
    lw_dtype dtype;
    size_t element_bytes, count, bytes;
    void *memory;               /* the device's address */
    void *block;                /* host memory: what to free, */
    struct lw__guarded guarded; /* or, where that is NULL, this */
    void *staging; /* mapped device memory: its copy on the host; of who holds the mapping */
    bool is_wrapped, read_only;                /* memory is someone else's */
    void (*release)(void *memory, void *user); /* wrapped; NULL: nobody wants to know */
    void *user;
    uint8_t *undefined;  /* of a device with findings, as lw__object says; NULL: all is defined */
    bool mapped;         /* locked */
    bool is_used_unseen; /* locked: launches on wrapped streams have it, or had */
    size_t uses;         /* locked: queued or running launches that hold it */
    const lw_stream *blank_of; /* it has no memory: the stream that records it; else NULL */
    struct lw__alive alive;
};
void lw__buffer_hold(lw_buffer *buffer); /* lw_buffer_destroy lets go */

/* lw__buffer_create - as lw_buffer_create, for memory that is not the program's. */
lw_status lw__buffer_create(lw_device *device, lw_dtype dtype, size_t count, lw_buffer **buffer);

/* lw__buffer_create_at - of memory that the caller knows to be good.
 * errors   LW_E_DTYPE, LW_E_MEMORY */
lw_status lw__buffer_create_at(lw_device *device, lw_dtype dtype, size_t count, void *memory,
                               lw_buffer **buffer);

/* ---- scalar.c ---- */

/* lw__scalar_pack - one number as the bits of a dtype, or an error with `what` before it.
 * errors   LW_E_DTYPE a real for an integer; LW_E_ARG the type cannot hold the value */
lw_status lw__scalar_pack(const char *what, const lw_arg *arg, lw_dtype dtype, void *to);

/* ---- job.c, args.c, launch.c, stream.c: one piece of queued work ---- */

/* True if a launch may have blocks of this size. */
bool lw__is_block(lw_dim3 block);

enum { LW_JOB_ALIGN = 64, LW_JOB_PARAMS = 24 };
enum lw__job_kind { LW_JOB_LAUNCH, LW_JOB_BATCH, LW_JOB_MARK, LW_JOB_AWAIT, LW_JOB_FENCE };

struct lw__job {
    struct lw__job *next;
    enum lw__job_kind kind;
    bool claimed;          /* locked: its buffers' uses are counted */
    bool is_ahead;         /* the device has taken it; locked, as the next */
    bool is_void;          /* and the stream failed before it was over */
    bool is_lost;          /* locked: it runs on, and counts as finished; stream_cancel.c */
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
    char *args;
    /* What args, buffers and buffer_params have room for; to be freed, where it is not below. */
    size_t args_room, params_room;
    void *args_block, *params_block;
    char own_args[512] __attribute__((aligned(LW_JOB_ALIGN)));
    lw_buffer *own_buffers[LW_JOB_PARAMS];
    size_t own_params[LW_JOB_PARAMS];
    struct lw__object own_objects[LW_JOB_PARAMS];
};

/* lw__job_take - a job of the stream, which holds nothing. NULL: memory is short.
 * owns     lw__stream_enqueue takes it; else lw__job_free */
struct lw__job *lw__job_take(lw_stream *stream, enum lw__job_kind kind);

/* Room for packed arguments, then all zero, and for buffers; for what is printed. False: memory is
 * short. */
bool lw__job_make_room(struct lw__job *job, size_t arg_bytes, size_t params);
bool lw__job_make_output(struct lw__job *job, lw_dim3 grid, lw_dim3 block);

/* lw__args_pack - check the arguments against the kernel's parameters and pack them into job.
 * errors   LW_E_ARG, LW_E_SHAPE, LW_E_DTYPE, LW_E_DEVICE, LW_E_MEMORY */
lw_status lw__args_pack(struct lw__job *job, const lw_arg *args, size_t count);

/* lw__job_free - let go of all that it holds. Not under the lock: a last hold may unload code.
 * lw__jobs_free: a list; how many there were, but for fences. */
void lw__job_free(struct lw__job *job);
uint64_t lw__jobs_free(struct lw__job *jobs);
uint64_t lw__jobs_count(const struct lw__job *jobs); /* the same */
void lw__jobs_destroy_spare(lw_stream *stream);      /* the stream goes away */

/* lw__job_claim - locked: its launch uses the buffers from now on. lw__job_unclaim: no more.
 * errors   LW_E_ARG one is mapped */
lw_status lw__job_claim(struct lw__job *job);
void lw__job_unclaim(struct lw__job *job);

/* lw__launch_make - a job of a launch that is checked and packed; the one behind lw_stream_launch.
 * errors   those of lw_stream_launch that come of its arguments
 * owns     as lw__job_take */
lw_status lw__launch_make(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block,
                          size_t dynamic_bytes, const lw_arg *args, size_t count,
                          struct lw__job **job);

/* ---- batch.c: launches that are queued as one ---- */

void lw__batch_release(lw_batch *batch);                          /* not locked */
lw_status lw__batch_step(lw_stream *stream, struct lw__job *job); /* locked, but while it runs */
lw_status lw__batch_retire(lw_stream *stream, struct lw__job *job,
                           const char *awaited);                                   /* locked */
uint64_t lw__batch_known_time(const lw_stream *stream, const struct lw__job *job); /* locked */
/* A run of it is queued; one is over. Locked. */
void lw__batch_begin(lw_batch *batch, lw_stream *stream);
void lw__batch_end(lw_batch *batch);

/* lw__stream_enqueue - append job; the stream owns it from then on, and not after a failure.
 * errors   those of the stream, if it failed; LW_E_ARG a buffer is mapped; LW_E_MEMORY no thread */
lw_status lw__stream_enqueue(lw_stream *stream, struct lw__job *job);

/* ---- stream.c ---- */

struct lw_stream {
    lw_device *device;
    void *queue;                   /* of ops->queue_create */
    struct lw__findings *findings; /* fixed; NULL where the device makes none */
    struct lw__alive alive;
    /* all below: locked */
    const struct lw__recorder *picture; /* who records its launches, or NULL */
    void *picture_recording;
    void (*picture_free)(void *recording);
    lw_stream *next, *previous; /* of all streams */
    lw_stream *next_ready;      /* pool.c: of those a worker should take up */
    bool ready;
    uint64_t queued_at;          /* the latest job that a worker should run: lw__clock */
    bool is_prompt;              /* the last wait followed at once */
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
    bool is_wrapped;                 /* fixed: the queue is someone else\'s */
    struct lw__kept *kept;           /* of who steps it: programs that are held; wrapped */
    size_t guests;                   /* threads that wait for this wrapped stream for a buffer */
    _Atomic(struct lw__job *) spare; /* job.c; not locked */
    atomic_size_t spare_count;
    struct lw__output *outputs, **outputs_end; /* of finished launches, not delivered yet */
    void (*on_output)(const lw_output *output, void *user);
    bool prints_by_call; /* each call of printf begins a line */
    void *user;
};
bool lw__stream_can_step(const lw_stream *stream); /* locked: is there a job to run now? */
void lw__stream_step(lw_stream *stream);           /* locked, but while the job runs: run one */
void lw__streams_after_fork(void);                 /* locked, in the child */
lw_stream *lw__streams(void);                      /* locked: the first of all */
void lw__streams_schedule(void);                   /* locked: those that can go on do */

/* lw__stream_fail - locked: keep the first failure and take out all that is queued; lw__jobs_free
 * it without the lock, then add their number to finished. */
struct lw__job *lw__stream_fail(lw_stream *stream, lw_status status, const char *error);
void lw__stream_note(lw_stream *stream,
                     lw_status status); /* lw_last_error() is for the next wait */
void lw__stream_keep_output(lw_stream *stream, struct lw__job *job); /* locked: until a wait */

/* lw__stream_free - it is destroyed, and nothing uses it any more. Not locked. */
void lw__stream_free(lw_stream *stream);

/* ---- stream_cancel.c ---- */

/* lw__stream_found - locked: the thread of a lost job is back. It may free the stream. */
void lw__stream_found(lw_stream *stream, struct lw__job *job);

/* lw__stream_drop - locked: a job that will not run lets its buffers go, and its mark fails. */
void lw__stream_drop(lw_stream *stream, struct lw__job *job);

/* ---- stream_wait.c ---- */

lw_status lw__stream_failure(const lw_stream *stream); /* locked; LW_OK: it has not failed */

/* lw__stream_note - a launch was refused with lw_last_error(): for the next wait. Not locked. */
void lw__stream_note(lw_stream *stream, lw_status status);

/* lw__stream_wait_more - locked: until some of its work is over, or something else has changed.
 * False: not in time. */
bool lw__stream_wait_more(lw_stream *stream, const struct timespec *deadline);

/* lw__stream_make - the queue is its own from then on, also after a failure. errors: LW_E_MEMORY */
lw_status lw__stream_make(lw_device *device, void *queue, bool is_wrapped, lw_stream **stream);

/* ---- stream_wrap.c ---- */

/* lw__stream_admit - may a wrapped stream take the job? Not locked.
 * errors   a failure that is known by now; LW_E_ARG it is being captured */
lw_status lw__stream_admit(lw_stream *stream, enum lw__job_kind kind);
bool lw__stream_keep(lw_stream *stream, lw_program *program); /* false: memory is short */
void lw__stream_let_go(lw_stream *stream);                    /* of what is kept */

/* Wait for a wrapped stream; for all of a device, locked but while it waits. errors: LW_E_ARG it is
 * being captured; LW_E_TIMEOUT, without a message; the stream's failure */
lw_status lw__stream_await_wrapped(lw_stream *stream, const struct timespec *deadline);
lw_status lw__streams_await_wrapped(const lw_device *device);

/* ---- record.c ---- */

/* lw__job_record - hand a launch that is checked and packed to who records. */
lw_status lw__job_record(struct lw__job *job, const lw_arg *args, size_t count);

/* Can the call have a stream that records, a buffer without memory? LW_E_ARG, naming the call. */
lw_status lw__stream_check_runs(const lw_stream *stream, const char *call);
lw_status lw__buffer_check_memory(const lw_buffer *buffer, const char *call);

/* ---- scratch.c ---- */

void lw__scratch_free(lw_stream *stream); /* not locked; nobody uses the stream any more */

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
bool lw__ahead_drain_batch(const lw_batch *batch);    /* false: no job ahead is of it */
bool lw__ahead_drain_device(const lw_device *device); /* some; false: nothing is ahead on it */

/* ---- event.c: marks ---- */

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

/* ---- pool.c: the lock and the threads ---- */

void lw__lock(void);
void lw__unlock(void);
unsigned lw__era(void);                             /* locked: how many forks led to this process */
uint64_t lw__clock(void);                           /* CLOCK_MONOTONIC, in nanoseconds */
struct timespec lw__deadline(uint64_t nanoseconds); /* such a time: so long from now */

/* lw__wait_change - locked: wait until something announced, or until the monotonic time `deadline`
 * (NULL: for ever). False where the time ran out. Spurious returns happen: look again. */
bool lw__wait_change(const struct timespec *deadline);
void lw__announce(void); /* locked: wake all who wait for a change */

/* lw__pool_ready - locked: there is a worker thread, or one could be started.
 * errors   LW_E_MEMORY none could */
lw_status lw__pool_ready(void);
void lw__pool_schedule(lw_stream *stream); /* locked: have a worker step it */
void lw__pool_forget(lw_stream *stream);   /* locked: it goes away */

/* lw__pool_hold - locked: the host's thread is likely to wait for it in a moment, and so to lend a
 * hand; if it does anything else, lw__pool_release has a worker step it. */
void lw__pool_hold(lw_stream *stream);
void lw__pool_release(void); /* locked */

/* lw__pool_lend_hand - locked: step the stream in this thread, which has to wait for it. False: a
 * worker does, or there is nothing to step, or enough threads work. */
bool lw__pool_lend_hand(lw_stream *stream);

/* lw__pool_lose - locked: so many threads may never come back, and others take their place.
 * lw__pool_find: they are back. */
void lw__pool_lose(size_t threads);
void lw__pool_find(size_t threads);

/* lw__pool_size - how many worker threads there are at most: LANEWISE_NUM_THREADS, or else the
 * processors this process may use. */
size_t lw__pool_size(void);

/* Work that idle workers may join in. run does pieces of it until none is left; that of a helper
 * returns early, with true, where lw__pool_is_short. */
struct lw__share {
    bool (*run)(struct lw__share *share, bool is_helper);
    size_t wanted;         /* locked: helpers that may still come */
    bool is_open;          /* locked: not over for its owner */
    atomic_size_t helpers; /* inside run; changed under the lock */
    struct lw__share *next;
};

/* lw__pool_share - share->run() here and on up to `helpers` idle workers; returns when all have
 * left it. It never waits for a worker to come. thread: any, not locked */
void lw__pool_share(struct lw__share *share, size_t helpers);

/* lw__pool_has - locked: is the thread one of the workers? */
bool lw__pool_has(pthread_t thread);

/* lw__pool_is_short - is a stream ready that no worker has taken up yet? Any thread, no lock. */
bool lw__pool_is_short(void);
#endif
