/* infer.c - the shape and dtype of each ready-made operation's output, from those of its inputs.
 * What the operations check themselves is not checked here.
 */
#include "ops/registry.h"
#include <stdlib.h>
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

/* The parameter dtype, where the operation has one that is not `auto`. */
static void choose_dtype(const lw_params *params, lw_dtype otherwise, lw_shape *output)
{
    lw_dtype said;

    output->dtype = otherwise;
    for (size_t k = 0; k < params->declaration->count; k++)
        if (!strcmp(params->declaration->rows[k].name, "dtype") &&
            !lw_params_dtype(params, "dtype", &said) && (int)said != LW_DTYPE_AUTO)
            output->dtype = said;
}

lw_status lw__wrong_axis(const char *op, int64_t axis, int rank)
{
    return lw_fail(LW_E_ARG, "%s: x has no axis %lld; its rank is %d", op, (long long)axis, rank);
}

lw_status lw__axis_read(const lw_params *params, int rank, int *axis)
{
    int64_t k;

    *axis = 0;
    LW_TRY(lw_params_int(params, "axis", &k));
    if (k >= rank || k < -rank)
        return lw__wrong_axis(params->op, k, rank);
    *axis = (int)(k < 0 ? k + rank : k);
    return LW_OK;
}

/* Without the axis, or all of them, or with 1 there. */
static lw_status drop_axis(const char *op, const lw_shape *in, const lw_params *params,
                           lw_shape *output)
{
    int64_t axis;
    bool keepdims;

    LW_TRY(lw_params_int(params, "axis", &axis));
    LW_TRY(lw_params_bool(params, "keepdims", &keepdims));
    output->rank = 0;
    if (axis != LW_INT_ALL && (axis >= in->rank || axis < -in->rank))
        return lw__wrong_axis(op, axis, in->rank);
    if (axis != LW_INT_ALL && axis < 0)
        axis += in->rank;
    for (int k = 0; k < in->rank; k++) {
        if (axis != LW_INT_ALL && k != axis)
            output->extent[output->rank++] = in->extent[k];
        else if (keepdims)
            output->extent[output->rank++] = 1;
    }
    return LW_OK;
}

/* To one shape, as NumPy does. */
static lw_status broadcast(const char *op, const lw_shape *inputs, size_t count, lw_shape *all)
{
    all->rank = 0;
    for (size_t k = 0; k < count; k++)
        all->rank = inputs[k].rank > all->rank ? inputs[k].rank : all->rank;
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

lw_status lw__infer_dot(const char *op, const lw_shape *inputs, size_t count,
                        const lw_params *params, lw_shape *output)
{
    (void)op;
    output->rank = 0;
    choose_dtype(params, sum_dtype(promoted(inputs, count)), output);
    return LW_OK;
}

lw_status lw__infer_reduce(const char *op, const lw_shape *inputs, size_t count,
                           const lw_params *params, lw_shape *output)
{
    const lw_dtype in = inputs[0].dtype;

    (void)count;
    LW_TRY(drop_axis(op, inputs, params, output));
    if (!strncmp(op, "arg", 3))
        output->dtype = LW_I64;
    else if (!strcmp(op, "any") || !strcmp(op, "all"))
        output->dtype = LW_BOOL;
    else if (!strcmp(op, "max") || !strcmp(op, "min"))
        choose_dtype(params, in, output);
    else
        choose_dtype(params, !strcmp(op, "mean") ? mean_dtype(in) : sum_dtype(in), output);
    return LW_OK;
}

lw_status lw__infer_map(const char *op, const lw_shape *inputs, size_t count,
                        const lw_params *params, lw_shape *output)
{
    LW_TRY(broadcast(op, inputs, count, output));
    choose_dtype(params, promoted(inputs, count), output);
    return LW_OK;
}

lw_status lw__infer_map_reduce(const char *op, const lw_shape *inputs, size_t count,
                               const lw_params *params, lw_shape *output)
{
    lw_shape all = {0};

    LW_TRY(broadcast(op, inputs, count, &all));
    LW_TRY(drop_axis(op, &all, params, output));
    choose_dtype(params, sum_dtype(promoted(inputs, count)), output);
    return LW_OK;
}

/* The first input's shape; scan's sums of integers are of 64 bits. */
lw_status lw__infer_like(const char *op, const lw_shape *inputs, size_t count,
                         const lw_params *params, lw_shape *output)
{
    lw_dtype dtype = inputs[0].dtype;
    const char *how;

    (void)count;
    *output = inputs[0];
    if (!strcmp(op, "scan")) {
        LW_TRY(lw_params_string(params, "op", &how));
        dtype = how[0] == 'm' && how[1] != 'u' ? dtype : sum_dtype(dtype);
    }
    choose_dtype(params, dtype, output);
    return LW_OK;
}

lw_status lw__infer_window(const char *op, const lw_shape *inputs, size_t count,
                           const lw_params *params, lw_shape *output)
{
    const bool is_average = !strcmp(op, "moving_average");
    int64_t axis;
    int window = 2;
    const char *edge;

    (void)count;
    *output = inputs[0];
    LW_TRY(lw_params_int(params, "axis", &axis));
    LW_TRY(lw_params_string(params, "edge", &edge));
    if (is_average)
        LW_TRY(lw__window_read(params, 1, &window));
    if (axis >= output->rank || axis < -output->rank)
        return lw__wrong_axis(op, axis, output->rank);
    axis += axis < 0 ? output->rank : 0;
    if (!strcmp(edge, "valid"))
        output->extent[axis] =
            window > output->extent[axis] ? 0 : output->extent[axis] - window + 1;
    if (is_average)
        output->dtype = mean_dtype(output->dtype);
    return LW_OK;
}

/* True if the text has each axis once; negative ones count from the end. */
static bool read_axes(const char *at, int rank, int axes[4])
{
    bool seen[LW_AXES] = {false};

    for (int k = 0; k < rank; k++) {
        char *end;
        long axis = strtol(at, &end, 10);

        axis += axis < 0 ? rank : 0;
        if (end == at || axis < 0 || axis >= rank || seen[axis])
            return false;
        seen[axis] = true;
        axes[k] = (int)axis;
        at = end;
        if (k < rank - 1 && *at++ != ',')
            return false;
    }
    return !*at;
}

lw_status lw__axes_read(const char *op, const char *text, int rank, int storage[4],
                        const int **axes)
{
    *axes = NULL;
    if (!strcmp(text, "reversed"))
        return LW_OK;
    *axes = storage;
    if (read_axes(text, rank, storage))
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: axes is '%.80s'; need `reversed` or %d axes, as 1,0, each once",
                   op, text, rank);
}

lw_status lw__infer_permute(const char *op, const lw_shape *inputs, size_t count,
                            const lw_params *params, lw_shape *output)
{
    const int rank = inputs[0].rank;
    const char *text;
    const int *axes;
    int storage[4];

    (void)count;
    *output = inputs[0];
    LW_TRY(lw_params_string(params, "axes", &text));
    LW_TRY(lw__axes_read(op, text, rank, storage, &axes));
    for (int k = 0; k < rank; k++)
        output->extent[k] = inputs[0].extent[axes ? axes[k] : rank - 1 - k];
    return LW_OK;
}

/* A rank of 1 stands for a row on the left, for a column on the right. */
lw_status lw__infer_matmul(const char *op, const lw_shape *inputs, size_t count,
                           const lw_params *params, lw_shape *output)
{
    lw_shape x = inputs[0], y = inputs[1], batch[2];

    (void)count;
    if (!x.rank || !y.rank)
        return lw_fail(LW_E_SHAPE, "%s: ranks are %d and %d; need at least 1", op, x.rank, y.rank);
    batch[0] = x;
    batch[1] = y;
    batch[0].rank = x.rank > 2 ? x.rank - 2 : 0;
    batch[1].rank = y.rank > 2 ? y.rank - 2 : 0;
    LW_TRY(broadcast(op, batch, 2, output));
    if (x.rank > 1)
        output->extent[output->rank++] = x.extent[x.rank - 2];
    if (y.rank > 1)
        output->extent[output->rank++] = y.extent[y.rank - 1];
    choose_dtype(params, sum_dtype(promoted(inputs, 2)), output);
    return LW_OK;
}

lw_status lw__sizes_agree(const char *op, const lw_params *params, int rank_of_k,
                          const ptrdiff_t *extents_of_k)
{
    int64_t keys, depth;

    LW_TRY(lw_params_int(params, "seq_len", &keys));
    LW_TRY(lw_params_int(params, "d", &depth));
    if (rank_of_k < 2) /* the operation says so */
        return LW_OK;
    if (keys && keys != extents_of_k[rank_of_k - 2])
        return lw_fail(LW_E_SHAPE, "%s: seq_len is %lld, k has %td keys", op, (long long)keys,
                       extents_of_k[rank_of_k - 2]);
    if (depth && depth != extents_of_k[rank_of_k - 1])
        return lw_fail(LW_E_SHAPE, "%s: d is %lld, k has depth %td", op, (long long)depth,
                       extents_of_k[rank_of_k - 1]);
    return LW_OK;
}

/* q's shape with v's depth. */
lw_status lw__infer_attention(const char *op, const lw_shape *inputs, size_t count,
                              const lw_params *params, lw_shape *output)
{
    const lw_shape *q = &inputs[0], *k = &inputs[1], *v = &inputs[2];

    (void)count;
    if (!q->rank || k->rank < 2 || v->rank < 2)
        return lw_fail(LW_E_SHAPE,
                       "%s: q, k, v have ranks %d, %d, %d; need 1, 2, 2 or 2, 2, 2 or "
                       "4, 4, 4",
                       op, q->rank, k->rank, v->rank);
    LW_TRY(lw__sizes_agree(op, params, k->rank, k->extent));
    *output = *q;
    output->extent[output->rank - 1] = v->extent[v->rank - 1];
    return LW_OK;
}
