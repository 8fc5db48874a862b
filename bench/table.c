/* table.c - the results for people.
 */
#include "bench.h"
#include <string.h>

void table_head(FILE *to, const struct report *report)
{
    const struct options *options = report->options;
    fprintf(to, "%s\ncommit %s, device %s, %s%s%s\n", report->machine.about, report->commit,
            options->device, report->machine.when, options->small ? ", small shapes" : "",
            options->quick ? ", quick" : "");
    if (report->machine.load > 0.5)
        fprintf(to, "The machine is busy (load %.1f): figures are provisional.\n",
                report->machine.load);
    fputs("time: median (least .. most) of interleaved runs; x hand: time by hand / this time;\n"
          "bar: share of what the machine could do\n\n",
          to);
}

static void print_time(FILE *to, double seconds)
{
    if (seconds >= 1e-3)
        fprintf(to, "%9.3f ms", seconds * 1e3);
    else
        fprintf(to, "%9.3f us", seconds * 1e6);
}

static void print_range(FILE *to, const struct measure *m)
{
    double unit = m->median >= 1e-3 ? 1e3 : 1e6;
    char text[40];
    snprintf(text, sizeof text, "(%.3g .. %.3g)", m->least * unit, m->most * unit);
    fprintf(to, " %-18s", text);
}

static double limit_work(const struct measure *m, const char **unit)
{
    static const struct {
        const char *name, *unit;
        double work;
    } rows[] = {{"read", "GB/s", 4.0 * (1 << 24)},
                {"read of two", "GB/s", 8.0 * (1 << 24)},
                {"copy", "GB/s", 8.0 * (1 << 24)},
                {"copy, streaming", "GB/s", 8.0 * (1 << 24)},
                {"fma peak", "GF/s", HAND_PEAK_FLOPS}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, m->name) == 0) {
            *unit = rows[i].unit;
            return rows[i].work;
        }
    return 0;
}

/* The rate of the row: flops of a matmul, else bytes. */
static void print_rate(FILE *to, const struct result *result, const struct measure *m)
{
    const struct row *row = &bench_rows[result->row];
    const char *unit = "GB/s";
    double work = row->bytes * (double)result->shape.n;
    if (row->limit[0] == HAND_PEAK)
        unit = "GF/s", work = row_flops(row, &result->shape);
    if (row->kind == LIMITS)
        work = limit_work(m, &unit);
    if (work > 0 && strncmp(m->name, "limit", 5) != 0)
        fprintf(to, " %7.1f %s", work / m->median * 1e-9, unit);
    else
        fprintf(to, " %12s", "");
}

static void print_bar(FILE *to, const struct result *result, const struct measure *m)
{
    enum { WIDTH = 24 };
    double floor = result_floor(result), hand = result_ratio(result, m->name, "hand");
    if (hand > 0)
        fprintf(to, " %6.2f x hand ", hand);
    if (floor <= 0 || strncmp(m->name, "limit", 5) == 0)
        return;
    double length = floor / m->median * WIDTH;
    for (int i = 0; i < WIDTH && i + 0.5 < length; i++)
        fputc('#', to);
}

static void print_measure(FILE *to, const struct result *result, const struct measure *m)
{
    fprintf(to, "    %-16s", m->name);
    if (m->problem[0]) {
        fprintf(to, " %s\n", m->problem);
        return;
    }
    if (!m->samples) {
        fputs(" not measured\n", to);
        return;
    }
    print_time(to, m->median);
    print_range(to, m);
    print_rate(to, result, m);
    print_bar(to, result, m);
    fputc('\n', to);
}

void table_row(FILE *to, const struct result *result)
{
    const struct row *row = &bench_rows[result->row];
    double floor = result_floor(result), share = result_hand_share(result);
    fprintf(to, "%-12s %s\n    %s, %d thread%s", row->name, row->title, result->level,
            result->threads, result->threads > 1 ? "s" : "");
    if (floor > 0) {
        fputs("; floor", to);
        print_time(to, floor);
    }
    if (share > 0)
        fprintf(to, "; hand reaches %.2f of it%s", share,
                share < row->hand_needs ? ", too little to count" : "");
    if (result->same_bits)
        fputs("; ours has ref's bits", to);
    fputc('\n', to);
    for (int i = 0; i < result->count; i++)
        print_measure(to, result, &result->measures[i]);
    fputc('\n', to);
    fflush(to);
}

/* ---- targets --------------------------------------------------------------------------------- */

static void print_target(FILE *to, const struct result *result, const struct target *target)
{
    static const char *const words[] = {
        [MET] = "met",
        [MISSED] = "MISSED",
        [NOT_MEASURED] = "not measured",
        [DOES_NOT_COUNT] = "does not count: the code by hand is too far from the limit"};
    double value;
    char aim[64];
    enum verdict verdict = result_judge(result, target, &value);
    if (target->against)
        snprintf(aim, sizeof aim, "%s / %s", target->against, target->who);
    else
        snprintf(aim, sizeof aim, "time of %s", target->who);
    fprintf(to, "%-12s %-7s %d  %-26s", bench_rows[result->row].name, result->level,
            result->threads, aim);
    if (target->against)
        fprintf(to, " >= %-6.2f    %8.2f     ", target->ratio, value);
    else
        fprintf(to, " <= %-6.3g ms %8.4g ms ", target->seconds * 1e3, value * 1e3);
    fprintf(to, "%s\n", words[verdict]);
}

void table_targets(FILE *to, const struct report *report)
{
    bool any = false;
    for (int i = 0; i < report->count; i++) {
        const struct result *result = &report->results[i];
        const struct target *targets = bench_rows[result->row].targets;
        for (int t = 0; t < TARGETS_MAX; t++) {
            if (!target_applies(result, &targets[t]))
                continue;
            if (!any)
                fprintf(to, "%-12s %-7s T  %-26s %-12s %8s\n", "row", "level", "ratio or time",
                        "   target", "reached");
            any = true;
            print_target(to, result, &targets[t]);
        }
    }
    if (report->options->small)
        fputs("Small shapes: these figures say nothing about speed.\n", to);
}
