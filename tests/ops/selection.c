/* selection.c - references of operations that select and sort: elements are moved, and nothing is
 * rounded.
 */
#include "conform.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t product(const size_t *extents, int from, int to)
{
    size_t n = 1;

    for (int k = from; k < to; k++)
        n *= extents[k];
    return n;
}

/* The place along an axis that an index names. */
static size_t place_of(double index, size_t n)
{
    return (size_t)(index < 0 ? index + (double)n : index);
}

/* The slice that the j-th indices name, of one axis or two: those of the second may lack axes. */
static size_t slice_of(const struct test_case *c, size_t indices, size_t j)
{
    const size_t *extent = &c->in[0].extent[c->axis];
    const size_t first = place_of(c->in[1].value[j], extent[0]);

    if (indices < 2)
        return first;
    return first * extent[1] + place_of(c->in[2].value[j % c->in[2].count], extent[1]);
}

static void take(const struct test_case *c, struct array *out)
{
    const struct array *x = &c->in[0];
    const int last = c->axis + (int)c->inputs - 1;
    const size_t before = product(x->extent, 0, c->axis), n = product(x->extent, c->axis, last);
    const size_t behind = product(x->extent, last, x->rank), count = c->in[1].count;

    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < behind; k++)
                out->value[(i * count + j) * behind + k] =
                    x->value[(i * n + slice_of(c, c->inputs - 1, j)) * behind + k];
}

/* Element i of the shape `all`, of an array that is repeated where its extent is 1. */
static size_t repeated_place(const struct array *a, const size_t *all, int axis, size_t i,
                             size_t along)
{
    size_t place = 0, step = 1;

    for (int k = a->rank - 1; k >= 0; k--) {
        const size_t at = k == axis ? along : i % all[k];

        place += (a->extent[k] == 1 ? 0 : at) * step;
        step *= a->extent[k];
        i /= all[k];
    }
    return place;
}

static void take_along_axis(const struct test_case *c, struct array *out)
{
    const struct array *x = &c->in[0], *indices = &c->in[1];
    const size_t behind = product(out->extent, c->axis + 1, out->rank);

    for (size_t i = 0; i < out->count; i++) {
        const size_t along = i / behind % out->extent[c->axis];
        const double index =
            indices->value[repeated_place(indices, out->extent, c->axis, i, along)];

        out->value[i] = x->value[repeated_place(x, out->extent, c->axis, i,
                                                place_of(index, x->extent[c->axis]))];
    }
}

/* What a sum is in an integer dtype. */
static double wrapped(lw_dtype dtype, double v)
{
    const double all = ldexp(1, (int)lw_dtype_size(dtype) * 8);

    if (dtype == LW_BOOL || dtype >= LW_F16 || all > 0x1p53) /* 64 bits: as_dtype knows */
        return v;
    v -= floor(v / all) * all;
    return dtype < LW_U8 && v >= all / 2 ? v - all : v;
}

/* Element i of C order of `before`, the indices, `behind`, of values that broadcast to it. */
static double value_at(const struct test_case *c, size_t i)
{
    const struct array *x = &c->in[0], *values = &c->in[c->inputs - 1];
    const int indices = (int)c->inputs - 2;
    size_t extent[8], at = 0, step = 1;
    int rank = 0;

    for (int k = 0; k < c->axis; k++)
        extent[rank++] = x->extent[k];
    for (int k = 0; k < c->in[1].rank; k++)
        extent[rank++] = c->in[1].extent[k];
    for (int k = c->axis + indices; k < x->rank; k++)
        extent[rank++] = x->extent[k];
    for (int k = values->rank - 1; k >= 0; k--) {
        const size_t all = extent[rank - values->rank + k];

        at += (values->extent[k] == 1 ? 0 : i % all) * step;
        step *= values->extent[k];
        i /= all;
    }
    return values->value[at];
}

static void scatter(const struct test_case *c, bool adds, struct array *out)
{
    const struct array *x = &c->in[0];
    const size_t indices = c->inputs - 2;
    const int last = c->axis + (int)indices;
    const size_t before = product(x->extent, 0, c->axis), n = product(x->extent, c->axis, last);
    const size_t behind = product(x->extent, last, x->rank), count = c->in[1].count;

    memcpy(out->value, x->value, out->count * sizeof *out->value);
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < behind; k++) {
                double *to = &out->value[(i * n + slice_of(c, indices, j)) * behind + k];
                const double v = value_at(c, (i * count + j) * behind + k);

                *to = adds ? wrapped(out->dtype, *to + v) : v;
            }
}

static void compact(const struct test_case *c, struct array *out)
{
    size_t n = 0;

    memset(out[0].value, 0, out[0].count * sizeof *out[0].value);
    for (size_t i = 0; i < c->in[0].count; i++)
        if (c->in[1].value[i] != 0)
            out[0].value[n++] = c->in[0].value[i];
    out[1].value[0] = (double)n;
}

/* By the edges as they are defined, which a bisection finds. */
static void histogram(const struct test_case *c, struct array *out)
{
    const struct array *x = &c->in[0];
    double low = INFINITY, high = -(double)INFINITY, step;

    memset(out->value, 0, out->count * sizeof *out->value);
    for (size_t i = 0; i < x->count; i++) {
        low = fmin(low, x->value[i]);
        high = fmax(high, x->value[i]);
    }
    if (low == high) {
        low -= 0.5;
        high += 0.5;
    }
    if (c->flag) {
        low = -2.5;
        high = 2;
    }
    step = (high - low) / (double)c->window;
    for (size_t i = 0; i < x->count; i++) {
        size_t from = 0, to = c->window;

        while (to - from > 1) {
            const size_t middle = from + (to - from) / 2;

            *(x->value[i] < low + (double)middle * step ? &to : &from) = middle;
        }
        if (x->value[i] >= low && x->value[i] <= high)
            out->value[from]++;
    }
}

/* ---- sorts ---- */

struct entry {
    double value;
    size_t index;
    bool is_falling, nan_first;
};

/* Equals by their indices, so that qsort is stable. */
static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const bool nan_x = isnan(x->value), nan_y = isnan(y->value);

    if (nan_x != nan_y)
        return nan_x == x->nan_first ? -1 : 1;
    if (!nan_x && x->value != y->value)
        return (x->value < y->value) != x->is_falling ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void sort(const struct test_case *c, struct array *out)
{
    const struct array *x = &c->in[0];
    const size_t n = x->extent[c->axis], inner = product(x->extent, c->axis + 1, x->rank);
    const size_t k = out->extent[c->axis], rows = k ? out->count / k : 0;
    const bool is_top = !strcmp(c->op, "top_k");
    struct entry *row = calloc(n + 1, sizeof *row);

    for (size_t r = 0; r < rows; r++) {
        const size_t outer = r / inner, at = r % inner;

        for (size_t i = 0; i < n; i++)
            row[i] = (struct entry){x->value[(outer * n + i) * inner + at], i, c->flag,
                                    is_top && c->flag};
        qsort(row, n, sizeof *row, compare);
        for (size_t i = 0; i < k; i++) {
            const size_t to = (outer * k + i) * inner + at;

            out[0].value[to] = c->op[0] == 'a' ? (double)row[i].index : row[i].value;
            if (is_top)
                out[1].value[to] = (double)row[i].index;
        }
    }
    free(row);
}

/* By a bisection; NaNs are the largest. */
static void searchsorted(const struct test_case *c, struct array *out)
{
    const struct array *row = &c->in[0];

    for (size_t i = 0; i < out->count; i++) {
        const double v = c->in[1].value[i];
        size_t from = 0, to = row->count;

        while (from < to) {
            const size_t middle = from + (to - from) / 2;
            const double x = row->value[middle];
            const bool is_less = isnan(x) || isnan(v) ? !isnan(x) : x < v;
            const bool is_equal = isnan(x) ? isnan(v) : x == v;

            if (is_less || (c->flag && is_equal))
                from = middle + 1;
            else
                to = middle;
        }
        out->value[i] = (double)from;
    }
}

bool reference_selection(const struct test_case *c, struct array *out)
{
    if (!strcmp(c->op, "take"))
        return take(c, out), true;
    if (!strcmp(c->op, "take_along_axis"))
        return take_along_axis(c, out), true;
    if (!strncmp(c->op, "scatter", 7))
        return scatter(c, c->op[7], out), true;
    if (!strcmp(c->op, "compact"))
        return compact(c, out), true;
    if (!strcmp(c->op, "histogram"))
        return histogram(c, out), true;
    if (!strcmp(c->op, "searchsorted"))
        return searchsorted(c, out), true;
    if (!strcmp(c->op, "sort") || !strcmp(c->op, "argsort") || !strcmp(c->op, "top_k"))
        return sort(c, out), true;
    return false;
}
