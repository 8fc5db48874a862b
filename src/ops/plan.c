/* plan.c - which launches use a tensor, and where in one piece of memory each temporary lies.
 *
 * Launches run in the order they were recorded. A temporary is alive from the first launch that
 * uses it to the last; two that are alive together lie apart. The largest are placed first, each at
 * the lowest offset that is free: what comes later fits into the gaps.
 */
#include "ops/graph.h"
#include <stdlib.h>

enum { PLACE_ALIGN = 64 };

/* ---- lifetimes ---- */

static lw_status note_use(struct lw__graph_tensor *t, size_t launch, const lw_recorded *call,
                          size_t index, const lw_param *param)
{
    if (param->is_const && t->role == LW_ROLE_TEMPORARY && !t->is_written)
        return lw_fail(LW_E_ARG,
                       "%s, launch %zu of the graph: parameter %zu '%s' (%s) reads a temporary "
                       "that nothing has written",
                       lw_kernel_name(call->kernel), launch, index + 1, param->name, param->type);
    if (!t->is_used)
        t->first = launch;
    t->last = launch;
    t->is_used = true;
    if (param->element_bytes && param->element_bytes != lw_dtype_size(t->dtype))
        t->needs_start = true;
    return LW_OK;
}

/* What a launch reads is looked at before what it writes. */
static lw_status trace(struct lw__recording *r, size_t launch)
{
    const struct lw__graph_launch *l = r->launches[launch];
    lw_param param;

    for (size_t i = 0; i < l->call.count; i++)
        if (l->tensors[i] != LW_NO_TENSOR) {
            LW_TRY(lw_kernel_param(l->call.kernel, i, &param));
            LW_TRY(note_use(&r->tensors[l->tensors[i]], launch, &l->call, i, &param));
        }
    for (size_t i = 0; i < l->call.count; i++)
        if (l->tensors[i] != LW_NO_TENSOR) {
            LW_TRY(lw_kernel_param(l->call.kernel, i, &param));
            r->tensors[l->tensors[i]].is_written |= !param.is_const;
        }
    return LW_OK;
}

/* ---- places ---- */

static size_t room(const struct lw__graph_tensor *t)
{
    return (t->bytes + PLACE_ALIGN - 1) / PLACE_ALIGN * PLACE_ALIGN;
}

static int by_size(const void *a, const void *b)
{
    const struct lw__graph_tensor *x = *(struct lw__graph_tensor *const *)a;
    const struct lw__graph_tensor *y = *(struct lw__graph_tensor *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x < y ? -1 : x > y;
}

static bool collide(const struct lw__graph_tensor *a, const struct lw__graph_tensor *b)
{
    return a->first <= b->last && b->first <= a->last && a->offset < b->offset + room(b) &&
           b->offset < a->offset + room(a);
}

/* Beyond each that is in the way, until none is. */
static void place(struct lw__graph_tensor *t, struct lw__graph_tensor *const *placed, size_t count)
{
    t->offset = 0;
    for (size_t k = 0; k < count; k++)
        if (collide(t, placed[k])) {
            t->offset = placed[k]->offset + room(placed[k]);
            k = (size_t)-1;
        }
}

lw_status lw__plan(struct lw__recording *r, size_t *bytes, size_t *unshared)
{
    struct lw__graph_tensor **order;
    size_t count = 0;

    *bytes = *unshared = 0;
    for (size_t k = 0; k < r->tensor_count; k++)
        r->tensors[k].is_used = r->tensors[k].is_written = r->tensors[k].needs_start = false;
    for (size_t k = 0; k < r->launch_count; k++)
        LW_TRY(trace(r, k));
    order = calloc(r->tensor_count + 1, sizeof *order);
    if (!order)
        return lw_fail(LW_E_MEMORY, "out of memory: the plan of a graph");
    for (size_t k = 0; k < r->tensor_count; k++)
        if (lw__tensor_is_planned(&r->tensors[k]))
            order[count++] = &r->tensors[k];
    qsort(order, count, sizeof(struct lw__graph_tensor *), by_size);
    for (size_t k = 0; k < count; k++) {
        place(order[k], order, k);
        *unshared += order[k]->bytes;
        if (order[k]->offset + order[k]->bytes > *bytes)
            *bytes = order[k]->offset + order[k]->bytes;
    }
    free(order);
    return LW_OK;
}
