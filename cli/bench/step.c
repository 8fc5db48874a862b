/* step.c - in a worker: prepare a row's work, call it, time it.
 *
 * Rows of a group share a buffer for inputs with the same contents. So all have the same pages and
 * need little memory. On a device the time is between two events of the stream.
 */
#include "cli/bench/bench.h"
#include "bench/text.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double ENOUGH = 1e-4; /* seconds that a sample should take */

enum { MOST_CALLS = 1000, READINGS = 3 };

/* ---- buffers --------------------------------------------------------------------------------- */

/* args_of - of a row, and how many: an operation's outputs are the last. */
static struct cli_arg *args_of(struct bench_row *row, size_t *count)
{
    bool is_op = row->step.kind == BENCH_OP;
    *count = is_op ? row->call.inputs + row->call.shown : row->arg_count;
    return is_op ? row->call.args : row->args;
}

static bool is_same_input(const struct cli_arg *a, const struct cli_arg *b)
{
    bool is_made = a->fill == LW_FILL_RAND || a->fill == LW_FILL_NORMAL;
    return is_made && a->param.is_const && b->param.is_const && a->is_buffer && b->is_buffer &&
           b->buffer && a->fill == b->fill && a->dtype == b->dtype && a->count == b->count &&
           a->seed == b->seed;
}

/* share - take the buffer of an open row of this worker. */
static void share(struct bench *bench, const struct bench_row *row, struct cli_arg *arg)
{
    for (size_t r = 0; r < bench->row_count && !arg->buffer; r++) {
        struct bench_row *other = &bench->rows[r];
        size_t count;
        struct cli_arg *args = args_of(other, &count);
        for (size_t i = 0; i < count && other->is_open && other->worker == row->worker; i++)
            if (!arg->buffer && is_same_input(arg, &args[i])) {
                arg->buffer = args[i].buffer;
                arg->is_borrowed = true;
            }
    }
}

static int create_args(struct bench *bench, struct bench_row *row, lw_device *device)
{
    size_t count;
    struct cli_arg *args = args_of(row, &count);
    for (size_t i = 0; i < count; i++) {
        bool is_result = row->step.kind == BENCH_OP && i >= row->call.inputs; /* has no fill */
        share(bench, row, &args[i]);
        int failed = cli_arg_create(device, &args[i]);
        if (!failed && !args[i].is_borrowed && !is_result)
            failed = cli_arg_refill(&args[i]);
        if (failed)
            return failed;
    }
    return CLI_DONE;
}

/* ---- the kinds ------------------------------------------------------------------------------- */

static int read_args(struct bench_row *row)
{
    struct bench_step *step = &row->step;
    for (size_t i = 0; i < step->word_count; i++) {
        lw_param param = cli_op_param(i);
        param.is_const = i > 0; /* a host's first is its output */
        if (row->kernel) {
            lw_status status = lw_kernel_param(row->kernel, i, &param);
            if (status != LW_OK)
                return cli_fail_library(status);
        }
        int failed = cli_arg_read(i, &param, step->words[i], &row->args[row->arg_count++]);
        if (failed)
            return failed;
    }
    return CLI_DONE;
}

static int build(struct bench_row *row, lw_device *device)
{
    const struct bench_step *step = &row->step;
    char name[BENCH_NAME];
    size_t length;
    lw_build_options options = {.source = kernel_text(step->folder, step->name, &length),
                                .defines = &step->define,
                                .define_count = step->define != NULL};
    snprintf(name, sizeof name, "%s.c", step->name);
    lw_status status = lw_program_build(device, name, &options, &row->program);
    if (status == LW_OK)
        status = lw_program_kernel(row->program, step->name, &row->kernel);
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

static int open_args(struct bench *bench, struct bench_row *row, lw_device *device)
{
    int failed = CLI_DONE;
    if (row->step.kind == BENCH_KERNEL)
        failed = build(row, device);
    if (!failed && row->step.kind != BENCH_OP)
        failed = read_args(row);
    if (!failed)
        failed = create_args(bench, row, device);
    if (!failed && row->step.kind == BENCH_OP)
        failed = cli_op_create(&row->call, device);
    for (size_t i = 0; i < row->arg_count && !failed && row->kernel; i++)
        row->packed[i] = cli_arg_pack(&row->args[i]);
    return failed;
}

static lw_status queue(void *of, lw_stream *stream)
{
    struct bench_row *row = of;
    if (row->step.kind == BENCH_OP)
        return cli_op_queue(&row->call, stream);
    return lw_stream_launch(stream, row->kernel, row->step.grid, row->step.block, NULL, row->packed,
                            row->arg_count);
}

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int sample_host(struct bench_row *row, double *seconds)
{
    void *at[BENCH_ARGS] = {NULL};
    lw_status status = LW_OK;
    for (size_t i = 0; i < row->arg_count && status == LW_OK; i++)
        status = lw_buffer_map(row->args[i].buffer, &at[i]);
    if (status != LW_OK)
        return cli_fail_library(status);
    double begin = bench_now();
    for (uint64_t i = 0; i < row->calls; i++)
        row->step.host(at, row->step.n);
    *seconds = (bench_now() - begin) / (double)row->calls;
    for (size_t i = 0; i < row->arg_count && status == LW_OK; i++)
        status = lw_buffer_unmap(row->args[i].buffer);
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

int bench_sample(struct bench_row *row, struct cli_session *session, double *seconds)
{
    if (row->step.kind == BENCH_HOST)
        return sample_host(row, seconds);
    uint64_t time;
    lw_status status = cli_session_time(session, queue, row, row->calls, &time);
    *seconds = (double)time * 1e-9 / (double)row->calls;
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

/* ---- what it leaves -------------------------------------------------------------------------- */

static double element(lw_dtype dtype, const void *data, size_t i)
{
    return dtype == LW_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* sum_of - the elements of a row's output, which are f32 or f64. */
static int sum_of(struct bench_row *row, double *sum)
{
    size_t count;
    struct cli_arg *args = args_of(row, &count);
    struct cli_arg *out = row->step.kind == BENCH_OP ? &args[count - 1] : &args[0];
    void *data;
    lw_status status = lw_buffer_map(out->buffer, &data);
    if (status != LW_OK)
        return cli_fail_library(status);
    *sum = 0;
    for (size_t i = 0; i < out->count; i++)
        *sum += element(out->dtype, data, i);
    status = lw_buffer_unmap(out->buffer);
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

/* ---- open and close -------------------------------------------------------------------------- */

/* set_calls - how many calls make a sample. The shortest of some readings says it: one that the
 * system interrupts reads far too long.
 */
static int set_calls(struct bench_row *row, struct cli_session *session, double seconds)
{
    int failed = CLI_DONE;
    for (int i = 0; i < READINGS && !failed && seconds < 1; i++) {
        double reading;
        failed = bench_sample(row, session, &reading);
        seconds = !failed && (i == 0 || reading < seconds) ? reading : seconds;
    }
    if (!failed && seconds < ENOUGH)
        row->calls = seconds > ENOUGH / MOST_CALLS ? (uint64_t)(ENOUGH / seconds) + 1 : MOST_CALLS;
    return failed;
}

/* The first call builds code and brings memory in. */
int bench_open(struct bench *bench, struct bench_row *row, struct cli_session *session,
               double *value)
{
    row->is_open = true;
    row->calls = 1;
    int failed = open_args(bench, row, session->device);
    double seconds;
    if (!failed)
        failed = bench_sample(row, session, &seconds);
    if (!failed && row->has_want)
        failed = sum_of(row, value);
    return failed ? failed : set_calls(row, session, seconds);
}

/* The row that lends a buffer is closed with the rows that borrow it: the whole group. */
void bench_close(struct bench_row *row)
{
    for (size_t i = 0; i < row->arg_count; i++)
        cli_arg_free(&row->args[i]);
    lw_program_destroy(row->program);
    cli_op_free(&row->call);
    row->call = (struct cli_op_call){0};
    row->program = NULL;
    row->kernel = NULL;
    row->arg_count = 0;
    row->is_open = false;
}
