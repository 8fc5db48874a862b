/* take.c - lw_take: slices along an axis by index.
 *
 * Out has the axes of x, with those of the indices in the place of one. So x and the indices are
 * broadcast to out's axes, and neighbouring axes that are one in all three are joined.
 */
#include "ops/registry.h"
#include <assert.h>

/* ORDER TAKE: kernels/take.c */
enum { ROW_PART = 4096, FLAT_PART = 1024, THREADS = 128, SHORT_ROW = 32, BLOCK_ELEMENTS = 4096 };
struct slices {
    int64_t lowest, extent;
    ptrdiff_t step;
    size_t wide, repeats, count;
};

struct take_arguments {
    lw_tensor out, x, indices;
    int axis;
};

/* What the kernels see. */
struct taking {
    struct lw__shape shape;
    struct lw__view from, at, to;
    struct slices slices;
};

static lw_status check(struct lw__call *call, const struct take_arguments *a, struct lw__operand *x,
                       struct lw__operand *indices, struct lw__operand *out, int *axis)
{
    size_t extents[2 * LW_AXES];
    int rank = 0;
    char of_x[LW_SHAPE_TEXT], of_indices[LW_SHAPE_TEXT];

    LW_TRY(lw__operand_in(call, "x", a->x, x));
    LW_TRY(lw__operand_in(call, "indices", a->indices, indices));
    LW_TRY(lw__operand_out(call, "out", a->out, out));
    if (indices->dtype == LW_BOOL || lw__dtype_is_float(indices->dtype))
        return lw_fail(LW_E_DTYPE, "%s: indices are of %s; need an integer type", call->name,
                       lw_dtype_name(indices->dtype));
    LW_TRY(lw__axis(call, x, a->axis, 0, axis));
    if (x->rank - 1 + indices->rank > LW_AXES)
        return lw_fail(LW_E_SHAPE,
                       "%s: x of shape %s and indices of %s give rank %d; need at most %d",
                       call->name, lw__operand_text(x, of_x), lw__operand_text(indices, of_indices),
                       x->rank - 1 + indices->rank, LW_AXES);
    for (int k = LW_AXES - x->rank; k < *axis; k++)
        extents[rank++] = x->shape.extent[k];
    for (int k = LW_AXES - indices->rank; k < LW_AXES; k++)
        extents[rank++] = indices->shape.extent[k];
    for (int k = *axis + 1; k < LW_AXES; k++)
        extents[rank++] = x->shape.extent[k];
    LW_TRY(lw__operand_expect(call, out, rank, extents));
    LW_TRY(lw__operand_apart(call, out, x, false));
    return lw__operand_apart(call, out, indices, false);
}

/* x and the indices with the axes of out. */
static void broadcast(const struct lw__operand *x, const struct lw__operand *indices, int axis,
                      const struct lw__operand *out, struct taking *t)
{
    int k = LW_AXES - out->rank;

    t->shape = out->shape;
    t->to = out->view;
    t->from = (struct lw__view){.offset = x->view.offset};
    t->at = (struct lw__view){.offset = indices->view.offset};
    for (int j = LW_AXES - x->rank; j < axis; j++)
        t->from.stride[k++] = x->view.stride[j];
    for (int j = LW_AXES - indices->rank; j < LW_AXES; j++)
        t->at.stride[k++] = indices->view.stride[j];
    for (int j = axis + 1; j < LW_AXES; j++)
        t->from.stride[k++] = x->view.stride[j];
    assert(k == LW_AXES); /* out's axes are these */
}

/* Axis k goes, and those before it move up. */
static void drop_axis(struct taking *t, int k)
{
    struct lw__view *const views[] = {&t->from, &t->at, &t->to};

    for (; k > 0; k--) {
        t->shape.extent[k] = t->shape.extent[k - 1];
        for (int v = 0; v < 3; v++)
            views[v]->stride[k] = views[v]->stride[k - 1];
    }
    t->shape.extent[0] = 1;
    for (int v = 0; v < 3; v++)
        views[v]->stride[0] = 0;
}

static bool steps_over(const struct lw__view *v, int k, size_t extent)
{
    return v->stride[k] == v->stride[k + 1] * (ptrdiff_t)extent;
}

/* Axes of extent 1 go, and axis k joins k + 1 where it steps over it in all views. */
static void join_axes(struct taking *t)
{
    int left = LW_AXES;

    for (int k = LW_AXES - 1; left > 1; left--)
        if (t->shape.extent[k] == 1)
            drop_axis(t, k);
        else
            k--;
    for (int k = LW_AXES - 2; k >= 0; k--) {
        const size_t extent = t->shape.extent[k + 1];

        if (t->shape.extent[k] == 1 || !steps_over(&t->from, k, extent) ||
            !steps_over(&t->at, k, extent) || !steps_over(&t->to, k, extent))
            continue;
        t->shape.extent[k + 1] *= t->shape.extent[k];
        drop_axis(t, k);
    }
}

static lw_arg arg_slices(const struct slices *s)
{
    return lw_arg_bytes(s, sizeof *s);
}

static lw_status launch(struct lw__call *call, const struct taking *t, const struct lw__operand *x,
                        const struct lw__operand *indices, const struct lw__operand *out)
{
    const size_t length = t->shape.extent[3], rows = lw__operand_count(out) / length,
                 parts = lw__divide_up(length, ROW_PART);
    const size_t each = call->is_gpu || length >= BLOCK_ELEMENTS ? 1 : BLOCK_ELEMENTS / length;
    const lw_dim3 block = lw_dim_1(call->is_gpu ? THREADS : 1);
    const int size = (int)lw_dtype_size(x->dtype);

    if (call->is_gpu && length < SHORT_ROW) {
        return LW_OP_BLOCKS(call, take, "take_flat", lw__divide_up(rows * length, FLAT_PART), block,
                            lw__arg_shape(&t->shape), lw_arg_uint(rows * length),
                            arg_slices(&t->slices), lw__arg_view(&t->from),
                            lw_arg_buffer(x->buffer), lw__arg_view(&t->at),
                            lw_arg_buffer(indices->buffer), lw__arg_view(&t->to),
                            lw_arg_buffer(out->buffer), lw_arg_int(size));
    }
    return LW_OP_BLOCKS(
        call, take, "take_rows", lw__divide_up(rows, each) * parts, block, lw__arg_shape(&t->shape),
        arg_slices(&t->slices), lw__arg_view(&t->from), lw_arg_buffer(x->buffer),
        lw__arg_view(&t->at), lw_arg_buffer(indices->buffer), lw__arg_view(&t->to),
        lw_arg_buffer(out->buffer), lw_arg_int(size), lw_arg_uint(parts), lw_arg_uint(each));
}

static lw_status take_body(struct lw__call *call, void *arguments)
{
    const struct take_arguments *a = arguments;
    struct lw__operand x, indices, out;
    int axis;

    LW_TRY(check(call, a, &x, &indices, &out, &axis));
    if (!lw__operand_count(&out))
        return LW_OK;
    bool is_unsigned = indices.dtype == LW_U64; /* its large values are negative as i64 */
    if (indices.dtype != LW_I32)
        LW_TRY(lw__as(call, &indices, indices.dtype == LW_U64 ? LW_U64 : LW_I64));
    struct lw__operand to = out;
    if (out.dtype != x.dtype) {
        LW_TRY(lw__call_scratch(call, "out", x.dtype, out.shape, &to));
        to.rank = out.rank;
    }
    struct taking t;
    t.slices = (struct slices){.lowest = is_unsigned ? 0 : -(int64_t)x.shape.extent[axis],
                               .extent = (int64_t)x.shape.extent[axis],
                               .step = x.view.stride[axis],
                               .wide = indices.dtype != LW_I32,
                               .repeats = 1,
                               .count = lw__operand_count(&indices)};
    for (int k = axis + 1; k < LW_AXES; k++)
        t.slices.repeats *= x.shape.extent[k];
    broadcast(&x, &indices, axis, &to, &t);
    join_axes(&t);
    LW_TRY(launch(call, &t, &x, &indices, &to));
    return lw__out_done(call, &out, &to);
}

lw_status lw_take(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices,
                  const lw_take_options *options)
{
    struct take_arguments a = {.out = out, .x = x, .indices = indices};

    if (options)
        a.axis = options->axis;
    return lw__call_run("take", s, take_body, &a);
}

lw_status lw__infer_take(const struct lw__question *q, lw_shape *output)
{
    const lw_shape *x = &q->inputs[0], *indices = &q->inputs[1];
    const int rank = x->rank - 1 + indices->rank;
    int axis, at = 0;

    LW_TRY(lw__axis_read(q->params, x->rank, &axis));
    if (rank > LW_AXES)
        return lw_fail(LW_E_SHAPE,
                       "%s: x of rank %d and indices of %d give rank %d; need at most %d", q->op,
                       x->rank, indices->rank, rank, LW_AXES);
    *output = (lw_shape){.dtype = x->dtype, .rank = rank};
    for (int k = 0; k < axis; k++)
        output->extent[at++] = x->extent[k];
    for (int k = 0; k < indices->rank; k++)
        output->extent[at++] = indices->extent[k];
    for (int k = axis + 1; k < x->rank; k++)
        output->extent[at++] = x->extent[k];
    return LW_OK;
}
