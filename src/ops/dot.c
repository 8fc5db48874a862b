/* dot.c - the dot product of two vectors of any types. */
#include "ops/reduce.h"

struct dot_arguments {
    lw_tensor out, x, y;
    lw_dot_options options;
};

struct dot {
    struct lw__operand x, y, out;
    size_t n;
    enum lw__accumulate acc;
    bool is_unsigned, is_exact;
};

static lw_status check(struct lw__call *call, const struct dot_arguments *a, struct dot *d)
{
    LW_TRY(lw__operand_in(call, "x", a->x, &d->x));
    LW_TRY(lw__operand_in(call, "y", a->y, &d->y));
    LW_TRY(lw__operand_out(call, "out", a->out, &d->out));
    LW_TRY(lw__operand_apart(call, &d->out, &d->x, false));
    LW_TRY(lw__operand_apart(call, &d->out, &d->y, false));
    if (d->x.rank != 1)
        return lw_fail(LW_E_SHAPE, "%s: x has rank %d; need 1", call->name, d->x.rank);
    LW_TRY(lw__operand_same_shape(call, &d->x, &d->y));
    LW_TRY(lw__operand_expect(call, &d->out, 0, NULL));
    LW_TRY(lw__check_order(call, a->options.sum));
    d->is_exact = a->options.sum == LW_SUM_EXACT;
    d->n = d->x.shape.extent[LW_AXES - 1];
    d->acc = lw__accumulate(lw__promote(d->x.dtype, d->y.dtype), d->out.dtype);
    d->is_unsigned = lw__dtype_is_unsigned(lw__promote(d->x.dtype, d->y.dtype));
    return LW_OK;
}

#define PLACE(o) lw_arg_buffer((o).buffer), lw_arg_uint((size_t)(o).view.offset)
#define VECTOR(o) PLACE(o), lw_arg_int((o).view.stride[LW_AXES - 1])
#define RESULT(o) PLACE(o), lw_arg_int((o).dtype)

static lw_arg loaded(const struct dot *d, const struct lw__operand *o)
{
    return lw_arg_int(lw__loaded_as(o->dtype, d->acc == LW_ACC_I64));
}

/* The kernel for common pairs of types that are added in the first, or NULL. */
static const char *pair_kernel(const struct dot *d, lw_dtype x, lw_dtype y)
{
    if (x == LW_F64)
        return y == LW_F64 ? "dot_f64" : y == LW_F32 ? "dot_f64_f32" : NULL;
    if (x != LW_F32 || d->acc != LW_ACC_F32)
        return NULL;
    return y == LW_F32                  ? "dot_f32"
           : y == LW_I8                 ? "dot_f32_i8"
           : y == LW_U8 || y == LW_BOOL ? "dot_f32_u8"
                                        : NULL;
}

static lw_status launch_pair(struct lw__call *call, const struct dot *d, const struct lw__cut *cut,
                             lw_dim3 grid, const struct lw__operand *to)
{
    const bool turn = !pair_kernel(d, d->x.dtype, d->y.dtype); /* a product is the same both ways */
    const struct lw__operand *x = turn ? &d->y : &d->x, *y = turn ? &d->x : &d->y;

    return LW_OP_LAUNCH_LEVEL(call, dot, pair_kernel(d, x->dtype, y->dtype), grid,
                              lw__rows_block(call), lw__arg_cut(cut), lw_arg_uint(d->n), VECTOR(*x),
                              VECTOR(*y), RESULT(*to));
}

static lw_status launch(struct lw__call *call, const struct dot *d, const struct lw__cut *cut,
                        lw_dim3 grid, const struct lw__operand *to)
{
    static const char *const names[] = {"dot_float", "dot_double", "dot_int64"};

    if (pair_kernel(d, d->x.dtype, d->y.dtype) || pair_kernel(d, d->y.dtype, d->x.dtype))
        return launch_pair(call, d, cut, grid, to);
    return LW_OP_LAUNCH_LEVEL(call, dot, names[d->acc], grid, lw__rows_block(call),
                              lw__arg_cut(cut), lw_arg_uint(d->n), VECTOR(d->x), loaded(d, &d->x),
                              VECTOR(d->y), loaded(d, &d->y), RESULT(*to),
                              lw_arg_uint(to == &d->out && d->is_unsigned));
}

static lw_status dot_body(struct lw__call *call, void *arguments)
{
    struct dot d;

    LW_TRY(check(call, arguments, &d));
    if (d.is_exact && d.acc != LW_ACC_I64)
        return lw__exact(call, &d.x, &d.y, &d.out, d.acc, 0);
    if (!call->has_vectors) {
        LW_TRY(lw__rows_in(call, &d.x));
        LW_TRY(lw__rows_in(call, &d.y));
    }
    struct lw__cut cut;
    lw_dim3 grid;
    LW_TRY(lw__cut_rows_into(call, lw__sum_warps(call), 1, d.n, &cut, &grid));
    if (cut.parts == 1)
        return launch(call, &d, &cut, grid, &d.out);
    struct lw__operand parts;
    LW_TRY(lw__parts(call, lw__accumulate_dtype(d.acc), &d.out, cut.parts, &parts));
    LW_TRY(launch(call, &d, &cut, grid, &parts));
    return lw__merge_sums(call, &parts, cut.parts, &d.out, d.acc, d.is_unsigned);
}

lw_status lw_dot(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                 const lw_dot_options *options)
{
    struct dot_arguments a = {.out = out, .x = x, .y = y};

    if (options)
        a.options = *options;
    return lw__call_run("dot", s, dot_body, &a);
}
