/* bench.h - the benchmark: types and prototypes in the order of a run.
 *
 *     options -> passes (a process for each row, vector level and number of threads)
 *             -> session: data, variants; each verified, then all timed in turns
 *             -> results -> table, JSON, SVG
 *
 * A variant is one way to compute a row: our kernel, the code by hand, a limit of the machine, or a
 * peer. All variants of a row use the same buffers. What cannot run here says why and is not timed.
 */
#ifndef LW_BENCH_H
#define LW_BENCH_H

#include "hand.h"
#include "machine.h"
#include "text.h"
#include <lanewise/lanewise.h>
#include <stdio.h>

enum { NAME_SIZE = 24, TEXT_SIZE = 200, VARIANTS_MAX = 16, TARGETS_MAX = 6, SAMPLES_MAX = 400 };

/* ---- rows.c: the table ----------------------------------------------------------------------- */

struct shape {
    size_t n, rows, cols; /* as struct work */
};

enum kind { ARRAYS, LAUNCH, BUILD, LIMITS }; /* of a row: a kernel on data, empty launches ... */
enum b_kind { NO_B, FLOAT_B, BOOL_B, BYTE_B, COLUMN_B }; /* of b's n elements */
enum u_kind { NO_U, STARTS_U, COUNTER_U }; /* rows + 1 offsets, the last n; one, 0 before a run */

/* What a row has to reach: time(against) / time(who) >= ratio, or time(who) <= seconds. */
struct target {
    const char *level; /* NULL: each */
    int threads;       /* 0: any number */
    const char *who, *against;
    double ratio, seconds;
};

struct row {
    const char *name, *title;
    enum kind kind;
    const char *kernel; /* kernels/NAME.c and opencl/NAME.cl */
    const char *define; /* for both, or NULL */
    const char *params; /* o a b x u: buffers; n r c: the shape */
    struct shape full, small;
    lw_dim3 block;
    lw_dim3 (*grid)(const struct shape *shape, lw_dim3 block, int threads);
    bool any_block; /* also at the other block sizes */
    bool team;      /* also on two threads; the code by hand can be split */
    enum b_kind b;
    size_t (*x)(const struct shape *shape); /* floats of a third array; NULL: none */
    enum u_kind u;
    bool counts;                                  /* out has uint32_t, 0 before a run */
    size_t (*outputs)(const struct shape *shape); /* values to compare; NULL: sum them up */
    /* Plain C; want[0] for a sum, NAN beyond what a counter counts. */
    void (*reference)(const struct work *work, double *want);
    double tolerance;            /* of |got - want|, times |want| where that is above 1 */
    enum hand_op hand, limit[2]; /* HAND_NONE: there is none; the slower limit counts */
    enum hand_op scalar;         /* the same in plain C; HAND_NONE: not measured */
    double hand_needs;           /* share of the limit that the code by hand must reach */
    double bytes, flops;         /* for each of the n elements; flops of a matmul: 2 * rows */
    bool blas, numpy;            /* has this peer; OpenCL always */
    struct target targets[TARGETS_MAX];
};

extern const struct row bench_rows[];
extern const size_t bench_row_count;

/* shapes.c */
lw_dim3 grid_elements(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_workers(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_columns(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_rows(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_matrix(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_tiles_16(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_tiles_32(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_tiles_64(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_warps(const struct shape *s, lw_dim3 block, int threads);
lw_dim3 grid_matrices(const struct shape *s, lw_dim3 block, int threads);
size_t count_n(const struct shape *s);
size_t count_but_one(const struct shape *s);
size_t count_but_two(const struct shape *s);
size_t count_cols(const struct shape *s);
size_t count_pulls(const struct shape *s);
size_t count_rows(const struct shape *s);
size_t count_bins(const struct shape *s);
double row_flops(const struct row *row, const struct shape *shape);

/* The references of rows.c, in reference.c. */
void reference_dot(const struct work *w, double *want);
void reference_dot_bool(const struct work *w, double *want);
void reference_difference(const struct work *w, double *want);
void reference_average(const struct work *w, double *want);
void reference_normalise(const struct work *w, double *want);
void reference_softmax(const struct work *w, double *want);
void reference_transpose(const struct work *w, double *want);
void reference_scan(const struct work *w, double *want);
void reference_matmul(const struct work *w, double *want);
void reference_mandelbrot(const struct work *w, double *want);
void reference_nbody(const struct work *w, double *want);
void reference_stencil(const struct work *w, double *want);
void reference_layernorm(const struct work *w, double *want);
void reference_attention_one(const struct work *w, double *want);
void reference_bitonic(const struct work *w, double *want);
void reference_histogram(const struct work *w, double *want);
void reference_compact(const struct work *w, double *want);
void reference_csr(const struct work *w, double *want);
void reference_attention(const struct work *w, double *want);
void reference_barriers(const struct work *w, double *want);

/* ---- results --------------------------------------------------------------------------------- */

struct measure {
    char name[NAME_SIZE];    /* "ours", "hand", "limit", "pocl" ... */
    char problem[TEXT_SIZE]; /* "": it was timed */
    int samples;
    double median, least, most; /* seconds of one run */
};

struct result {
    int row; /* index into bench_rows */
    char level[NAME_SIZE];
    int threads;
    struct shape shape;
    bool same_bits; /* ours has ref's, at every block size */
    int count;
    struct measure measures[VARIANTS_MAX];
};

const struct measure *result_find(const struct result *result, const char *name);

/* result_floor - seconds that the machine needs at least; 0: not measured. */
double result_floor(const struct result *result);

/* result_ratio - time(against) / time(who); 0: one is not measured. */
double result_ratio(const struct result *result, const char *who, const char *against);

enum verdict { MET, MISSED, NOT_MEASURED, DOES_NOT_COUNT };

/* result_judge - the value reached, a ratio or seconds, and what that means. DOES_NOT_COUNT: the
 * code by hand that it is compared with is itself too far from the limit. */
enum verdict result_judge(const struct result *result, const struct target *target, double *value);
bool target_applies(const struct result *result, const struct target *target);
double result_hand_share(const struct result *result); /* of the limit; 0: not measured */

/* ---- fail.c ---------------------------------------------------------------------------------- */

/* bench_fail - write "bench: <text>" to standard error; returns status.
 * bench_first_failure - the first such text; "": there is none. */
int bench_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *bench_first_failure(void);

/* ---- main.c, options.c ----------------------------------------------------------------------- */

struct options {
    const char *device, *levels, *rows; /* lists with commas; NULL: all */
    const char *json, *svg, *commit;    /* files; "-" is standard output */
    int threads;                        /* 0: one, and two where a row says so */
    bool quick, small, help;
};

/* options_read - status 2 and a message where a word is wrong. */
int options_read(int argc, char **argv, struct options *options);
bool options_is_json_file(const char *word);
void options_help(FILE *to);

/* cuda.c: is it a GPU's rows that are asked for? Then this process becomes cuda/run.py; it returns
 * status 4 and a message where there is no GPU, or what it needs is missing. */
bool cuda_is_meant(const struct options *options);
int cuda_bench(const struct options *options);

/* The names in a list with commas. */
bool list_has(const char *list, const char *name);

/* ---- session.c: one row in one process ------------------------------------------------------- */

struct bench {
    const struct options *options;
    const struct hand *hand;
    int threads;
    lw_device *device; /* the one measured, NULL: problem says why */
    lw_device *memory; /* where buffers come from */
    lw_device *ref;
    char problem[TEXT_SIZE];
};

struct session {
    const struct bench *bench;
    const struct row *row;
    struct shape shape;
    lw_buffer *a, *b, *x, *u, *out;
    size_t out_count, b_element;
    struct work work; /* the buffers mapped, while no launch uses them */
    struct hand_team *team;
    int count;
    struct variant *variants;
};

/* A way to run a row. open and run return false after variant_fail. */
struct way {
    bool (*open)(struct variant *variant, struct session *session);   /* NULL: nothing to do */
    void (*ready)(struct variant *variant, struct session *session);  /* before each run, untimed */
    bool (*run)(struct variant *variant, struct session *session);    /* the time is of this */
    void (*settle)(struct variant *variant, struct session *session); /* after it, untimed */
    void (*close)(struct variant *variant);
    bool on_device; /* runs on buffers that are not mapped */
};

struct variant {
    char name[NAME_SIZE];
    char problem[TEXT_SIZE];
    const struct way *way;
    void *state;     /* the way's */
    lw_dim3 block;   /* of ours and of OpenCL */
    enum hand_op op; /* of the code by hand and the limits */
    int repeat;      /* launches or builds in one run */
    bool computes;   /* has a result to verify */
    int samples;
    double seconds[SAMPLES_MAX];
};

extern const struct way way_ours, way_hand, way_blas, way_opencl, way_numpy;
extern const struct way way_launch_ours, way_launch_opencl;
extern const struct way way_build_ours, way_cached_ours, way_build_opencl, way_cached_opencl;

bool variant_fail(struct variant *variant, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* session_measure - the row at this bench's level and threads, into result. */
void session_measure(const struct bench *bench, const struct row *row, struct result *result);

/* variants.c */
void variants_make(struct session *session);

/* verify.c: compare each variant's output with the plain C's, and ours with ref's bits at small
 * shapes. True where all of ours are right. data_fill makes the inputs, the same everywhere. */
void data_fill(struct session *session);
bool verify_all(struct session *session, bool against_ref);

/* timing.c: all variants in turns; fills their seconds. */
void time_all(struct session *session, double budget);
double now(void);

/* session.c: run a variant once; the work is mapped before and after. seconds may be NULL. */
bool run_once(struct session *session, struct variant *variant, double *seconds);
bool create_buffers(struct session *session); /* on the bench's memory, those that its row has */
void destroy_buffers(struct session *session);
bool map_work(struct session *session);
void unmap_work(struct session *session);

/* ours.c: arguments of a kernel by the letters of the row. */
size_t kernel_args(const struct session *session, const lw_buffer *out, lw_arg args[8]);

/* ---- table.c, json.c, svg.c ------------------------------------------------------------------ */

struct report {
    const struct options *options;
    const struct result *results;
    int count;
    struct machine machine; /* before the start */
    char commit[NAME_SIZE * 2];
};

void table_head(FILE *to, const struct report *report);
void table_row(FILE *to, const struct result *result);
void table_targets(FILE *to, const struct report *report);

/* json_write, svg_write - a file; "-" is standard output. status: that of the whole report. They
 * give the exit status of what went wrong, 0 for nothing.
 * json_write_failure - the object where there is no report. */
int json_write(const struct report *report, const char *path, int status);
void json_write_failure(FILE *to, int status);
int svg_write(const struct report *report, const char *path);

#endif
