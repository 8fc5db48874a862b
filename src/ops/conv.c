/* conv.c - lw_conv1d, lw_conv2d: correlation, as a product of the filters with a matrix.
 *
 * The matrix has the elements of x that each term is multiplied with. Processors read them from the
 * images where a row of the result fills their panels. Else the matrix is made in scratch memory,
 * for as many images or rows of the result at a time as COLUMN_BYTES hold. A conv1d is a conv2d of
 * height 1.
 */
#include "ops/contract.h"
#include "ops/registry.h"
#include <assert.h>
#include <limits.h>

enum { THREADS_GPU = 128, BLOCK_ELEMENTS = 4096, COLUMN_BYTES = 1 << 26 };

/* ORDER CONV: kernels/conv.c */
struct window {
    size_t channels, height, width, kh, kw, rows, columns, first;
    size_t pad_h, pad_w, step_h, step_w, rows_each;
};

struct conv_arguments {
    lw_tensor out, x, filter;
    int dimensions; /* 1 or 2 */
    lw_conv_options options;
};

/* Images (n, c, h, w), filters (o, c, kh, kw), results (n, o, rows, columns). */
struct conv {
    struct lw__operand x, filter, out;
    struct window window;
    size_t images, filters, terms;
};

/* (n, c, w) and (w) with a height of 1. */
static void add_height(struct lw__operand *o)
{
    for (int k = 0; k < 2; k++) {
        o->shape.extent[k] = o->shape.extent[k + 1];
        o->view.stride[k] = o->view.stride[k + 1];
    }
    o->shape.extent[2] = 1;
    o->view.stride[2] = 0;
}

/* How many places a filter of extent k has; 0: it does not fit. */
static size_t places(size_t extent, size_t k, size_t pad, size_t step)
{
    const size_t padded = extent + 2 * pad;

    return !k || k > padded ? 0 : (padded - k) / step + 1;
}

static lw_status make_window(const struct lw__call *call, const struct conv_arguments *a,
                             struct conv *c)
{
    const bool is_flat = a->dimensions == 1;
    const int *pad = a->options.pad, *stride = a->options.stride;
    struct window *w = &c->window;
    char of_x[LW_SHAPE_TEXT], of_filter[LW_SHAPE_TEXT];
    const struct lw__operand x = c->x, filter = c->filter; /* as they were given */

    if (is_flat && x.rank > 1) {
        add_height(&c->x);
        add_height(&c->filter);
    }
    *w = (struct window){.channels = c->x.shape.extent[1],
                         .height = c->x.shape.extent[2],
                         .width = c->x.shape.extent[3],
                         .kh = c->filter.shape.extent[2],
                         .kw = c->filter.shape.extent[3],
                         .pad_h = is_flat ? 0 : (size_t)pad[0],
                         .pad_w = (size_t)pad[!is_flat],
                         .step_h = is_flat || !stride[0] ? 1 : (size_t)stride[0],
                         .step_w = stride[!is_flat] ? (size_t)stride[!is_flat] : 1};
    w->rows = places(w->height, w->kh, w->pad_h, w->step_h);
    w->columns = places(w->width, w->kw, w->pad_w, w->step_w);
    c->images = c->x.shape.extent[0];
    c->filters = c->filter.shape.extent[0];
    c->terms = w->channels * w->kh * w->kw;
    if (c->filter.shape.extent[1] == w->channels && w->rows && w->columns)
        return LW_OK;
    return lw_fail(LW_E_SHAPE, "%s: filter of shape %s does not fit x of shape %s with pad %d, %d",
                   call->name, lw__operand_text(&filter, of_filter), lw__operand_text(&x, of_x),
                   pad[0], pad[1]);
}

static lw_status check_out(const struct lw__call *call, struct conv *c, int dimensions)
{
    const size_t extents[] = {c->images, c->filters, c->window.rows, c->window.columns};
    const size_t flat[] = {c->images, c->filters, c->window.columns};
    const bool has_images = c->x.rank > dimensions;

    if (dimensions == 2)
        return lw__operand_expect(call, &c->out, c->x.rank, extents + (has_images ? 0 : 2));
    LW_TRY(lw__operand_expect(call, &c->out, c->x.rank, flat + (has_images ? 0 : 2)));
    if (has_images)
        add_height(&c->out);
    return LW_OK;
}

static lw_status check(struct lw__call *call, const struct conv_arguments *a, struct conv *c)
{
    char of_x[LW_SHAPE_TEXT], of_filter[LW_SHAPE_TEXT];

    LW_TRY(lw__check_contraction(call, a->options.sum));
    LW_TRY(lw__operand_in(call, "x", a->x, &c->x));
    LW_TRY(lw__operand_in(call, "filter", a->filter, &c->filter));
    LW_TRY(lw__operand_out(call, "out", a->out, &c->out));
    LW_TRY(lw__operand_apart(call, &c->out, &c->x, false));
    LW_TRY(lw__operand_apart(call, &c->out, &c->filter, false));
    for (int k = 0; k < a->dimensions; k++)
        if (a->options.pad[k] < 0 || a->options.stride[k] < 0)
            return lw_fail(LW_E_ARG, "%s: pad is %d and stride %d; need at least 0 and 1",
                           call->name, a->options.pad[k], a->options.stride[k]);
    int rank = c->x.rank;
    if ((rank != a->dimensions && rank != a->dimensions + 2) || c->filter.rank != rank)
        return lw_fail(LW_E_SHAPE, "%s: x has shape %s and filter %s; need %s", call->name,
                       lw__operand_text(&c->x, of_x), lw__operand_text(&c->filter, of_filter),
                       a->dimensions == 1
                           ? "(w) and (k), or (n, c, w) and (o, c, k)"
                           : "(h, w) and (kh, kw), or (n, c, h, w) and (o, c, kh, kw)");
    LW_TRY(make_window(call, a, c));
    return check_out(call, c, a->dimensions);
}

/* Images from `image` on, and rows of the result from `first` on, that are made at a time. */
struct part {
    size_t image, images, first, rows;
};

static lw_status columns(struct lw__call *call, const struct conv *c, const struct part *p,
                         const struct lw__operand *to)
{
    const size_t lines = p->images * c->terms, columns = c->window.columns;
    struct window w = c->window;
    struct lw__view from = c->x.view;

    w.first = p->first;
    w.rows = p->rows;
    w.rows_each = columns < BLOCK_ELEMENTS ? BLOCK_ELEMENTS / columns : 1;
    from.offset += (ptrdiff_t)p->image * from.stride[0];
    return LW_OP_BLOCKS(call, conv, call->is_gpu ? "conv_columns" : "conv_rows",
                        lines * lw__divide_up(w.rows, w.rows_each),
                        lw_dim_1(call->is_gpu ? THREADS_GPU : lw__threads(call)),
                        lw_arg_bytes(&w, sizeof w), lw__arg_view(&from), lw_arg_buffer(c->x.buffer),
                        lw__arg_at(to), lw_arg_uint(lw_dtype_size(c->x.dtype)));
}

/* out: in C order. `matrix` has room for the part's columns. */
static lw_status multiply(struct lw__call *call, const struct conv *c, const struct part *p,
                          const struct lw__operand *matrix, const struct lw__operand *out)
{
    const size_t length = p->rows * c->window.columns, whole = c->window.rows * c->window.columns;
    struct lw__operand x = c->filter, y = *matrix, to = *out;

    assert(lw__operand_is_contiguous(&x) && lw__operand_is_contiguous(out));
    x.shape = (struct lw__shape){{1, p->images, c->filters, c->terms}};
    x.view.stride[0] = x.view.stride[1] = 0;
    x.view.stride[2] = (ptrdiff_t)c->terms;
    x.view.stride[3] = 1;
    y.shape = (struct lw__shape){{1, p->images, c->terms, length}};
    y.view.stride[0] = 0;
    y.view.stride[1] = (ptrdiff_t)(c->terms * length);
    y.view.stride[2] = (ptrdiff_t)length;
    y.view.stride[3] = 1;
    to.shape = (struct lw__shape){{1, p->images, c->filters, length}};
    to.view.offset += (ptrdiff_t)(p->image * c->filters * whole + p->first * c->window.columns);
    to.view.stride[0] = 0;
    to.view.stride[1] = (ptrdiff_t)(c->filters * whole);
    to.view.stride[2] = (ptrdiff_t)whole;
    to.view.stride[3] = 1;
    LW_TRY(columns(call, c, p, matrix));
    return lw__matmul(call, &to, &x, &y, NULL);
}

static size_t at_least_1(size_t n)
{
    return n ? n : 1;
}

static lw_status multiply_parts(struct lw__call *call, const struct conv *c,
                                const struct lw__operand *out)
{
    const size_t row = c->terms * c->window.columns * lw_dtype_size(c->x.dtype);
    const size_t rows_most = at_least_1(COLUMN_BYTES / at_least_1(row));
    const size_t rows = rows_most < c->window.rows ? rows_most : c->window.rows;
    const size_t images_most = at_least_1(rows_most / c->window.rows);
    const size_t images = images_most < c->images ? images_most : c->images;
    const size_t scratch = call->scratch;
    size_t most = 0;
    struct lw__operand matrix;

    assert(images == 1 || rows == c->window.rows); /* of several images all rows */
    LW_TRY(lw__call_scratch(call, "columns", c->x.dtype,
                            (struct lw__shape){{1, images, c->terms, rows * c->window.columns}},
                            &matrix));
    const size_t behind = call->scratch;
    for (size_t i = 0; i < c->images; i += images)
        for (size_t r = 0; r < c->window.rows; r += rows) {
            const struct part p = {i, c->images - i < images ? c->images - i : images, r,
                                   c->window.rows - r < rows ? c->window.rows - r : rows};

            call->scratch = behind; /* what a part takes, the next one takes again */
            LW_TRY(multiply(call, c, &p, &matrix, out));
            most = call->scratch > most ? call->scratch : most;
        }
    call->scratch = most > scratch ? most : scratch;
    return LW_OK;
}

/* A row of the result takes whole panels: at most a fourth of them should be for nothing. */
static bool fills(size_t gang, size_t columns)
{
    return gang && lw__divide_up(columns, gang) * gang <= columns + columns / 4;
}

/* Without a matrix: a product for each row of an image's result. out: of any strides. */
static lw_status multiply_windows(struct lw__call *call, const struct conv *c,
                                  const struct lw__operand *out)
{
    const struct window *w = &c->window;
    const struct lw__view image = c->x.view;
    const struct lw__window windows = {w->kh,           w->kw,           w->height,      w->width,
                                       w->pad_h,        w->pad_w,        w->step_h,      w->step_w,
                                       image.stride[1], image.stride[2], image.stride[3]};
    struct lw__operand x = c->filter, y = c->x, to = *out;

    assert(lw__operand_is_contiguous(&x) && x.dtype == y.dtype);
    x.shape = (struct lw__shape){{c->images, w->rows, c->filters, c->terms}};
    x.view = (struct lw__view){x.view.offset, {0, 0, (ptrdiff_t)c->terms, 1}};
    y.view = (struct lw__view){image.offset, {image.stride[0]}};
    to.shape = (struct lw__shape){{c->images, w->rows, c->filters, w->columns}};
    to.view.stride[1] = out->view.stride[2];
    to.view.stride[2] = out->view.stride[1];
    return lw__matmul(call, &to, &x, &y, &windows);
}

static lw_status conv_body(struct lw__call *call, void *arguments)
{
    const struct conv_arguments *a = arguments;
    struct conv c;

    LW_TRY(check(call, a, &c));
    if (!lw__operand_count(&c.out))
        return LW_OK;
    lw_dtype dtype;
    dtype =
        lw__accumulate_dtype(lw__accumulate(lw__promote(c.x.dtype, c.filter.dtype), c.out.dtype));
    LW_TRY(lw__as(call, &c.x, dtype));
    LW_TRY(lw__as(call, &c.filter, dtype));
    LW_TRY(lw__contiguous_in(call, &c.filter));
    struct lw__operand to = c.out;
    bool has_windows = fills(lw__matmul_gang(call, dtype), c.window.columns);
    if (c.out.dtype != dtype || (!has_windows && !lw__operand_is_contiguous(&c.out)))
        LW_TRY(lw__call_scratch(call, "out", dtype, c.out.shape, &to));
    LW_TRY((has_windows ? multiply_windows : multiply_parts)(call, &c, &to));
    return lw__out_done(call, &c.out, &to);
}

static lw_status run(const char *name, int dimensions, lw_stream *s, lw_tensor out, lw_tensor x,
                     lw_tensor filter, const lw_conv_options *options)
{
    struct conv_arguments a = {.out = out, .x = x, .filter = filter, .dimensions = dimensions};

    if (options)
        a.options = *options;
    return lw__call_run(name, s, conv_body, &a);
}

lw_status lw_conv1d(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor filter,
                    const lw_conv_options *options)
{
    return run("conv1d", 1, s, out, x, filter, options);
}

lw_status lw_conv2d(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor filter,
                    const lw_conv_options *options)
{
    return run("conv2d", 2, s, out, x, filter, options);
}

lw_status lw__infer_conv(const struct lw__question *q, lw_shape *output)
{
    const lw_shape *x = &q->inputs[0], *filter = &q->inputs[1];
    const int dimensions = q->op[4] - '0', rank = x->rank;
    const lw_dtype dtype = lw__promote(x->dtype, filter->dtype);

    assert(dimensions == 1 || dimensions == 2); /* the digit of conv1d, conv2d */
    if ((rank != dimensions && rank != dimensions + 2) || filter->rank != rank)
        return lw_fail(LW_E_SHAPE, "%s: x has rank %d and filter %d; need %d, or %d, for both",
                       q->op, rank, filter->rank, dimensions, dimensions + 2);
    *output = *x;
    if (rank > dimensions)
        output->extent[1] = filter->extent[0];
    for (int k = 0; k < dimensions; k++) {
        const int axis = rank - dimensions + k;
        const ptrdiff_t padded =
            x->extent[axis] + 2 * (ptrdiff_t)lw__param(q->params, "pad")->two[k];

        if (!filter->extent[axis] || filter->extent[axis] > padded)
            return lw_fail(LW_E_SHAPE, "%s: filter has extent %td in axis %d; need 1 to %td", q->op,
                           filter->extent[axis], axis, padded);
        output->extent[axis] =
            (padded - filter->extent[axis]) / lw__param(q->params, "stride")->two[k] + 1;
    }
    lw__choose_dtype(q->params, lw__dtype_is_float(dtype) ? dtype : LW_I64, output);
    return LW_OK;
}
