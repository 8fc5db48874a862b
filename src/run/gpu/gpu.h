/* cuda.h - what the files of the device `cuda` share.
 *
 * A GPU has one state, whoever opens it how often: the driver's primary context, which other
 * libraries in the process use too. It is current to a thread only from lw__cuda_enter to
 * lw__cuda_leave. Nothing here takes the library's lock; `lock` of a GPU may be taken under it.
 *
 * Files in flow order: driver, device, code, queue, batch, wrap, events, report.
 */
#ifndef LW_CUDA_H
#define LW_CUDA_H

#include "base/cuda_abi.h"
#include "run/cuda/driver.h"
#include "run/device_ops.h"
#include "run/report/report.h"
#include <pthread.h>

/* One GPU that is open. */
struct lw__cuda {
    atomic_size_t holds; /* of device.c's table */
    const struct lw__cuda_driver *driver;
    int ordinal, device;
    char name[24], target[24], description[256];
    size_t shared_bytes; /* that a block can have at most */
    int processors, processor_threads;
    struct cu_context *context;
    struct cu_stream *copies; /* all copies between buffers and the host */
    pthread_mutex_t lock;
    struct lw__cuda_queue *queues; /* locked */
    struct lw__cuda_mark *marks;   /* locked; to be used again */
    char loss[LW_MESSAGE_MAX + 1]; /* fixed once is_lost: what was the end of the context */
    atomic_bool is_lost;
};

/* lw__cuda_enter, lw__cuda_leave - make the GPU's context current to the thread, and what was
 * before.
 * errors   LW_E_DEVICE it is lost, or this process was forked */
lw_status lw__cuda_enter(struct lw__cuda *gpu);
bool lw__cuda_enter_to_release(struct lw__cuda *gpu); /* false, and no message, where it cannot */
void lw__cuda_leave(struct lw__cuda *gpu);

/* lw__cuda_fail - the message of a call to the driver that failed: "WHAT: CUDA_ERROR_X (...)".
 * If the error invalidates the context, the GPU is lost from then on, and the message says so.
 * returns  LW_E_MEMORY where memory was short; LW_E_DEVICE */
lw_status lw__cuda_fail(struct lw__cuda *gpu, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* lw__cuda_fail_lost - of a GPU that is lost: LW_E_LAUNCH for the launches that were under way. */
lw_status lw__cuda_fail_lost(struct lw__cuda *gpu, lw_status status);

/* lw__cuda_copied - a copy was started on gpu->copies with this result; await its end. */
int lw__cuda_copied(const struct lw__cuda *gpu, int result);

/* ---- code.c ---- */

/* What load makes: of the first step's shared object, or of the second step's text. */
struct lw__cuda_code {
    void *object; /* of dlopen; NULL: all below */
    struct cu_module *module;
    struct cu_function *function;
    uint32_t uses; /* enum lw_cuda_uses, without LW_CUDA_FOLLOWS */
    bool follows;
    size_t slack_bytes;  /* block memory that its alignment takes */
    size_t static_bytes; /* block memory that is not in `shared` of a launch */
    int threads;         /* a block can have at most */
    char *text;          /* a copy of LW_CUDA_TEXT, text_bytes and a NUL */
    size_t text_bytes;
    uint64_t text_address;
};
lw_status lw__cuda_load(void *state, const char *path, const void *payload, size_t bytes,
                        void **code);
void lw__cuda_unload(void *state, void *code);
lw_status lw__cuda_find(void *code, const char *kernel, void **entry);
lw_status lw__cuda_sizes(void *code, const char *kernel, void **function);
lw_status lw__cuda_common(void *code, const void **bitcode, size_t *bytes);
lw_status lw__cuda_guarded(void *code, const void **bitcode, size_t *bytes);

/* ---- queue.c ---- */

/* The record of a launch, as it is before and after; in pinned memory. */
struct lw__cuda_images {
    struct lw_cuda_launch before, after;
};

/* A launch under way. */
struct lw__cuda_flight {
    struct lw__cuda_flight *next;
    const char *kernel;
    struct lw__cuda_images *images;        /* NULL: it has no record */
    uint64_t record;                       /* in the GPU's memory */
    struct lw__cuda_batch *batch;          /* of which it is a run; else NULL, and so: */
    struct lw_cuda_launch *before, *after; /* its records, in pinned memory; NULL: there are none */
};

/* What is behind a stream. */
struct lw__cuda_queue {
    struct lw__cuda *gpu;
    struct cu_stream *stream;
    struct lw__cuda_queue *next, *previous; /* gpu->lock: of its queues */
    /* gpu->lock: the oldest first; to be used again, without and with a record */
    struct lw__cuda_flight *under_way, **under_way_end, *plain, *recorded;
    uint64_t prints;          /* memory for what one launch prints; 0: not needed so far */
    _Atomic(uint32_t *) stop; /* pinned, of all its records; NULL: it has none so far */
    uint64_t stop_address;
    bool is_wrapped;                  /* the driver's stream is someone else's: wrap.c */
    bool is_capturing;                /* it was, when its last launch came */
    struct lw__cuda_lasting *lasting; /* gpu->lock: records */
    char last_kernel[64];             /* gpu->lock; wrapped: "" before the first launch */
};
enum { LW_CUDA_PRINT_BYTES = 8 << 20 };

extern const struct lw__queue_ops lw__cuda_queue_ops;
lw_status lw__cuda_fill(void *state, const struct lw__launch *launch, uint32_t *blocks);
lw_status lw__cuda_check(void *state, const struct lw__launch *launch);
lw_status lw__cuda_launch(void *state, const struct lw__launch *launch);

/* Entered. Results of the driver. prepare: what is there once a queue; start_kernel: the launch. */
int lw__cuda_prepare(struct lw__cuda_queue *queue, uint32_t uses);
int lw__cuda_start_kernel(struct lw__cuda_queue *queue, const struct lw__launch *launch,
                          uint64_t record);

/* A flight is under way from set_under_way to end, which keeps it to be used again. */
void lw__cuda_set_under_way(struct lw__cuda_queue *queue, struct lw__cuda_flight *flight);
void lw__cuda_end(struct lw__cuda_queue *queue, struct lw__cuda_flight *flight);
size_t lw__cuda_dynamic_bytes(const struct lw__launch *launch);
void lw__cuda_stop_if_cancelled(struct lw__cuda_queue *queue, const struct lw__launch *launch);

/* ---- batch.c: batches, as in lw__queue_ops ---- */

/* A launch of a batch, as it was when the driver was last told. */
struct lw__cuda_node {
    struct cu_node *node;
    const struct lw__cuda_code *code;
    const char *kernel;
    char *args;
    size_t record; /* which of the records; those of a code that uses none are not there */
};

struct lw__cuda_batch {
    struct lw__cuda *gpu;
    size_t count, record_count;
    size_t *begin, *after; /* what each follows */
    struct lw__cuda_node *nodes;
    uint32_t uses;    /* of all codes together */
    uint64_t records; /* in the GPU's memory, for all runs: they follow one another */
    struct cu_graph *graph;
    struct cu_graph_exec *exec;   /* NULL: there was no run so far */
    struct lw__cuda_flight *idle; /* gpu->lock: to be used again */
};
lw_status lw__cuda_batch_create(void *state, size_t count, const size_t *begin, const size_t *after,
                                void **batch);
void lw__cuda_batch_destroy(void *state, void *batch);
bool lw__cuda_batch_takes(void *state, const struct lw__launch *first);
lw_status lw__cuda_batch_issue(void *state, void *batch, const struct lw__launch *first,
                               void **flight);
lw_status lw__cuda_batch_retire(void *state, const struct lw__launch *first, void *flight,
                                const char *awaited);

/* ---- wrap.c: queues that are wrapped; the others as in lw__queue_ops ---- */

lw_status lw__cuda_issue_wrapped(struct lw__cuda_queue *queue,
                                 const struct lw__launch *launch); /* entered */
void lw__cuda_free_lasting(struct lw__cuda_queue *queue, bool is_entered);
lw_status lw__cuda_refuse_capture(void *state, void *queue, const char *what);
lw_status lw__cuda_check_queue(void *state, void *queue, bool asks);

/* ---- events.c: as in lw__queue_ops ---- */

struct lw__cuda_mark {
    struct lw__cuda_mark *next;
    struct cu_event *event;
};
lw_status lw__cuda_mark(void *state, void *queue, void **mark);
void lw__cuda_mark_destroy(void *state, void *mark);
lw_status lw__cuda_mark_await(void *state, void *queue, void *mark);
lw_status lw__cuda_mark_elapsed(void *state, void *begin, void *end, int64_t *nanoseconds);
lw_status lw__cuda_await(void *state, void *queue, void *mark, const struct timespec *deadline);
void lw__cuda_free_marks(struct lw__cuda *gpu, bool is_entered);

/* ---- report/report.c ---- */

/* lw__cuda_report - hand over what a launch printed; its failed assert or refused
 * access is the message.
 * errors   LW_E_LAUNCH, LW_E_MEMORY, LW_E_DEVICE */
lw_status lw__cuda_report(struct lw__cuda_queue *queue, const struct lw__launch *launch,
                          const struct lw_cuda_launch *record);
#endif
