/* exact.c - LW_SUM_EXACT: sums and dot products whose exact value is rounded once.
 *
 * A first sum comes with a bound of its error, which nearly always decides how the exact sum is
 * rounded. The kernels mark the rows where it does not, and make those again as integers; where no
 * row is marked these launches end at once. So a call needs no answer from the device.
 */
#include "ops/reduce.h"
#include <assert.h>

/* ORDER EXACT: kernels/exact.h. Integers of a part; blocks of exact_bins_A. */
enum { CELLS = 140, THREADS = 8, SUM_DOUBLES = 3 };

struct bound {
    double of_size, least;
};
struct result {
    int type, out;
    double divisor;
};

struct exact {
    const struct lw__operand *x, *y, *out; /* y NULL: a sum */
    bool in_double;                        /* terms are of double, not products of floats */
    struct lw__cut cut;
    struct bound bound;
    struct result result;
    struct lw__operand sums, marks, bins;
};

/* The error bound of the first sum, relative to the sum of absolute terms. A term of floats is
 * exact in double, and is in at most 32 + LW_PART_LEAVES + 6 additions. A term of doubles is in
 * `depth` additions, whose errors are summed up; the rest is of second order. Each summand of the
 * bound is generous. */
static struct bound bound_of(const struct exact *e, size_t n, bool may_underflow)
{
    const double depth = (double)(e->cut.part / LW_WARP_SIZE + e->cut.parts / LW_WARP_SIZE) + 32;

    assert(e->cut.part <= LW_LEAF * LW_PART_LEAVES);
    if (!e->in_double)
        return (struct bound){128 * 0x1p-53, (double)n * 0x1p-190};
    return (struct bound){4 * depth * depth * 0x1p-106,
                          may_underflow ? ((double)n + 1) * 0x1p-1070 : 0};
}

/* ---- launches ---- */

#define SCRATCH(o) lw_arg_buffer((o).buffer), lw_arg_uint((size_t)(o).view.offset)
#define STRUCT(s) lw_arg_bytes(&(s), sizeof(s))

static lw_status launch_parts(struct lw__call *call, const struct exact *e, lw_dim3 grid)
{
    const char *parts = e->in_double ? "exact_parts_double" : "exact_parts_float";
    const struct lw__operand *y = e->y ? e->y : e->x;

    return LW_OP_LAUNCH(call, exact, parts, grid, lw__rows_block(call), lw__arg_cut(&e->cut),
                        lw__arg_shape(&e->x->shape), lw__arg_view(&e->x->view),
                        lw_arg_buffer(e->x->buffer), lw_arg_buffer(y->buffer),
                        lw_arg_uint((size_t)y->view.offset), lw_arg_uint(e->y != NULL),
                        STRUCT(e->bound), STRUCT(e->result), lw__arg_view(&e->out->view),
                        lw_arg_buffer(e->out->buffer), SCRATCH(e->sums), SCRATCH(e->marks));
}

static lw_status launch_merge(struct lw__call *call, const struct exact *e, size_t rows)
{
    struct lw__shape s = e->out->shape;

    s.extent[LW_AXES - 1] = e->cut.parts;
    return LW_OP_BLOCKS(call, exact, "exact_merge", rows, lw_dim_1(LW_WARP_SIZE), lw__arg_shape(&s),
                        lw_arg_uint(e->cut.items), STRUCT(e->bound), STRUCT(e->result),
                        lw__arg_view(&e->out->view), lw_arg_buffer(e->out->buffer),
                        SCRATCH(e->sums), SCRATCH(e->marks));
}

static lw_status launch_bins(struct lw__call *call, const struct exact *e)
{
    const struct lw__operand *y = e->y ? e->y : e->x;
    struct lw__cut cut = e->cut;

    cut.chunk = cut.items / 4096 + 1;
    return LW_OP_BLOCKS(call, exact, "exact_bins", lw__divide_up(cut.items, cut.chunk),
                        lw_dim_1(THREADS), lw__arg_cut(&cut), lw__arg_shape(&e->x->shape),
                        lw__arg_view(&e->x->view), lw_arg_buffer(e->x->buffer),
                        lw_arg_int(e->x->dtype), lw_arg_buffer(y->buffer),
                        lw_arg_uint((size_t)y->view.offset), lw_arg_uint(e->y != NULL),
                        STRUCT(e->result), lw__arg_view(&e->out->view),
                        lw_arg_buffer(e->out->buffer), SCRATCH(e->marks), SCRATCH(e->bins));
}

static lw_status launch_round(struct lw__call *call, const struct exact *e, size_t rows)
{
    struct lw__shape s = e->out->shape;

    s.extent[LW_AXES - 1] = e->cut.parts;
    return LW_OP_BLOCKS(call, exact, "exact_round", rows, lw_dim_1(THREADS), lw__arg_shape(&s),
                        STRUCT(e->result), lw__arg_view(&e->out->view),
                        lw_arg_buffer(e->out->buffer), SCRATCH(e->marks), SCRATCH(e->bins));
}

/* ---- */

/* The kernels read f32 or f64, side by side. */
static lw_status bring(struct lw__call *call, struct lw__operand *o, bool in_double)
{
    if (!lw__operand_count(o))
        return LW_OK;
    LW_TRY(lw__as(call, o, in_double ? LW_F64 : LW_F32));
    return lw__rows_in(call, o);
}

/* The type to which the exact sum is rounded: the output's, or for a mean and an integer that in
 * which the operation computes. */
static lw_dtype type_of(const struct lw__operand *out, enum lw__accumulate acc, double divisor)
{
    return divisor == 0 && lw__dtype_is_float(out->dtype) ? out->dtype : lw__accumulate_dtype(acc);
}

lw_status lw__exact(struct lw__call *call, struct lw__operand *x, struct lw__operand *y,
                    const struct lw__operand *out, enum lw__accumulate acc, double divisor)
{
    const lw_dtype type = type_of(out, acc, divisor);
    const size_t n = x->shape.extent[LW_AXES - 1], rows = lw__operand_count(out);
    const bool in_double = acc != LW_ACC_F32 || type == LW_F64;
    const bool may_underflow = y && (x->dtype == LW_F64 || y->dtype == LW_F64);
    struct exact e = {.x = x, .y = y, .out = out, .in_double = in_double};

    assert(acc != LW_ACC_I64 && (!y || y->shape.extent[LW_AXES - 1] == n));
    LW_TRY(bring(call, x, in_double));
    if (y)
        LW_TRY(bring(call, y, in_double));
    e.result = (struct result){(int)type, (int)out->dtype, divisor};
    lw_dim3 grid;
    LW_TRY(lw__cut_rows(call, rows, n, &e.cut, &grid));
    e.bound = bound_of(&e, n, may_underflow);
    size_t parts = e.cut.parts > 1 ? e.cut.items : 0;
    LW_TRY(lw__call_scratch(call, "marks", LW_I32, (struct lw__shape){{1, 1, 1, rows}}, &e.marks));
    LW_TRY(lw__call_scratch(call, "sums", LW_F64, (struct lw__shape){{1, 1, parts, SUM_DOUBLES}},
                            &e.sums));
    LW_TRY(
        lw__call_scratch(call, "bins", LW_I64, (struct lw__shape){{1, 1, parts, CELLS}}, &e.bins));
    LW_TRY(launch_parts(call, &e, grid));
    if (e.cut.parts > 1)
        LW_TRY(launch_merge(call, &e, rows));
    LW_TRY(launch_bins(call, &e));
    return e.cut.parts > 1 ? launch_round(call, &e, rows) : LW_OK;
}
