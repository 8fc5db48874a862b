/* gpu.h - what any GPU needs behind lw__device_ops: memory, queues, batches and marks, by the calls
 * of its driver.
 *
 * A GPU has one state, whoever opens it how often: the driver's context, which other libraries in
 * the process may use too. It is current to a thread only from lw__gpu_enter to lw__gpu_leave.
 * Nothing here takes the library's lock; `lock` of a GPU may be taken under it.
 *
 *     context   a GPU is entered and left; what ends its context
 *     memory    buffers
 *     report    what a launch leaves behind
 *     flight    a launch under way, and how it is started
 *     wrap      a stream of the caller's as a queue
 *     events    marks, and waiting
 *     batch     batches as graphs
 *     queue     queues, and their launches
 *
 * Each file uses those above it. A vendor (run/cuda) has the calls, opens GPUs and loads code.
 */
#ifndef LW_RUN_GPU_H
#define LW_RUN_GPU_H

#include "base/cuda_abi.h"
#include "run/report/report.h"
#include <assert.h>
#include <pthread.h>

/* ---- what a vendor gives ---- */

/* What its driver hands out; addresses in a GPU's memory are uint64_t. */
struct gpu_context;
struct gpu_function;
struct gpu_stream;
struct gpu_event;
struct gpu_graph;
struct gpu_node; /* of a graph */
struct gpu_graph_exec;

/* Flags of stream_create: it does not wait for the default stream's work; of host_create. */
enum lw__gpu_flags {
    LW_GPU_STREAM_NON_BLOCKING = 1,
    LW_GPU_HOST_PORTABLE = 1, /* all contexts may use it */
    LW_GPU_HOST_MAPPED = 2,   /* so may kernels */
};

/* One run of a kernel. */
struct lw__gpu_start {
    struct gpu_function *function;
    lw_dim3 grid, block;
    unsigned dynamic_bytes;
    bool follows;      /* it may begin before the run ahead of it in the stream has ended */
    void **parameters; /* the addresses of two: the packed arguments, and uint64_t: the record */
};

/* The calls. A result is 0, or a number of the driver's own, of which some are told apart.
 * "Current" means the context that was pushed last by this thread. "In order" means that the call
 * adds to the stream and returns; all others are done when they return. Any thread. */
struct lw__gpu_driver {
    int not_ready, out_of_memory, invalid_value, wrong_context; /* results */
    bool has_graphs;

    /* ends_context - does the result say that the context is of no use any more? result_text - what
     * it means, into text of LW_GPU_RESULT_ROOM bytes; returns it. */
    bool (*ends_context)(int result);
    const char *(*result_text)(int result, char *text);

    /* is_forked - is this the child of a process that had begun to use the driver? Then there is no
     * other call. fail_forked - LW_E_DEVICE, and what to do about it. */
    bool (*is_forked)(void);
    lw_status (*fail_forked)(void);

    /* context_push - make it current. context_pop - what was before is. context_reaches - have
     * kernels of the current one access the memory of this one; an error where there is no way. */
    int (*context_push)(struct gpu_context *context);
    int (*context_pop)(struct gpu_context **context);
    int (*context_reaches)(struct gpu_context *context, unsigned flags);

    /* Memory of the current GPU. memory_fill to memory_copy: in order; host memory that is not of
     * host_create may be done when they return. address_check - can kernels access it? If not:
     * invalid_value. */
    int (*memory_info)(size_t *unused, size_t *total);
    int (*memory_create)(uint64_t *memory, size_t bytes);
    int (*memory_destroy)(uint64_t memory);
    int (*memory_fill)(uint64_t to, unsigned char value, size_t bytes, struct gpu_stream *stream);
    int (*memory_write)(uint64_t to, const void *from, size_t bytes, struct gpu_stream *stream);
    int (*memory_read)(void *to, uint64_t from, size_t bytes, struct gpu_stream *stream);
    int (*memory_copy)(uint64_t to, struct gpu_context *to_context, uint64_t from,
                       struct gpu_context *from_context, size_t bytes, struct gpu_stream *stream);
    int (*address_check)(uint64_t address);

    /* Pinned memory of the host; host_address: where kernels find it, if it is mapped. */
    int (*host_create)(void **memory, size_t bytes, unsigned flags);
    int (*host_destroy)(void *memory);
    int (*host_address)(uint64_t *address, void *memory, unsigned flags);

    /* launch - in order. function_blocks - how many blocks a processor runs at once. */
    int (*launch)(const struct lw__gpu_start *start, struct gpu_stream *stream);
    int (*function_blocks)(int *blocks, struct gpu_function *function, int threads,
                           size_t dynamic_bytes);

    /* stream_query - 0: all is over; not_ready. stream_wait - until it is. stream_wait_event - in
     * order: what comes waits for the event's last record. stream_is_capturing - 0: what is added
     * is done, and not put into a graph of its owner's. */
    int (*stream_create)(struct gpu_stream **stream, unsigned flags);
    int (*stream_destroy)(struct gpu_stream *stream);
    int (*stream_context)(struct gpu_stream *stream, struct gpu_context **context);
    int (*stream_is_capturing)(struct gpu_stream *stream, int *status);
    int (*stream_query)(struct gpu_stream *stream);
    int (*stream_wait)(struct gpu_stream *stream);
    int (*stream_wait_event)(struct gpu_stream *stream, struct gpu_event *event, unsigned flags);

    /* event_record - in order. event_query, event_wait - of its last record, as for streams. */
    int (*event_create)(struct gpu_event **event, unsigned flags);
    int (*event_destroy)(struct gpu_event *event);
    int (*event_record)(struct gpu_event *event, struct gpu_stream *stream);
    int (*event_query)(struct gpu_event *event);
    int (*event_wait)(struct gpu_event *event);
    int (*event_elapsed)(float *milliseconds, struct gpu_event *begin, struct gpu_event *end);

    /* Only if has_graphs. graph_kernel - a node, after others. graph_set - other arguments of a
     * node for runs from now on. graph_launch - in order. */
    int (*graph_create)(struct gpu_graph **graph, unsigned flags);
    int (*graph_destroy)(struct gpu_graph *graph);
    int (*graph_kernel)(struct gpu_node **node, struct gpu_graph *graph,
                        struct gpu_node *const *after, size_t count,
                        const struct lw__gpu_start *start);
    int (*graph_instantiate)(struct gpu_graph_exec **exec, struct gpu_graph *graph,
                             unsigned long long flags);
    int (*graph_exec_destroy)(struct gpu_graph_exec *exec);
    int (*graph_set)(struct gpu_graph_exec *exec, struct gpu_node *node,
                     const struct lw__gpu_start *start);
    int (*graph_launch)(struct gpu_graph_exec *exec, struct gpu_stream *stream);
};
enum { LW_GPU_RESULT_ROOM = 200 };

/* One GPU that is open: the state of the device's ops, or its first member. */
struct lw__gpu {
    /* The vendor's: */
    const struct lw__gpu_driver *driver;
    char name[24];       /* of the device */
    size_t shared_bytes; /* that a block can have at most */
    int processors;
    struct gpu_context *context;
    /* Of this folder: */
    struct gpu_stream *copies; /* all copies between buffers and the host */
    pthread_mutex_t lock;
    struct lw__gpu_queue *queues;  /* locked */
    struct lw__gpu_mark *marks;    /* locked; to be used again */
    char loss[LW_MESSAGE_MAX + 1]; /* fixed once is_lost: what was the end of the context */
    atomic_bool is_lost;
};

/* A kernel for one size of block: what load makes, or its first member. All by the vendor. */
struct lw__gpu_code {
    struct gpu_function *function;
    uint32_t uses; /* enum lw_cuda_uses, without LW_CUDA_FOLLOWS */
    bool follows;
    size_t slack_bytes;  /* block memory that its alignment takes */
    size_t static_bytes; /* block memory that is not in `shared` of a launch */
    int threads;         /* a block can have at most */
    char *text;          /* a copy of LW_CUDA_TEXT, text_bytes and a NUL */
    size_t text_bytes;
    uint64_t text_address;
};

/* ---- for vendors ---- */

/* lw__gpu_begin - of a GPU with a context: from now on the other functions may be called.
 * lw__gpu_end - release what they have made; also after a failure, and without a context. */
lw_status lw__gpu_begin(struct lw__gpu *gpu);
void lw__gpu_end(struct lw__gpu *gpu);

/* lw__gpu_enter, lw__gpu_leave - make the GPU's context current to the thread, and what was before.
 * errors   LW_E_DEVICE it is lost, or this process was forked */
lw_status lw__gpu_enter(struct lw__gpu *gpu);
bool lw__gpu_enter_to_release(struct lw__gpu *gpu); /* false, and no message, where it cannot */
void lw__gpu_leave(struct lw__gpu *gpu);

/* lw__gpu_result - what came of a call to the driver: LW_OK, or a failure with "WHAT: its text". If
 * the error invalidates the context, the GPU is lost from then on, and the message says so.
 * errors   LW_E_MEMORY where memory was short; LW_E_DEVICE */
lw_status lw__gpu_result(struct lw__gpu *gpu, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* lw__gpu_fail_lost - of a GPU that is lost: LW_E_LAUNCH for the launches that were under way. */
lw_status lw__gpu_fail_lost(struct lw__gpu *gpu, lw_status status);

/* lw__gpu_copied - a copy was started on gpu->copies with this result; await its end. */
int lw__gpu_copied(const struct lw__gpu *gpu, int result);

/* As in lw__device_ops. */
lw_status lw__gpu_memory_create(void *state, size_t bytes, void **memory);
void lw__gpu_memory_destroy(void *state, void *memory);
lw_status lw__gpu_memory_write(void *state, void *to, const void *from, size_t bytes);
lw_status lw__gpu_memory_read(void *state, void *to, const void *from, size_t bytes);
lw_status lw__gpu_memory_copy(void *state, void *to, void *from_state, const void *from,
                              size_t bytes);
lw_status lw__gpu_memory_check(void *state, const void *memory, size_t bytes);
lw_status lw__gpu_fill(void *state, const struct lw__launch *launch, uint32_t *blocks);
lw_status lw__gpu_check(void *state, const struct lw__launch *launch);
lw_status lw__gpu_launch(void *state, const struct lw__launch *launch);
extern const struct lw__queue_ops lw__gpu_queue_ops;

/* ---- inside this folder ---- */

/* The record of a launch, as it is before and after; in pinned memory. */
struct lw__gpu_images {
    struct lw_cuda_launch before, after;
};

/* A launch under way. */
struct lw__gpu_flight {
    struct lw__gpu_flight *next;
    const char *kernel;
    struct lw__gpu_images *images;         /* NULL: it has no record */
    uint64_t record;                       /* in the GPU's memory */
    struct lw__gpu_batch *batch;           /* of which it is a run; else NULL, and so: */
    struct lw_cuda_launch *before, *after; /* its records, in pinned memory; NULL: there are none */
};

/* What is behind a stream. */
struct lw__gpu_queue {
    struct lw__gpu *gpu;
    struct gpu_stream *stream;
    struct lw__gpu_queue *next, *previous; /* gpu->lock: of its queues */
    /* gpu->lock: the oldest first; to be used again, without and with a record */
    struct lw__gpu_flight *under_way, **under_way_end, *plain, *recorded;
    uint64_t prints;          /* memory for what one launch prints; 0: not needed so far */
    _Atomic(uint32_t *) stop; /* pinned, of all its records; NULL: it has none so far */
    uint64_t stop_address;
    bool is_wrapped;                 /* the driver's stream is someone else's: wrap.c */
    bool is_capturing;               /* it was, when its last launch came */
    struct lw__gpu_lasting *lasting; /* gpu->lock: records */
    char last_kernel[64];            /* gpu->lock; wrapped: "" before the first launch */
};
enum { LW_GPU_PRINT_BYTES = 8 << 20 };

/* Entered. take - one that is not under way, with memory for a record where has_record. It is under
 * way from set_under_way to end, which keeps it to be used again. free - all of a list. */
lw_status lw__gpu_flight_take(struct lw__gpu_queue *queue, const struct lw__launch *launch,
                              bool has_record, struct lw__gpu_flight **flight);
void lw__gpu_set_under_way(struct lw__gpu_queue *queue, struct lw__gpu_flight *flight);
void lw__gpu_end_flight(struct lw__gpu_queue *queue, struct lw__gpu_flight *flight);
void lw__gpu_flights_free(struct lw__gpu *gpu, struct lw__gpu_flight *flights, bool is_entered);

/* Entered. Results of the driver. prepare: what is there once a queue; start_kernel: the launch. */
int lw__gpu_prepare(struct lw__gpu_queue *queue, uint32_t uses);
int lw__gpu_start_kernel(struct lw__gpu_queue *queue, const struct lw__launch *launch,
                         uint64_t record);
size_t lw__gpu_dynamic_bytes(const struct lw__launch *launch);

/* lw__gpu_stop - no call to the driver: threads that wait end. */
void lw__gpu_stop(struct lw__gpu_queue *queue);
void lw__gpu_stop_if_cancelled(struct lw__gpu_queue *queue, const struct lw__launch *launch);

/* lw__gpu_fail_start - Entered. A call failed with that result. Nothing of the flight, or NULL, is
 * under way any more: what its copies and the kernel use is let go then.
 * returns  LW_E_MEMORY, LW_E_LAUNCH: "WHAT 'KERNEL' cannot be launched" */
lw_status lw__gpu_fail_start(struct lw__gpu_queue *queue, struct lw__gpu_flight *flight, int result,
                             const char *what, const char *kernel);

/* lw__gpu_report - hand over what a launch printed; its failed assert or refused access is the
 * message.
 * errors   LW_E_LAUNCH, LW_E_MEMORY, LW_E_DEVICE */
lw_status lw__gpu_report(struct lw__gpu_queue *queue, const struct lw__launch *launch,
                         const struct lw_cuda_launch *record);

/* ---- wrap.c: queues that are wrapped; the others as in lw__queue_ops ---- */

lw_status lw__gpu_issue_wrapped(struct lw__gpu_queue *queue,
                                const struct lw__launch *launch); /* entered */
void lw__gpu_free_lasting(struct lw__gpu_queue *queue, bool is_entered);
lw_status lw__gpu_refuse_capture(void *state, void *queue, const char *what);
lw_status lw__gpu_check_queue(void *state, void *queue, bool asks);

/* ---- events.c: as in lw__queue_ops ---- */

struct lw__gpu_mark {
    struct lw__gpu_mark *next;
    struct gpu_event *event;
};
lw_status lw__gpu_mark(void *state, void *queue, void **mark);
void lw__gpu_mark_destroy(void *state, void *mark);
lw_status lw__gpu_mark_await(void *state, void *queue, void *mark);
lw_status lw__gpu_mark_elapsed(void *state, void *begin, void *end, int64_t *nanoseconds);
lw_status lw__gpu_await(void *state, void *queue, void *mark, const struct timespec *deadline);

/* ---- batch.c: as in lw__queue_ops ---- */

/* A launch of a batch, as it was when the driver was last told. */
struct lw__gpu_node {
    struct gpu_node *node;
    const struct lw__gpu_code *code;
    const char *kernel;
    char *args;
    size_t record; /* which of the records; those of a code that uses none are not there */
};

struct lw__gpu_batch {
    struct lw__gpu *gpu;
    size_t count, record_count;
    size_t *begin, *after; /* what each follows */
    struct lw__gpu_node *nodes;
    uint32_t uses;    /* of all codes together */
    uint64_t records; /* in the GPU's memory, for all runs: they follow one another */
    struct gpu_graph *graph;
    struct gpu_graph_exec *exec; /* NULL: there was no run so far */
    struct lw__gpu_flight *idle; /* gpu->lock: to be used again */
};
lw_status lw__gpu_batch_create(void *state, size_t count, const size_t *begin, const size_t *after,
                               void **batch);
void lw__gpu_batch_destroy(void *state, void *batch);
bool lw__gpu_batch_takes(void *state, const struct lw__launch *first);
lw_status lw__gpu_batch_issue(void *state, void *batch, const struct lw__launch *first,
                              void **flight);
lw_status lw__gpu_batch_retire(void *state, const struct lw__launch *first, void *flight,
                               const char *awaited);
#endif
