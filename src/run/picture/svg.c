/* svg.c - all steps of a recording as one tall drawing, top-down, for documents.
 *
 * A step is a heading, the lines that ran, a row of threads for each warp, and the arrays that it
 * touched with the values that it left. Arcs lead from the cells that a thread read to the cell of
 * the same array that it wrote, and to a lane from that of a shuffle. What is drawn is in black and
 * white; colours follow the reader's theme.
 */
#include "run/picture/picture.h"
#include "text/xml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 960,
    LEFT = 70,  /* of the cells */
    CELL = 26,  /* with its gap */
    TALL = 24,  /* of a cell */
    ROW = 17,   /* of text */
    ARC = 20,   /* room above a row for arcs */
    CELLS = 32, /* of a row at most */
    CELLS_MAX = 512,
};

struct drawing {
    struct lw__text *to;
    struct lw__recording *r;
    char *source; /* all of it, or NULL */
    int y;
    uint64_t **value; /* of each array that is drawn, and who wrote: thread + 1, 0: nobody */
    uint32_t **writer;
};

static void add_text(struct drawing *d, int x, const char *class, const char *text)
{
    lw__text_add(d->to, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, d->y, class);
    lw__xml_add(d->to, text, strlen(text));
    lw__text_add(d->to, "</text>\n");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *text_of(const struct drawing *d, int line, size_t *length)
{
    const char *at = d->source;
    while (at && --line > 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    *length = at ? strcspn(at, "\n") : 0;
    return at;
}

/* How many threads ran the line in the step. */
static int lanes_of(const struct drawing *d, const struct lw__step *s, int line)
{
    bool ran[LW_REF_THREADS_MAX] = {false};
    int count = 0;
    for (size_t i = s->event; i < s->event + s->event_count; i++) {
        const struct lw__event *e = &d->r->events[i];
        if (e->kind != LW_EVENT_LINE || lw__picture_line(d->r, e->site) != line || ran[e->thread])
            continue;
        ran[e->thread] = true;
        count++;
    }
    return count;
}

static void draw_lines(struct drawing *d, const struct lw__step *s)
{
    int next;
    for (int last = 0;; last = next) {
        next = 0;
        for (size_t i = s->event; i < s->event + s->event_count; i++) {
            const struct lw__event *e = &d->r->events[i];
            const int line = e->kind == LW_EVENT_LINE ? lw__picture_line(d->r, e->site) : 0;
            if (line > last && (!next || line < next))
                next = line;
        }
        if (!next)
            return;
        size_t length;
        const char *text = text_of(d, next, &length);
        lw__text_add(d->to,
                     "<text x=\"8\" y=\"%d\" class=\"code\" xml:space=\"preserve\">%4d %4dx  ",
                     d->y, next, lanes_of(d, s, next));
        lw__xml_add(d->to, text ? text : "", length);
        lw__text_add(d->to, "</text>\n");
        d->y += ROW;
    }
}

/* ---- cells and arcs -------------------------------------------------------------------------- */

static int x_of(size_t column)
{
    return LEFT + (int)column * CELL;
}

/* In the room of a cell. */
static void shorten(char *text)
{
    enum { ROOM = 5 };
    if (strlen(text) > ROOM) {
        char few[LW_NUMBER_SIZE];
        snprintf(few, sizeof few, "%.2g", strtod(text, NULL));
        snprintf(text, LW_NUMBER_SIZE, "%s", few);
    }
}

static void draw_cell(struct drawing *d, size_t column, const char *class, const char *text)
{
    lw__text_add(d->to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"/>",
                 x_of(column), d->y, CELL - 2, TALL, class);
    lw__text_add(d->to, "<text x=\"%d\" y=\"%d\" class=\"in\">%s</text>\n",
                 x_of(column) + CELL / 2 - 1, d->y + TALL / 2 + 3, text);
}

/* Between cells of rows; y: the upper edges of their cells. */
static void draw_arc(struct drawing *d, size_t from, int y0, size_t to, int y1)
{
    const int x0 = x_of(from) + CELL / 2, x1 = x_of(to) + CELL / 2;
    const int span = abs(x1 - x0), up = 6 + (span > 240 ? 12 : span / 20);
    if (y0 == y1)
        lw__text_add(
            d->to,
            "<path d=\"M%d %dC%d %d %d %d %d %d\" class=\"arc\" marker-end=\"url(#tip)\"/>\n", x0,
            y0, x0, y0 - up, x1, y1 - up, x1, y1 - 1);
    else
        lw__text_add(d->to, "<path d=\"M%d %dL%d %d\" class=\"arc\" marker-end=\"url(#tip)\"/>\n",
                     x0, y0 < y1 ? y0 + TALL : y0, x1, y1 > y0 ? y1 - 1 : y1 + TALL + 1);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* From which place of the collective a lane has its value; -1: its own. */
static int source_of(const struct lw__operation *m, int place)
{
    const int number = m->number[place];
    int from = -1;
    switch (m->op) {
    case LW_OP_shuffle:
    case LW_OP_warp_broadcast:
    case LW_OP_block_broadcast: from = number; break;
    case LW_OP_shuffle_up: from = place - number; break;
    case LW_OP_shuffle_down: from = place + number; break;
    case LW_OP_shuffle_xor: from = place ^ number; break;
    case LW_OP_warp_partner:
    case LW_OP_block_partner: from = place & number ? -1 : place + number; break;
    default: break;
    }
    return from >= 0 && from < m->count && from != place && m->active[from] ? from : -1;
}

/* top: the upper edge of the first warp's cells. */
static void draw_operation(struct drawing *d, const struct lw__operation *m, int top)
{
    const bool combines = lw__op_table[m->op].kind == LW_KIND_REDUCE;
    for (int distance = 1; distance < m->count; distance *= 2)
        for (int k = 0; k + distance < m->count; k += 2 * distance)
            if (combines && m->active[k] && m->active[k + distance]) {
                const int a = m->first + k + distance, b = m->first + k;
                draw_arc(d, (size_t)a % LW_WARP_SIZE, top + a / LW_WARP_SIZE * (TALL + ARC),
                         (size_t)b % LW_WARP_SIZE, top + b / LW_WARP_SIZE * (TALL + ARC));
            }
    for (int place = 0; place < m->count; place++) {
        const int from = m->active[place] ? source_of(m, place) : -1;
        if (from >= 0)
            draw_arc(d, (size_t)(m->first + from) % LW_WARP_SIZE,
                     top + (m->first + from) / LW_WARP_SIZE * (TALL + ARC),
                     (size_t)(m->first + place) % LW_WARP_SIZE,
                     top + (m->first + place) / LW_WARP_SIZE * (TALL + ARC));
    }
}

/* What the collective gave a thread, or its trace, or nothing. */
static void value_of(const struct drawing *d, const struct lw__step *s, int thread, char *text)
{
    const struct lw__recording *r = d->r;
    snprintf(text, LW_NUMBER_SIZE, "%d", thread % LW_WARP_SIZE);
    for (size_t i = s->event; i < s->event + s->event_count; i++)
        if (r->events[i].kind == LW_EVENT_TRACE && r->events[i].thread == thread)
            lw__picture_number(text, (lw_dtype)r->events[i].array, r->events[i].value);
    for (size_t i = s->operation; i < s->operation + s->operation_count; i++) {
        const struct lw__operation *m = &r->operations[i];
        const int place = thread - m->first;
        if (m->type && place >= 0 && place < m->count && m->active[place])
            lw__picture_number(text, (lw_dtype)m->type, m->result[place]);
    }
    shorten(text);
}

static void draw_threads(struct drawing *d, const struct lw__step *s)
{
    const int threads = (int)strlen(s->state), top = d->y + ARC;
    for (int first = 0; first < threads && first < CELLS_MAX; first += LW_WARP_SIZE) {
        char name[32];
        d->y += ARC + TALL / 2 + 4;
        snprintf(name, sizeof name, "warp %d", first / LW_WARP_SIZE);
        add_text(d, 8, "soft", name);
        d->y -= TALL / 2 + 4;
        for (int t = first; t < threads && t < first + LW_WARP_SIZE; t++) {
            const char class[] = {s->state[t], '\0'};
            char text[LW_NUMBER_SIZE];
            value_of(d, s, t, text);
            draw_cell(d, (size_t)(t - first), class, text);
        }
        d->y += TALL;
    }
    for (size_t i = s->operation; i < s->operation + s->operation_count && threads <= CELLS_MAX;
         i++)
        draw_operation(d, &d->r->operations[i], top);
    d->y += 12;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static size_t columns_of(const struct lw__array *a)
{
    const size_t last = a->rank ? a->extent[a->rank - 1] : 1;
    return a->rank > 1 && last <= CELLS ? last : CELLS;
}

/* Bits: read, written by the step. */
static uint8_t *touches_of(const struct drawing *d, const struct lw__step *s, size_t array)
{
    uint8_t *touched = calloc(d->r->arrays[array].count + 1, 1);
    for (size_t i = s->event; touched && i < s->event + s->event_count; i++) {
        const struct lw__event *e = &d->r->events[i];
        if (e->kind >= LW_EVENT_READ && e->kind <= LW_EVENT_ATOMIC && e->array == array)
            touched[e->element] |= e->kind == LW_EVENT_READ ? 1 : 2;
    }
    return touched;
}

static void draw_flow(struct drawing *d, const struct lw__step *s, size_t array, int top)
{
    const struct lw__event *events = d->r->events;
    const size_t columns = columns_of(&d->r->arrays[array]);
    for (size_t i = s->event; i < s->event + s->event_count; i++) {
        const struct lw__event *w = &events[i];
        const bool writes = w->kind == LW_EVENT_WRITE || w->kind == LW_EVENT_ATOMIC;
        for (size_t k = i; writes && w->array == array && k-- > s->event;) {
            const struct lw__event *e = &events[k];
            if (e->thread != w->thread)
                break;
            if (e->kind == LW_EVENT_READ && e->array == array && e->element != w->element)
                draw_arc(d, e->element % columns, top + (int)(e->element / columns) * (TALL + ARC),
                         w->element % columns, top + (int)(w->element / columns) * (TALL + ARC));
        }
    }
}

static void draw_array(struct drawing *d, const struct lw__step *s, size_t array)
{
    static const char *const classes[] = {"cell", "cell r", "cell o", "cell o"};
    const struct lw__array *a = &d->r->arrays[array];
    const size_t columns = columns_of(a);
    uint8_t *touched = touches_of(d, s, array);
    if (!touched) {
        d->to->failed = true;
        return;
    }
    const int top = d->y + ARC;
    for (size_t e = 0; e < a->count; e++) {
        char text[LW_NUMBER_SIZE] = "?";
        if (e % columns == 0) {
            d->y += ARC + TALL / 2 + 4;
            add_text(d, 8, "soft", e ? "" : a->name);
            d->y -= TALL / 2 + 4;
        }
        const bool is_known = d->writer[array][e] || a->first;
        if (is_known)
            lw__picture_number(text, a->dtype, d->value[array][e]);
        shorten(text);
        draw_cell(d, e % columns, is_known ? classes[touched[e] & 3] : "cell n", text);
        if (e % columns == columns - 1 || e + 1 == a->count)
            d->y += TALL;
    }
    draw_flow(d, s, array, top);
    d->y += 12;
    free(touched);
}

static bool is_drawn(const struct lw__array *a)
{
    return a->name && a->count && a->count <= CELLS_MAX && (a->is_block || a->first);
}

static bool is_touched(const struct drawing *d, const struct lw__step *s, size_t array)
{
    for (size_t i = s->event; i < s->event + s->event_count; i++)
        if (d->r->events[i].kind >= LW_EVENT_READ && d->r->events[i].kind <= LW_EVENT_ATOMIC &&
            d->r->events[i].array == array)
            return true;
    return false;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void draw_step(struct drawing *d, size_t number)
{
    const struct lw__step *s = &d->r->steps[number];
    char text[80];
    if (s->operation_count)
        snprintf(text, sizeof text, "Step %zu, to %s()", number + 1,
                 lw__op_table[d->r->operations[s->operation].op].name);
    else
        snprintf(text, sizeof text, "Step %zu", number + 1);
    d->y += 28;
    add_text(d, 8, "head", text);
    d->y += ROW + 2;
    draw_lines(d, s);
    for (size_t i = s->event; i < s->event + s->event_count; i++) {
        const struct lw__event *e = &d->r->events[i];
        if (e->kind < LW_EVENT_READ || e->kind > LW_EVENT_ATOMIC || !d->value[e->array])
            continue;
        d->value[e->array][e->element] = e->value;
        if (e->kind != LW_EVENT_READ)
            d->writer[e->array][e->element] = e->thread + 1u;
    }
    draw_threads(d, s);
    for (size_t a = 0; a < d->r->array_count; a++)
        if (is_drawn(&d->r->arrays[a]) && d->r->arrays[a].is_block)
            draw_array(d, s, a);
    for (size_t a = 0; a < d->r->array_count; a++)
        if (is_drawn(&d->r->arrays[a]) && !d->r->arrays[a].is_block && is_touched(d, s, a))
            draw_array(d, s, a);
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static const char style[] =
    "<style>\n"
    "text{font:13px system-ui,sans-serif;fill:#16191d}\n"
    ".code{font:12px ui-monospace,monospace}.soft{fill:#4d5661;font-size:12px}\n"
    ".head{font-weight:700;font-size:15px}.bad{fill:#a8071a;font-weight:600}\n"
    ".in{font:9px ui-monospace,monospace;text-anchor:middle}\n"
    "rect{fill:#fff;stroke:#8a929c;rx:3}.a{stroke:#0b57a4;stroke-width:2}\n"
    ".d{stroke:#4d5661;stroke-width:2;stroke-dasharray:4 3}.w{stroke-dasharray:1 3}\n"
    ".x,.n{fill:#e3e6ea}.r{stroke:#0b57a4;stroke-width:2;stroke-dasharray:4 3}\n"
    ".o{stroke:#16191d;stroke-width:3}.arc{fill:none;stroke:#0b57a4;stroke-width:1.3}\n"
    "#tip path{fill:#0b57a4}.page{fill:#fff;stroke:none}\n"
    "@media(prefers-color-scheme:dark){text{fill:#eceff3}.soft{fill:#aab3bf}.bad{fill:#ff9c9c}\n"
    "rect{fill:#14171b;stroke:#7d8793}.a,.r,.arc{stroke:#7db8f7}.d{stroke:#aab3bf}\n"
    ".x,.n{fill:#353c45}.o{stroke:#fff}#tip path{fill:#7db8f7}.page{fill:#14171b;stroke:none}}\n"
    "</style>\n"
    "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" "
    "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n";

static bool prepare(struct drawing *d)
{
    struct lw__recording *r = d->r;
    d->value = calloc(r->array_count + 1, sizeof *d->value);
    d->writer = calloc(r->array_count + 1, sizeof *d->writer);
    bool ok = d->value && d->writer;
    for (size_t i = 0; ok && i < r->array_count; i++) {
        const struct lw__array *a = &r->arrays[i];
        if (!is_drawn(a))
            continue;
        d->value[i] = calloc(a->count, sizeof *d->value[i]);
        d->writer[i] = calloc(a->count, sizeof *d->writer[i]);
        ok = d->value[i] && d->writer[i];
        for (size_t e = 0; ok && a->first && e < a->count; e++)
            memcpy(&d->value[i][e], a->first + e * a->element, a->element);
    }
    return ok;
}

static void draw_all(struct drawing *d, struct lw__findings *findings)
{
    struct lw__recording *r = d->r;
    char text[LW_MESSAGE_MAX + 1];
    d->y = 26;
    snprintf(text, sizeof text, "%s: block %u,%u,%u", r->kernel, r->at.x, r->at.y, r->at.z);
    add_text(d, 8, "head", text);
    d->y += ROW;
    add_text(d, 8, "soft",
             "solid: active; dashed: apart from its warp, or read; dotted: waits; grey: has "
             "returned, or uninitialised; thick: written");
    d->y += ROW;
    const struct lw__findings_row *row = NULL;
    struct lw__told told;
    while (findings && lw__findings_next(findings, &row, &told)) {
        char said[LW_MESSAGE_MAX + 1];
        snprintf(said, sizeof said, "%s: %s", told.finding.name, told.finding.message);
        add_text(d, 8, "bad", said);
        d->y += ROW;
    }
    for (size_t i = 0; i < r->step_count; i++) {
        if (d->to->length > LW_PICTURE_BYTES) {
            r->is_cut = true;
            snprintf(r->cut, sizeof r->cut,
                     "the picture was cut behind step %zu of %zu: more would not be under 2 MiB", i,
                     r->step_count);
            break;
        }
        draw_step(d, i);
    }
    d->y += 28;
    if (r->is_cut)
        add_text(d, 8, "soft", r->cut);
}

void lw__picture_svg(struct lw__text *to, struct lw__recording *r, struct lw__findings *findings)
{
    struct lw__text body = {0};
    struct drawing d = {.to = &body, .r = r};
    if (lw__picture_source(r, &d.source) && prepare(&d))
        draw_all(&d, findings);
    else
        to->failed = true;
    lw__text_add(to,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                 "height=\"%d\" role=\"img\" aria-label=\"steps of kernel %s\">\n%s"
                 "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n",
                 WIDTH, d.y + 20, WIDTH, d.y + 20, r->kernel, style, WIDTH, d.y + 20);
    if (body.data)
        lw__text_add_bytes(to, body.data, body.length);
    lw__text_add(to, "</svg>\n");
    to->failed |= body.failed;
    lw__text_free(&body);
    for (size_t i = 0; i < d.r->array_count; i++) {
        if (d.value)
            free(d.value[i]);
        if (d.writer)
            free(d.writer[i]);
    }
    free(d.value);
    free(d.writer);
    free(d.source);
}
