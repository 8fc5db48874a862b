/* searchsorted.c - lw_searchsorted: where values go in a sorted row. */
#include "ops/registry.h"
#include "ops/sorting.h"

/* ORDER SEARCHSORTED: kernels/searchsorted.c */
enum { PART = 1024, THREADS = 128 };
struct searched {
    size_t n;
    ptrdiff_t first, step;
    size_t right;
};

struct search_arguments {
    lw_tensor out, sorted, values;
    lw_side side;
};

static lw_status check(struct lw__call *call, const struct search_arguments *a,
                       struct lw__operand *sorted, struct lw__operand *values,
                       struct lw__operand *out)
{
    char of_sorted[LW_SHAPE_TEXT];

    if (a->side != LW_SIDE_LEFT && a->side != LW_SIDE_RIGHT)
        return lw_fail(LW_E_ARG, "%s: side is %d; need LW_SIDE_LEFT or LW_SIDE_RIGHT", call->name,
                       (int)a->side);
    LW_TRY(lw__operand_in(call, "sorted", a->sorted, sorted));
    LW_TRY(lw__operand_in(call, "values", a->values, values));
    LW_TRY(lw__operand_out(call, "out", a->out, out));
    if (sorted->rank != 1)
        return lw_fail(LW_E_SHAPE, "%s: sorted has shape %s; need rank 1", call->name,
                       lw__operand_text(sorted, of_sorted));
    LW_TRY(lw__operand_same_shape(call, out, values));
    LW_TRY(lw__operand_apart(call, out, sorted, false));
    LW_TRY(lw__operand_apart(call, out, values, false));
    return lw__sort_check_indices(call, out);
}

static lw_status search_body(struct lw__call *call, void *arguments)
{
    const struct search_arguments *a = arguments;
    struct lw__operand sorted, values, out, to;

    LW_TRY(check(call, a, &sorted, &values, &out));
    const size_t count = lw__operand_count(&values);
    if (!count)
        return LW_OK;
    const lw_dtype dtype = lw__promote(sorted.dtype, values.dtype);
    LW_TRY(lw__as(call, &sorted, dtype));
    LW_TRY(lw__as(call, &values, dtype));
    LW_TRY(lw__contiguous_out(call, &out, &to));
    lw__flatten(&values);
    const struct lw__keys keys = lw__keys_of(dtype, false, false);
    const struct searched r = {sorted.shape.extent[LW_AXES - 1], sorted.view.offset,
                               sorted.view.stride[LW_AXES - 1], a->side == LW_SIDE_RIGHT};
    LW_TRY(LW_OP_BLOCKS(call, searchsorted, "searchsorted", lw__divide_up(count, PART),
                        lw_dim_1(call->is_gpu ? THREADS : 1), lw__arg_shape(&values.shape),
                        lw_arg_uint(count), lw_arg_bytes(&keys, sizeof keys),
                        lw_arg_bytes(&r, sizeof r), lw_arg_buffer(sorted.buffer),
                        lw__arg_view(&values.view), lw_arg_buffer(values.buffer), lw__arg_at(&to),
                        lw_arg_int((int)lw_dtype_size(dtype))));
    return lw__out_done(call, &out, &to);
}

lw_status lw_searchsorted(lw_stream *s, lw_tensor out, lw_tensor sorted, lw_tensor values,
                          const lw_searchsorted_options *options)
{
    struct search_arguments a = {.out = out, .sorted = sorted, .values = values};

    if (options)
        a.side = options->side;
    return lw__call_run("searchsorted", s, search_body, &a);
}

lw_status lw__infer_searchsorted(const struct lw__question *q, lw_shape *output)
{
    *output = q->inputs[1];
    output->dtype = LW_I64;
    return LW_OK;
}
