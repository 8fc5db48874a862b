/* session.c - one row in one process: buffers, variants, then verify and time.
 *
 * Twice: on a small shape, where ref says what is right bit for bit, and on the full one, where the
 * plain C does and where time is taken.
 */
#include "bench.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool variant_fail(struct variant *variant, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(variant->problem, sizeof variant->problem, format, list);
    va_end(list);
    for (char *at = variant->problem; *at; at++)
        if (*at == '\n')
            *at = ' ';
    return false;
}

/* ---- buffers --------------------------------------------------------------------------------- */

enum { BUFFERS = 5 };

/* In the order in which map_work takes them. */
static void list_buffers(struct session *s, lw_buffer **list[BUFFERS])
{
    lw_buffer **const all[BUFFERS] = {&s->a, &s->b, &s->x, &s->u, &s->out};
    memcpy(list, all, sizeof all);
}

bool create_buffers(struct session *s)
{
    static const lw_dtype b_dtypes[] = {
        [FLOAT_B] = LW_F32, [BOOL_B] = LW_BOOL, [BYTE_B] = LW_U8, [COLUMN_B] = LW_U32};
    const struct row *row = s->row;
    lw_device *memory = s->bench->memory;
    lw_dtype out = row->counts ? LW_U32 : LW_F32;
    size_t us = row->u == STARTS_U ? s->shape.rows + 1 : 1;
    s->a = s->b = s->x = s->u = s->out = NULL;
    if (row->b != NO_B)
        s->b_element = lw_dtype_size(b_dtypes[row->b]);
    return (row->b == NO_B ||
            lw_buffer_create(memory, b_dtypes[row->b], s->shape.n, &s->b) == LW_OK) &&
           (!row->x || lw_buffer_create(memory, LW_F32, row->x(&s->shape), &s->x) == LW_OK) &&
           (row->u == NO_U || lw_buffer_create(memory, LW_U32, us, &s->u) == LW_OK) &&
           lw_buffer_create(memory, LW_F32, s->shape.n ? s->shape.n : 1, &s->a) == LW_OK &&
           lw_buffer_create(memory, out, s->out_count, &s->out) == LW_OK;
}

void destroy_buffers(struct session *s)
{
    lw_buffer **list[BUFFERS];
    list_buffers(s, list);
    for (int i = 0; i < BUFFERS; i++)
        lw_buffer_destroy(*list[i]);
}

bool map_work(struct session *s)
{
    lw_buffer **list[BUFFERS];
    void *at[BUFFERS] = {NULL};
    list_buffers(s, list);
    for (int i = 0; i < BUFFERS; i++)
        if (*list[i] && lw_buffer_map(*list[i], &at[i]) != LW_OK)
            return false;
    s->work = (struct work){.a = at[0],
                            .b = at[1],
                            .x = at[2],
                            .u = at[3],
                            .out = at[4],
                            .n = s->shape.n,
                            .rows = s->shape.rows,
                            .cols = s->shape.cols};
    return true;
}

void unmap_work(struct session *s)
{
    lw_buffer **list[BUFFERS];
    list_buffers(s, list);
    for (int i = 0; i < BUFFERS; i++)
        if (*list[i] && lw_buffer_unmap(*list[i]) != LW_OK)
            fprintf(stderr, "bench: %s\n", lw_last_error());
}

/* ---- variants -------------------------------------------------------------------------------- */

/* What is counted begins at 0. */
static void clear_counts(struct session *s)
{
    if (s->row->counts)
        memset(s->work.out, 0, s->row->outputs(&s->shape) * sizeof *s->work.out);
    if (s->row->u == COUNTER_U)
        s->work.u[0] = 0;
}

/* The work is mapped when this is called and when it returns. */
bool run_once(struct session *s, struct variant *v, double *seconds)
{
    clear_counts(s);
    if (v->way->ready)
        v->way->ready(v, s);
    if (v->way->on_device)
        unmap_work(s);
    double begin = now();
    bool done = v->way->run(v, s);
    if (seconds)
        *seconds = now() - begin;
    if (v->way->on_device && !map_work(s))
        return variant_fail(v, "%s", lw_last_error());
    if (v->way->settle)
        v->way->settle(v, s);
    return done;
}

static void open_variants(struct session *s)
{
    for (int i = 0; i < s->count; i++) {
        struct variant *v = &s->variants[i];
        if (!v->problem[0] && v->way->open)
            v->way->open(v, s);
    }
}

static void close_variants(struct session *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->variants[i].way->close)
            s->variants[i].way->close(&s->variants[i]);
}

/* ---- a session ------------------------------------------------------------------------------- */

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* A sum may leave one part for each block or thread. */
static size_t out_count_of(const struct row *row, const struct shape *shape, int threads)
{
    size_t n = max_size(shape->n, 64);
    if (row->kind != ARRAYS || row->outputs)
        return n;
    size_t parts = 0;
    if (row->grid)
        parts = row->grid(shape, row->block, threads).x;
    return max_size(parts, HAND_THREADS_MAX);
}

static void session_close(struct session *s)
{
    close_variants(s);
    unmap_work(s);
    destroy_buffers(s);
    free(s->variants);
}

static bool session_open(struct session *s)
{
    const struct bench *bench = s->bench;
    s->out_count = out_count_of(s->row, &s->shape, bench->threads);
    s->variants = calloc(VARIANTS_MAX, sizeof *s->variants);
    if (!s->variants || !create_buffers(s) || !map_work(s)) {
        fprintf(stderr, "bench: %s: %s\n", s->row->name,
                s->variants ? lw_last_error() : "out of memory");
        session_close(s);
        return false;
    }
    if (bench->threads > 1)
        s->team = hand_team_create(bench->threads);
    data_fill(s);
    variants_make(s);
    return true;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_of(struct variant *v, struct measure *m)
{
    *m = (struct measure){.samples = v->samples};
    memcpy(m->name, v->name, sizeof m->name);
    memcpy(m->problem, v->problem, sizeof m->problem);
    if (!v->samples || v->problem[0])
        return;
    qsort(v->seconds, (size_t)v->samples, sizeof v->seconds[0], compare_doubles);
    m->median = v->seconds[v->samples / 2];
    m->least = v->seconds[0];
    m->most = v->seconds[v->samples - 1];
}

/* Problems of the small shape are problems of the row. */
static void carry_problems(struct session *s, const struct result *result)
{
    for (int i = 0; i < s->count; i++) {
        const struct measure *before = result_find(result, s->variants[i].name);
        if (before && before->problem[0])
            memcpy(s->variants[i].problem, before->problem, sizeof before->problem);
    }
}

static void take_results(struct session *s, struct result *result)
{
    result->shape = s->shape;
    result->count = s->count;
    for (int i = 0; i < s->count; i++)
        measure_of(&s->variants[i], &result->measures[i]);
}

void session_measure(const struct bench *bench, const struct row *row, struct result *result)
{
    const struct options *options = bench->options;
    struct session small = {.bench = bench, .row = row, .shape = row->small};
    if (row->kind == ARRAYS) {
        if (!session_open(&small))
            return;
        open_variants(&small);
        result->same_bits = verify_all(&small, true);
        take_results(&small, result);
        session_close(&small);
    }
    struct session full = {.bench = bench, .row = row, .shape = row->full};
    if (options->small)
        full.shape = row->small;
    if (!session_open(&full))
        return;
    carry_problems(&full, result);
    open_variants(&full);
    if (row->kind == ARRAYS)
        verify_all(&full, false);
    time_all(&full, options->small ? 0.1 : options->quick ? 0.7 : 4);
    take_results(&full, result);
    session_close(&full);
}
