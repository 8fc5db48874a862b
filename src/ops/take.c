/* take.c - lw_take: slices along one or several axes by index; lw_take_along_axis: elements.
 *
 * Out has the axes of x, with those of the indices in the place of one or several. So x and the
 * indices are broadcast to out's axes, and neighbouring axes that are one in all three are joined.
 * Indices of several axes become one array first, of places in memory.
 */
#include "ops/indices.h"
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
    lw_take_options options;
};

/* What the kernels see. */
struct taking {
    struct lw__shape shape;
    struct lw__view from, at, to;
    struct slices slices;
};

static lw_status check(struct lw__call *call, const struct take_arguments *a, struct lw__operand *x,
                       struct lw__indices *indices, struct lw__operand *out, int *axis)
{
    size_t extents[2 * LW_AXES];
    int rank = 0;
    char of_x[LW_SHAPE_TEXT], of_indices[LW_SHAPE_TEXT];

    LW_TRY(lw__operand_in(call, "x", a->x, x));
    LW_TRY(lw__indices_in(call, a->indices, a->options.more, a->options.more_count, indices));
    LW_TRY(lw__operand_out(call, "out", a->out, out));
    LW_TRY(lw__axis(call, x, a->options.axis, 0, axis));
    const int behind = *axis + (int)indices->count; /* the first axis that stays */
    if (behind > LW_AXES)
        return lw_fail(LW_E_SHAPE, "%s: x of shape %s has no %zu axes from axis %d on", call->name,
                       lw__operand_text(x, of_x), indices->count, *axis - (LW_AXES - x->rank));
    if (x->rank - (int)indices->count + indices->rank > LW_AXES) {
        const struct lw__operand all = {.rank = indices->rank, .shape = indices->shape};

        return lw_fail(LW_E_SHAPE,
                       "%s: x of shape %s and indices of %s give rank %d; need at most %d",
                       call->name, lw__operand_text(x, of_x), lw__operand_text(&all, of_indices),
                       x->rank - (int)indices->count + indices->rank, LW_AXES);
    }
    for (int k = LW_AXES - x->rank; k < *axis; k++)
        extents[rank++] = x->shape.extent[k];
    for (int k = LW_AXES - indices->rank; k < LW_AXES; k++)
        extents[rank++] = indices->shape.extent[k];
    for (int k = behind; k < LW_AXES; k++)
        extents[rank++] = x->shape.extent[k];
    LW_TRY(lw__operand_expect(call, out, rank, extents));
    LW_TRY(lw__operand_apart(call, out, x, false));
    for (size_t k = 0; k < indices->count; k++)
        LW_TRY(lw__operand_apart(call, out, &indices->of[k], false));
    return LW_OK;
}

/* x and the indices, which stand for x's axes up to `behind`, with the axes of out. */
static void broadcast(const struct lw__operand *x, const struct lw__operand *indices, int axis,
                      int behind, const struct lw__operand *out, struct taking *t)
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
    for (int j = behind; j < LW_AXES; j++)
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

/* Where the result is written, in x's dtype. */
static lw_status write_to(struct lw__call *call, const struct lw__operand *x,
                          const struct lw__operand *out, struct lw__operand *to)
{
    *to = *out;
    if (out->dtype == x->dtype)
        return LW_OK;
    LW_TRY(lw__call_scratch(call, "out", x->dtype, out->shape, to));
    to->rank = out->rank;
    return LW_OK;
}

/* Indices of one axis, which are broadcast to nothing. */
static lw_status slices_of_one(struct lw__call *call, const struct lw__operand *x, int axis,
                               struct lw__operand *indices, struct slices *s)
{
    const bool is_unsigned = indices->dtype == LW_U64; /* its large values are negative as i64 */

    LW_TRY(lw__indices_read(call, indices));
    *s = (struct slices){.lowest = is_unsigned ? 0 : -(int64_t)x->shape.extent[axis],
                         .extent = (int64_t)x->shape.extent[axis],
                         .step = x->view.stride[axis],
                         .wide = indices->dtype != LW_I32,
                         .repeats = 1,
                         .count = lw__operand_count(indices)};
    return LW_OK;
}

static lw_status slices_of_several(struct lw__call *call, struct lw__operand *x, int axis,
                                   struct lw__indices *indices, struct slices *s)
{
    struct lw__places places;

    LW_TRY(lw__join(call, x, axis, indices, &places));
    indices->of[0] = places.at;
    x->view.offset += places.least;
    *s = (struct slices){.extent = (int64_t)places.span,
                         .step = 1,
                         .wide = true,
                         .repeats = 1,
                         .count = lw__operand_count(&places.at)};
    return LW_OK;
}

static lw_status take_body(struct lw__call *call, void *arguments)
{
    const struct take_arguments *a = arguments;
    struct lw__operand x, out, to;
    struct lw__indices indices;
    struct taking t;
    int axis;

    LW_TRY(check(call, a, &x, &indices, &out, &axis));
    if (!lw__operand_count(&out))
        return LW_OK;
    if (indices.count == 1)
        LW_TRY(slices_of_one(call, &x, axis, &indices.of[0], &t.slices));
    else
        LW_TRY(slices_of_several(call, &x, axis, &indices, &t.slices));
    LW_TRY(write_to(call, &x, &out, &to));
    const int behind = axis + (int)indices.count;
    for (int k = behind; k < LW_AXES; k++)
        t.slices.repeats *= x.shape.extent[k];
    broadcast(&x, &indices.of[0], axis, behind, &to, &t);
    join_axes(&t);
    LW_TRY(launch(call, &t, &x, &indices.of[0], &to));
    return lw__out_done(call, &out, &to);
}

lw_status lw_take(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices,
                  const lw_take_options *options)
{
    struct take_arguments a = {.out = out, .x = x, .indices = indices};

    if (options)
        a.options = *options;
    return lw__call_run("take", s, take_body, &a);
}

/* ---- take_along_axis ---- */

/* The shape that x and the indices broadcast to, but for the axis. */
static lw_status shape_along(const struct lw__call *call, const struct lw__operand *x,
                             const struct lw__operand *indices, int axis, size_t *extents)
{
    char of_x[LW_SHAPE_TEXT], of_indices[LW_SHAPE_TEXT];
    bool fits = x->rank == indices->rank;

    for (int k = LW_AXES - x->rank; k < LW_AXES && fits; k++) {
        const size_t a = x->shape.extent[k], b = indices->shape.extent[k];

        fits = k == axis || a == b || a == 1 || b == 1;
        extents[k - (LW_AXES - x->rank)] = k == axis || a == 1 ? b : a;
    }
    if (fits)
        return LW_OK;
    return lw_fail(LW_E_SHAPE,
                   "%s: x has shape %s and the indices %s; need the same rank, and extents that "
                   "broadcast but in the axis",
                   call->name, lw__operand_text(x, of_x), lw__operand_text(indices, of_indices));
}

static lw_status along_body(struct lw__call *call, void *arguments)
{
    const struct take_arguments *a = arguments;
    struct lw__operand x, out, to;
    struct lw__indices indices;
    struct taking t;
    size_t extents[LW_AXES];
    int axis;

    LW_TRY(lw__operand_in(call, "x", a->x, &x));
    LW_TRY(lw__indices_in(call, a->indices, NULL, 0, &indices));
    struct lw__operand *const of = &indices.of[0];
    LW_TRY(lw__operand_out(call, "out", a->out, &out));
    LW_TRY(lw__axis(call, &x, a->options.axis, x.rank - 1, &axis));
    LW_TRY(shape_along(call, &x, of, axis, extents));
    LW_TRY(lw__operand_expect(call, &out, x.rank, extents));
    LW_TRY(lw__operand_apart(call, &out, &x, false));
    LW_TRY(lw__operand_apart(call, &out, of, false));
    if (!lw__operand_count(&out))
        return LW_OK;
    LW_TRY(slices_of_one(call, &x, axis, of, &t.slices));
    t.slices.count = lw__operand_count(&out);
    LW_TRY(write_to(call, &x, &out, &to));
    x.shape.extent[axis] = 1; /* the index moves along it */
    const bool fits = lw__operand_broadcast(&x, &to.shape) && lw__operand_broadcast(of, &to.shape);
    assert(fits);
    (void)fits;
    t.shape = to.shape;
    t.from = x.view;
    t.from.stride[axis] = 0;
    t.at = of->view;
    t.to = to.view;
    join_axes(&t);
    LW_TRY(launch(call, &t, &x, of, &to));
    return lw__out_done(call, &out, &to);
}

lw_status lw_take_along_axis(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices,
                             const lw_take_along_axis_options *options)
{
    struct take_arguments a = {.out = out, .x = x, .indices = indices};

    if (options)
        a.options.axis = options->axis;
    return lw__call_run("take_along_axis", s, along_body, &a);
}

/* ---- by name ---- */

lw_status lw__run_take(const struct lw__named_call *c)
{
    lw_take_options options = *(const lw_take_options *)c->options;

    options.more = c->inputs + 2;
    options.more_count = c->count - 2;
    return lw_take(c->stream, c->outputs[0], c->inputs[0], c->inputs[1], &options);
}

lw_status lw__infer_take(const struct lw__question *q, lw_shape *output)
{
    const lw_shape *x = &q->inputs[0];
    const int count = (int)q->count - 1;
    lw_shape all = {0};
    int axis, at = 0;

    LW_TRY(lw__axis_read(q->params, x->rank, &axis));
    LW_TRY(lw__infer_broadcast(q->op, &q->inputs[1], q->count - 1, &all));
    if (axis + count > x->rank)
        return lw_fail(LW_E_SHAPE, "%s: x of rank %d has no %d axes from axis %d on", q->op,
                       x->rank, count, axis);
    const int rank = x->rank - count + all.rank;
    if (rank > LW_AXES)
        return lw_fail(LW_E_SHAPE,
                       "%s: x of rank %d and indices of %d give rank %d; need at most %d", q->op,
                       x->rank, all.rank, rank, LW_AXES);
    *output = (lw_shape){.dtype = x->dtype, .rank = rank};
    for (int k = 0; k < axis; k++)
        output->extent[at++] = x->extent[k];
    for (int k = 0; k < all.rank; k++)
        output->extent[at++] = all.extent[k];
    for (int k = axis + count; k < x->rank; k++)
        output->extent[at++] = x->extent[k];
    return LW_OK;
}

lw_status lw__infer_take_along_axis(const struct lw__question *q, lw_shape *output)
{
    const lw_shape *x = &q->inputs[0];
    lw_shape both[2] = {*x, q->inputs[1]};
    int axis;

    LW_TRY(lw__axis_read(q->params, x->rank, &axis));
    if (both[1].rank != x->rank)
        return lw_fail(LW_E_SHAPE, "%s: x has rank %d and the indices %d; need the same", q->op,
                       x->rank, both[1].rank);
    both[0].extent[axis] = 1;
    both[1].extent[axis] = 1;
    LW_TRY(lw__infer_broadcast(q->op, both, 2, output));
    output->extent[axis] = q->inputs[1].extent[axis];
    output->dtype = x->dtype;
    return LW_OK;
}
