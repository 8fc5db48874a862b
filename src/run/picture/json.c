/* json.c - a recording as one object of JSON; docs/picture.md describes its members.
 *
 * Lanes are bits, as hexadecimal words of 32 lanes, the first warp first. Numbers of threads and
 * elements stand in flat lists, one for each line of the source and array, since a recording is
 * mostly these.
 */
#include "run/check/check.h"
#include "run/picture/picture.h"
#include "text/json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int thread_count(const struct lw__recording *r)
{
    return (int)(r->block.x * r->block.y * r->block.z);
}

static void add_dim3(struct lw__text *to, const char *name, lw_dim3 d)
{
    lw__text_add(to, " \"%s\": [%u, %u, %u],\n", name, d.x, d.y, d.z);
}

void lw__picture_number(char text[LW_NUMBER_SIZE], lw_dtype dtype, uint64_t bits)
{
    lw__number_write(dtype == LW_BOOL ? LW_U8 : dtype, &bits, text);
    const size_t length = strlen(text);
    if (length > 2 && !strcmp(text + length - 2, ".0"))
        text[length - 2] = '\0';
}

static void add_number(struct lw__text *to, lw_dtype dtype, uint64_t bits)
{
    char text[LW_NUMBER_SIZE];
    lw__picture_number(text, dtype, bits);
    const bool is_word = text[0] == 'n' || text[0] == 'i' || text[1] == 'i';
    lw__text_add(to, is_word ? "\"%s\"" : "%s", text);
}

int lw__picture_line(const struct lw__recording *r, uint32_t site)
{
    if (site >= r->site_count || strcmp(r->sites[site].file, r->file))
        return 0;
    return r->sites[site].line;
}

/* ---- what there is --------------------------------------------------------------------------- */

bool lw__picture_source(const struct lw__recording *r, char **text)
{
    struct lw__bytes file = {0};
    *text = r->source ? lw__copy_string(r->source) : NULL;
    if (r->source)
        return *text;
    const lw_status status = lw__read_file(r->file, &file);
    *text = status ? NULL : file.bytes;
    return status != LW_E_MEMORY;
}

static bool is_touched(const struct lw__recording *r, size_t array)
{
    for (size_t i = 0; i < r->event_count; i++)
        if (r->events[i].kind >= LW_EVENT_READ && r->events[i].kind <= LW_EVENT_ATOMIC &&
            r->events[i].array == array)
            return true;
    return false;
}

/* Numbers of the arrays that are written: -1, it is not one. Global ones only as far as they are
 * touched. Block memory comes first. */
static int *number_arrays(const struct lw__recording *r)
{
    int *numbers = malloc((r->array_count + 1) * sizeof *numbers), next = 0;
    for (size_t i = 0; numbers && i < r->array_count; i++)
        numbers[i] = -1;
    for (int global = 0; global < 2; global++)
        for (size_t i = 0; numbers && i < r->array_count; i++)
            if (r->arrays[i].name && r->arrays[i].is_block == !global &&
                (!global || is_touched(r, i)))
                numbers[i] = next++;
    return numbers;
}

static void add_array(struct lw__text *to, const struct lw__array *a)
{
    lw__text_add(to, "\n  {\"name\": ");
    lw__json_add(to, a->name);
    lw__text_add(to, ", \"space\": \"%s\", \"type\": \"%s\", \"shape\": [",
                 a->is_block ? "block" : "global", lw_dtype_name(a->dtype));
    for (int i = 0; i < a->rank; i++)
        lw__text_add(to, "%s%zu", i ? "," : "", a->extent[i]);
    lw__text_add(to, "]");
    if (a->first) {
        lw__text_add(to, ", \"first\": [");
        for (size_t i = 0; i < a->count; i++) {
            uint64_t bits = 0;
            memcpy(&bits, a->first + i * a->element, a->element);
            lw__text_add(to, "%s", i ? "," : "");
            add_number(to, a->dtype, bits);
        }
        lw__text_add(to, "]");
    }
    lw__text_add(to, "}");
}

/* ---- a step: lists of its events ------------------------------------------------------------- */

/* Events that go into one list: of the same kind, line and array or name. */
static bool is_alike(const struct lw__recording *r, const struct lw__event *a,
                     const struct lw__event *b)
{
    if (a->kind != b->kind || lw__picture_line(r, a->site) != lw__picture_line(r, b->site))
        return false;
    if (a->kind == LW_EVENT_LINE)
        return true;
    return a->kind == LW_EVENT_TRACE ? a->element == b->element : a->array == b->array;
}

static void add_lanes(struct lw__text *to, const uint32_t *lanes, int warps)
{
    lw__text_add(to, "\"");
    for (int w = 0; w < warps; w++)
        lw__text_add(to, "%08x", lanes[w]);
    lw__text_add(to, "\"");
}

static void add_line(struct lw__text *to, const struct lw__recording *r, const struct lw__step *s,
                     const struct lw__event *first)
{
    uint32_t lanes[LW_REF_THREADS_MAX / LW_WARP_SIZE] = {0};
    for (size_t i = s->event; i < s->event + s->event_count; i++)
        if (is_alike(r, first, &r->events[i]))
            lanes[r->events[i].thread / LW_WARP_SIZE] |= UINT32_C(1) << r->events[i].thread % 32;
    lw__text_add(to, "[%d,", lw__picture_line(r, first->site));
    add_lanes(to, lanes, (thread_count(r) + LW_WARP_SIZE - 1) / LW_WARP_SIZE);
    lw__text_add(to, "]");
}

/* The values of global reads are in no other event, so they are told, too. */
static void add_list(struct lw__text *to, const struct lw__recording *r, const struct lw__step *s,
                     const struct lw__event *first, lw_dtype dtype, bool has_elements,
                     bool has_values)
{
    static const char *const keys[] = {"t", "e", "v"};
    for (int k = 0; k < 3; k++) {
        int written = 0;
        if ((k == 1 && !has_elements) || (k == 2 && !has_values))
            continue;
        lw__text_add(to, ",\"%s\":[", keys[k]);
        for (size_t i = s->event; i < s->event + s->event_count; i++) {
            const struct lw__event *e = &r->events[i];
            if (!is_alike(r, first, e))
                continue;
            lw__text_add(to, "%s", written++ ? "," : "");
            if (k == 2)
                add_number(to, dtype, e->value);
            else
                lw__text_add(to, "%llu", k ? (unsigned long long)e->element : e->thread);
        }
        lw__text_add(to, "]");
    }
}

static void add_access(struct lw__text *to, const struct lw__recording *r, const struct lw__step *s,
                       const struct lw__event *first, int number)
{
    static const char letters[] = {
        [LW_EVENT_READ] = 'r', [LW_EVENT_WRITE] = 'w', [LW_EVENT_ATOMIC] = 'a'};
    const struct lw__array *a = &r->arrays[first->array];
    lw__text_add(to, "{\"a\":%d,\"k\":\"%c\",\"l\":%d", number, letters[first->kind],
                 lw__picture_line(r, first->site));
    add_list(to, r, s, first, a->dtype, true, first->kind != LW_EVENT_READ || !a->is_block);
    lw__text_add(to, "}");
}

static void add_trace(struct lw__text *to, const struct lw__recording *r, const struct lw__step *s,
                      const struct lw__event *first)
{
    lw__text_add(to, "{\"name\":");
    lw__json_add(to, r->names[first->element]);
    lw__text_add(to, ",\"l\":%d", lw__picture_line(r, first->site));
    add_list(to, r, s, first, (lw_dtype)first->array, false, true);
    lw__text_add(to, "}");
}

/* One member of a step: of each kind of events those lists that are there. */
static void add_events(struct lw__text *to, const struct lw__recording *r, const struct lw__step *s,
                       const int *numbers, const char *name, int first_kind, int last_kind)
{
    int written = 0;
    lw__text_add(to, ",\n   \"%s\": [", name);
    for (size_t i = s->event; i < s->event + s->event_count; i++) {
        const struct lw__event *e = &r->events[i];
        size_t k = s->event;
        if (e->kind < first_kind || e->kind > last_kind ||
            (e->kind == LW_EVENT_LINE && !lw__picture_line(r, e->site)))
            continue;
        while (!is_alike(r, e, &r->events[k]))
            k++;
        if (k < i)
            continue;
        lw__text_add(to, "%s", written++ ? "," : "");
        if (e->kind == LW_EVENT_LINE)
            add_line(to, r, s, e);
        else if (e->kind == LW_EVENT_TRACE)
            add_trace(to, r, s, e);
        else
            add_access(to, r, s, e, numbers[e->array]);
    }
    lw__text_add(to, "]");
}

/* ---- a step: collectives and requests -------------------------------------------------------- */

static void add_values(struct lw__text *to, const char *name, const struct lw__operation *m,
                       const uint64_t *values, lw_dtype dtype)
{
    int written = 0;
    lw__text_add(to, ",\"%s\":[", name);
    for (int i = 0; i < m->count; i++) {
        if (!m->active[i])
            continue;
        lw__text_add(to, "%s", written++ ? "," : "");
        if (values)
            add_number(to, dtype, values[i]);
        else
            lw__text_add(to, "%d", m->number[i]);
    }
    lw__text_add(to, "]");
}

static void add_operation(struct lw__text *to, const struct lw__recording *r,
                          const struct lw__operation *m)
{
    const struct lw__op_info *op = &lw__op_table[m->op];
    const bool is_typed = op->args >= LW_ARGS_V;
    const lw_dtype type = is_typed ? (lw_dtype)m->type : LW_U64;
    uint32_t lanes[LW_REF_THREADS_MAX / LW_WARP_SIZE] = {0};
    for (int i = 0; i < m->count; i++)
        lanes[i / LW_WARP_SIZE] |= (uint32_t)m->active[i] << i % LW_WARP_SIZE;
    lw__text_add(to, "{\"op\":\"%s\",\"l\":%d,\"first\":%d,\"lanes\":", op->name,
                 lw__picture_line(r, m->site), m->first);
    add_lanes(to, lanes, (m->count + LW_WARP_SIZE - 1) / LW_WARP_SIZE);
    if (is_typed)
        lw__text_add(to, ",\"type\":\"%s\"", lw_dtype_name(type));
    if (op->args != LW_ARGS_N)
        add_values(to, "value", m, m->value, type);
    if (op->args == LW_ARGS_VI)
        add_values(to, "number", m, NULL, type);
    if (op->kind != LW_KIND_SYNC)
        add_values(to, "result", m, m->result, is_typed ? type : LW_U64);
    lw__text_add(to, "}");
}

static void add_step(struct lw__text *to, const struct lw__recording *r, const struct lw__step *s,
                     const int *numbers)
{
    lw__text_add(to, "\n  {\"state\": \"%s\"", s->state);
    add_events(to, r, s, numbers, "lines", LW_EVENT_LINE, LW_EVENT_LINE);
    add_events(to, r, s, numbers, "access", LW_EVENT_READ, LW_EVENT_ATOMIC);
    add_events(to, r, s, numbers, "trace", LW_EVENT_TRACE, LW_EVENT_TRACE);
    lw__text_add(to, ",\n   \"collectives\": [");
    for (size_t i = 0; i < s->operation_count; i++) {
        lw__text_add(to, "%s", i ? "," : "");
        add_operation(to, r, &r->operations[s->operation + i]);
    }
    lw__text_add(to, "]");
    lw__text_add(to, ",\n   \"requests\": [");
    for (size_t i = 0; i < s->request_count; i++) {
        const struct lw__request *q = &r->requests[s->request + i];
        const bool is_block = q->kind == LW_REQUEST_BLOCK;
        lw__text_add(to, "%s[%d,\"%c\",%d,%u,%d,%u]", i ? "," : "", numbers[q->array],
                     q->writes ? 'w' : 'r', lw__picture_line(r, q->site), q->warp,
                     __builtin_popcount(q->lanes), is_block ? q->ways : q->sectors);
    }
    lw__text_add(to, "]");
    lw__text_add(to, "}");
}

/* ---- the object ------------------------------------------------------------------------------ */

void lw__picture_json(struct lw__text *to, struct lw__recording *r, struct lw__findings *findings)
{
    int *numbers = number_arrays(r);
    if (!numbers) {
        to->failed = true;
        return;
    }
    lw__text_add(to, "{\"lanewise\": 1,\n \"kernel\": ");
    lw__json_add(to, r->kernel);
    lw__text_add(to, ",\n \"file\": ");
    lw__json_add(to, r->file);
    lw__text_add(to, ",\n");
    add_dim3(to, "grid", r->grid);
    add_dim3(to, "block", r->block);
    add_dim3(to, "at", r->at);
    char *text;
    to->failed |= !lw__picture_source(r, &text);
    lw__text_add(to, " \"source\": ");
    lw__json_add(to, text ? text : "");
    lw__text_add(to, ",\n");
    free(text);
    int written = 0;
    lw__text_add(to, " \"arrays\": [");
    for (int global = 0; global < 2; global++)
        for (size_t i = 0; i < r->array_count; i++) {
            if (numbers[i] < 0 || r->arrays[i].is_block == global)
                continue;
            lw__text_add(to, "%s", written++ ? "," : "");
            add_array(to, &r->arrays[i]);
        }
    lw__text_add(to, "],\n");
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {{"threads", r->counts.threads},
                {"warps", r->counts.warps},
                {"global_reads", r->counts.global_reads},
                {"global_writes", r->counts.global_writes},
                {"block_reads", r->counts.block_reads},
                {"block_writes", r->counts.block_writes},
                {"global_requests", r->counts.global_requests},
                {"sectors", r->counts.sectors},
                {"block_requests", r->counts.block_requests},
                {"passes", r->counts.passes},
                {"barriers", r->counts.barriers},
                {"collectives", r->counts.collectives},
                {"lines", r->counts.lines},
                {"lanes", r->counts.lanes},
                {"lanes_idle", r->counts.lanes_idle}};
    lw__text_add(to, " \"counts\": {");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        lw__text_add(to, "%s\"%s\": %llu", i ? ", " : "", rows[i].name,
                     (unsigned long long)rows[i].value);
    lw__text_add(to, "},\n");
    /* As many steps as there is room for. */
    lw__text_add(to, " \"steps\": [");
    for (size_t i = 0; i < r->step_count; i++) {
        const size_t length = to->length;
        lw__text_add(to, "%s", i ? "," : "");
        add_step(to, r, &r->steps[i], numbers);
        if (to->failed || to->length <= LW_PICTURE_BYTES)
            continue;
        to->length = length;
        to->data[length] = '\0';
        r->is_cut = true;
        snprintf(r->cut, sizeof r->cut,
                 "the picture was cut behind step %zu of %zu: more would not be under 2 MiB", i,
                 r->step_count);
        break;
    }
    const struct lw__findings_row *row = NULL;
    struct lw__told finding;
    const char *before = "\n  ";
    lw__text_add(to, "],\n \"findings\": [");
    while (findings && lw__findings_next(findings, &row, &finding)) {
        lw__text_add(to, "%s", before);
        before = ",\n  ";
        lw__check_json(to, &finding);
    }
    lw__text_add(to, "]");
    lw__text_add(to, ",\n \"cut\": ");
    lw__json_add(to, r->is_cut ? r->cut : "");
    lw__text_add(to, "}\n");
    free(numbers);
}
