/* scatter.c - lw_scatter, lw_scatter_add: slices are set by index, or added to.
 *
 * Processors go through the indices in their order. GPUs sort them first, so that equal ones stand
 * side by side, in their order.
 */
#include "ops/indices.h"
#include "ops/registry.h"
#include "ops/sorting.h"
#include <assert.h>

/* ORDER SCATTER: kernels/scatter.h */
struct scattering {
    size_t n;
    ptrdiff_t step;
    int type;
    bool adds;
};

/* ELEMENTS: of the values, that are worth a block of their own. SHARED_LEAST: of a slice, where it
 * pays that several blocks read all places of a row. */
enum { THREADS = 128, ELEMENTS = 16384, SHARED_LEAST = 16 };

struct scatter_arguments {
    lw_tensor out, x, indices, values;
    lw_scatter_options options;
    bool adds;
};

struct parts {
    struct lw__operand x, values, out, to; /* to: out, or where sums are made */
    struct lw__shape set;                  /* of what is set, to which the values broadcast */
    struct lw__indices indices;
    struct lw__places places;
    int axis, behind; /* of out: the first one that is indexed, and the first one after these */
};

/* What the kernels see. */
struct setting {
    struct lw__shape shape;
    struct lw__view from, at;
    struct scattering k;
};

/* ---- checks ---- */

static lw_status check_values(const struct lw__call *call, struct parts *p, bool adds)
{
    struct lw__operand set = {.rank = p->out.rank - (int)p->indices.count + p->indices.rank};
    char of_values[LW_SHAPE_TEXT], of_set[LW_SHAPE_TEXT], of_indices[LW_SHAPE_TEXT];
    int at = LW_AXES - set.rank;

    if (set.rank > LW_AXES) {
        const struct lw__operand all = {.rank = p->indices.rank, .shape = p->indices.shape};

        return lw_fail(LW_E_SHAPE,
                       "%s: x of shape %s and indices of %s name %d axes; need at most %d",
                       call->name, lw__operand_text(&p->x, of_values),
                       lw__operand_text(&all, of_indices), set.rank, LW_AXES);
    }
    set.shape = (struct lw__shape){{1, 1, 1, 1}};
    for (int k = LW_AXES - p->out.rank; k < p->axis; k++)
        set.shape.extent[at++] = p->out.shape.extent[k];
    for (int k = LW_AXES - p->indices.rank; k < LW_AXES; k++)
        set.shape.extent[at++] = p->indices.shape.extent[k];
    for (int k = p->behind; k < LW_AXES; k++)
        set.shape.extent[at++] = p->out.shape.extent[k];
    struct lw__operand all = p->values;
    if (all.rank > set.rank || !lw__operand_broadcast(&all, &set.shape))
        return lw_fail(LW_E_SHAPE, "%s: values of shape %s do not broadcast to %s", call->name,
                       lw__operand_text(&p->values, of_values), lw__operand_text(&set, of_set));
    p->set = set.shape;
    if (adds && lw__dtype_is_float(p->values.dtype) && !lw__dtype_is_float(p->out.dtype))
        return lw_fail(LW_E_DTYPE, "%s: out is of %s and the values of %s; need integers for both",
                       call->name, lw_dtype_name(p->out.dtype), lw_dtype_name(p->values.dtype));
    return LW_OK;
}

static lw_status check(struct lw__call *call, const struct scatter_arguments *a, struct parts *p)
{
    char of_x[LW_SHAPE_TEXT];

    LW_TRY(lw__operand_in(call, "x", a->x, &p->x));
    LW_TRY(lw__indices_in(call, a->indices, a->options.more, a->options.more_count, &p->indices));
    LW_TRY(lw__operand_in(call, "values", a->values, &p->values));
    LW_TRY(lw__operand_out(call, "out", a->out, &p->out));
    LW_TRY(lw__operand_same_shape(call, &p->out, &p->x));
    LW_TRY(lw__axis(call, &p->x, a->options.axis, 0, &p->axis));
    p->behind = p->axis + (int)p->indices.count;
    if (p->behind > LW_AXES)
        return lw_fail(LW_E_SHAPE, "%s: x of shape %s has no %zu axes from axis %d on", call->name,
                       lw__operand_text(&p->x, of_x), p->indices.count,
                       p->axis - (LW_AXES - p->x.rank));
    LW_TRY(lw__operand_apart(call, &p->out, &p->x, true));
    LW_TRY(lw__operand_apart(call, &p->out, &p->values, false));
    for (size_t k = 0; k < p->indices.count; k++)
        LW_TRY(lw__operand_apart(call, &p->out, &p->indices.of[k], false));
    return check_values(call, p, a->adds);
}

/* ---- forms ---- */

/* One step from each index to the next, where the values' strides have one. */
static bool find_step(const struct parts *p, ptrdiff_t *step)
{
    size_t seen = 1;

    *step = 0;
    for (int k = p->behind - 1; k >= p->behind - p->indices.rank; k--) {
        const size_t extent = p->values.shape.extent[k];

        if (extent == 1)
            continue;
        if (seen == 1)
            *step = p->values.view.stride[k];
        else if (p->values.view.stride[k] != *step * (ptrdiff_t)seen)
            return false;
        seen *= extent;
    }
    return true;
}

/* An axis that out and the values share becomes the one before those that are there, or a part of
 * the one that it steps over. */
static void add_axis(struct setting *t, int *first, size_t extent, ptrdiff_t at, ptrdiff_t from)
{
    const ptrdiff_t below = *first < LW_AXES ? (ptrdiff_t)t->shape.extent[*first] : 0;

    if (extent == 1)
        return;
    if (*first < LW_AXES && t->at.stride[*first] * below == at &&
        t->from.stride[*first] * below == from) {
        t->shape.extent[*first] *= extent;
        return;
    }
    --*first;
    assert(*first >= 0);
    t->shape.extent[*first] = extent;
    t->at.stride[*first] = at;
    t->from.stride[*first] = from;
}

/* Behind the indexed axes they are a slice's own, of which the kernels take the last along with
 * each index; all others count rows. */
static void set_axes(const struct parts *p, struct setting *t)
{
    const int rest =
        p->indices.rank - (int)p->indices.count; /* axes of the values more than out's */
    int first = LW_AXES;

    t->shape = (struct lw__shape){{1, 1, 1, 1}};
    t->at = (struct lw__view){.offset = p->to.view.offset + p->places.least};
    t->from = (struct lw__view){.offset = p->values.view.offset};
    for (int k = LW_AXES - 1; k >= p->behind; k--)
        add_axis(t, &first, p->to.shape.extent[k], p->to.view.stride[k], p->values.view.stride[k]);
    if (first == LW_AXES) /* no last axis: one of extent 1 */
        first--;
    for (int k = p->axis - 1; k >= LW_AXES - p->to.rank; k--)
        if (p->to.shape.extent[k] > 1) {
            first--;
            t->shape.extent[first] = p->to.shape.extent[k];
            t->at.stride[first] = p->to.view.stride[k];
            t->from.stride[first] = p->values.view.stride[k - rest];
        }
    assert(first >= 0);
}

/* The type that the kernels set elements as. */
static int type_of(lw_dtype dtype, bool adds)
{
    const lw_dtype of_size[] = {LW_U8, LW_U16, LW_U32, LW_U64};
    const size_t size = lw_dtype_size(dtype);

    if (adds && (lw__dtype_is_float(dtype) || dtype == LW_BOOL))
        return dtype;
    return of_size[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

/* ---- launches ---- */

/* x where the result is made. All that may fail comes before: the output is then as it was. */
static lw_status put_x(struct lw__call *call, const struct parts *p)
{
    const bool in_place =
        p->to.buffer == p->x.buffer && p->to.view.offset == p->x.view.offset; /* not apart */

    return in_place ? LW_OK : lw__copy(call, &p->to, &p->x);
}

static lw_status launch_gpu(struct lw__call *call, const struct parts *p, const struct setting *t)
{
    const size_t rows = t->shape.extent[0] * t->shape.extent[1] * t->shape.extent[2];
    struct lw__operand places = p->places.at, sorted, order;
    const struct lw__shape shape = {{1, 1, 1, t->k.n}};
    struct lw__sorting s;

    if (p->places.span <= UINT32_MAX)
        LW_TRY(lw__as(call, &places, LW_U32)); /* half of the passes */
    places.shape = shape;
    places.view = (struct lw__view){places.view.offset, {0, 0, 0, 1}};
    LW_TRY(lw__call_scratch(call, "places", places.dtype, shape, &sorted));
    LW_TRY(lw__call_scratch(call, "order", LW_I64, shape, &order));
    LW_TRY(lw__sort_begin(call, places, false, false, &s));
    LW_TRY(lw__sort_end(call, &s, &sorted, &order));
    LW_TRY(put_x(call, p));
    return LW_OP_BLOCKS(
        call, scatter_gpu, places.dtype == LW_U32 ? "scatter_4" : "scatter_8",
        lw__divide_up(rows * t->k.n * t->shape.extent[3], THREADS), lw_dim_1(THREADS),
        lw__arg_shape(&t->shape), lw_arg_bytes(&t->k, sizeof t->k), lw_arg_uint(p->places.span),
        lw__arg_at(&sorted), lw__arg_at(&order), lw__arg_view(&t->from),
        lw_arg_buffer(p->values.buffer), lw__arg_view(&t->at), lw_arg_buffer(p->to.buffer));
}

/* Blocks have rows of their own where there are enough, else, of long slices, places. */
static lw_status launch_host(struct lw__call *call, const struct parts *p, const struct setting *t)
{
    const size_t rows = t->shape.extent[0] * t->shape.extent[1] * t->shape.extent[2];
    const size_t blocks = lw__divide_up(rows * t->k.n * t->shape.extent[3], ELEMENTS);
    size_t owners = 1, each, threads;

    LW_TRY(lw__workers(call, LW_PROGRAM_scatter, "scatter", &threads));
    if (rows < threads && blocks > 1 && t->shape.extent[3] >= SHARED_LEAST)
        owners = blocks < threads ? blocks : threads;
    LW_TRY(put_x(call, p));
    each = owners > 1 ? rows : lw__divide_up(rows, blocks < rows ? blocks : rows);
    return LW_OP_BLOCKS(call, scatter, "scatter", lw__divide_up(rows, each) * owners, lw_dim_1(1),
                        lw__arg_shape(&t->shape), lw_arg_bytes(&t->k, sizeof t->k),
                        lw__arg_at(&p->places.at), lw__arg_view(&t->from),
                        lw_arg_buffer(p->values.buffer), lw__arg_view(&t->at),
                        lw_arg_buffer(p->to.buffer), lw_arg_uint(owners), lw_arg_uint(each));
}

/* ---- the operations ---- */

static bool is_half(lw_dtype dtype)
{
    return dtype == LW_F16 || dtype == LW_BF16;
}

/* Where the result is made. */
static lw_status find_to(struct lw__call *call, struct parts *p, bool adds)
{
    p->to = p->out;
    if (!adds || !is_half(p->out.dtype))
        return LW_OK;
    LW_TRY(lw__call_scratch(call, "sums", LW_F32, p->out.shape, &p->to));
    p->to.rank = p->out.rank;
    return LW_OK;
}

/* The values in out's type, one step from each index to the next. */
static lw_status bring_values(struct lw__call *call, struct parts *p, ptrdiff_t *step)
{
    LW_TRY(lw__as(call, &p->values, p->to.dtype));
    const bool fits = lw__operand_broadcast(&p->values, &p->set);
    assert(fits);
    (void)fits;
    if (find_step(p, step))
        return LW_OK;
    LW_TRY(lw__contiguous_in(call, &p->values));
    find_step(p, step);
    return LW_OK;
}

static lw_status scatter_body(struct lw__call *call, void *arguments)
{
    const struct scatter_arguments *a = arguments;
    struct parts p;
    struct setting t;

    LW_TRY(check(call, a, &p));
    const struct lw__operand set = {.shape = p.set};
    const bool is_empty = lw__operand_count(&set) == 0;
    LW_TRY(find_to(call, &p, a->adds && !is_empty));
    if (is_empty)
        return put_x(call, &p);
    LW_TRY(bring_values(call, &p, &t.k.step));
    LW_TRY(lw__join(call, &p.to, p.axis, &p.indices, &p.places));
    t.k.n = lw__operand_count(&p.places.at);
    t.k.type = type_of(p.to.dtype, a->adds);
    t.k.adds = a->adds;
    set_axes(&p, &t);
    LW_TRY(call->is_gpu ? launch_gpu(call, &p, &t) : launch_host(call, &p, &t));
    return lw__out_done(call, &p.out, &p.to);
}

static lw_status run(const char *name, bool adds, lw_stream *s, const lw_tensor *tensors,
                     const lw_scatter_options *options)
{
    struct scatter_arguments a = {.out = tensors[0],
                                  .x = tensors[1],
                                  .indices = tensors[2],
                                  .values = tensors[3],
                                  .adds = adds};

    if (options)
        a.options = *options;
    return lw__call_run(name, s, scatter_body, &a);
}

lw_status lw_scatter(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices, lw_tensor values,
                     const lw_scatter_options *options)
{
    return run("scatter", false, s, (lw_tensor[]){out, x, indices, values}, options);
}

lw_status lw_scatter_add(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor indices,
                         lw_tensor values, const lw_scatter_options *options)
{
    return run("scatter_add", true, s, (lw_tensor[]){out, x, indices, values}, options);
}

/* ---- by name: x, the indices, the values ---- */

static lw_status run_named(const struct lw__named_call *c, bool adds)
{
    lw_scatter_options options = *(const lw_scatter_options *)c->options;

    options.more = c->inputs + 2;
    options.more_count = c->count - 3;
    return run(c->op, adds, c->stream,
               (lw_tensor[]){c->outputs[0], c->inputs[0], c->inputs[1], c->inputs[c->count - 1]},
               &options);
}

lw_status lw__run_scatter(const struct lw__named_call *c)
{
    return run_named(c, false);
}

lw_status lw__run_scatter_add(const struct lw__named_call *c)
{
    return run_named(c, true);
}
