/* draw.c - a graph as a picture: launches from top to bottom, each with its tensors and their
 * shapes; temporaries that share memory have one colour.
 */
#include "ops/graph.h"
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LABEL = 160, LINE = 1024, ROW = 34, BOX = 300, CHIP = 190, GAP = 10, COLOURS = 8 };

static const char *const colours[COLOURS] = {"#bfdbf7", "#c9e8c3", "#f9d9a8", "#e3c9f0",
                                             "#f6c4c4", "#bdebe7", "#e8e3a5", "#d5d5d5"};
static const char bound_colour[] = "#ffffff";

/* A drawing: what there is, and colours. */
struct picture {
    const struct lw__recording *r;
    const char **colour; /* of each tensor */
    FILE *f;
};

static int by_offset(const void *a, const void *b, void *tensors)
{
    const struct lw__graph_tensor *t = tensors;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    if (t[x].offset != t[y].offset)
        return t[x].offset < t[y].offset ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* group[k] becomes the first of all temporaries that k is linked to by shared memory. order: room
 * for as many. */
static void find_groups(const struct lw__recording *r, size_t *order, size_t *group)
{
    size_t count = 0, begin = 0, end = 0, least = 0;

    for (size_t k = 0; k < r->tensor_count; k++)
        if (lw__tensor_is_planned(&r->tensors[k]))
            order[count++] = k;
    qsort_r(order, count, sizeof *order, by_offset, r->tensors);
    for (size_t i = 0; i <= count; i++) {
        const struct lw__graph_tensor *t = i < count ? &r->tensors[order[i]] : NULL;

        if (!t || (t->offset >= end && i)) {
            for (; begin < i; begin++)
                group[order[begin]] = least;
            end = 0;
        }
        if (!t)
            return;
        least = i == begin || order[i] < least ? order[i] : least;
        end = t->offset + t->bytes > end ? t->offset + t->bytes : end;
    }
}

/* The groups get colours in the order of their first tensors. False: memory is short. */
static bool choose_colours(struct picture *p)
{
    const struct lw__recording *r = p->r;
    size_t *order = calloc(r->tensor_count + 1, sizeof *order), groups = 0;
    size_t *group = calloc(r->tensor_count + 1, sizeof *group);

    p->colour = calloc(r->tensor_count + 1, sizeof *p->colour);
    if (order && group && p->colour) {
        find_groups(r, order, group);
        for (size_t k = 0; k < r->tensor_count; k++) {
            assert(group[k] <= k); /* the first has got its colour */
            if (!lw__tensor_is_planned(&r->tensors[k]))
                p->colour[k] = bound_colour;
            else
                p->colour[k] = group[k] == k ? colours[groups++ % COLOURS] : p->colour[group[k]];
        }
    }
    free(order);
    free(group);
    return order && group && p->colour;
}

/* "q f32 (16,)" for inputs and outputs, "#2 f32 (16, 16)" for others. Names keep what is safe in
 * both formats. */
static const char *tensor_label(const struct lw__recording *r, size_t tensor, char label[LABEL])
{
    const struct lw__graph_tensor *t = &r->tensors[tensor];
    struct lw__operand o = {.rank = t->rank, .shape.extent = {1, 1, 1, 1}};
    char shape[LW_SHAPE_TEXT];

    for (int k = 0; k < t->rank; k++)
        o.shape.extent[LW_AXES - t->rank + k] = (size_t)t->extent[k];
    lw__operand_text(&o, shape);
    if (t->name)
        snprintf(label, LABEL, "%.40s %s %s", t->name, lw_dtype_name(t->dtype), shape);
    else
        snprintf(label, LABEL, "%s%zu %s %s", t->role == LW_ROLE_SCRATCH ? "scratch " : "#", tensor,
                 lw_dtype_name(t->dtype), shape);
    for (char *c = label; *c; c++)
        if (strchr("<>&\"\\'", *c))
            *c = '_';
    return label;
}

static const char *launch_label(const struct lw__recording *r, size_t launch, char label[LABEL])
{
    const lw_recorded *l = &r->launches[launch]->call;

    snprintf(label, LABEL, "%zu %.60s %ux%ux%u of %ux%ux%u", launch, lw_kernel_name(l->kernel),
             l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z);
    return label;
}

static bool writes(const lw_recorded *l, size_t arg)
{
    lw_param param;

    return lw_kernel_param(l->kernel, arg, &param) == LW_OK && !param.is_const;
}

/* A failure shows at the end, by ferror. */
__attribute__((format(printf, 2, 3))) static void put(FILE *f, const char *format, ...)
{
    char line[LINE];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    (void)fputs(line, f);
}

/* ---- dot ---- */

static void draw_dot(const struct picture *p)
{
    const struct lw__recording *r = p->r;
    FILE *f = p->f;
    char label[LABEL];

    put(f, "digraph graph_ {\n  node [fontname=\"sans-serif\"];\n");
    for (size_t k = 0; k < r->tensor_count; k++)
        if (r->tensors[k].is_used)
            put(f, "  t%zu [label=\"%s\", style=filled, fillcolor=\"%s\"];\n", k,
                tensor_label(r, k, label), p->colour[k]);
    for (size_t n = 0; n < r->launch_count; n++) {
        const struct lw__graph_launch *l = r->launches[n];

        put(f, "  l%zu [shape=box, label=\"%s\"];\n", n, launch_label(r, n, label));
        if (n)
            put(f, "  l%zu -> l%zu [style=invis];\n", n - 1, n);
        for (size_t i = 0; i < l->call.count; i++)
            if (l->tensors[i] != LW_NO_TENSOR && writes(&l->call, i))
                put(f, "  l%zu -> t%zu;\n", n, l->tensors[i]);
            else if (l->tensors[i] != LW_NO_TENSOR)
                put(f, "  t%zu -> l%zu;\n", l->tensors[i], n);
    }
    put(f, "}\n");
}

/* ---- svg ---- */

static void draw_box(FILE *f, size_t x, size_t y, size_t width, const char *colour, bool is_written,
                     const char *label)
{
    put(f,
        "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"24\" rx=\"4\" fill=\"%s\" "
        "stroke=\"#444\" stroke-width=\"%d\"/>\n"
        "<text x=\"%zu\" y=\"%zu\">%s</text>\n",
        x, y, width, colour, is_written ? 2 : 1, x + 8, y + 16, label);
}

/* A row for each launch; what it writes has a thick frame. */
static void draw_svg(const struct picture *p)
{
    const struct lw__recording *r = p->r;
    FILE *f = p->f;
    size_t most = 0;
    char label[LABEL];

    for (size_t n = 0; n < r->launch_count; n++)
        most = r->launches[n]->call.count > most ? r->launches[n]->call.count : most;
    put(f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n",
        BOX + 2 * GAP + most * (CHIP + GAP), r->launch_count * ROW + GAP);
    for (size_t n = 0; n < r->launch_count; n++) {
        const struct lw__graph_launch *l = r->launches[n];
        size_t x = BOX + 2 * GAP;

        draw_box(f, GAP, n * ROW + GAP, BOX, "#f4f4f4", false, launch_label(r, n, label));
        for (size_t i = 0; i < l->call.count; i++)
            if (l->tensors[i] != LW_NO_TENSOR) {
                draw_box(f, x, n * ROW + GAP, CHIP, p->colour[l->tensors[i]], writes(&l->call, i),
                         tensor_label(r, l->tensors[i], label));
                x += CHIP + GAP;
            }
    }
    put(f, "</svg>\n");
}

/* ---- files ---- */

static lw_status write_file(struct picture *p, bool is_svg, const char *path)
{
    p->f = fopen(path, "w");
    if (!p->f)
        return lw_fail(errno == ENOMEM ? LW_E_MEMORY : LW_E_IO, "lw_graph_draw: %s: %s", path,
                       strerror(errno));
    errno = 0;
    if (is_svg)
        draw_svg(p);
    else
        draw_dot(p);
    bool failed = ferror(p->f);
    failed = fclose(p->f) || failed;
    int error = errno;
    struct stat info;
    if (failed && !lstat(path, &info) && S_ISREG(info.st_mode))
        unlink(path); /* half of a drawing */
    return failed ? lw_fail(LW_E_IO, "lw_graph_draw: %s: %s", path,
                            error ? strerror(error) : "it cannot be written")
                  : LW_OK;
}

static lw_status draw(const struct lw__recording *r, bool is_svg, const char *path)
{
    struct picture p = {.r = r};
    const lw_status status = choose_colours(&p)
                                 ? write_file(&p, is_svg, path)
                                 : lw_fail(LW_E_MEMORY, "out of memory: the drawing of a graph");

    free(p.colour);
    return status;
}

lw_status lw_graph_draw(lw_graph *graph, const char *format, const char *path)
{
    if (!graph || !format || !path)
        return lw_fail(LW_E_ARG, "lw_graph_draw: the %s is NULL",
                       !graph    ? "graph"
                       : !format ? "format"
                                 : "path");
    if (strcmp(format, "dot") && strcmp(format, "svg"))
        return lw_fail(LW_E_ARG, "lw_graph_draw: the format is '%.40s'; need dot or svg", format);
    struct lw__recording copy;
    lw_status status = lw__recording_copy(&graph->recording, &copy);
    size_t bytes, unshared;
    if (!status)
        status = lw__plan(&copy, &bytes, &unshared);
    if (!status)
        status = draw(&copy, !strcmp(format, "svg"), path);
    lw__recording_free(&copy);
    return status;
}
