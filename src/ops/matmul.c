/* matmul.c - lw_matmul: ranks and batches brought to one form (struct lw__product), which
 * matmul_launch.c has kernels for.
 */
#include "ops/product.h"
#include <assert.h>
#include <string.h>

/* ---- ranks, as NumPy has them ---- */

static void swap_last(struct lw__operand *o)
{
    const size_t extent = o->shape.extent[LW_ROW];
    const ptrdiff_t stride = o->view.stride[LW_ROW];

    o->shape.extent[LW_ROW] = o->shape.extent[LW_COLUMN];
    o->view.stride[LW_ROW] = o->view.stride[LW_COLUMN];
    o->shape.extent[LW_COLUMN] = extent;
    o->view.stride[LW_COLUMN] = stride;
}

/* The axes up to `last` move to the front by one, and axis `last` becomes one of extent 1: the axis
 * that a vector lacks. */
static void make_axis(struct lw__operand *o, int last)
{
    for (int k = 0; k < last; k++) {
        o->shape.extent[k] = o->shape.extent[k + 1];
        o->view.stride[k] = o->view.stride[k + 1];
    }
    o->shape.extent[last] = 1;
    o->view.stride[last] = 0;
}

/* The shape of the result with all four axes. */
static lw_status result_shape(const struct lw__call *call, const struct lw__product *p,
                              struct lw__shape *shape)
{
    const struct lw__operand *x = &p->x, *y = &p->y;
    char of_x[LW_SHAPE_TEXT], of_y[LW_SHAPE_TEXT];
    bool fits = x->rank > 0 && y->rank > 0 &&
                x->shape.extent[LW_COLUMN] == y->shape.extent[y->rank == 1 ? LW_COLUMN : LW_ROW];

    for (int k = 0; k < LW_ROW; k++) {
        const size_t a = x->shape.extent[k], b = y->shape.extent[k];

        fits = fits && (a == b || a == 1 || b == 1);
        shape->extent[k] = a == 1 ? b : a;
    }
    shape->extent[LW_ROW] = x->shape.extent[LW_ROW];
    shape->extent[LW_COLUMN] = y->rank == 1 ? 1 : y->shape.extent[LW_COLUMN];
    if (fits)
        return LW_OK;
    return lw_fail(LW_E_SHAPE,
                   "%s: x has shape %s and y has %s; need (..., m, k) and (..., k, n), or vectors "
                   "(k,), with batches that broadcast",
                   call->name, lw__operand_text(x, of_x), lw__operand_text(y, of_y));
}

static lw_status check_out(const struct lw__call *call, const struct lw__product *p,
                           const struct lw__shape *shape)
{
    const int rank_x = p->x.rank, rank_y = p->y.rank;
    const int batch = (rank_x > rank_y ? rank_x : rank_y) - 2;
    size_t extents[LW_AXES];
    int rank = 0;

    for (int k = LW_ROW - (batch > 0 ? batch : 0); k < LW_ROW; k++)
        extents[rank++] = shape->extent[k];
    if (rank_x > 1)
        extents[rank++] = shape->extent[LW_ROW];
    if (rank_y > 1)
        extents[rank++] = shape->extent[LW_COLUMN];
    return lw__operand_expect(call, &p->out, rank, extents);
}

static lw_status take_bias(struct lw__call *call, struct lw__product *p, const lw_tensor *bias)
{
    char of_bias[LW_SHAPE_TEXT], of_out[LW_SHAPE_TEXT];

    p->bias = p->out;
    p->has_bias = bias != NULL;
    if (!bias)
        return LW_OK;
    LW_TRY(lw__operand_in(call, "bias", *bias, &p->bias));
    LW_TRY(lw__operand_apart(call, &p->out, &p->bias, false));
    struct lw__operand as_given = p->bias;
    if (as_given.rank <= p->out.rank && lw__operand_broadcast(&p->bias, &p->out.shape))
        return LW_OK;
    return lw_fail(LW_E_SHAPE, "%s: bias has shape %s; need one that broadcasts to out's %s",
                   call->name, lw__operand_text(&as_given, of_bias),
                   lw__operand_text(&p->out, of_out));
}

/* x, y, out and bias with four axes each: two of batch, rows or terms, terms or columns. */
static lw_status take_axes(struct lw__call *call, struct lw__product *p, const lw_tensor *bias)
{
    const int rank_x = p->x.rank, rank_y = p->y.rank;

    struct lw__shape shape;
    LW_TRY(result_shape(call, p, &shape));
    LW_TRY(check_out(call, p, &shape));
    LW_TRY(take_bias(call, p, bias));
    if (rank_y == 1) {
        swap_last(&p->y);
        make_axis(&p->out, LW_COLUMN);
        make_axis(&p->bias, LW_COLUMN);
    }
    if (rank_x == 1) {
        make_axis(&p->out, LW_ROW);
        make_axis(&p->bias, LW_ROW);
    }
    p->m = shape.extent[LW_ROW];
    p->n = shape.extent[LW_COLUMN];
    p->k = p->x.shape.extent[LW_COLUMN];
    struct lw__shape of_x, of_y;
    of_x = of_y = shape;
    of_x.extent[LW_COLUMN] = of_y.extent[LW_ROW] = p->k;
    lw__operand_broadcast(&p->x, &of_x);
    lw__operand_broadcast(&p->y, &of_y);
    return LW_OK;
}

/* ---- one form ---- */

struct lw__operand lw__without_repeats(struct lw__operand o)
{
    for (int k = 0; k < LW_AXES; k++)
        if (!o.view.stride[k] && o.shape.extent[k])
            o.shape.extent[k] = 1;
    return o;
}

lw_status lw__as_dtype(struct lw__call *call, struct lw__operand *o, lw_dtype dtype)
{
    const struct lw__operand from = lw__without_repeats(*o);
    const struct lw__shape shape = o->shape;
    struct lw__operand to;

    LW_TRY(lw__call_scratch(call, o->name, dtype, from.shape, &to));
    LW_TRY(lw__copy(call, &to, &from));
    to.rank = o->rank;
    lw__operand_broadcast(&to, &shape);
    *o = to;
    return LW_OK;
}

/* Products with the same y become one with more rows. For this the rows of x and out must continue
 * from one product to the next. */
static void join_batch(struct lw__product *p)
{
    for (int k = LW_ROW - 1; k >= 0; k--) {
        struct lw__operand *both[] = {&p->x, &p->out, &p->bias};
        const size_t extent = p->out.shape.extent[k];
        const ptrdiff_t m = (ptrdiff_t)p->m;

        if (extent == 1)
            continue;
        if (p->y.view.stride[k] || p->x.view.stride[k] != m * p->x.view.stride[LW_ROW] ||
            p->out.view.stride[k] != m * p->out.view.stride[LW_ROW] ||
            (p->has_bias && p->bias.view.stride[k] != m * p->bias.view.stride[LW_ROW]))
            return;
        for (int i = 0; i < 3; i++) {
            both[i]->shape.extent[k] = 1;
            both[i]->shape.extent[LW_ROW] *= extent;
        }
        p->y.shape.extent[k] = 1;
        p->m *= extent;
    }
}

/* True if the transposed product is faster: few columns leave most lanes idle, unless a panel is as
 * narrow. Rows of x that lie side by side are better columns. */
static bool turns(const struct lw__call *call, const struct lw__product *p)
{
    const size_t least = lw__matmul_least_gang(call, p->type);

    if (p->n >= LW_FEW || p->m <= p->n)
        return false;
    return p->n == 1 || !least || least > LW_FEW || p->x.view.stride[LW_ROW] == 1;
}

/* The transposed product, y's lines as rows. */
static void turn(struct lw__product *p)
{
    const struct lw__operand x = p->x;
    const size_t m = p->m;

    p->x = p->y;
    p->y = x;
    swap_last(&p->x);
    swap_last(&p->y);
    swap_last(&p->out);
    swap_last(&p->bias);
    p->m = p->n;
    p->n = m;
}

static lw_status bring(struct lw__call *call, struct lw__product *p)
{
    const lw_dtype accumulated = lw__accumulate_dtype(p->type),
                   dtype = p->by_amx ? LW_BF16 : accumulated;

    if (p->x.dtype != dtype)
        LW_TRY(lw__as_dtype(call, &p->x, dtype));
    if (p->y.dtype != dtype)
        LW_TRY(lw__as_dtype(call, &p->y, dtype));
    if (p->has_bias && p->bias.dtype != accumulated)
        LW_TRY(lw__as_dtype(call, &p->bias, accumulated));
    if (p->by_amx && p->x.view.stride[LW_COLUMN] != 1)
        LW_TRY(lw__as_dtype(call, &p->x, dtype));
    join_batch(p);
    if (turns(call, p))
        turn(p);
    assert(p->m == p->out.shape.extent[LW_ROW] && p->n == p->out.shape.extent[LW_COLUMN]);
    if (!call->is_gpu && (p->by_amx || p->m >= 2 * LW_FEW) && p->n > 1 &&
        p->y.view.stride[LW_COLUMN] != 1)
        LW_TRY(lw__as_dtype(call, &p->y, dtype));
    return LW_OK;
}

/* ---- the operation ---- */

lw_status lw__check_contraction(const struct lw__call *call, lw_sum_order order)
{
    if (order == LW_SUM_FIXED || order == LW_SUM_FREE)
        return LW_OK;
    if (order == LW_SUM_EXACT)
        return lw_fail(LW_E_ARG, "%s: sum is LW_SUM_EXACT; need LW_SUM_FIXED or _FREE", call->name);
    return lw_fail(LW_E_ARG, "%s: sum is %d; need LW_SUM_FIXED or _FREE", call->name, (int)order);
}

lw_status lw__matmul(struct lw__call *call, const struct lw__operand *out,
                     const struct lw__operand *x, const struct lw__operand *y,
                     const struct lw__window *window)
{
    struct lw__product p = {.x = *x,
                            .y = *y,
                            .out = *out,
                            .bias = *out,
                            .type = lw__accumulate(out->dtype, out->dtype),
                            .m = out->shape.extent[LW_ROW],
                            .n = out->shape.extent[LW_COLUMN],
                            .k = x->shape.extent[LW_COLUMN]};

    assert(window || p.k == y->shape.extent[LW_ROW]);
    if (window) {
        p.window = *window;
        return lw__matmul_launch(call, &p);
    }
    LW_TRY(bring(call, &p));
    return lw__matmul_launch(call, &p);
}

struct matmul_arguments {
    lw_tensor out, x, y;
    lw_matmul_options options;
};

static lw_status matmul_body(struct lw__call *call, void *arguments)
{
    const struct matmul_arguments *a = arguments;
    struct lw__product p = {0};

    LW_TRY(lw__check_contraction(call, a->options.sum));
    LW_TRY(lw__operand_in(call, "x", a->x, &p.x));
    LW_TRY(lw__operand_in(call, "y", a->y, &p.y));
    LW_TRY(lw__operand_out(call, "out", a->out, &p.out));
    LW_TRY(lw__operand_apart(call, &p.out, &p.x, false));
    LW_TRY(lw__operand_apart(call, &p.out, &p.y, false));
    LW_TRY(take_axes(call, &p, a->options.bias));
    p.type = lw__accumulate(lw__promote(p.x.dtype, p.y.dtype), p.out.dtype);
    lw_dtype dtype = lw__accumulate_dtype(p.type);
    struct lw__operand out = p.out;
    p.by_amx = a->options.sum == LW_SUM_FREE && p.x.dtype == LW_BF16 && p.y.dtype == LW_BF16 &&
               lw__matmul_suits_amx(call, &p);
    const bool is_made = out.dtype != dtype && !(p.by_amx && out.dtype == LW_BF16);
    if (is_made)
        LW_TRY(lw__call_scratch(call, "out", dtype, out.shape, &p.out));
    struct lw__operand made = p.out;
    LW_TRY(bring(call, &p));
    LW_TRY(lw__matmul_launch(call, &p));
    return is_made ? lw__copy(call, &out, &made) : LW_OK;
}

lw_status lw__matmul_check(struct lw__call *call, lw_tensor out, lw_tensor x, lw_tensor y,
                           const lw_matmul_options *options)
{
    struct matmul_arguments a = {out, x, y, options ? *options : (lw_matmul_options){0}};

    return matmul_body(call, &a);
}

lw_status lw_matmul(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                    const lw_matmul_options *options)
{
    struct matmul_arguments a = {out, x, y, options ? *options : (lw_matmul_options){0}};

    return lw__call_run("matmul", s, matmul_body, &a);
}
