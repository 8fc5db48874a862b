/* plan.c - which launches use a tensor, and how long each temporary is alive.
 *
 * Launches run in the order they were recorded. A temporary is alive from the first launch that
 * uses it to the last; place.c has those that are alive together lie apart.
 */
#include "ops/graph.h"
#include <assert.h>
#include <stdlib.h>

/* ---- lifetimes ---- */

static lw_status note_use(struct lw__graph_tensor *t, size_t launch, const lw_recorded *call,
                          size_t index, const lw_param *param)
{
    if (param->is_const && t->role == LW_ROLE_TEMPORARY && !t->is_written)
        return lw_fail(LW_E_ARG,
                       "%s, launch %zu of the graph: parameter %zu '%s' (%s) reads a temporary "
                       "that nothing has written",
                       lw_kernel_name(call->kernel), launch, index + 1, param->name, param->type);
    assert(!t->is_used || (t->first <= t->last && t->last <= launch));
    if (!t->is_used)
        t->first = launch;
    t->last = launch;
    t->is_used = true;
    if (param->element_bytes && param->element_bytes != lw_dtype_size(t->dtype))
        t->needs_start = true;
    return LW_OK;
}

/* A launch's reads are recorded before its writes. */
static lw_status trace(struct lw__recording *r, size_t launch)
{
    const struct lw__graph_launch *l = r->launches[launch];
    lw_param param;

    for (size_t i = 0; i < l->call.count; i++)
        if (l->tensors[i] != LW_NO_TENSOR) {
            assert(l->tensors[i] < r->tensor_count);
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

/* begin[n]: how many are used first by launches before n. */
static void count_first_uses(const struct lw__recording *r, size_t *begin)
{
    for (size_t k = 0; k < r->tensor_count; k++)
        if (lw__tensor_is_planned(&r->tensors[k]))
            begin[r->tensors[k].first + 1]++;
    for (size_t n = 0; n < r->launch_count; n++)
        begin[n + 1] += begin[n];
}

/* *order gets the planned tensors by their first use; false: memory is short. */
static bool sort_by_use(struct lw__recording *r, struct lw__graph_tensor ***order, size_t *count)
{
    size_t *begin = calloc(r->launch_count + 2, sizeof *begin);

    *order = calloc(r->tensor_count + 1, sizeof **order);
    if (begin && *order) {
        count_first_uses(r, begin);
        *count = begin[r->launch_count];
        for (size_t k = 0; k < r->tensor_count; k++)
            if (lw__tensor_is_planned(&r->tensors[k]))
                (*order)[begin[r->tensors[k].first]++] = &r->tensors[k];
        assert(begin[r->launch_count] == *count); /* no first use is behind the last launch */
    }
    free(begin);
    return begin && *order;
}

lw_status lw__plan(struct lw__recording *r, size_t *bytes, size_t *unshared)
{
    size_t count = 0;

    *bytes = *unshared = 0;
    r->looks = 0;
    for (size_t k = 0; k < r->tensor_count; k++)
        r->tensors[k].is_used = r->tensors[k].is_written = r->tensors[k].needs_start = false;
    for (size_t k = 0; k < r->launch_count; k++)
        LW_TRY(trace(r, k));
    struct lw__graph_tensor **order;
    if (!sort_by_use(r, &order, &count) || !lw__place_all(order, count, &r->looks)) {
        free(order);
        return lw_fail(LW_E_MEMORY, "out of memory: the plan of a graph");
    }
    for (size_t k = 0; k < count; k++) {
        assert(order[k]->last < r->launch_count && order[k]->offset <= SIZE_MAX - order[k]->bytes);
        *unshared += order[k]->bytes;
        if (order[k]->offset + order[k]->bytes > *bytes)
            *bytes = order[k]->offset + order[k]->bytes;
    }
    free(order);
    return LW_OK;
}
