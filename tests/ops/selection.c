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

static void take(const struct test_case *c, struct array *out)
{
    const struct array *x = &c->in[0], *indices = &c->in[1];
    const size_t before = product(x->extent, 0, c->axis), n = x->extent[c->axis];
    const size_t behind = product(x->extent, c->axis + 1, x->rank);

    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < indices->count; j++)
            for (size_t k = 0; k < behind; k++) {
                const double index = indices->value[j];
                const size_t from = (size_t)(index < 0 ? index + (double)n : index);

                out->value[(i * indices->count + j) * behind + k] =
                    x->value[(i * n + from) * behind + k];
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

bool reference_selection(const struct test_case *c, struct array *out)
{
    if (!strcmp(c->op, "take"))
        return take(c, out), true;
    if (!strcmp(c->op, "compact"))
        return compact(c, out), true;
    if (!strcmp(c->op, "histogram"))
        return histogram(c, out), true;
    if (!strcmp(c->op, "sort") || !strcmp(c->op, "argsort") || !strcmp(c->op, "top_k"))
        return sort(c, out), true;
    return false;
}
