/* print.c - rows as people read them: statistics with a histogram, a table, a ladder.
 */
#include "cli/bench/bench.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *bench_time_text(double seconds, char text[BENCH_NAME])
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (seconds >= units[i].size) {
            snprintf(text, BENCH_NAME, "%#.4g %s", seconds / units[i].size, units[i].name);
            return text;
        }
    snprintf(text, BENCH_NAME, "%#.4g ns", seconds * 1e9);
    return text;
}

/* Flops count where arithmetic is what takes the time. */
bool bench_counts_flops(const struct bench_row *row)
{
    return row->taken[LIMIT_PEAK] > 0 && row->limit != LIMIT_READ && row->limit != LIMIT_COPY;
}

/* write_rate - three digits, and no point after the last. */
static void write_rate(double rate, const char *unit, char text[BENCH_NAME])
{
    int decimals = rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0;
    snprintf(text, BENCH_NAME, "%.*f %s", decimals, rate, unit);
}

const char *bench_rate_text(const struct bench_row *row, char text[BENCH_NAME])
{
    bool flops = bench_counts_flops(row) || row->bytes <= 0;
    double amount = flops ? row->flops : row->bytes;
    text[0] = '\0';
    if (amount >= (flops ? 1 : BENCH_LEAST_BYTES) && row->stats.count > 0 && row->stats.median > 0)
        write_rate(amount / row->stats.median * 1e-9, flops ? "GFLOP/s" : "GB/s", text);
    return text;
}

static void print_head(FILE *to, const struct bench *bench)
{
    fprintf(to, "%s, %s\n", bench->machine.about, bench->machine.when);
    if (bench->machine.load > 1.5)
        fprintf(to, "The machine is busy (load %.1f): figures are provisional.\n",
                bench->machine.load);
}

/* ---- the histogram --------------------------------------------------------------------------- */

struct glyphs {
    const char *level[9]; /* of a character, from empty to full */
    int levels, lines;
};

/* Blocks where the locale has them, as LC_ALL, LC_CTYPE and LANG say, in this order. */
static const struct glyphs *choose_glyphs(void)
{
    static const struct glyphs blocks = {
        .level = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
        .levels = 8,
        .lines = 2,
    };
    static const struct glyphs ascii = {.level = {" ", ".", ":", "#"}, .levels = 3, .lines = 4};
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;
    for (int i = 0; i < 3 && !(value && *value); i++)
        value = getenv(variables[i]);
    bool is_utf8 = value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
    return is_utf8 ? &blocks : &ascii;
}

/* Every count shows, however small it is. */
static void print_histogram(FILE *to, const struct cli_histogram *histogram)
{
    const struct glyphs *glyphs = choose_glyphs();
    size_t full = (size_t)(glyphs->levels * glyphs->lines);
    char from[BENCH_NAME], until[BENCH_NAME];
    for (int line = glyphs->lines - 1; line >= 0; line--) {
        fputs("  ", to);
        for (int bin = 0; bin < CLI_BINS; bin++) {
            size_t count = histogram->counts[bin], below = (size_t)(line * glyphs->levels);
            size_t height = (count * full + histogram->most - 1) / histogram->most;
            size_t level = height > below ? height - below : 0;
            level = level < (size_t)glyphs->levels ? level : (size_t)glyphs->levels;
            fputs(glyphs->level[level], to);
        }
        fputc('\n', to);
    }
    bench_time_text(histogram->from, from);
    bench_time_text(histogram->to, until);
    fprintf(to, "  %-15s%30s%15s%s\n\n", from, "samples by time         ", until,
            histogram->above ? " <" : "");
}

static void print_rate(FILE *to, const struct bench_row *row)
{
    char text[BENCH_NAME];
    if (!*bench_rate_text(row, text))
        return;
    fprintf(to, "  %s", text);
    if (row->limit >= 0)
        fprintf(to, ", %.2f of the limit, which is %s (%s)", row->limit_seconds / row->stats.median,
                bench_limit_names[row->limit], bench_time_text(row->limit_seconds, text));
    fputc('\n', to);
}

static void print_samples(FILE *to, const struct bench *bench, const struct bench_row *row)
{
    const struct cli_stats *s = &row->stats;
    char least[BENCH_NAME], most[BENCH_NAME], median[BENCH_NAME], mean[BENCH_NAME],
        deviation[BENCH_NAME];
    fprintf(to, "\n%s on %s: %zu sample%s of %llu call%s\n", row->name,
            bench->workers[row->worker].label, s->count, s->count == 1 ? "" : "s",
            (unsigned long long)row->calls, row->calls == 1 ? "" : "s");
    fprintf(to, "  min %s, median %s, mean %s, deviation %s, max %s\n",
            bench_time_text(s->min, least), bench_time_text(s->median, median),
            bench_time_text(s->mean, mean), bench_time_text(s->deviation, deviation),
            bench_time_text(s->max, most));
    print_rate(to, row);
    print_histogram(to, &row->histogram);
}

void bench_print_samples(FILE *to, const struct bench *bench)
{
    bool is_first = true;
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (row->is_limit || row->stats.count == 0 || row->problem[0])
            continue;
        if (is_first)
            print_head(to, bench);
        is_first = false;
        print_samples(to, bench, row);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

bool bench_has_problem(const struct bench *bench, const struct bench_row *row)
{
    return row->problem[0] && !(row->is_limit && bench->workers[row->worker].status);
}

/* is_shown - what an interruption kept from its turn is not. */
static bool is_shown(const struct bench *bench, const struct bench_row *row)
{
    return row->stats.count > 0 || row->problem[0] || !bench->is_interrupted;
}

static void print_row(FILE *to, const struct bench *bench, const struct bench_row *row)
{
    char time[BENCH_NAME], rate[BENCH_NAME];
    fprintf(to, "%-26s %-20s ", row->name, row->size);
    if (row->problem[0] || row->stats.count == 0) {
        fprintf(to, "%s\n", row->problem[0] ? row->problem : "not measured");
        return;
    }
    fprintf(to, "%10s %14s ", bench_time_text(row->stats.median, time), bench_rate_text(row, rate));
    if (row->limit >= 0)
        fprintf(to, "%5.2f of %s", row->limit_seconds / row->stats.median,
                bench_limit_names[row->limit]);
    if (bench->worker_count > 1)
        fprintf(to, "  %s", bench->workers[row->worker].label);
    fputc('\n', to);
}

void bench_print_table(FILE *to, const struct bench *bench)
{
    print_head(to, bench);
    fprintf(to, "%s\n\n%-26s %-20s %10s %14s %s\n", bench->workers[0].label, "operation", "size",
            "median", "rate", " of the limit");
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (row->is_limit ? bench_has_problem(bench, row) : is_shown(bench, row))
            print_row(to, bench, row);
    }
}

/* ---- the ladder ------------------------------------------------------------------------------ */

enum { BAR = 24 };

static double best_of(const struct bench *bench)
{
    double best = 0;
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct cli_stats *s = &bench->rows[i].stats;
        if (s->count > 0 && (best <= 0 || s->median < best))
            best = s->median;
    }
    return best;
}

static void print_step(FILE *to, const struct bench_row *row, double best)
{
    char time[BENCH_NAME], rate[BENCH_NAME];
    fprintf(to, "  %-36s ", row->name);
    if (row->problem[0] || row->stats.count == 0) {
        fprintf(to, "%s\n", row->problem[0] ? row->problem : "not measured");
        return;
    }
    int length = (int)(best / row->stats.median * BAR + 0.5);
    fprintf(to, "%10s %10s  ", bench_time_text(row->stats.median, time),
            bench_rate_text(row, rate));
    for (int k = 0; k < BAR; k++)
        fputc(k < length || k == 0 ? (row->is_limit ? '-' : '#') : ' ', to);
    if (row->has_want)
        fprintf(to, "  error %.1e", row->error);
    else if (row->is_limit)
        fputs("  the limit", to);
    fputc('\n', to);
}

void bench_print_ladder(FILE *to, const struct bench *bench)
{
    int worker = -1;
    double best = best_of(bench);
    print_head(to, bench);
    fprintf(to, "%s\nbar: speed, the fastest is full; error: relative\n", bench->title);
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (row->worker != worker) {
            worker = row->worker;
            const struct bench_worker *w = &bench->workers[worker];
            fprintf(to, "\n%s%s%s\n", w->label, w->status ? ": not measured: " : "",
                    w->status ? w->problem : "");
        }
        if (!bench->workers[worker].status)
            print_step(to, row, best);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int find_problem(const struct bench *bench)
{
    for (size_t i = 0; i < bench->row_count; i++)
        if (bench->rows[i].problem[0] && bench->rows[i].status)
            return bench->rows[i].status;
    return CLI_DONE;
}

static bool has_results(const struct bench *bench)
{
    for (size_t i = 0; i < bench->row_count; i++)
        if (!bench->rows[i].is_limit && bench->rows[i].stats.count > 0)
            return true;
    return false;
}

/* find_status - of all that was measured; what has not been told yet is told. */
static int find_status(const struct bench *bench)
{
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (row->problem[0] && row->status)
            cli_report_keep("%s: %s", row->name, row->problem);
    }
    if (!bench->is_interrupted)
        return find_problem(bench);
    cli_report_keep("interrupted");
    cli_fail(CLI_DONE, has_results(bench) ? "interrupted: these are the results so far"
                                          : "interrupted before the first result");
    return BENCH_INTERRUPTED;
}

int bench_deliver(struct bench *bench, void (*print)(FILE *to, const struct bench *bench))
{
    const char *json = bench->options->json_file;
    if (!json || strcmp(json, "-") != 0)
        print(stdout, bench);
    int status = find_status(bench);
    int failed = bench->options->svg ? bench_write_svg(bench) : CLI_DONE;
    if (failed && !bench->is_interrupted)
        status = failed;
    failed = json ? bench_write_json(bench, status) : CLI_DONE;
    return failed && !bench->is_interrupted ? failed : status;
}
