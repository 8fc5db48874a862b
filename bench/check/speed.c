/* speed.c - what the checker costs. `check-speed [--oclgrind] [--json] [ROW...]`, all without one:
 *
 * Code is compiled before: check is run until it has screens for what it screens.
 *
 *     cpu, check    milliseconds of a processor for a launch, one thread each, in turns, medians
 *     x cpu         check / cpu; the last line has the geometric mean
 *     bytes         memory that check takes more, for each byte of the buffers
 *     oclgrind      with --oclgrind: milliseconds of oclgrind-kernel --data-races, and over
 *                   check's. A row that fails, or whose results are not those of cpu, is told; the
 *                   exit status is 1 then
 *
 * A busy machine changes the time of a processor by a factor of 2 or so, and ratios less.
 */
#include "check.h"
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7, PATH_SIZE = 4096 };
static const double least = 2e-3, most = 3; /* seconds: of a round, of a row, */
static const double before = 0.2;           /* and before it: see run/check/screen.c */
static const double same = 1e-4;            /* as large a difference: sums in another order */

struct side {
    lw_program *program;
    lw_kernel *kernel;
    lw_stream *stream;
    lw_buffer *buffers[ARGS_MAX];
    lw_arg args[ARGS_MAX];
    size_t arg_count;
    double seconds[ROUNDS];
};

static void must(lw_status status)
{
    if (status == LW_OK)
        return;
    fprintf(stderr, "check-speed: %s\n", lw_last_error());
    exit(1);
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* ---- launches -------------------------------------------------------------------------------- */

static lw_buffer *make(lw_device *device, const struct row *row, char letter)
{
    const size_t count = row_elements(row, letter);
    const lw_dtype dtype = row_dtype(letter);
    void *values = calloc(count, sizeof(uint32_t));
    for (size_t i = 0; values && i < count; i++) {
        const double value = row_value(row, letter, i);
        if (dtype == LW_U8)
            ((uint8_t *)values)[i] = (uint8_t)value;
        else if (dtype == LW_U32)
            ((uint32_t *)values)[i] = (uint32_t)value;
        else
            ((float *)values)[i] = (float)value;
    }
    lw_buffer *buffer;
    must(lw_buffer_create(device, dtype, count, &buffer));
    must(values ? lw_buffer_write(buffer, 0, count, values)
                : lw_fail(LW_E_MEMORY, "out of memory"));
    free(values);
    return buffer;
}

static void open_side(struct side *side, const struct row *row, const char *kernels,
                      lw_device *device)
{
    const lw_build_options options = {0};
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/kernels/%s.c", kernels, row->name);
    *side = (struct side){0};
    must(lw_program_build(device, path, &options, &side->program));
    must(lw_program_kernel(side->program, row->name, &side->kernel));
    must(lw_stream_create(device, &side->stream));
    for (const char *at = row->params; *at; at++) {
        lw_buffer **buffer = &side->buffers[side->arg_count];
        if (row_elements(row, *at))
            *buffer = make(device, row, *at);
        side->args[side->arg_count++] =
            *buffer ? lw_arg_buffer(*buffer) : lw_arg_uint(row_number(row, *at));
    }
}

static void close_side(struct side *side)
{
    for (size_t i = 0; i < side->arg_count; i++)
        lw_buffer_destroy(side->buffers[i]);
    lw_stream_destroy(side->stream);
    lw_program_destroy(side->program);
}

/* Counters must be 0 before each launch; that takes no part in the time. */
static double run(struct side *side, const struct row *row)
{
    for (size_t i = 0; i < side->arg_count; i++)
        if (row->params[i] == 'C' || row->params[i] == 'H')
            must(lw_buffer_fill(side->buffers[i], &(uint32_t){0}));
    const double begin = processor_time();
    must(lw_stream_launch(side->stream, side->kernel, row->grid, row->block, NULL, side->args,
                          side->arg_count));
    must(lw_stream_wait(side->stream));
    return processor_time() - begin;
}

/* One round: launches until they are long enough for the clock. */
static double round_of(struct side *side, const struct row *row)
{
    double sum = 0;
    int count = 0;
    do {
        sum += run(side, row);
        count++;
    } while (sum < least);
    return sum / count;
}

static double median(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    return seconds[count / 2];
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A row of /proc/self/status, in bytes; 0: it is not there. */
static double status_of(const char *name)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name)))
            kib = strtod(line + strlen(name), NULL);
    if (f)
        fclose(f);
    return 1024 * kib;
}

/* The peak of a launch of check above what there was before it. */
static double memory_of(struct side *side, const struct row *row)
{
    double bytes = 0;
    malloc_trim(0); /* what earlier launches have released */
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f); /* the peak begins anew */
        fclose(f);
    }
    const double before = status_of("VmRSS:");
    run(side, row);
    for (const char *at = row->params; *at; at++)
        bytes += (double)(row_elements(row, *at) * lw_dtype_size(row_dtype(*at)));
    return (status_of("VmHWM:") - before) / bytes;
}

/* ---- the peer -------------------------------------------------------------------------------- */

static double value_of(const void *values, lw_dtype dtype, size_t i)
{
    return dtype == LW_U32 ? (double)((const uint32_t *)values)[i]
                           : (double)((const float *)values)[i];
}

/* The sum of all differences over the sum of all values. */
static double difference(lw_buffer *buffer, const double *peer, size_t count, lw_dtype dtype)
{
    double apart = 0, sum = 0;
    void *values = calloc(count, lw_dtype_size(dtype));
    must(values ? lw_buffer_read(buffer, 0, count, values) : lw_fail(LW_E_MEMORY, "out of memory"));
    for (size_t i = 0; i < count; i++) {
        const double value = value_of(values, dtype, i);
        apart += fabs(value - peer[i]);
        sum += fabs(value);
    }
    free(values);
    return apart / sum;
}

/* Negative: it failed, or its results are others. */
static double peer_seconds(const struct side *cpu, const struct row *row, const char *kernels)
{
    double *results[ARGS_MAX] = {0};
    for (size_t i = 0; i < cpu->arg_count; i++)
        if (row_is_result(row->params[i]))
            must((results[i] = calloc(row_elements(row, row->params[i]), sizeof(double)))
                     ? LW_OK
                     : lw_fail(LW_E_MEMORY, "out of memory"));
    double seconds = oclgrind_seconds(row, kernels, results);
    if (seconds < 0)
        fprintf(stderr, "check-speed: %s: oclgrind-kernel failed\n", row->name);
    for (size_t i = 0; i < cpu->arg_count; i++) {
        const char letter = row->params[i];
        const double apart = seconds < 0 || !results[i]
                                 ? 0
                                 : difference(cpu->buffers[i], results[i],
                                              row_elements(row, letter), row_dtype(letter));
        free(results[i]);
        if (apart <= same)
            continue;
        fprintf(stderr, "check-speed: %s: results of oclgrind are %g apart\n", row->name, apart);
        seconds = -1;
    }
    return seconds;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct result {
    double cpu, check, bytes, peer;
};

static struct result measure(const struct row *row, const char *kernels, bool with_peer,
                             lw_device *devices[2])
{
    struct side sides[2];
    for (int k = 0; k < 2; k++)
        open_side(&sides[k], row, kernels, devices[k]);
    run(&sides[0], row);
    for (double spent = 0; spent < before;)
        spent += run(&sides[1], row);
    const double bytes = memory_of(&sides[1], row);
    int rounds = 0;
    for (double spent = 0; rounds < ROUNDS && spent < most; rounds++)
        for (int k = 0; k < 2; k++)
            spent += sides[k].seconds[rounds] = round_of(&sides[k], row);
    const struct result result = {median(sides[0].seconds, rounds),
                                  median(sides[1].seconds, rounds), bytes,
                                  with_peer ? peer_seconds(&sides[0], row, kernels) : -1};
    for (int k = 0; k < 2; k++)
        close_side(&sides[k]);
    return result;
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        any |= argv[i][0] != '-';
        if (!strcmp(argv[i], name))
            return true;
    }
    return !any;
}

static bool has_option(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return false;
}

static void print(const struct row *row, const struct result *r, bool is_json, bool is_first)
{
    printf(is_json ? "%s\n {\"row\": \"%s\", \"n\": %zu, \"cpu_ms\": %.4f, \"check_ms\": %.3f, "
                     "\"x_cpu\": %.1f, \"bytes\": %.2f"
                   : "%s%-14s %8zu %8.4f %9.3f %8.1f %7.2f",
           is_json && !is_first ? "," : "", row->name, row->n, 1e3 * r->cpu, 1e3 * r->check,
           r->check / r->cpu, r->bytes);
    if (r->peer > 0)
        printf(is_json ? ", \"oclgrind_ms\": %.1f, \"oclgrind_x_check\": %.1f" : " %10.0f %8.1f",
               1e3 * r->peer, r->peer / r->check);
    printf(is_json ? "}" : "\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const bool is_json = has_option("--json", argc, argv);
    const bool with_peer = has_option("--oclgrind", argc, argv);
    double logs = 0, peer_logs = 0;
    int count = 0, peers = 0;
    lw_device *devices[2];
    setenv("LANEWISE_NUM_THREADS", "1", 1);
    must(lw_device_open("cpu", &devices[0]));
    must(lw_device_open("check", &devices[1]));
    if (is_json)
        printf("{\"rows\": [");
    else
        printf("%-14s %8s %8s %9s %8s %7s%s\n", "row", "n", "cpu ms", "check ms", "x cpu", "bytes",
               with_peer ? "   oclgrind  x check" : "");
    for (size_t i = 0; i < row_count; i++) {
        if (!is_wanted(rows[i].name, argc, argv))
            continue;
        const struct result r = measure(&rows[i], BENCH_SOURCE, with_peer, devices);
        print(&rows[i], &r, is_json, !count);
        logs += log(r.check / r.cpu);
        count++;
        if (r.peer <= 0)
            continue;
        peer_logs += log(r.peer / r.check);
        peers++;
    }
    const double mean = count ? exp(logs / count) : 0;
    const double peer_mean = peers ? exp(peer_logs / peers) : 0;
    printf(is_json ? "],\n \"x_cpu\": %.1f, \"oclgrind_x_check\": %.1f}\n"
                   : "geometric mean: %.1f x cpu; oclgrind %.1f x check\n",
           mean, peer_mean);
    for (int k = 0; k < 2; k++)
        lw_device_close(devices[k]);
    return with_peer && peers < count;
}
