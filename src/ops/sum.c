/* sum.c - sum, prod and mean. */
#include "ops/reduce.h"
#include <assert.h>
#include <math.h>

enum sum_op { SUM, PROD };

/* The kernels of kernels/sum.c. ORDER ACCUMULATE. */
struct sum_kernels {
    const char *rows, *merge, *columns, *strided;
};
/* clang-format off */
static const struct sum_kernels all_kernels[2][3] = {
    {{"sum_rows_float", "sum_merge_float", "sum_columns_float", "sum_strided_float"},
     {"sum_rows_double", "sum_merge_double", "sum_columns_double", NULL},
     {"sum_rows_int64", "sum_merge_int64", "sum_columns_int64", NULL}},
    {{"prod_rows_float", "sum_merge_float", "prod_columns_float", NULL},
     {"prod_rows_double", "sum_merge_double", "prod_columns_double", NULL},
     {"prod_rows_int64", "sum_merge_int64", NULL, NULL}},
};
/* clang-format on */

/* What a sum is besides its operands. */
struct sum {
    enum sum_op op;
    enum lw__accumulate acc;
    bool is_unsigned; /* the total is one of u64 */
    double divisor;   /* 0: none */
};

/* ---- parts ---- */

enum {
    MERGE_EACH = 64, /* parts that a thread merges at most */
    MERGE_FEW = 1024 /* parts for which a small block is enough */
};

/* src/ops/meson.build has these sizes of block. */
static lw_dim3 merge_block(const struct lw__call *call, size_t count)
{
    return lw_dim_2(LW_WARP_SIZE, !call->is_gpu ? 1 : count > MERGE_FEW ? 16 : 4);
}

static lw_status launch_merge(struct lw__call *call, const struct sum *sum,
                              const struct lw__cut *cut, const struct lw__operand *parts,
                              size_t count, const struct lw__shape *rows,
                              const struct lw__operand *to)
{
    return LW_OP_BLOCKS_LEVEL(
        call, sum, all_kernels[sum->op][sum->acc].merge, cut->items, merge_block(call, count),
        lw__arg_cut(cut), lw__arg_shape(rows), lw_arg_uint(count), lw_arg_buffer(parts->buffer),
        lw_arg_uint((size_t)parts->view.offset), lw__arg_view(&to->view), lw_arg_buffer(to->buffer),
        lw_arg_int(to->dtype), lw_arg_uint(sum->is_unsigned), lw_arg_real(sum->divisor),
        lw_arg_uint(sum->op == PROD));
}

/* A block merges a power of 2 of parts for each of its threads. */
static lw_status merge(struct lw__call *call, const struct sum *sum,
                       const struct lw__operand *parts, size_t count, const struct lw__operand *out)
{
    const size_t threads = LW_WARP_SIZE * merge_block(call, count).y;
    const struct sum part = {.op = sum->op, .acc = sum->acc};
    struct lw__cut cut = {.part = threads, .chunk = 1};

    while (cut.part < count && cut.part < threads * MERGE_EACH)
        cut.part *= 2;
    assert(parts->shape.extent[LW_AXES - 1] == count && !(cut.part & (cut.part - 1)));
    cut.parts = lw__divide_up(count, cut.part);
    cut.items = lw__operand_count(out) * cut.parts;
    if (cut.parts == 1)
        return launch_merge(call, sum, &cut, parts, count, &out->shape, out);
    struct lw__operand more;
    LW_TRY(lw__parts(call, parts->dtype, out, cut.parts, &more));
    LW_TRY(launch_merge(call, &part, &cut, parts, count, &out->shape, &more));
    return merge(call, sum, &more, cut.parts, out);
}

lw_status lw__merge_sums(struct lw__call *call, const struct lw__operand *parts, size_t count,
                         const struct lw__operand *out, enum lw__accumulate acc, bool is_unsigned)
{
    const struct sum sum = {.op = SUM, .acc = acc, .is_unsigned = is_unsigned};

    return merge(call, &sum, parts, count, out);
}

/* ---- rows and columns ---- */

static lw_status launch_rows(struct lw__call *call, const struct sum *sum,
                             const struct lw__cut *cut, lw_dim3 grid, const struct lw__reduction *r,
                             const struct lw__operand *to)
{
    return LW_OP_LAUNCH_LEVEL(call, sum, all_kernels[sum->op][sum->acc].rows, grid,
                              lw__rows_block(call), lw__arg_cut(cut), lw__arg_shape(&r->x.shape),
                              lw__arg_view(&r->x.view), lw_arg_buffer(r->x.buffer),
                              lw_arg_int(lw__loaded_as(r->x.dtype, true)), lw__arg_view(&to->view),
                              lw_arg_buffer(to->buffer), lw_arg_int(to->dtype),
                              lw_arg_uint(sum->is_unsigned), lw_arg_real(sum->divisor));
}

static lw_status sum_rows(struct lw__call *call, const struct sum *sum, struct lw__reduction *r)
{
    struct sum part = *sum;
    struct lw__cut cut;
    lw_dim3 grid;

    LW_TRY(lw__cut_rows_into(call, lw__sum_warps(call), r->rows, r->n, &cut, &grid));
    cut.whole = r->whole;
    if (cut.parts == 1)
        return launch_rows(call, sum, &cut, grid, r, &r->out);
    part.divisor = 0;
    part.is_unsigned = false;
    struct lw__operand parts;
    LW_TRY(lw__parts(call, lw__accumulate_dtype(sum->acc), &r->out, cut.parts, &parts));
    LW_TRY(launch_rows(call, &part, &cut, grid, r, &parts));
    return merge(call, sum, &parts, cut.parts, &r->out);
}

static lw_status launch_columns(struct lw__call *call, const struct sum *sum,
                                const struct lw__cut *cut, lw_dim3 grid,
                                const struct lw__reduction *r, const struct lw__operand *to)
{
    const struct sum_kernels *k = &all_kernels[sum->op][sum->acc];
    const lw_dim3 block = lw_dim_2(LW_COLUMNS, call->is_gpu ? 16 : 1);

    assert(lw_dtype_size(to->dtype) == lw_dtype_size(lw__accumulate_dtype(sum->acc)));
    assert(r->layout == LW_LAYOUT_COLUMNS || k->strided);
    if (r->layout == LW_LAYOUT_STRIDED)
        return LW_OP_LAUNCH_LEVEL(
            call, sum, k->strided, grid, lw_dim_1(LW_COLUMNS), lw__arg_cut(cut),
            lw__arg_shape(&r->x.shape), lw__arg_view(&r->x.view), lw_arg_buffer(r->x.buffer),
            lw__arg_view(&to->view), lw_arg_buffer(to->buffer), lw_arg_real(sum->divisor));
    return LW_OP_LAUNCH_LEVEL(call, sum, k->columns, grid, block, lw__arg_cut(cut),
                              lw__arg_shape(&r->x.shape), lw__arg_view(&r->x.view),
                              lw_arg_buffer(r->x.buffer),
                              lw_arg_int(lw__loaded_as(r->x.dtype, true)), lw__arg_view(&to->view),
                              lw_arg_buffer(to->buffer), lw_arg_real(sum->divisor));
}

/* Columns are written as A; of u64 as that, which has the bits of i64. */
static lw_status sum_columns(struct lw__call *call, const struct sum *sum, struct lw__reduction *r)
{
    const bool is_u64 = sum->acc == LW_ACC_I64 && sum->is_unsigned;
    const lw_dtype dtype = is_u64 ? LW_U64 : lw__accumulate_dtype(sum->acc);
    struct sum part = *sum;
    struct lw__cut cut;
    lw_dim3 grid;

    LW_TRY(lw__cut_columns(call, r, &cut, &grid));
    struct lw__operand to;
    if (cut.parts == 1) {
        LW_TRY(lw__typed_out(call, &r->out, dtype, &to));
        LW_TRY(launch_columns(call, sum, &cut, grid, r, &to));
        return lw__out_done(call, &r->out, &to);
    }
    part.divisor = 0;
    struct lw__operand parts;
    LW_TRY(lw__parts(call, dtype, &r->out, cut.parts, &parts));
    LW_TRY(launch_columns(call, &part, &cut, grid, r, &parts));
    return merge(call, sum, &parts, cut.parts, &r->out);
}

/* ---- the operations ---- */

/* True if the kernels load elements of this dtype as A: sums from what A holds, but as double f32
 * and f64 alone. */
static bool is_loaded(const struct sum *sum, lw_dtype dtype)
{
    if (lw__loaded_as(dtype, true) == lw__accumulate_dtype(sum->acc))
        return true;
    return sum->op == SUM && (sum->acc != LW_ACC_F64 || dtype == LW_F32);
}

static lw_status reduce(struct lw__call *call, const struct sum *sum, struct lw__reduction *r)
{
    const struct sum_kernels *k = &all_kernels[sum->op][sum->acc];
    const lw_dtype type = lw__accumulate_dtype(sum->acc);
    /* the others are there for vectors alone, and integers are not divided */
    const bool is_plain = sum->op == SUM && sum->acc != LW_ACC_I64;
    const bool has_columns = k->columns && (is_plain || (call->has_vectors && sum->divisor == 0));

    if (!is_loaded(sum, r->x.dtype))
        LW_TRY(lw__as(call, &r->x, type));
    LW_TRY(lw__reduction_layout(call, r, has_columns, k->strided));
    if (r->layout == LW_LAYOUT_STRIDED)
        LW_TRY(lw__as(call, &r->x, type));
    return r->layout == LW_LAYOUT_ROWS ? sum_rows(call, sum, r) : sum_columns(call, sum, r);
}

/* LW_SUM_EXACT of floating point */
static lw_status reduce_exactly(struct lw__call *call, const struct sum *sum, double divisor,
                                struct lw__reduction *r)
{
    LW_TRY(lw__one_row(call, r));
    return lw__exact(call, &r->x, NULL, &r->out, sum->acc, divisor);
}

/* True if n integers of this type have a sum that double holds, so that the order does not
 * matter: as integers they need not be converted. */
static bool adds_exactly(lw_dtype dtype, size_t n)
{
    return !lw__dtype_is_float(dtype) && lw_dtype_size(dtype) <= 4 &&
           n <= (size_t)1 << (53 - 8 * lw_dtype_size(dtype));
}

static enum lw__accumulate mean_type(lw_dtype in, lw_dtype out)
{
    return lw__dtype_is_float(in) ? lw__accumulate(in, out) : LW_ACC_F64;
}

enum lw__accumulate lw__sum_accumulate(lw_dtype in, lw_dtype out, bool is_mean, size_t n)
{
    const enum lw__accumulate type = is_mean ? mean_type(in, out) : lw__accumulate(in, out);

    return type == LW_ACC_F64 && adds_exactly(in, n) ? LW_ACC_I64 : type;
}

static lw_status sum_body(struct lw__call *call, void *arguments)
{
    const struct lw__reduce_arguments *a = arguments;
    struct sum sum = {.op = SUM};

    struct lw__reduction r;
    LW_TRY(lw__reduction_begin(call, a, &r));
    sum.acc = lw__sum_accumulate(r.x.dtype, r.out.dtype, false, r.n);
    sum.is_unsigned = lw__dtype_is_unsigned(r.x.dtype);
    if (a->options.sum == LW_SUM_EXACT && sum.acc != LW_ACC_I64)
        return reduce_exactly(call, &sum, 0, &r);
    return reduce(call, &sum, &r);
}

static lw_status prod_body(struct lw__call *call, void *arguments)
{
    const struct lw__reduce_arguments *a = arguments;
    struct sum sum = {.op = PROD};

    struct lw__reduction r;
    LW_TRY(lw__reduction_begin(call, a, &r));
    if (a->options.sum == LW_SUM_EXACT && lw__dtype_is_float(r.x.dtype))
        return lw_fail(LW_E_ARG, "%s: sum is LW_SUM_EXACT, which products cannot keep", call->name);
    sum.acc = lw__accumulate(r.x.dtype, r.out.dtype);
    sum.is_unsigned = lw__dtype_is_unsigned(r.x.dtype);
    return reduce(call, &sum, &r);
}

static lw_status mean_body(struct lw__call *call, void *arguments)
{
    const struct lw__reduce_arguments *a = arguments;
    struct sum sum = {.op = SUM};

    struct lw__reduction r;
    LW_TRY(lw__reduction_begin(call, a, &r));
    sum.acc = mean_type(r.x.dtype, r.out.dtype);
    sum.divisor = (double)r.n;
    if (!r.n) {
        sum.divisor = (double)NAN;
        return reduce(call, &sum, &r);
    }
    if (a->options.sum == LW_SUM_EXACT)
        return reduce_exactly(call, &sum, sum.divisor, &r);
    sum.acc = lw__sum_accumulate(r.x.dtype, r.out.dtype, true, r.n);
    return reduce(call, &sum, &r);
}

/* A node of a sum over ranks. */
struct node_arguments {
    struct lw__reduce_arguments reduce;
    enum lw__accumulate acc;
};

static lw_status node_body(struct lw__call *call, void *arguments)
{
    const struct node_arguments *a = arguments;
    const struct sum sum = {.op = SUM, .acc = a->acc};
    struct lw__reduction r;

    LW_TRY(lw__reduction_begin(call, &a->reduce, &r));
    return reduce(call, &sum, &r);
}

lw_status lw__sum_node(lw_stream *s, lw_tensor out, lw_tensor x, int axis, enum lw__accumulate acc)
{
    struct node_arguments a = {{.out = out, .x = x, .options.axis = axis}, acc};

    return lw__call_run("sum", s, node_body, &a);
}

static lw_status run(const char *name, lw__op_body *body, lw_stream *s, lw_tensor out, lw_tensor x,
                     const lw_reduce_options *options)
{
    struct lw__reduce_arguments a = {.out = out, .x = x};

    if (options)
        a.options = *options;
    return lw__call_run(name, s, body, &a);
}

lw_status lw_sum(lw_stream *s, lw_tensor out, lw_tensor x, const lw_reduce_options *options)
{
    return run("sum", sum_body, s, out, x, options);
}

lw_status lw_prod(lw_stream *s, lw_tensor out, lw_tensor x, const lw_reduce_options *options)
{
    return run("prod", prod_body, s, out, x, options);
}

lw_status lw_mean(lw_stream *s, lw_tensor out, lw_tensor x, const lw_reduce_options *options)
{
    return run("mean", mean_body, s, out, x, options);
}
