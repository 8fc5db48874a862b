/* json.c - the results for programs; docs/bench.md describes the object.
 */
#include "bench.h"
#include "text/json.h"
#include <errno.h>
#include <string.h>

static void write_measure(FILE *to, const struct measure *m)
{
    lw__json_member(to, "{", "name", m->name);
    if (m->problem[0] || !m->samples) {
        lw__json_member(to, ", ", "problem", m->problem[0] ? m->problem : "not measured");
    } else {
        fprintf(to, ", \"samples\": %d, \"median_s\": %.6g, \"min_s\": %.6g, \"max_s\": %.6g",
                m->samples, m->median, m->least, m->most);
    }
    fputc('}', to);
}

static void write_target(FILE *to, const struct result *result, const struct target *target)
{
    static const char *const words[] = {[MET] = "met",
                                        [MISSED] = "missed",
                                        [NOT_MEASURED] = "not measured",
                                        [DOES_NOT_COUNT] = "does not count"};
    double value;
    enum verdict verdict = result_judge(result, target, &value);
    lw__json_member(to, "{", "who", target->who);
    if (target->against) {
        lw__json_member(to, ", ", "against", target->against);
        fprintf(to, ", \"at_least\": %g", target->ratio);
    } else {
        fprintf(to, ", \"at_most_s\": %g", target->seconds);
    }
    fprintf(to, ", \"reached\": %.6g, \"verdict\": \"%s\"}", value, words[verdict]);
}

static void write_targets(FILE *to, const struct result *result)
{
    const struct target *targets = bench_rows[result->row].targets;
    const char *between = "";
    fputs("],\n   \"targets\": [", to);
    for (int t = 0; t < TARGETS_MAX; t++) {
        if (!target_applies(result, &targets[t]))
            continue;
        fprintf(to, "%s\n    ", between);
        between = ",";
        write_target(to, result, &targets[t]);
    }
    fputs("]}", to);
}

static void write_result(FILE *to, const struct result *result)
{
    const struct row *row = &bench_rows[result->row];
    fprintf(to, "  {\"row\": \"%s\", \"title\": ", row->name);
    lw__json_write(to, row->title);
    fprintf(to, ",\n   \"level\": \"%s\", \"threads\": %d, \"n\": %zu, \"rows\": %zu, ",
            result->level, result->threads, result->shape.n, result->shape.rows);
    fprintf(to, "\"cols\": %zu,\n   \"bytes\": %.10g, \"flops\": %.10g, \"floor_s\": %.6g, ",
            result->shape.cols, row->bytes * (double)result->shape.n,
            row_flops(row, &result->shape), result_floor(result));
    fprintf(to, "\"hand_share\": %.4g, \"hand_needs\": %g, \"same_bits\": %s,\n   \"variants\": [",
            result_hand_share(result), row->hand_needs, result->same_bits ? "true" : "false");
    for (int i = 0; i < result->count; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", to);
        write_measure(to, &result->measures[i]);
    }
    write_targets(to, result);
}

static void write_report(FILE *to, const struct report *report, int status)
{
    lw__json_member(to, "{", "commit", report->commit);
    lw__json_member(to, ", ", "machine", report->machine.about);
    fprintf(to, ", \"load\": %.2f, \"date\": \"%s\", \"device\": ", report->machine.load,
            report->machine.when);
    lw__json_write(to, report->options->device);
    if (status) {
        lw__json_member(to, ", ", "error", bench_first_failure());
        fprintf(to, ", \"status\": %d", status);
    }
    fprintf(to, ", \"quick\": %s, \"small\": %s,\n \"results\": [\n",
            report->options->quick ? "true" : "false", report->options->small ? "true" : "false");
    for (int i = 0; i < report->count; i++) {
        write_result(to, &report->results[i]);
        fputs(i + 1 < report->count ? ",\n" : "\n", to);
    }
    fputs(" ]}\n", to);
}

int json_write(const struct report *report, const char *path, int status)
{
    bool is_standard = strcmp(path, "-") == 0;
    FILE *to = is_standard ? stdout : fopen(path, "w");
    if (to)
        write_report(to, report, status);
    bool done = to && !ferror(to);
    if (to && !is_standard)
        done = fclose(to) == 0 && done;
    const int failed = to ? 4 : 2; /* a full disk, or a wrong name */
    return done ? 0 : bench_fail(failed, "%s: %s", path, strerror(errno));
}

void json_write_failure(FILE *to, int status)
{
    lw__json_member(to, "{", "error", bench_first_failure());
    fprintf(to, ", \"status\": %d}\n", status);
}
