/* turns.c - the rows of a group in turns, so that what disturbs the machine disturbs all.
 *
 * Each row has its share of the group's time, and one sample at least. Each round begins at another
 * row, so that none is always the one after a slow neighbour. Progress is shown on a terminal and
 * erased at the end.
 */
#include "cli/bench/bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double PROGRESS_EVERY = 0.1; /* seconds */

/* ---- progress -------------------------------------------------------------------------------- */

static void show_progress(struct bench *bench, const struct bench_row *row, const char *doing)
{
    char text[200];
    double at = bench_now();
    if (!bench->has_progress || at - bench->shown < PROGRESS_EVERY)
        return;
    bench->shown = at;
    int used = snprintf(text, sizeof text, "%zu/%zu %.40s on %.40s: %s", row->group + 1,
                        bench->group_count, row->name, bench->workers[row->worker].label, doing);
    if (row->stats.count && used < (int)sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, " %zu", row->stats.count);
    cli_progress_write(text);
}

static void erase_progress(const struct bench *bench)
{
    if (bench->has_progress && bench->shown > 0)
        cli_progress_write("");
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void set_problem(struct bench_row *row, const struct bench_reply *reply)
{
    row->status = reply->status;
    memcpy(row->problem, reply->text, sizeof row->problem);
}

/* A result with a larger error than the order of its sums explains is not timed. */
static void check(struct bench_row *row, double value)
{
    if (!row->has_want)
        return;
    row->error = fabs(value - row->want) / fabs(row->want);
    if (row->error <= row->tolerance)
        return;
    row->status = CLI_FOUND;
    snprintf(row->problem, sizeof row->problem, "wrong: %.9g, not %.9g", value, row->want);
}

static bool open_row(struct bench *bench, size_t index)
{
    struct bench_row *row = &bench->rows[index];
    show_progress(bench, row, "first call");
    struct bench_reply reply;
    if (!bench_ask(bench, row->worker, REQUEST_OPEN, index, &reply))
        return false;
    row->calls = reply.calls;
    if (reply.status)
        set_problem(row, &reply);
    else
        check(row, reply.value);
    row->seconds = row->problem[0] ? NULL : malloc(BENCH_SAMPLES * sizeof *row->seconds);
    if (!row->problem[0] && !row->seconds) {
        row->status = CLI_LAUNCH;
        snprintf(row->problem, sizeof row->problem, "out of memory");
    }
    return true;
}

static bool has_turn(const struct bench_row *row, double seconds)
{
    bool has_time = row->used < seconds && row->stats.count < BENCH_SAMPLES;
    return !row->problem[0] && (row->stats.count == 0 || has_time);
}

static bool take_sample(struct bench *bench, size_t index)
{
    struct bench_row *row = &bench->rows[index];
    double begin = bench_now();
    show_progress(bench, row, "samples");
    struct bench_reply reply;
    if (!bench_ask(bench, row->worker, REQUEST_SAMPLE, index, &reply))
        return false;
    row->used += bench_now() - begin;
    if (reply.status)
        set_problem(row, &reply);
    else
        row->seconds[row->stats.count++] = reply.seconds;
    return true;
}

static void run_group(struct bench *bench, size_t first, size_t count, double seconds)
{
    double weight = 0;
    for (size_t i = first; i < first + count; i++)
        if (!open_row(bench, i))
            return;
    for (size_t i = first; i < first + count; i++)
        weight += bench->rows[i].problem[0] ? 0 : bench->rows[i].weight;
    bool is_any = true;
    for (size_t round = 0; is_any; round++) {
        is_any = false;
        for (size_t k = 0; k < count; k++) {
            size_t i = first + (k + round) % count;
            if (!has_turn(&bench->rows[i], seconds * bench->rows[i].weight / weight))
                continue;
            if (!take_sample(bench, i))
                return;
            is_any = true;
        }
    }
}

/* close_group - in each of its workers. */
static void close_group(struct bench *bench, size_t first, size_t count)
{
    bool is_closed[BENCH_WORKERS] = {false};
    for (size_t i = first; i < first + count && !bench->is_interrupted; i++) {
        int worker = bench->rows[i].worker;
        struct bench_reply reply;
        if (!is_closed[worker])
            bench_ask(bench, worker, REQUEST_CLOSE, i, &reply);
        is_closed[worker] = true;
    }
}

/* ---- what came of it ------------------------------------------------------------------------- */

/* amount - of what a limit's row does in one call. */
static double amount(const struct bench_row *row, int limit)
{
    return limit == LIMIT_PEAK ? row->flops : row->bytes;
}

/* find_limit - reading and copying take turns, arithmetic goes on beside them. */
static void find_limit(const struct bench *bench, struct bench_row *row)
{
    double seconds[LIMITS] = {0};
    for (int k = 0; k < LIMITS; k++) {
        const struct bench_row *limit = &bench->rows[row->limits[k]];
        if (row->limits[k] > 0 && limit->stats.count > 0)
            seconds[k] = limit->stats.median * row->taken[k] / amount(limit, k);
        else if (row->limits[k] > 0)
            return; /* not measured */
    }
    double memory = seconds[LIMIT_READ] + seconds[LIMIT_COPY];
    row->limit_seconds = memory > seconds[LIMIT_PEAK] ? memory : seconds[LIMIT_PEAK];
    if (row->limit_seconds > 0)
        row->limit = seconds[LIMIT_PEAK] > memory                ? LIMIT_PEAK
                     : seconds[LIMIT_COPY] > seconds[LIMIT_READ] ? LIMIT_COPY
                                                                 : LIMIT_READ;
}

static void work_out(struct bench *bench)
{
    for (size_t i = 0; i < bench->row_count; i++) {
        struct bench_row *row = &bench->rows[i];
        if (row->stats.count == 0)
            continue;
        cli_stats_of(row->seconds, row->stats.count, &row->stats);
        cli_histogram_of(row->seconds, row->stats.count, &row->histogram);
    }
    for (size_t i = 0; i < bench->row_count; i++)
        if (bench->rows[i].stats.count > 0)
            find_limit(bench, &bench->rows[i]);
}

int bench_measure(struct bench *bench, double seconds)
{
    machine_describe(&bench->machine);
    bench->has_progress = isatty(STDERR_FILENO);
    int failed = bench_start(bench);
    size_t count;
    for (size_t first = 0; first < bench->row_count && !failed && !bench->is_interrupted;
         first += count) {
        size_t group = bench->rows[first].group;
        for (count = 1; first + count < bench->row_count; count++)
            if (bench->rows[first + count].group != group)
                break;
        run_group(bench, first, count, seconds);
        close_group(bench, first, count);
    }
    erase_progress(bench);
    bench_stop(bench);
    work_out(bench);
    return failed;
}
