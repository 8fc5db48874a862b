/* infer.c - the shape and dtype of each ready-made operation's output, from those of its inputs.
 * What the operations check themselves is not checked here.
 */
#include "ops/registry.h"
#include <assert.h>
#include <string.h>

/* Of sums: NumPy 2's, but that those of unsigned integers are i64, too, with the bits of u64. */
static lw_dtype sum_dtype(lw_dtype dtype)
{
    return lw__dtype_is_float(dtype) ? dtype : LW_I64;
}

static lw_dtype mean_dtype(lw_dtype dtype)
{
    return lw__dtype_is_float(dtype) ? dtype : LW_F64;
}

/* Of all inputs; f64 where there is none. */
static lw_dtype promoted(const lw_shape *inputs, size_t count)
{
    lw_dtype all = count ? inputs[0].dtype : LW_F64;

    for (size_t k = 1; k < count; k++)
        all = lw__promote(all, inputs[k].dtype);
    return all;
}

void lw__choose_dtype(const lw_params *params, lw_dtype otherwise, lw_shape *output)
{
    const struct lw__param_value *said = lw__param(params, "dtype");

    output->dtype = said && said->i != LW_DTYPE_AUTO ? (lw_dtype)said->i : otherwise;
}

lw_status lw__axis_read(const lw_params *params, int rank, int *axis)
{
    const int64_t k = lw__param(params, "axis")->i;

    assert(rank >= 0 && rank <= LW_AXES);
    *axis = -1;
    if (k == LW_INT_ALL)
        return LW_OK;
    if (k >= rank || k < -rank)
        return lw__wrong_axis(params->op, k, rank);
    *axis = (int)(k < 0 ? k + rank : k);
    return LW_OK;
}

/* Without the axis, or all of them, or with 1 there. */
static lw_status drop_axis(const lw_params *params, const lw_shape *in, lw_shape *output)
{
    const bool keepdims = lw__param(params, "keepdims")->i;
    int axis;

    assert(!output->rank); /* the shapes came empty */
    LW_TRY(lw__axis_read(params, in->rank, &axis));
    for (int k = 0; k < in->rank; k++) {
        if (axis >= 0 && k != axis)
            output->extent[output->rank++] = in->extent[k];
        else if (keepdims)
            output->extent[output->rank++] = 1;
    }
    assert(output->rank == (keepdims ? in->rank : axis < 0 ? 0 : in->rank - 1));
    return LW_OK;
}

lw_status lw__infer_broadcast(const char *op, const lw_shape *inputs, size_t count, lw_shape *all)
{
    all->rank = 0;
    for (size_t k = 0; k < count; k++)
        all->rank = inputs[k].rank > all->rank ? inputs[k].rank : all->rank;
    assert(all->rank <= LW_AXES);
    for (int x = 0; x < all->rank; x++)
        all->extent[x] = 1;
    for (size_t k = 0; k < count; k++)
        for (int x = 0; x < inputs[k].rank; x++) {
            const ptrdiff_t extent = inputs[k].extent[x];
            ptrdiff_t *to = &all->extent[all->rank - inputs[k].rank + x];

            if (*to != 1 && extent != 1 && *to != extent)
                return lw_fail(LW_E_SHAPE, "%s: extents %td and %td do not broadcast", op, *to,
                               extent);
            *to = *to == 1 ? extent : *to;
        }
    return LW_OK;
}

lw_status lw__infer_dot(const struct lw__question *q, lw_shape *output)
{
    lw__choose_dtype(q->params, sum_dtype(promoted(q->inputs, q->count)), output);
    return LW_OK;
}

lw_status lw__infer_reduce(const struct lw__question *q, lw_shape *output)
{
    const char *op = q->op;
    const lw_dtype in = q->inputs->dtype;

    LW_TRY(drop_axis(q->params, q->inputs, output));
    if (!strncmp(op, "arg", 3))
        output->dtype = LW_I64;
    else if (!strcmp(op, "any") || !strcmp(op, "all"))
        output->dtype = LW_BOOL;
    else if (!strcmp(op, "max") || !strcmp(op, "min"))
        lw__choose_dtype(q->params, in, output);
    else
        lw__choose_dtype(q->params, !strcmp(op, "mean") ? mean_dtype(in) : sum_dtype(in), output);
    return LW_OK;
}

lw_status lw__infer_map(const struct lw__question *q, lw_shape *output)
{
    LW_TRY(lw__infer_broadcast(q->op, q->inputs, q->count, output));
    lw__choose_dtype(q->params, promoted(q->inputs, q->count), output);
    return LW_OK;
}

lw_status lw__infer_map_several(const struct lw__question *q, lw_shape *outputs)
{
    const size_t count = (size_t)(q->op[3] - '0'); /* map2 */

    for (size_t k = 0; k < count; k++)
        LW_TRY(lw__infer_map(q, &outputs[k]));
    return LW_OK;
}

lw_status lw__infer_map_reduce(const struct lw__question *q, lw_shape *output)
{
    lw_shape all = {0};

    LW_TRY(lw__infer_broadcast(q->op, q->inputs, q->count, &all));
    LW_TRY(drop_axis(q->params, &all, output));
    lw__choose_dtype(q->params, sum_dtype(promoted(q->inputs, q->count)), output);
    return LW_OK;
}

lw_status lw__infer_like(const struct lw__question *q, lw_shape *output)
{
    *output = q->inputs[0];
    lw__choose_dtype(q->params, output->dtype, output);
    return LW_OK;
}

/* Sums of integers are of 64 bits, as are their products. */
lw_status lw__infer_scan(const struct lw__question *q, lw_shape *output)
{
    const lw_scan_op op = (lw_scan_op)lw__param(q->params, "op")->i;
    const lw_dtype in = q->inputs->dtype;

    *output = *q->inputs;
    lw__choose_dtype(q->params, op == LW_SCAN_MAX || op == LW_SCAN_MIN ? in : sum_dtype(in),
                     output);
    return LW_OK;
}

lw_status lw__infer_window(const struct lw__question *q, lw_shape *output)
{
    const struct lw__param_value *given = lw__param(q->params, "window");
    const ptrdiff_t window = given ? (ptrdiff_t)given->i : 2;

    *output = *q->inputs;
    int axis;
    LW_TRY(lw__axis_read(q->params, output->rank, &axis));
    assert(axis >= 0 && window >= 1); /* ops.def allows no other */
    if (lw__param(q->params, "edge")->i == LW_EDGE_VALID)
        output->extent[axis] =
            window > output->extent[axis] ? 0 : output->extent[axis] - window + 1;
    if (given)
        output->dtype = mean_dtype(output->dtype);
    return LW_OK;
}

/* A rank of 1 stands for a row on the left, for a column on the right. */
lw_status lw__infer_matmul(const struct lw__question *q, lw_shape *output)
{
    lw_shape x = q->inputs[0], y = q->inputs[1], batch[2] = {x, y};

    if (!x.rank || !y.rank)
        return lw_fail(LW_E_SHAPE, "%s: ranks are %d and %d; need at least 1", q->op, x.rank,
                       y.rank);
    batch[0].rank = x.rank > 2 ? x.rank - 2 : 0;
    batch[1].rank = y.rank > 2 ? y.rank - 2 : 0;
    LW_TRY(lw__infer_broadcast(q->op, batch, 2, output));
    if (x.rank > 1)
        output->extent[output->rank++] = x.extent[x.rank - 2];
    if (y.rank > 1)
        output->extent[output->rank++] = y.extent[y.rank - 1];
    assert(output->rank <= LW_AXES);
    lw__choose_dtype(q->params, sum_dtype(promoted(q->inputs, 2)), output);
    return LW_OK;
}
