/* svg.c - the results as a drawing: for each row a bar for each variant, as long as its speed
 * relative to the machine's limit.
 */
#include "bench.h"
#include "text/xml.h"
#include <errno.h>
#include <string.h>

enum { LEFT = 150, BAR = 420, LINE = 16, GAP = 34, TOP = 64, WIDTH = 860 };

static const char *color_of(const char *name)
{
    static const struct {
        const char *name, *color;
    } rows[] = {{"ours", "#2563eb"}, {"hand", "#6b7280"},  {"openblas", "#b45309"},
                {"pocl", "#be185d"}, {"numpy", "#15803d"}, {"ours cached", "#60a5fa"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].color;
    return "#93c5fd";
}

static void write_text(FILE *to, int x, int y, const char *style, const char *text)
{
    fprintf(to, "<text x=\"%d\" y=\"%d\" %s>", x, y, style);
    lw__xml_write(to, text);
    fputs("</text>\n", to);
}

static bool is_drawn(const struct measure *m)
{
    return strncmp(m->name, "limit", 5) != 0;
}

static int height_of(const struct result *result)
{
    int lines = 0;
    for (int i = 0; i < result->count; i++)
        lines += is_drawn(&result->measures[i]);
    return lines * LINE + GAP;
}

/* Without a limit the fastest of the row stands for it. */
static double best_of(const struct result *result)
{
    double best = result_floor(result);
    for (int i = 0; best <= 0 && i < result->count; i++)
        if (result->measures[i].samples)
            best = result->measures[i].median;
    for (int i = 0; result_floor(result) <= 0 && i < result->count; i++)
        if (result->measures[i].samples && result->measures[i].median < best)
            best = result->measures[i].median;
    return best;
}

static void draw_bar(FILE *to, const struct measure *m, double best, int y)
{
    char label[TEXT_SIZE];
    write_text(to, LEFT - 8, y + 11, "text-anchor=\"end\"", m->name);
    if (m->problem[0] || !m->samples) {
        snprintf(label, sizeof label, "%.90s", m->problem[0] ? m->problem : "not measured");
        write_text(to, LEFT, y + 11, "fill=\"#9ca3af\"", label);
        return;
    }
    double share = best / m->median, length = share < 1.15 ? share * BAR : 1.15 * BAR;
    fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", LEFT, y + 1,
            length, LINE - 4, color_of(m->name));
    snprintf(label, sizeof label, "%.4g ms", m->median * 1e3);
    write_text(to, LEFT + (int)length + 6, y + 11, "fill=\"#374151\"", label);
}

static int draw_result(FILE *to, const struct result *result, int y)
{
    char title[TEXT_SIZE];
    const struct row *row = &bench_rows[result->row];
    double best = best_of(result);
    int from = y + 18;
    snprintf(title, sizeof title, "%s: %s, %d thread%s", row->title, result->level, result->threads,
             result->threads > 1 ? "s" : "");
    write_text(to, 10, y + 12, "font-weight=\"bold\"", title);
    y = from;
    for (int i = 0; i < result->count; i++) {
        if (!is_drawn(&result->measures[i]))
            continue;
        draw_bar(to, &result->measures[i], best, y);
        y += LINE;
    }
    if (result_floor(result) > 0)
        fprintf(to, "<path d=\"M%d %dV%d\" stroke=\"#111827\" stroke-dasharray=\"3 2\"/>\n",
                LEFT + BAR, from, y);
    return y + GAP - 18;
}

static void draw(FILE *to, const struct report *report)
{
    char line[2 * TEXT_SIZE];
    int height = TOP;
    for (int i = 0; i < report->count; i++)
        height += height_of(&report->results[i]);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, height);
    snprintf(line, sizeof line, "%s, commit %s, device %s, %s", report->machine.about,
             report->commit, report->options->device, report->machine.when);
    write_text(to, 10, 20, "font-size=\"12\"", line);
    write_text(to, 10, 38, "fill=\"#374151\"",
               "Speed, median of interleaved runs. Dashed: what the machine can do; where no limit "
               "was measured, bars are relative to the fastest.");
    int y = TOP;
    for (int i = 0; i < report->count; i++)
        y = draw_result(to, &report->results[i], y);
    fputs("</svg>\n", to);
}

int svg_write(const struct report *report, const char *path)
{
    FILE *to = fopen(path, "w");
    if (to)
        draw(to, report);
    bool done = to && !ferror(to);
    if (to)
        done = fclose(to) == 0 && done;
    const int failed = to ? 4 : 2; /* a full disk, or a wrong name */
    return done ? 0 : bench_fail(failed, "%s: %s", path, strerror(errno));
}
