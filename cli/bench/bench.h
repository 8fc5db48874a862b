/* bench.h - `lanewise bench op`, `operations` and `dot`: what is timed, and how.
 *
 *     rows -> workers (a process for each device and number of threads)
 *          -> groups: all rows of one in turns -> statistics -> text, JSON, a drawing
 *
 * A row is one thing that is timed: an operation, a kernel, or C on the host. Limits, what the
 * machine can do, are rows too, timed in the same turns. One list of rows is printed, written as
 * JSON and drawn.
 */
#ifndef LW_CLI_BENCH_H
#define LW_CLI_BENCH_H

#include "bench/machine.h"
#include "cli/run/op_call.h"
#include "cli/bench/stats.h"
#include <sys/types.h>

enum {
    BENCH_NAME = 64,
    BENCH_TEXT = 240,
    BENCH_WORDS = 12,
    BENCH_ARGS = 4,
    BENCH_SAMPLES = 10000,
    BENCH_LEAST_BYTES = 4096, /* below that a rate says nothing: a call takes longer */
    BENCH_WORKERS = 32,
    BENCH_INTERRUPTED = 130, /* exit status, as a shell's */
};

/* ---- rows ------------------------------------------------------------------------------------ */

enum bench_kind { BENCH_OP, BENCH_KERNEL, BENCH_HOST };

/* Buffers in the order of the words; n elements. */
typedef void bench_host(void *const *buffers, size_t n);

struct bench_step {
    enum bench_kind kind;
    const char *name;    /* of the operation, or of the kernel and its text */
    const char *folder;  /* of a kernel's text: kernels, steps */
    const char *define;  /* or NULL */
    lw_dim3 grid, block; /* of a kernel */
    bench_host *host;
    size_t n;                       /* of a host's */
    const char *words[BENCH_WORDS]; /* as of `lanewise op`, or a kernel's ARGs */
    size_t word_count;
    char *text; /* that words point into; NULL: they are the command line's */
};

enum { LIMIT_READ, LIMIT_COPY, LIMIT_PEAK, LIMITS };

struct bench_row {
    char name[BENCH_NAME], size[BENCH_NAME];
    struct bench_step step;
    int worker;
    size_t group; /* rows of a group are timed in turns */
    bool is_limit;
    double weight;         /* its share of the group's time */
    double bytes, flops;   /* of one call; 0: says nothing */
    double taken[LIMITS];  /* of it, what has each limit: bytes read, bytes copied, flops */
    size_t limits[LIMITS]; /* index of the limit's row; 0: none, since a limit is never the first */
    bool has_want;
    double want, tolerance; /* of the sum of what it leaves; relative */

    /* What came of it. */
    int status;               /* exit status of its problem */
    char problem[BENCH_TEXT]; /* "": none */
    double error;             /* relative, with has_want */
    uint64_t calls;           /* of one sample, whose time is divided by it */
    double *seconds;
    double used;
    struct cli_stats stats; /* count 0: it was not timed */
    struct cli_histogram histogram;
    int limit; /* the slowest of its limits; -1: none was measured */
    double limit_seconds;

    /* The worker's. */
    bool is_open;
    struct cli_op_call call;
    lw_program *program;
    lw_kernel *kernel;
    struct cli_arg args[BENCH_ARGS];
    lw_arg packed[BENCH_ARGS];
    size_t arg_count;
};

struct bench_worker {
    const char *device;     /* NULL: the first that is available */
    int threads;            /* 0: what the environment says */
    char label[BENCH_NAME]; /* "cpu, 2 threads" */
    char name[BENCH_NAME];  /* "cpu" */
    bool has_limits;        /* limits are worth timing: ref takes for ever */
    pid_t pid;
    int to, from, log; /* pipes, and what it says on standard error */
    int status;        /* exit status; 0: it is ready */
    char problem[BENCH_TEXT];
};

struct bench {
    const struct cli_options *options;
    const char *form, *title; /* "dot"; of a drawing */
    struct machine machine;   /* before the start */
    struct bench_worker workers[BENCH_WORKERS];
    int worker_count;
    struct bench_row *rows;
    size_t row_count, row_room, group_count;
    int signals; /* a signalfd of SIGINT */
    bool is_interrupted;
    bool has_progress; /* standard error is a terminal */
    double shown;      /* when progress was last */
    char *devices;     /* that names of workers point into, or NULL */
};

/* ---- rows.c: making rows -------------------------------------------------------------- */

/* bench_add - a row of a worker in a group; NULL after cli_fail_memory. */
struct bench_row *bench_add(struct bench *bench, int worker, size_t group, const char *name);

/* bench_words - the step's words from a text in which blanks part them. */
int bench_words(struct bench_step *step, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* bench_read_op - the operation of a row whose words are set: checked; what it moves follows. */
int bench_read_op(struct bench_row *row);

/* bench_add_limits - the limits of the index-th row, in its group. */
int bench_add_limits(struct bench *bench, size_t index);

/* bench_add_limit - one of them, of so many bytes or flops. */
int bench_add_limit(struct bench *bench, int worker, size_t group, int limit, double amount,
                    bool is_double, size_t *index);
void bench_free(struct bench *bench);

/* ---- step.c: in a worker --------------------------------------------------------------- */

/* bench_open - make ready and call once or twice; *value: the sum of what it leaves. */
int bench_open(struct bench *bench, struct bench_row *row, struct cli_session *session,
               double *value);
int bench_sample(struct bench_row *row, struct cli_session *session, double *seconds);
void bench_close(struct bench_row *row);

/* bench_now - seconds, of a clock that never goes back. */
double bench_now(void);

/* ---- worker.c -------------------------------------------------------------------------- */

enum bench_request { REQUEST_READY, REQUEST_OPEN, REQUEST_SAMPLE, REQUEST_CLOSE };

struct bench_reply {
    int status;
    double seconds, value;
    uint64_t calls;
    char text[BENCH_TEXT];
};

/* bench_add_worker - its index, or -1 after cli_fail. */
int bench_add_worker(struct bench *bench, const char *device, int threads);

/* bench_all_threads - what LANEWISE_NUM_THREADS says, or the processors of this process. */
int bench_all_threads(void);

/* bench_start - all workers, once all rows are there. One that does not come up has a status. */
int bench_start(struct bench *bench);

/* bench_ask - false: interrupted. A worker that is gone has given a status and a text. */
bool bench_ask(struct bench *bench, int worker, enum bench_request request, size_t row,
               struct bench_reply *reply);
void bench_stop(struct bench *bench);

/* ---- turns.c --------------------------------------------------------------------------- */

/* bench_measure - start, time all groups, each for so many seconds, stop, work out. */
int bench_measure(struct bench *bench, double seconds);

/* ---- print.c, json.c, svg.c ------------------------------------------------ */

/* bench_time_text, bench_rate_text - "12.3 us"; "45.6 GB/s" or "GFLOP/s", of the median. */
const char *bench_time_text(double seconds, char text[BENCH_NAME]);
const char *bench_rate_text(const struct bench_row *row, char text[BENCH_NAME]);
bool bench_counts_flops(const struct bench_row *row);
extern const char *const bench_limit_names[LIMITS];

void bench_print_samples(FILE *to, const struct bench *bench);
void bench_print_table(FILE *to, const struct bench *bench);
void bench_print_ladder(FILE *to, const struct bench *bench);

/* bench_has_problem - of its own: the limits of a worker that failed have none. */
bool bench_has_problem(const struct bench *bench, const struct bench_row *row);

/* bench_deliver - by print unless JSON goes to standard output, then files; the exit status. */
int bench_deliver(struct bench *bench, void (*print)(FILE *to, const struct bench *bench));
int bench_write_json(const struct bench *bench, int status);
int bench_write_svg(const struct bench *bench);

/* ---- the forms ------------------------------------------------------------------------------- */

int bench_op(struct bench *bench);
int bench_operations(struct bench *bench);
int bench_dot(struct bench *bench);

#endif
