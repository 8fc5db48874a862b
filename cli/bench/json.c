/* json.c - rows for programs; docs/bench.md describes the object.
 */
#include "cli/bench/bench.h"
#include <stdlib.h>
#include <string.h>

static void write_words(FILE *to, const struct bench_step *step)
{
    fputs(", \"words\": [", to);
    lw__json_write(to, step->kind == BENCH_HOST ? "plain C" : step->name);
    for (size_t i = 0; i < step->word_count; i++) {
        fputs(", ", to);
        lw__json_write(to, step->words[i]);
    }
    fputc(']', to);
}

static void write_histogram(FILE *to, const struct cli_histogram *histogram)
{
    fprintf(to,
            ",\n   \"histogram\": {\"from_s\": %.6g, \"to_s\": %.6g, \"above\": %zu, \"counts\": [",
            histogram->from, histogram->to, histogram->above);
    for (int i = 0; i < CLI_BINS; i++)
        fprintf(to, "%s%zu", i ? ", " : "", histogram->counts[i]);
    fputs("]}", to);
}

static void write_times(FILE *to, const struct bench_row *row)
{
    const struct cli_stats *s = &row->stats;
    fprintf(to,
            ",\n   \"samples\": %zu, \"calls\": %llu, \"min_s\": %.6g, \"median_s\": %.6g, "
            "\"mean_s\": %.6g, \"deviation_s\": %.6g, \"max_s\": %.6g",
            s->count, (unsigned long long)row->calls, s->min, s->median, s->mean, s->deviation,
            s->max);
    if (row->bytes > 0 && s->median > 0)
        fprintf(to, ", \"bytes_per_s\": %.6g", row->bytes / s->median);
    if (row->flops > 0 && s->median > 0)
        fprintf(to, ", \"flops_per_s\": %.6g", row->flops / s->median);
    if (row->limit >= 0)
        fprintf(to, ", \"limit\": \"%s\", \"limit_s\": %.6g, \"of_limit\": %.4g",
                bench_limit_names[row->limit], row->limit_seconds, row->limit_seconds / s->median);
    if (row->has_want)
        fprintf(to, ", \"error\": %.3g", row->error);
    write_histogram(to, &row->histogram);
}

static void write_row(FILE *to, const struct bench *bench, const struct bench_row *row)
{
    const struct bench_worker *worker = &bench->workers[row->worker];
    lw__json_member(to, "\n  {", "name", row->name);
    lw__json_member(to, ", ", "size", row->size);
    lw__json_member(to, ", ", "on", worker->label);
    write_words(to, &row->step);
    fprintf(to, ", \"is_limit\": %s, \"bytes\": %.15g, \"flops\": %.15g",
            row->is_limit ? "true" : "false", row->bytes, row->flops);
    if (row->problem[0])
        lw__json_member(to, ", ", "problem", row->problem);
    else if (row->stats.count == 0)
        lw__json_member(to, ", ", "problem", worker->status ? worker->problem : "not measured");
    else
        write_times(to, row);
    fputc('}', to);
}

static void write_bench(FILE *to, const struct bench *bench, int status)
{
    fprintf(to, "{\"bench\": \"%s\"", bench->form);
    lw__json_member(to, ", ", "machine", bench->machine.about);
    lw__json_member(to, ", ", "date", bench->machine.when);
    fprintf(to, ", \"load\": %.2f, \"interrupted\": %s", bench->machine.load,
            bench->is_interrupted ? "true" : "false");
    if (status) {
        fputs(",\n ", to);
        cli_report_failure(to, status);
    }
    fputs(",\n \"rows\": [", to);
    for (size_t i = 0; i < bench->row_count; i++) {
        fputs(i ? "," : "", to);
        write_row(to, bench, &bench->rows[i]);
    }
    fputs("\n ]}\n", to);
}

int bench_write_json(const struct bench *bench, int status)
{
    const char *path = bench->options->json_file;
    bool is_standard = strcmp(path, "-") == 0;
    if (is_standard) {
        cli_report_begin();
        write_bench(stdout, bench, status);
        return CLI_DONE;
    }
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (memory)
        write_bench(memory, bench, status);
    int failed = cli_end_text(memory, &text);
    if (!failed)
        failed = cli_save(path, &(struct lw__part){text, size}, 1);
    free(text);
    return failed;
}
