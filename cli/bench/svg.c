/* svg.c - rows as a drawing: a bar each, or a histogram each for one operation. Its colours
 * follow the reader's, light or dark.
 */
#include "cli/bench/bench.h"
#include "text/xml.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 860, LEFT = 290, BAR = 330, LINE = 22, TOP = 64, HIGH = 110 };

static const char style[] =
    "<style>\n"
    "svg { background: #ffffff; font: 12px sans-serif }\n"
    "text { fill: #1f2937 } .head { font-weight: bold } .note { fill: #6b7280 }\n"
    ".bar { fill: #2563eb } .limit { fill: #9ca3af } .axis { stroke: #6b7280 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "svg { background: #111827 }\n"
    "text { fill: #e5e7eb } .note { fill: #9ca3af }\n"
    ".bar { fill: #60a5fa } .limit { fill: #6b7280 }\n"
    "}\n"
    "</style>\n";

static void draw_text(FILE *to, double x, double y, const char *attributes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void draw_text(FILE *to, double x, double y, const char *attributes, const char *format, ...)
{
    char text[2 * BENCH_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    lw__xml_write(to, text);
    fputs("</text>\n", to);
}

static void draw_box(FILE *to, const char *kind, double x, double y, double width, double height)
{
    fprintf(to, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", kind,
            x, y, width, height);
}

/* ---- bars ------------------------------------------------------------------------------------ */

static bool is_timed(const struct bench_row *row)
{
    return row->stats.count > 0 && !row->problem[0];
}

/* In a ladder speed, relative to the fastest; else the share of the limit. */
static double share_of(const struct bench_row *row, double best)
{
    double share = best > 0 ? best / row->stats.median : 0;
    if (best <= 0 && row->limit >= 0)
        share = row->limit_seconds / row->stats.median;
    return share < 1.1 ? share : 1.1;
}

static void draw_bar(FILE *to, const struct bench_row *row, double best, double y)
{
    char time[BENCH_NAME], rate[BENCH_NAME];
    draw_text(to, LEFT - 8, y + 14, "text-anchor=\"end\"", "%s%s%s", row->name,
              *row->size ? ", " : "", row->size);
    if (!is_timed(row)) {
        draw_text(to, LEFT, y + 14, "class=\"note\"", "%.70s",
                  row->problem[0] ? row->problem : "not measured");
        return;
    }
    double length = share_of(row, best) * BAR;
    draw_box(to, row->is_limit ? "limit" : "bar", LEFT, y + 3, length, LINE - 7);
    bench_time_text(row->stats.median, time);
    bench_rate_text(row, rate);
    draw_text(to, LEFT + length + 6, y + 14, "class=\"note\"", "%s%s%s", time, *rate ? ", " : "",
              rate);
}

static double best_of(const struct bench *bench)
{
    double best = 0;
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (is_timed(row) && (best <= 0 || row->stats.median < best))
            best = row->stats.median;
    }
    return best;
}

static double draw_bars(FILE *to, const struct bench *bench, bool is_ladder)
{
    double y = TOP, best = is_ladder ? best_of(bench) : 0;
    int worker = -1;
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (row->is_limit && !is_ladder)
            continue;
        const struct bench_worker *w = &bench->workers[row->worker];
        if (row->worker != worker) {
            draw_text(to, 12, y + 16, "class=\"head\"", "%s%s%.90s", w->label,
                      w->status ? ": not measured: " : "", w->problem);
            y += LINE;
        }
        worker = row->worker;
        if (w->status)
            continue;
        draw_bar(to, row, best, y);
        y += LINE;
    }
    if (!is_ladder)
        fprintf(to, "<path class=\"axis\" stroke-dasharray=\"3 2\" d=\"M%d %dV%.1f\"/>\n",
                LEFT + BAR, TOP, y);
    return y;
}

/* ---- histograms ------------------------------------------------------------------------------ */

static double draw_histogram(FILE *to, const struct bench *bench, const struct bench_row *row,
                             double y)
{
    const struct cli_histogram *h = &row->histogram;
    double width = (WIDTH - 24.0) / CLI_BINS, floor = y + 24 + HIGH;
    char median[BENCH_NAME], from[BENCH_NAME], until[BENCH_NAME], rate[BENCH_NAME];
    bench_time_text(row->stats.median, median);
    bench_rate_text(row, rate);
    draw_text(to, 12, y + 14, "class=\"head\"", "%s on %s: median %s, %zu samples%s%s", row->name,
              bench->workers[row->worker].label, median, row->stats.count, *rate ? ", " : "", rate);
    for (int i = 0; i < CLI_BINS; i++) {
        double height = (double)h->counts[i] / (double)h->most * HIGH;
        if (h->counts[i])
            draw_box(to, "bar", 12 + i * width, floor - height, width - 1, height);
    }
    fprintf(to, "<path class=\"axis\" d=\"M12 %.1fH%d\"/>\n", floor, WIDTH - 12);
    draw_text(to, 12, floor + 16, "class=\"note\"", "%s", bench_time_text(h->from, from));
    draw_text(to, WIDTH - 12, floor + 16, "class=\"note\" text-anchor=\"end\"", "%s%s",
              bench_time_text(h->to, until), h->above ? " <" : "");
    return floor + 40;
}

static double draw_histograms(FILE *to, const struct bench *bench)
{
    double y = TOP;
    for (size_t i = 0; i < bench->row_count; i++)
        if (!bench->rows[i].is_limit && is_timed(&bench->rows[i]))
            y = draw_histogram(to, bench, &bench->rows[i], y);
    return y;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The height is known at the end: the body is made first. */
static void draw(FILE *to, const struct bench *bench, const char *body, double height)
{
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %d %.0f\">\n%s",
            WIDTH, height, WIDTH, height, style);
    draw_text(to, 12, 24, "class=\"head\" font-size=\"15\"", "%s", bench->title);
    draw_text(to, 12, 44, "class=\"note\"", "%s, %s", bench->machine.about, bench->machine.when);
    fputs(body, to);
    fputs("</svg>\n", to);
}

static void draw_body(FILE *to, const struct bench *bench, double *height)
{
    bool is_ladder = strcmp(bench->form, "dot") == 0;
    *height = strcmp(bench->form, "op") == 0 ? draw_histograms(to, bench)
                                             : draw_bars(to, bench, is_ladder);
}

int bench_write_svg(const struct bench *bench)
{
    char *body = NULL, *text = NULL;
    double height = 0;
    size_t body_size;
    FILE *memory = open_memstream(&body, &body_size);
    if (memory)
        draw_body(memory, bench, &height);
    int failed = cli_end_text(memory, &body);
    size_t size;
    memory = failed ? NULL : open_memstream(&text, &size);
    if (memory)
        draw(memory, bench, body, height + 12);
    failed = failed ? failed : cli_end_text(memory, &text);
    if (!failed)
        failed = cli_save(bench->options->svg, &(struct lw__part){text, size}, 1);
    free(body);
    free(text);
    return failed;
}
