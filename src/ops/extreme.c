/* extreme.c - max, min, argmax, argmin, any and all. */
#include "ops/reduce.h"
#include <assert.h>

/* The kernels of kernels/extreme.c for keys of 32 and 64 bits. */
struct extreme_kernels {
    lw_dtype key;
    const char *max_rows, *max_columns, *arg_rows, *arg_columns, *arg_merge;
};
static const struct extreme_kernels all_kernels[2] = {
    {LW_I32, "max_rows_int32", "max_columns_int32", "argmax_rows_int32", "argmax_columns_int32",
     "argmax_merge_int32"},
    {LW_I64, "max_rows_int64", "max_columns_int64", "argmax_rows_int64", "argmax_columns_int64",
     "argmax_merge_int64"},
};

enum { AS_KEY = -1 }; /* a part's result is a key */

struct extreme {
    const struct extreme_kernels *kernels;
    lw_dtype of; /* the elements' type */
    bool is_min;
};

struct extreme_arguments {
    struct lw__reduce_arguments reduce;
    bool inverse; /* min, argmin, all */
};

static struct extreme extreme_of(const struct lw__reduction *r, bool is_min)
{
    const lw_dtype of = r->x.dtype;

    return (struct extreme){&all_kernels[lw_dtype_size(of) == 8], of, is_min};
}

static lw_arg loaded(const struct lw__operand *o)
{
    return lw_arg_int(lw__loaded_as(o->dtype, false));
}

/* The kernels for columns take these. */
static bool has_columns(const struct lw__reduction *r)
{
    const lw_dtype t = r->x.dtype;

    return t == LW_I32 || t == LW_F32 || t == LW_I64 || t == LW_F64;
}

static lw_arg flip_of(bool is_min)
{
    return lw_arg_int(is_min ? -1 : 0);
}

static lw_status check_some(const struct lw__call *call, const struct lw__reduction *r)
{
    char text[LW_SHAPE_TEXT];

    if (r->n)
        return LW_OK;
    return lw_fail(LW_E_SHAPE, "%s: x of shape %s has nothing along the axis; need an element",
                   call->name, lw__operand_text(&r->x, text));
}

/* ---- max, min ---- */

static lw_status max_rows(struct lw__call *call, const struct extreme *e, const struct lw__cut *cut,
                          lw_dim3 grid, const struct lw__operand *x, const struct lw__operand *to,
                          int of, bool flip, bool back)
{
    return LW_OP_LAUNCH_LEVEL(call, extreme, e->kernels->max_rows, grid, lw__rows_block(call),
                              lw__arg_cut(cut), lw__arg_shape(&x->shape), lw__arg_view(&x->view),
                              lw_arg_buffer(x->buffer), loaded(x), lw__arg_view(&to->view),
                              lw_arg_buffer(to->buffer), lw_arg_int(to->dtype), lw_arg_int(of),
                              flip_of(flip), flip_of(back));
}

static lw_status max_columns(struct lw__call *call, const struct extreme *e,
                             const struct lw__cut *cut, lw_dim3 grid, const struct lw__reduction *r,
                             const struct lw__operand *to, int of, bool back)
{
    assert(to->dtype == (of == AS_KEY ? e->kernels->key : (lw_dtype)of));
    return LW_OP_LAUNCH_LEVEL(call, extreme, e->kernels->max_columns, grid, lw_dim_1(LW_COLUMNS),
                              lw__arg_cut(cut), lw__arg_shape(&r->x.shape),
                              lw__arg_view(&r->x.view), lw_arg_buffer(r->x.buffer), loaded(&r->x),
                              lw__arg_view(&to->view), lw_arg_buffer(to->buffer), lw_arg_int(of),
                              flip_of(e->is_min), flip_of(back));
}

static lw_status max_body(struct lw__call *call, void *arguments)
{
    const struct extreme_arguments *a = arguments;
    struct lw__reduction r;

    LW_TRY(lw__reduction_begin(call, &a->reduce, &r));
    LW_TRY(check_some(call, &r));
    LW_TRY(lw__reduction_layout(call, &r, has_columns(&r), false));
    struct extreme e = extreme_of(&r, a->inverse);
    bool in_rows = r.layout == LW_LAYOUT_ROWS;
    struct lw__cut cut;
    lw_dim3 grid;
    LW_TRY(in_rows ? lw__cut_rows(call, r.rows, r.n, &cut, &grid)
                   : lw__cut_columns(call, &r, &cut, &grid));
    cut.whole = r.whole;
    struct lw__operand to;
    if (cut.parts > 1) {
        LW_TRY(lw__parts(call, e.kernels->key, &r.out, cut.parts, &to));
        LW_TRY(in_rows ? max_rows(call, &e, &cut, grid, &r.x, &to, AS_KEY, e.is_min, false)
                       : max_columns(call, &e, &cut, grid, &r, &to, AS_KEY, false));
        /* the largest of the parts' keys gives the result */
        LW_TRY(lw__whole_rows(call, lw__operand_count(&r.out), &cut, &grid));
        return max_rows(call, &e, &cut, grid, &to, &r.out, (int)e.of, false, e.is_min);
    }
    if (in_rows)
        return max_rows(call, &e, &cut, grid, &r.x, &r.out, (int)e.of, e.is_min, e.is_min);
    LW_TRY(lw__typed_out(call, &r.out, e.of, &to));
    LW_TRY(max_columns(call, &e, &cut, grid, &r, &to, (int)e.of, e.is_min));
    return lw__out_done(call, &r.out, &to);
}

/* ---- argmax, argmin ---- */

static lw_status arg_items(struct lw__call *call, const struct extreme *e,
                           const struct lw__cut *cut, lw_dim3 grid, const struct lw__reduction *r,
                           const struct lw__operand *keys, const struct lw__operand *to)
{
    const bool in_rows = r->layout == LW_LAYOUT_ROWS;

    return LW_OP_LAUNCH_LEVEL(
        call, extreme, in_rows ? e->kernels->arg_rows : e->kernels->arg_columns, grid,
        in_rows ? lw__rows_block(call) : lw_dim_1(LW_COLUMNS), lw__arg_cut(cut),
        lw__arg_shape(&r->x.shape), lw__arg_view(&r->x.view), lw_arg_buffer(r->x.buffer),
        loaded(&r->x), lw__arg_view(&to->view), lw_arg_buffer(keys->buffer),
        lw_arg_uint((size_t)keys->view.offset), lw_arg_buffer(to->buffer), flip_of(e->is_min));
}

static lw_status arg_body(struct lw__call *call, void *arguments)
{
    const struct extreme_arguments *a = arguments;
    struct lw__reduction r;

    LW_TRY(lw__reduction_begin(call, &a->reduce, &r));
    if (r.out.dtype != LW_I64)
        return lw_fail(LW_E_DTYPE, "%s: out is of %s; need i64", call->name,
                       lw_dtype_name(r.out.dtype));
    LW_TRY(check_some(call, &r));
    LW_TRY(lw__reduction_layout(call, &r, has_columns(&r), false));
    struct extreme e = extreme_of(&r, a->inverse);
    struct lw__cut cut;
    lw_dim3 grid;
    LW_TRY(r.layout == LW_LAYOUT_ROWS ? lw__cut_rows(call, r.rows, r.n, &cut, &grid)
                                      : lw__cut_columns(call, &r, &cut, &grid));
    cut.whole = r.whole;
    if (cut.parts == 1)
        return arg_items(call, &e, &cut, grid, &r, &r.out, &r.out);
    struct lw__operand keys;
    LW_TRY(lw__parts(call, e.kernels->key, &r.out, cut.parts, &keys));
    struct lw__operand places;
    LW_TRY(lw__parts(call, LW_I64, &r.out, cut.parts, &places));
    LW_TRY(arg_items(call, &e, &cut, grid, &r, &keys, &places));
    return LW_OP_BLOCKS_LEVEL(call, extreme, e.kernels->arg_merge, r.rows, lw_dim_1(LW_WARP_SIZE),
                              lw__arg_shape(&r.out.shape), lw_arg_uint(cut.parts),
                              lw_arg_buffer(keys.buffer), lw_arg_uint((size_t)keys.view.offset),
                              lw_arg_buffer(places.buffer), lw_arg_uint((size_t)places.view.offset),
                              lw__arg_view(&r.out.view), lw_arg_buffer(r.out.buffer));
}

/* ---- any, all ---- */

static lw_status any_rows(struct lw__call *call, const struct lw__cut *cut, lw_dim3 grid,
                          const struct lw__operand *x, const struct lw__operand *to, bool inverse,
                          bool again)
{
    return LW_OP_LAUNCH_LEVEL(call, extreme, "any_rows", grid, lw__rows_block(call),
                              lw__arg_cut(cut), lw__arg_shape(&x->shape), lw__arg_view(&x->view),
                              lw_arg_buffer(x->buffer), lw_arg_uint(lw_dtype_size(x->dtype)),
                              lw_arg_uint(lw__dtype_mask(x->dtype)), lw__arg_view(&to->view),
                              lw_arg_buffer(to->buffer), lw_arg_int(to->dtype),
                              lw_arg_uint(inverse), lw_arg_uint(again));
}

/* All are different from 0 if not any is 0. */
static lw_status any_body(struct lw__call *call, void *arguments)
{
    const struct extreme_arguments *a = arguments;
    const bool inverse = a->inverse;
    struct lw__reduction r;

    LW_TRY(lw__reduction_begin(call, &a->reduce, &r));
    LW_TRY(lw__reduction_layout(call, &r, false, false));
    assert(r.layout == LW_LAYOUT_ROWS);
    struct lw__cut cut;
    lw_dim3 grid;
    LW_TRY(lw__cut_rows(call, r.rows, r.n, &cut, &grid));
    cut.whole = r.whole;
    if (cut.parts == 1)
        return any_rows(call, &cut, grid, &r.x, &r.out, inverse, inverse);
    struct lw__operand parts;
    LW_TRY(lw__parts(call, LW_BOOL, &r.out, cut.parts, &parts));
    LW_TRY(any_rows(call, &cut, grid, &r.x, &parts, inverse, false));
    LW_TRY(lw__whole_rows(call, r.rows, &cut, &grid));
    return any_rows(call, &cut, grid, &parts, &r.out, false, inverse);
}

/* ---- the operations ---- */

static lw_status run(const char *name, lw__op_body *body, bool inverse, lw_stream *s, lw_tensor out,
                     lw_tensor x, const lw_reduce_options *options)
{
    struct extreme_arguments a = {.reduce = {.out = out, .x = x}, .inverse = inverse};

    if (options)
        a.reduce.options = *options;
    return lw__call_run(name, s, body, &a);
}

#define OPERATION(name, body, inverse)                                                             \
    lw_status lw_##name(lw_stream *s, lw_tensor out, lw_tensor x,                                  \
                        const lw_reduce_options *options)                                          \
    {                                                                                              \
        return run(#name, body, inverse, s, out, x, options);                                      \
    }
OPERATION(max, max_body, false)
OPERATION(min, max_body, true)
OPERATION(argmax, arg_body, false)
OPERATION(argmin, arg_body, true)
OPERATION(any, any_body, false)
OPERATION(all, any_body, true)
