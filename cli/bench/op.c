/* op.c - `lanewise bench op NAME [key=value...] ARG...`: one operation on each device and
 * number of threads; and `lanewise bench operations`: a list of them.
 */
#include "cli/bench/bench.h"
#include <stdlib.h>
#include <string.h>

/* ---- workers --------------------------------------------------------------------------------- */

static int read_threads(const char *word, int *threads)
{
    uint64_t value;
    if (lw__number_read(LW_U64, word, &value) != LW_NUMBER_OK || value < 1 || value > 256)
        return cli_fail(CLI_USAGE, "--threads: '%s' is not a number from 1 to 256", word);
    *threads = (int)value;
    return CLI_DONE;
}

/* add_threads - a worker of a device for each number in a list; NULL: one for what there is. */
static int add_threads(struct bench *bench, const char *device, const char *list)
{
    bool is_cpu = !device || strncmp(device, "cpu", 3) == 0;
    if (!list || !is_cpu)
        return bench_add_worker(bench, device, 0) < 0 ? CLI_USAGE : CLI_DONE;
    char *copy = strdup(list), *rest = copy;
    int failed = copy ? CLI_DONE : cli_fail_memory(strlen(list));
    for (char *word; !failed && (word = strsep(&rest, ","));) {
        int threads = 0;
        failed = read_threads(word, &threads);
        if (!failed && bench_add_worker(bench, device, threads) < 0)
            failed = CLI_USAGE;
    }
    free(copy);
    return failed;
}

/* Names of devices point into bench->devices. */
static int add_workers(struct bench *bench)
{
    const struct cli_options *options = bench->options;
    if (!options->device)
        return add_threads(bench, NULL, options->threads);
    bench->devices = strdup(options->device);
    char *rest = bench->devices;
    int failed = rest ? CLI_DONE : cli_fail_memory(strlen(options->device));
    for (char *word; !failed && (word = strsep(&rest, ","));)
        failed = *word ? add_threads(bench, word, options->threads)
                       : cli_fail(CLI_USAGE, "-d: '%s' is not DEVICE[,DEVICE...]", options->device);
    return failed;
}

/* ---- op -------------------------------------------------------------------------------------- */

/* write_name - the operation and its words, as far as there is room. */
static void write_name(struct bench_row *row)
{
    size_t used = (size_t)snprintf(row->name, sizeof row->name, "%s", row->step.name);
    for (size_t i = 0; i < row->step.word_count && used < sizeof row->name; i++)
        used +=
            (size_t)snprintf(row->name + used, sizeof row->name - used, " %s", row->step.words[i]);
}

static int add_op(struct bench *bench, int worker)
{
    const struct cli_options *options = bench->options;
    size_t index = bench->row_count;
    struct bench_row *row = bench_add(bench, worker, bench->group_count, "");
    if (!row)
        return CLI_LAUNCH;
    if (options->arg_count > BENCH_WORDS)
        return cli_fail(CLI_USAGE, "%zu words follow %s; at most %d are taken", options->arg_count,
                        options->file, BENCH_WORDS);
    row->step.kind = BENCH_OP;
    row->step.name = options->file;
    row->step.word_count = options->arg_count;
    memcpy(row->step.words, options->args, options->arg_count * sizeof *options->args);
    int failed = bench_read_op(row);
    write_name(row);
    if (!failed && row->call.out)
        failed = cli_fail(CLI_USAGE, "bench writes no results; 'out=%s' is of lanewise op",
                          row->call.out);
    return failed ? failed : bench_add_limits(bench, index);
}

/* tell_problems - the first of them gives the status. */
static void tell_problems(const struct bench *bench)
{
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (bench_has_problem(bench, row))
            cli_fail((enum cli_exit)row->status, "%s: %s", bench->workers[row->worker].label,
                     row->problem);
    }
}

int bench_op(struct bench *bench)
{
    if (!bench->options->file)
        return cli_fail(CLI_USAGE, "bench op needs the NAME of an operation; see lanewise op "
                                   "--list");
    int failed = add_workers(bench);
    for (int worker = 0; worker < bench->worker_count && !failed; worker++)
        failed = add_op(bench, worker);
    if (!failed)
        failed = bench_measure(bench, bench->options->seconds > 0 ? bench->options->seconds : 3);
    if (failed)
        return failed;
    tell_problems(bench);
    bench->title = bench->rows[0].name;
    return bench_deliver(bench, bench_print_samples);
}

/* ---- operations ------------------------------------------------------------------------------ */

struct operation {
    const char *name, *op, *words;
};

static const struct operation operations[] = {
    {"dot f32", "dot", "f32[1048576]=rand:1 f32[1048576]=rand:2"},
    {"dot f32", "dot", "f32[16777216]=rand:1 f32[16777216]=rand:2"},
    {"dot f32, sum=exact", "dot", "sum=exact f32[16777216]=rand:1 f32[16777216]=rand:2"},
    {"dot f32, sum=free", "dot", "sum=free f32[16777216]=rand:1 f32[16777216]=rand:2"},
    {"dot f32 x bool", "dot", "f32[16777216]=rand:1 bool[16777216]=rand:2"},
    {"dot i8 x f32", "dot", "i8[16777216]=rand:1 f32[16777216]=rand:2"},
    {"dot f32 x f64", "dot", "f32[16777216]=rand:1 f64[16777216]=rand:2"},
    {"sum", "sum", "f32[16777216]=rand:1"},
    {"sum of rows", "sum", "axis=1 f32[16384,1024]=rand:1"},
    {"sum of columns", "sum", "axis=0 f32[4096,4096]=rand:1"},
    {"max", "max", "f32[16777216]=rand:1"},
    {"max of rows", "max", "axis=1 f32[16384,1024]=rand:1"},
    {"argmax", "argmax", "f32[16777216]=rand:1"},
    {"argmax of rows", "argmax", "axis=1 f32[16384,1024]=rand:1"},
    {"mean", "mean", "f32[16777216]=rand:1"},
    {"mean of rows", "mean", "axis=1 f32[16384,1024]=rand:1"},
    {"softmax", "softmax", "f32[4096,1024]=rand:1"},
    {"softmax", "softmax", "f32[64,131072]=rand:1"},
    {"layer_norm", "layer_norm", "f32[4096,1024]=rand:1 f32[1024]=rand:2 f32[1024]=rand:3"},
    {"rms_norm", "rms_norm", "f32[4096,1024]=rand:1 f32[1024]=rand:2"},
    {"scan", "scan", "f32[16777216]=rand:1"},
    {"permute, transposed", "permute", "f32[4096,4096]=rand:1"},
    {"permute 0,2,1,3", "permute", "axes=0,2,1,3 f32[64,128,32,64]=rand:1"},
    {"permute 3,1,0,2", "permute", "axes=3,1,0,2 f32[64,128,32,64]=rand:1"},
    {"map a*b+c", "map",
     "expression=a*b+c f32[16777216]=rand:1 f32[16777216]=rand:2 f32[16777216]=rand:3"},
    {"map_reduce of a*b", "map_reduce",
     "map=a*b combine=x+y identity=0 f32[16777216]=rand:1 f32[16777216]=rand:2"},
    {"matmul", "matmul", "f32[512,512]=rand:1 f32[512,512]=rand:2"},
    {"matmul", "matmul", "f32[1024,1024]=rand:1 f32[1024,1024]=rand:2"},
    {"matmul", "matmul", "f32[2048,2048]=rand:1 f32[2048,2048]=rand:2"},
    {"matmul, 64 of them", "matmul", "f32[64,128,128]=rand:1 f32[64,128,128]=rand:2"},
    {"attention", "attention",
     "scale=0.125 f32[1,8,1024,64]=normal:1 f32[1,8,1024,64]=normal:2 f32[1,8,1024,64]=normal:3"},
    {"attention, causal", "attention",
     "scale=0.125 causal=true f32[1,8,1024,64]=normal:1 f32[1,8,1024,64]=normal:2 "
     "f32[1,8,1024,64]=normal:3"},
    {"attention of one query", "attention",
     "scale=0.0884 f32[1,64,1,128]=normal:1 f32[1,64,8192,128]=normal:2 "
     "f32[1,64,8192,128]=normal:3"},
    {"a call: dot of 8", "dot", "f32[8]=rand:1 f32[8]=rand:2"},
};

enum { SMALLER = 64, LEAST = 8 };

/* shrink - the extents of a text, those above 8, divided by 64; equal ones stay equal. to has room
 * for as much as from. */
static void shrink(const char *from, char *to)
{
    bool is_shape = false;
    while (*from) {
        size_t digits = is_shape ? strspn(from, "0123456789") : 0;
        unsigned long value = digits ? strtoul(from, NULL, 10) : 0;
        if (value > LEAST) {
            value = value / SMALLER > LEAST ? value / SMALLER : LEAST;
            to += sprintf(to, "%lu", value);
            from += digits;
            continue;
        }
        is_shape = *from == '[' || (is_shape && *from != ']');
        *to++ = *from++;
    }
    *to = '\0';
}

static int add_operation(struct bench *bench, int worker, const struct operation *operation)
{
    char words[256];
    size_t index = bench->row_count;
    struct bench_row *row = bench_add(bench, worker, bench->group_count, operation->name);
    if (!row)
        return CLI_LAUNCH;
    snprintf(words, sizeof words, "%s", operation->words);
    if (bench->options->small)
        shrink(operation->words, words);
    row->step.kind = BENCH_OP;
    row->step.name = operation->op;
    int failed = bench_words(&row->step, "%s", words);
    if (!failed)
        failed = bench_read_op(row);
    return failed ? failed : bench_add_limits(bench, index);
}

static bool is_wanted(const char *filter, const struct operation *operation)
{
    return !filter || strstr(operation->name, filter) || strstr(operation->op, filter);
}

static int fail_filter(const char *filter)
{
    cli_fail(CLI_USAGE, "--filter: no operation has '%s' in its name; there are:", filter);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (i == 0 || strcmp(operations[i].name, operations[i - 1].name) != 0)
            fprintf(stderr, "    %s\n", operations[i].name);
    return CLI_USAGE;
}

int bench_operations(struct bench *bench)
{
    const struct cli_options *options = bench->options;
    if (options->file)
        return cli_fail(CLI_USAGE, "bench operations takes no '%s'; --filter %s chooses",
                        options->file, options->file);
    int failed = add_workers(bench);
    for (int worker = 0; worker < bench->worker_count && !failed; worker++)
        for (size_t i = 0; i < sizeof operations / sizeof operations[0] && !failed; i++)
            if (is_wanted(options->filter, &operations[i]))
                failed = add_operation(bench, worker, &operations[i]);
    if (!failed && bench->row_count == 0)
        failed = fail_filter(options->filter);
    if (!failed)
        failed = bench_measure(bench, options->seconds > 0 ? options->seconds : 1);
    bench->title = "Operations: share of what the machine can do (dashed)";
    return failed ? failed : bench_deliver(bench, bench_print_table);
}
