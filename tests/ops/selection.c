/* selection.c - references of take and compact: elements are moved, and nothing is rounded. */
#include "conform.h"
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

bool reference_selection(const struct test_case *c, struct array *out)
{
    if (!strcmp(c->op, "take"))
        return take(c, out), true;
    if (!strcmp(c->op, "compact"))
        return compact(c, out), true;
    return false;
}
