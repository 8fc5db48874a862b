/* window.c - difference and moving_average: each element of a row from its neighbours. */
#include "ops/op.h"
#include <assert.h>

enum { PART = 1024, DEFAULT_WINDOW = 3 }; /* ORDER WINDOW: kernels/window.c */

struct window_arguments {
    lw_tensor out, x;
    int axis;
    lw_edge edge;
    bool is_average, centre;
    size_t window, before; /* the average's */
};

static lw_status launch(struct lw__call *call, const struct window_arguments *a,
                        enum lw__accumulate type, const struct lw__operand *x,
                        const struct lw__operand *out)
{
    static const char *const differences[] = {"difference_float", "difference_double",
                                              "difference_int64"};
    _Static_assert(sizeof differences / sizeof *differences == LW_ACC_I64 + 1, "ORDER ACCUMULATE");
    assert(!a->is_average || (type != LW_ACC_I64 && a->window > a->before));
    const size_t n = x->shape.extent[LW_AXES - 1],
                 parts = lw__divide_up(out->shape.extent[3], PART);
    const size_t rows = lw__operand_count(out) / out->shape.extent[LW_AXES - 1];

    if (a->is_average)
        return LW_OP_BLOCKS(
            call, window, type == LW_ACC_F32 ? "moving_average_float" : "moving_average_double",
            rows * parts, lw_dim_1(lw__threads(call)), lw__arg_shape(&out->shape), lw_arg_uint(n),
            lw_arg_uint(a->window), lw_arg_uint(a->before), lw__arg_view(&x->view),
            lw_arg_buffer(x->buffer), lw_arg_int(x->dtype), lw__arg_view(&out->view),
            lw_arg_buffer(out->buffer), lw_arg_int(out->dtype), lw_arg_uint(parts));
    return LW_OP_BLOCKS(call, window, differences[type], rows * parts, lw_dim_1(lw__threads(call)),
                        lw__arg_shape(&out->shape), lw_arg_uint(n), lw__arg_view(&x->view),
                        lw_arg_buffer(x->buffer), lw_arg_int(x->dtype), lw__arg_view(&out->view),
                        lw_arg_buffer(out->buffer), lw_arg_int(out->dtype), lw_arg_uint(parts));
}

static lw_status window_body(struct lw__call *call, void *arguments)
{
    const struct window_arguments *a = arguments;
    const size_t w = a->is_average ? a->window : 2;
    char has[LW_SHAPE_TEXT], needs[LW_SHAPE_TEXT];

    struct lw__operand x;
    LW_TRY(lw__operand_in(call, "x", a->x, &x));
    struct lw__operand out;
    LW_TRY(lw__operand_out(call, "out", a->out, &out));
    int axis;
    LW_TRY(lw__axis(call, &x, a->axis, x.rank - 1, &axis));
    struct lw__operand needed = x;
    size_t *extent = &needed.shape.extent[axis];
    if (a->edge == LW_EDGE_VALID)
        *extent = w > *extent ? 0 : *extent - w + 1;
    for (int k = 0; k < LW_AXES; k++)
        if (out.rank != x.rank || out.shape.extent[k] != needed.shape.extent[k])
            return lw_fail(LW_E_SHAPE, "%s: out has shape %s; need %s", call->name,
                           lw__operand_text(&out, has), lw__operand_text(&needed, needs));
    LW_TRY(lw__operand_apart(call, &out, &x, false));
    lw__axis_to_last(&x, axis);
    lw__axis_to_last(&out, axis);
    if (!lw__operand_count(&out))
        return LW_OK;
    enum lw__accumulate type;
    type =
        lw__accumulate(x.dtype, a->is_average && !lw__dtype_is_float(x.dtype) ? LW_F64 : out.dtype);
    struct lw__operand to;
    LW_TRY(lw__rows_out_as(call, type, &out, x.dtype, &to));
    if (type == LW_ACC_F64)
        LW_TRY(lw__as(call, &x, LW_F64));
    LW_TRY(lw__rows_in(call, &x));
    LW_TRY(launch(call, a, type, &x, &to));
    return lw__out_done(call, &out, &to);
}

static lw_status wrong_edge(const char *name, lw_edge edge, const char *needed)
{
    return lw_fail(LW_E_ARG, "%s: edge is %d; need %s", name, (int)edge, needed);
}

lw_status lw_difference(lw_stream *s, lw_tensor out, lw_tensor x,
                        const lw_difference_options *options)
{
    static const lw_difference_options defaults;
    const lw_difference_options *o = options ? options : &defaults;
    struct window_arguments a = {.out = out, .x = x, .axis = o->axis, .edge = o->edge};

    if (o->edge != LW_EDGE_VALID && o->edge != LW_EDGE_ZERO)
        return wrong_edge("difference", o->edge, "LW_EDGE_VALID or LW_EDGE_ZERO");
    return lw__call_run("difference", s, window_body, &a);
}

lw_status lw_moving_average(lw_stream *s, lw_tensor out, lw_tensor x,
                            const lw_moving_average_options *options)
{
    static const lw_moving_average_options defaults;
    const lw_moving_average_options *o = options ? options : &defaults;
    struct window_arguments a = {.out = out,
                                 .x = x,
                                 .axis = o->axis,
                                 .edge = o->edge,
                                 .is_average = true,
                                 .centre = o->centre,
                                 .window = o->window ? (size_t)o->window : DEFAULT_WINDOW};

    if (o->edge != LW_EDGE_VALID && o->edge != LW_EDGE_SHRINK)
        return wrong_edge("moving_average", o->edge, "LW_EDGE_VALID or LW_EDGE_SHRINK");
    if (o->window < 0)
        return lw_fail(LW_E_ARG, "moving_average: window is %d; need at least 1", o->window);
    if (o->centre && o->edge == LW_EDGE_SHRINK)
        a.before = (a.window - 1) / 2;
    return lw__call_run("moving_average", s, window_body, &a);
}
