/* device.h - the simulated device: streams, events, and the one thread that does all their work. */
#ifndef PTXSIM_DEVICE_H
#define PTXSIM_DEVICE_H

#include "ptxsim.h"
#include "run/cuda/driver.h"
#include <pthread.h>
#include <time.h>

enum command_kind { COPY, FILL, LAUNCH, GRAPH, RECORD, AWAIT };

struct graph_run;

/* One thing to do, in a stream's order. */
struct command {
    struct command *next;
    enum command_kind kind;
    void *to;
    const void *from;
    size_t bytes;
    unsigned char value;
    struct launch *launch;
    struct graph_run *run;
    struct gpu_event *event;
    uint64_t turn;   /* of the event */
    uint64_t number; /* of all commands */
};

struct gpu_stream {
    struct gpu_stream *next;
    struct command *first, **end;
    struct gpu_graph *captured; /* what it is captured into; NULL */
};

/* Records are counted: what waits for one waits for its count. */
struct gpu_event {
    struct gpu_event *next;
    uint64_t issued, done;
    struct timespec time;
};

struct gpu_function {
    struct gpu_function *next;
    struct function *function;
};

struct cu_module {
    struct cu_module *next;
    struct module *module;
    struct gpu_function *functions;
};

struct gpu_context {
    int error;                            /* of a kernel: from then on of all calls */
    uint64_t commands;                    /* so far */
    struct gpu_stream *streams, standard; /* standard: what NULL means, once it is used */
    struct gpu_event *events;
    struct cu_module *modules;
    struct gpu_graph *graphs;
    struct gpu_graph_exec *execs;
};

/* All below with the lock held. */
extern pthread_mutex_t device_lock;
extern struct gpu_context device_context;

bool device_start(void);                                            /* the thread, once */
bool device_enqueue(struct gpu_stream *s, const struct command *c); /* a copy of it */
int device_drain(const struct gpu_stream *s); /* wait for what it has to do; NULL: for all */
int device_await(const struct gpu_event *e, uint64_t turn);

/* driver_graph.c: what a command GRAPH does, a turn at a time; true: it is over, perhaps by an
 * error. is_due: those before it of the same graph are done. */
bool graph_run_is_due(const struct graph_run *run);
bool graph_run_step(struct graph_run *run, bool (*step)(struct command *c), int *error);
void graph_run_destroy(struct graph_run *run);
void graphs_destroy_all(void);

/* A command for a stream that is captured; refuse: a call that no capture, or none of this stream,
 * may see, which then is invalid. */
bool capture_command(struct gpu_graph *graph, const struct command *command);
int capture_refuse(struct gpu_stream *stream);

bool function_is_launchable(const struct cu_node_params *params);

/* Each function of the driver as one of our own with the driver's symbol, so that its parameters
 * are checked. */
#define DECLARE(member, symbol, parameters)                                                        \
    __attribute__((visibility("default"))) int ptxsim_##member parameters __asm__(symbol);
LW_CUDA_DRIVER_MAP(DECLARE)
LW_CUDA_NEW_DRIVER_MAP(DECLARE)
#undef DECLARE
#define DECLARE(slot, symbol)                                                                      \
    __attribute__((visibility("default"))) __typeof__(*((struct lw__gpu_driver *)0)                \
                                                           ->slot) ptxsim_##slot __asm__(symbol);
LW_CUDA_CALLS_MAP(DECLARE)
LW_CUDA_GRAPH_CALLS_MAP(DECLARE)
#undef DECLARE
/* For who captures streams of their own. */
__attribute__((visibility("default"))) int
ptxsim_capture_begin(struct gpu_stream *stream, int mode) __asm__("cuStreamBeginCapture_v2");
__attribute__((visibility("default"))) int
ptxsim_capture_end(struct gpu_stream *stream,
                   struct gpu_graph **graph) __asm__("cuStreamEndCapture");

/* begin, end - around each call that needs a context: begin takes the lock, and its result is the
 * call's where it is not 0; end gives the lock back and returns its argument. */
int begin(void);
int begin_with(struct gpu_stream **stream); /* it must be one; NULL becomes the default one */
int end(int result);
#endif
