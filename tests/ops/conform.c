/* conform.c - draw cases, run them, compare with the reference; see conform.h. On `check` a case
 * fails where the checker finds something, a warning too.
 *
 *     conform [-d DEVICE] [-n CASES] [-s FIRST] [-o OPERATION] [-m ELEMENTS] [-p] [-v]
 *
 * -p goes through all pairs of dtype, long extent and layout for each operation instead of drawing
 * these, so -n says nothing.
 * -v prints a line a case: number, operation, digest of the output's bytes (a NaN is a NaN). The
 * last line is `N passed, N failed, N skipped`; what is not built yet is skipped, and with -m cases
 * with an input of more elements.
 */
#include "base/base.h"
#include "conform.h"
#include <lanewise/check.h>
#include <lanewise/op_info.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tensors on the device ---- */

/* Memory of a drawn layout: any order of axes, steps of 1 or 2, either direction, axes that repeat;
 * or of the layout that is given. */
static lw_tensor draw_layout(struct session *s, const struct array *a, size_t *count)
{
    const enum layout layout = s->pairs ? s->layout : draw(s, 2) ? C_ORDER : ANY;
    lw_tensor t = {.rank = a->rank, .strided = true, .offset = draw(s, 2) ? draw(s, 5) : 0};
    size_t size = 1;
    bool done[4] = {false};

    for (int k = 0; k < a->rank; k++)
        t.extent[k] = (ptrdiff_t)a->extent[k];
    if (layout == C_ORDER && a->repeated < 0) {
        t.strided = false;
        *count = t.offset + a->count;
        return t;
    }
    for (int round = 0; round < a->rank; round++) {
        const size_t step = layout == ANY ? 1 + draw(s, 2) : 1 + (layout == STEPS);
        int k = layout == ANY      ? (int)draw(s, (uint64_t)a->rank)
                : layout == TURNED ? round
                                   : a->rank - 1 - round;

        while (done[k])
            k = (k + 1) % a->rank;
        done[k] = true;
        if (k == a->repeated)
            continue;
        t.stride[k] = (ptrdiff_t)(size * step);
        size *= step * (a->extent[k] ? a->extent[k] : 1);
        if (a->extent[k] && (layout == ANY ? draw(s, 3) == 0 : layout == REVERSED)) {
            t.offset += (size_t)t.stride[k] * (a->extent[k] - 1);
            t.stride[k] = -t.stride[k];
        }
    }
    *count = size + t.offset;
    return t;
}

static size_t place_of(const lw_tensor *t, const struct array *a, size_t index)
{
    ptrdiff_t at = (ptrdiff_t)t->offset, step = 1;

    for (int k = a->rank - 1; k >= 0; k--) {
        const ptrdiff_t i = (ptrdiff_t)(index % a->extent[k]);

        index /= a->extent[k];
        at += i * (t->strided ? t->stride[k] : step);
        step *= (ptrdiff_t)a->extent[k];
    }
    return (size_t)at;
}

/* The array's buffer; what is no element of it holds 1s, which must stay. */
static lw_status place(struct session *s, const struct array *a, lw_tensor *t, char **memory,
                       size_t *count)
{
    const size_t size = lw_dtype_size(a->dtype);

    *t = draw_layout(s, a, count);
    *memory = calloc(*count + 1, size);
    if (!*memory)
        abort();
    for (size_t i = 0; i < *count; i++)
        element_store(a->dtype, *memory, i, 1);
    for (size_t i = 0; i < a->count; i++)
        element_store(a->dtype, *memory, place_of(t, a, i), a->value[i]);
    lw_status status = lw_buffer_create(s->device, a->dtype, *count, &t->buffer);
    return status ? status : lw_buffer_write(t->buffer, 0, *count, *memory);
}

/* The tensor's memory as a read-only buffer; `owner` keeps it. An operation that gives an input to
 * a kernel as an output is refused so. */
static lw_status make_read_only(lw_tensor *t, lw_buffer **owner)
{
    lw_buffer *const b = *owner = t->buffer;

    t->buffer = NULL;
    return lw_buffer_wrap(lw_buffer_device(b), lw_buffer_dtype(b), lw_buffer_count(b),
                          lw_buffer_address(b), true, NULL, NULL, &t->buffer);
}

/* ---- judging ---- */

static double rounding_of(lw_dtype dtype, double value)
{
    switch (dtype) {
    case LW_F64: return 0x1p-53 * fabs(value);
    case LW_F32: return 0x1p-24 * fabs(value) + 0x1p-150;
    case LW_F16: return 0x1p-11 * fabs(value) + 0x1p-25;
    case LW_BF16: return 0x1p-8 * fabs(value);
    default: return 0;
    }
}

/* What the reference's value is in an integer dtype. */
static double as_dtype(lw_dtype dtype, double value)
{
    if (dtype == LW_BOOL)
        return value != 0;
    if (dtype == LW_F16 && fabs(value) >= 65520)
        return copysign(INFINITY, value);
    if (dtype >= LW_F16)
        return value;
    if (value < 0 && dtype >= LW_U8) /* wraps */
        return trunc(value) + ldexp(1, (int)lw_dtype_size(dtype) * 8);
    return trunc(value);
}

static bool judge(const struct test_case *c, uint64_t number, const struct array *out,
                  const double *slack, const lw_tensor *t, const char *before, const char *after,
                  size_t count)
{
    const size_t size = lw_dtype_size(out->dtype);
    char *expected = malloc(count * size + 1);
    bool good = expected != NULL;

    memcpy(expected, before, count * size);
    for (size_t i = 0; good && i < out->count; i++) {
        const size_t at = place_of(t, out, i);
        const double got = element_load(out->dtype, after, at);
        const double want = as_dtype(out->dtype, out->value[i]);
        const double room = slack[i] * 1.01 + rounding_of(out->dtype, want) * 1.01;

        memcpy(expected + at * size, after + at * size, size);
        good = isnan(want) ? isnan(got) : got == want || fabs(got - want) <= room;
        if (!good)
            printf("case %llu: %s %s: element %zu of %zu is %.17g, not %.17g +- %.3g\n",
                   (unsigned long long)number, c->op, c->json, i, out->count, got, want, room);
    }
    if (good && memcmp(expected, after, count * size)) {
        printf("case %llu: %s %s wrote outside its output\n", (unsigned long long)number, c->op,
               c->json);
        good = false;
    }
    free(expected);
    return good;
}

static uint64_t digest(const struct array *out, const lw_tensor *t, const char *memory)
{
    static const uint64_t any_nan = UINT64_MAX;
    const size_t size = lw_dtype_size(out->dtype);
    uint64_t hash = LW_HASH_START;

    for (size_t i = 0; i < out->count; i++) {
        const size_t at = place_of(t, out, i);
        const bool is_nan = isnan(element_load(out->dtype, memory, at));

        hash = lw__hash(hash, is_nan ? (const char *)&any_nan : memory + at * size, size);
    }
    return hash;
}

/* ---- one case ---- */

enum verdict { GOOD, BAD, SKIPPED };

struct run {
    lw_tensor in[CONFORM_INPUTS], out[CONFORM_OUTPUTS];
    lw_buffer *owner[CONFORM_INPUTS];
    char *memory[CONFORM_INPUTS], *before[CONFORM_OUTPUTS], *after[CONFORM_OUTPUTS];
    size_t outputs, count[CONFORM_OUTPUTS];
    struct array result[CONFORM_OUTPUTS];
    double *slack[CONFORM_OUTPUTS];
};

static lw_status prepare_output(struct session *s, const lw_shape *shape, struct run *r)
{
    const size_t k = r->outputs++;
    size_t extent[4];

    for (int x = 0; x < shape->rank; x++)
        extent[x] = (size_t)shape->extent[x];
    array_make(&r->result[k], shape->dtype, shape->rank, extent);
    r->slack[k] = calloc(r->result[k].count + 1, sizeof *r->slack[k]);
    lw_status status = place(s, &r->result[k], &r->out[k], &r->before[k], &r->count[k]);
    r->after[k] = calloc(r->count[k] + 1, lw_dtype_size(shape->dtype));
    return status;
}

static lw_status prepare(struct session *s, struct test_case *c, lw_op *op, struct run *r)
{
    lw_shape shapes[CONFORM_INPUTS] = {0}, out[CONFORM_OUTPUTS];
    lw_op_info info;
    lw_status status = lw_op_get_info(op, &info);

    size_t count;
    for (size_t k = 0; k < c->inputs && !status; k++) {
        shapes[k] = (lw_shape){.dtype = c->in[k].dtype, .rank = c->in[k].rank};
        for (int x = 0; x < shapes[k].rank; x++)
            shapes[k].extent[x] = (ptrdiff_t)c->in[k].extent[x];
        status = place(s, &c->in[k], &r->in[k], &r->memory[k], &count);
        if (!status)
            status = make_read_only(&r->in[k], &r->owner[k]);
    }
    if (!status)
        status = lw_op_infer(op, c->json, shapes, c->inputs, out, CONFORM_OUTPUTS);
    if (!status && !strcmp(c->op, "copy"))
        out[0].dtype = (lw_dtype)draw(s, LW_DTYPE_COUNT);
    for (size_t k = 0; k < info.outputs && !status; k++)
        status = prepare_output(s, &out[k], r);
    return status;
}

static lw_status execute(struct session *s, struct test_case *c, lw_op *op, struct run *r)
{
    lw_status status = prepare(s, c, op, r);

    if (!status)
        status = lw_op_run(op, s->stream, c->json, r->out, r->outputs, r->in, c->inputs);
    if (!status)
        status = lw_stream_wait(s->stream);
    for (size_t k = 0; k < r->outputs && !status; k++)
        status = lw_buffer_read(r->out[k].buffer, 0, r->count[k], r->after[k]);
    return status;
}

static void release(struct test_case *c, struct run *r)
{
    for (size_t k = 0; k < CONFORM_INPUTS; k++) {
        lw_buffer_destroy(r->in[k].buffer);
        lw_buffer_destroy(r->owner[k]);
        free(r->memory[k]);
        array_free(&c->in[k]);
    }
    for (size_t k = 0; k < r->outputs; k++) {
        lw_buffer_destroy(r->out[k].buffer);
        free(r->before[k]);
        free(r->after[k]);
        free(r->slack[k]);
        array_free(&r->result[k]);
    }
}

/* Extremes of nothing are refused, and are no failure. */
static bool may_refuse(const struct test_case *c, lw_status status)
{
    return status == LW_E_SHAPE && c->inputs == 1 && strstr(c->op, "m") &&
           (strstr(c->op, "max") || strstr(c->op, "min"));
}

static bool is_larger(const struct test_case *c, size_t elements)
{
    for (size_t k = 0; k < c->inputs; k++)
        if (c->in[k].count > elements)
            return true;
    return false;
}

/* The number says which pair: all dtypes for each extent; of each two all layouts come. */
static void choose_pair(struct session *s, uint64_t pair)
{
    s->dtype = (int)(pair % LW_DTYPE_COUNT);
    s->length = (int)(pair / LW_DTYPE_COUNT % LONGS);
    s->layout = (enum layout)((s->dtype + s->length) % LAYOUTS);
}

static enum verdict try_case(struct session *s, uint64_t number, const char *only, bool is_loud)
{
    struct test_case c = {.json = "{}"};
    struct run r = {0};
    enum verdict verdict = GOOD;

    s->random = (number + 1) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 8; k++)
        draw(s, 2);
    c.op = only ? only : ops[number % op_count];
    choose_pair(s, only ? number : number / op_count);
    draw_case(s, &c);
    if (is_larger(&c, s->elements_max))
        return release(&c, &r), SKIPPED;
    lw_op *op;
    lw_status status = lw_op_find(c.op, &op);
    if (!status)
        status = execute(s, &c, op, &r);
    if (status == LW_E_UNSUPPORTED || (status && may_refuse(&c, status))) {
        verdict = SKIPPED;
    } else if (status) {
        printf("case %llu: %s %s: %s\n", (unsigned long long)number, c.op, c.json, lw_last_error());
        verdict = BAD;
    } else {
        uint64_t hash = LW_HASH_START;

        reference(&c, r.result, r.slack[0]);
        for (size_t k = 0; k < r.outputs; k++) {
            if (!judge(&c, number, &r.result[k], r.slack[k], &r.out[k], r.before[k], r.after[k],
                       r.count[k]))
                verdict = BAD;
            const uint64_t own = digest(&r.result[k], &r.out[k], r.after[k]);
            hash = lw__hash(hash, &own, sizeof own);
        }
        if (is_loud)
            printf("%llu %s %016llx\n", (unsigned long long)number, c.op, (unsigned long long)hash);
    }
    release(&c, &r);
    return verdict;
}

static lw_status be_strict(lw_device *device)
{
    const lw_check_options options = {.strict = true};
    lw_device_info info;
    const lw_status status = lw_device_get_info(device, &info);

    return status || strcmp(info.name, "check") ? status : lw_check_configure(device, &options);
}

int main(int argc, char **argv)
{
    const char *device = NULL, *only = NULL;
    unsigned long long cases = 300, first = 0, counts[3] = {0};
    struct session s = {.elements_max = SIZE_MAX};
    bool is_loud = false;

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (!strcmp(argv[i], "-v") || !strcmp(argv[i], "-p")) {
            *(argv[i][1] == 'v' ? &is_loud : &s.pairs) = true;
            continue;
        }
        i++;
        switch (argv[i - 1][1]) {
        case 'd': device = value; break;
        case 'o': only = value; break;
        case 'm': s.elements_max = strtoull(value, NULL, 10); break;
        case 'n': cases = strtoull(value, NULL, 10); break;
        case 's': first = strtoull(value, NULL, 10); break;
        default: return fprintf(stderr, "conform: no option %s\n", argv[i - 1]), 2;
        }
    }
    if (s.pairs)
        cases = LW_DTYPE_COUNT * LONGS * (only ? 1 : op_count);
    if (lw_device_open(device, &s.device) || be_strict(s.device) ||
        lw_stream_create(s.device, &s.stream))
        return fprintf(stderr, "conform: %s\n", lw_last_error()), 2;
    for (unsigned long long k = first; k < first + cases; k++)
        counts[try_case(&s, k, only, is_loud)]++;
    lw_stream_destroy(s.stream);
    lw_device_close(s.device);
    printf("%llu passed, %llu failed, %llu skipped\n", counts[GOOD], counts[BAD], counts[SKIPPED]);
    return counts[BAD] != 0;
}
