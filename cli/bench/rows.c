/* rows.c - rows and their limits: what an operation moves and computes, by its shapes.
 *
 * Memory: an operation reads its inputs once and writes its output once. A copy's limit applies to
 * what it writes and to as many bytes that it reads; a read's limit applies to the rest.
 */
#include "cli/bench/bench.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PEAK_STEPS = 2000, PEAK_CHAINS = 8, LEAST_FLOATS = 1024 };

const char *const bench_limit_names[LIMITS] = {"read", "copy", "multiply-adds"};

struct bench_row *bench_add(struct bench *bench, int worker, size_t group, const char *name)
{
    if (bench->row_count == bench->row_room) {
        size_t room = bench->row_room ? 2 * bench->row_room : 16;
        struct bench_row *rows = realloc(bench->rows, room * sizeof *rows);
        if (!rows) {
            cli_fail_memory(room * sizeof *rows);
            return NULL;
        }
        bench->rows = rows;
        bench->row_room = room;
    }
    struct bench_row *row = &bench->rows[bench->row_count++];
    *row = (struct bench_row){.worker = worker, .group = group, .weight = 1, .limit = -1};
    snprintf(row->name, sizeof row->name, "%s", name);
    if (group >= bench->group_count)
        bench->group_count = group + 1;
    return row;
}

int bench_words(struct bench_step *step, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vasprintf(&step->text, format, list);
    va_end(list);
    if (length < 0) {
        step->text = NULL;
        return cli_fail_memory(strlen(format));
    }
    char *rest = step->text;
    for (char *word; (word = strsep(&rest, " ")) && step->word_count < BENCH_WORDS;)
        step->words[step->word_count++] = word;
    return CLI_DONE;
}

void bench_free(struct bench *bench)
{
    for (size_t i = 0; i < bench->row_count; i++) {
        struct bench_row *row = &bench->rows[i];
        cli_op_free(&row->call);
        free(row->step.text);
        free(row->seconds);
    }
    free(bench->rows);
    free(bench->devices);
}

/* ---- what an operation does ------------------------------------------------------------------ */

static double extent(const struct cli_arg *arg, int from_end)
{
    return arg->rank >= from_end ? (double)arg->extent[arg->rank - from_end] : 1;
}

/* A multiplication and an addition count as two. Attention has its two products; causal, half. */
static double count_flops(const struct cli_op_call *call)
{
    const struct cli_arg *in = call->args, *out = &call->args[call->inputs];
    const char *name = call->info.name;
    if (strcmp(name, "dot") == 0)
        return 2 * (double)in[0].count;
    if (strcmp(name, "matmul") == 0)
        return 2 * (double)out->count * extent(&in[0], 1);
    if (strcmp(name, "attention") == 0 && call->inputs >= 3) {
        double keys = extent(&in[1], 2);
        double flops = 2 * keys * ((double)in[0].count + (double)out->count);
        bool is_causal = false;
        return !lw_params_bool(call->params, "causal", &is_causal) && is_causal ? flops / 2 : flops;
    }
    return 0;
}

static bool is_product(const char *name)
{
    return strcmp(name, "matmul") == 0 || strcmp(name, "attention") == 0;
}

/* The peak is measured in f32 and f64. */
static bool has_peak(const struct cli_op_call *call)
{
    return is_product(call->info.name) && lw__dtype_is_float(call->args[0].dtype);
}

static void write_size(const struct cli_arg *arg, char text[BENCH_NAME])
{
    size_t used = 0, first = arg->rank > 0 ? arg->extent[0] : 1;
    if (arg->rank == 1 && first >= 1024 && (first & (first - 1)) == 0) {
        snprintf(text, BENCH_NAME, "2^%d", __builtin_ctzll(first));
        return;
    }
    snprintf(text, BENCH_NAME, "1");
    for (int axis = 0; axis < arg->rank && used < BENCH_NAME; axis++)
        used += (size_t)snprintf(text + used, BENCH_NAME - used, "%s%zu", axis ? " x " : "",
                                 arg->extent[axis]);
}

int bench_read_op(struct bench_row *row)
{
    struct bench_step *step = &row->step;
    struct cli_op_call *call = &row->call;
    double in = 0;
    int failed = cli_op_read(step->name, step->words, step->word_count, call);
    if (failed)
        return failed;
    const struct cli_arg *largest = call->args, *out = &call->args[call->inputs];
    for (size_t i = 0; i < call->inputs; i++) {
        const struct cli_arg *arg = &call->args[i];
        in += (double)arg->count * (double)arg->element_bytes;
        if (arg->count > largest->count)
            largest = arg;
    }
    double written = (double)out->count * (double)out->element_bytes;
    double both = in < written ? in : written;
    write_size(largest, row->size);
    row->bytes = in + written;
    row->flops = count_flops(call);
    row->taken[LIMIT_COPY] = 2 * both + (written - both);
    row->taken[LIMIT_READ] = in - both;
    if (written * 16 < in) { /* too little to be worth a limit of its own */
        row->taken[LIMIT_READ] = in;
        row->taken[LIMIT_COPY] = 0;
    }
    if (has_peak(call))
        row->taken[LIMIT_PEAK] = row->flops;
    return CLI_DONE;
}

/* ---- limits ---------------------------------------------------------------------------------- */

static bool is_gpu(const struct bench_worker *worker)
{
    return worker->device && strncmp(worker->device, "cuda", 4) == 0;
}

static int set_memory_limit(struct bench_row *row, int limit, double bytes, bool gpu)
{
    struct bench_step *step = &row->step;
    double floats = bytes / (limit == LIMIT_COPY ? 8 : 4);
    size_t n = (size_t)floats > LEAST_FLOATS ? (size_t)floats / 8 * 8 : LEAST_FLOATS;
    step->name = limit == LIMIT_COPY ? "copy" : "read";
    step->define = gpu ? "ELEMENT=float4" : NULL;
    step->grid = lw_dim_1(gpu ? 2048 : 64);
    step->block = lw_dim_1(gpu ? 256 : 64);
    row->bytes = (double)n * (limit == LIMIT_COPY ? 8 : 4);
    return bench_words(step, "f32[%zu] f32[%zu]=rand:1 %zu", limit == LIMIT_COPY ? n : (size_t)1, n,
                       n);
}

static int set_peak(struct bench_row *row, bool is_double, bool gpu)
{
    struct bench_step *step = &row->step;
    step->name = "peak";
    step->define = is_double ? "T=double" : NULL;
    step->grid = lw_dim_1(gpu ? 2048 : 64);
    step->block = lw_dim_1(gpu ? 256 : 32);
    row->flops = 2.0 * PEAK_CHAINS * PEAK_STEPS * step->grid.x * step->block.x;
    return bench_words(step, "f%d[1]=const:1 %d", is_double ? 64 : 32, PEAK_STEPS);
}

int bench_add_limit(struct bench *bench, int worker, size_t group, int limit, double amount,
                    bool is_double, size_t *index)
{
    bool gpu = is_gpu(&bench->workers[worker]);
    struct bench_row *row = bench_add(bench, worker, group, bench_limit_names[limit]);
    if (!row)
        return CLI_LAUNCH;
    *index = bench->row_count - 1;
    row->is_limit = true;
    row->step.kind = BENCH_KERNEL;
    row->step.folder = "steps";
    return limit == LIMIT_PEAK ? set_peak(row, is_double, gpu)
                               : set_memory_limit(row, limit, amount, gpu);
}

/* All bytes of the row in each limit: what fits into a cache is compared with a cache. */
int bench_add_limits(struct bench *bench, size_t index)
{
    struct bench_row *row = &bench->rows[index];
    int worker = row->worker;
    double taken[LIMITS], bytes = row->bytes;
    size_t group = row->group;
    bool is_double = row->call.args[0].dtype == LW_F64;
    row->weight = 3;
    memcpy(taken, row->taken, sizeof taken);
    for (int limit = 0; limit < LIMITS && bench->workers[worker].has_limits; limit++) {
        if (taken[limit] <= 0 || bytes < BENCH_LEAST_BYTES)
            continue;
        size_t made;
        int failed = bench_add_limit(bench, worker, group, limit, bytes, is_double, &made);
        if (failed)
            return failed;
        bench->rows[index].limits[limit] = made;
    }
    return CLI_DONE;
}
