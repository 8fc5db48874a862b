/* norm.c - lw_dist_softmax, lw_dist_layer_norm: sums over rows that are cut, by the kernels of the
 * operations; then each rank writes its part.
 */
#include "ops/dist/dist.h"
#include "ops/norm_launch.h"
#include <assert.h>

enum { WARP = 32 };

/* ---- rows ---- */

/* A tensor whose axis is cut: rows of it, and what each of a node's or the result's launches
 * needs. */
struct rows {
    lw_tensor x, out, extra; /* extra: what is known of each row, or means; may have no buffer */
    int axis;
    bool is_squared;
    lw_status failed; /* before this pass, which tells the others */
    const struct norm *norm;
};

struct norm {
    lw_comm *comm;
    lw_stream *stream;
    const char *name;
    lw_tensor out, x;
    lw_part part;
    lw_norm_options options;
    bool is_softmax;
    int axis;
    struct lw__record record;
    struct lw__fold fold;
    lw_dtype type; /* that sums are made in */
    size_t rows;
    lw_tensor states; /* of layer_norm's rows: mean and factor */
};

static lw_status take_rows(const struct lw__call *call, lw_tensor t, int axis,
                           struct lw__operand *o)
{
    LW_TRY(lw__operand_in(call, "x", t, o));
    lw__axis_to_last(o, LW_AXES - o->rank + axis);
    return LW_OK;
}

/* `each` numbers for each of the rows, as a tensor of one axis holds them; `step` from row to
 * row. */
static struct lw__operand table(const struct lw__operand *o, size_t rows, size_t each, size_t step)
{
    struct lw__operand t = *o;

    assert(rows < 2 || step >= each);
    t.shape = (struct lw__shape){{1, 1, rows, each}};
    t.view = (struct lw__view){o->view.offset, {0, 0, (ptrdiff_t)step, 1}};
    return t;
}

static const char *kernel_of(const struct rows *r, const char *of_float, const char *of_double)
{
    return r->norm->type == LW_F64 ? of_double : of_float;
}

struct made {
    struct lw__operand x, parts;
    size_t n, count, leaves;
    size_t blocks; /* for the leaves */
};

/* The rows of x side by side, and scratch memory for `each` numbers of each leaf. */
static lw_status make(struct lw__call *call, const struct rows *r, size_t each, struct made *m)
{
    LW_TRY(take_rows(call, r->x, r->axis, &m->x));
    if (r->norm->type == LW_F64)
        LW_TRY(lw__as(call, &m->x, LW_F64));
    LW_TRY(lw__rows_in(call, &m->x));
    m->n = m->x.shape.extent[LW_AXES - 1];
    m->count = r->norm->rows;
    m->leaves = lw__divide_up(m->n, LW_LEAF);
    assert(m->count * m->n == lw__operand_count(&m->x));
    m->blocks = lw__norm_blocks(call, m->count * m->leaves);
    return lw__call_scratch(call, "parts", r->norm->type,
                            (struct lw__shape){{1, m->count, m->leaves, each}}, &m->parts);
}

/* The first leaf's part of each row has all of it: to r->out. */
static lw_status leave_roots(struct lw__call *call, const struct rows *r, const struct made *m,
                             size_t each)
{
    const struct lw__operand from = table(&m->parts, m->count, each, m->leaves * each);
    struct lw__operand out;

    LW_TRY(lw__operand_out(call, "out", r->out, &out));
    out = table(&out, m->count, each, each);
    return lw__copy(call, &out, &from);
}

/* ---- softmax ---- */

static lw_status softmax_node_body(struct lw__call *call, void *arguments)
{
    const struct rows *r = arguments;
    struct made m;

    LW_TRY(make(call, r, 2, &m));
    LW_TRY(LW_OP_BLOCKS_VARIANT(
        call, softmax, kernel_of(r, "softmax_parts_float", "softmax_parts_double"), m.blocks,
        lw__norm_block(call), lw__arg_shape(&m.x.shape), lw_arg_uint(m.count * m.leaves),
        lw_arg_uint(m.leaves), lw__arg_view(&m.x.view), lw_arg_buffer(m.x.buffer),
        lw_arg_int(m.x.dtype), lw__arg_at(&m.parts)));
    LW_TRY(LW_OP_BLOCKS_VARIANT(
        call, softmax, kernel_of(r, "softmax_merge_float", "softmax_merge_double"), m.count,
        lw_dim_1(WARP), lw_arg_uint(m.leaves), lw__arg_at(&m.parts)));
    return leave_roots(call, r, &m, 2);
}

static lw_status softmax_write_body(struct lw__call *call, void *arguments)
{
    const struct rows *r = arguments;
    struct made m;

    LW_TRY(make(call, r, 2, &m));
    struct lw__operand out;
    LW_TRY(lw__operand_out(call, "out", r->out, &out));
    lw__axis_to_last(&out, LW_AXES - out.rank + r->axis);
    struct lw__operand to;
    LW_TRY(lw__rows_out(call, &out, &to));
    struct lw__operand totals;
    LW_TRY(lw__operand_in(call, "totals", r->extra, &totals));
    totals = table(&totals, m.count, 2, 2);
    struct lw__operand first = table(&m.parts, m.count, 2, m.leaves * 2);
    LW_TRY(lw__copy(call, &first, &totals));
    LW_TRY(LW_OP_BLOCKS_VARIANT(
        call, softmax, kernel_of(r, "softmax_write_float", "softmax_write_double"), m.blocks,
        lw__norm_block(call), lw__arg_shape(&m.x.shape), lw_arg_uint(m.count * m.leaves),
        lw_arg_uint(m.leaves), lw__arg_view(&m.x.view), lw_arg_buffer(m.x.buffer),
        lw_arg_int(m.x.dtype), lw__arg_view(&to.view), lw_arg_buffer(to.buffer),
        lw_arg_int(to.dtype), lw_arg_uint(false), lw__arg_at(&m.parts)));
    return lw__out_done(call, &out, &to);
}

/* ---- layer_norm ---- */

/* The sum of the elements, or of the squares of what they differ from the mean by. */
static lw_status norm_node_body(struct lw__call *call, void *arguments)
{
    const struct rows *r = arguments;
    struct made m;

    LW_TRY(make(call, r, 1, &m));
    struct lw__operand states;
    states = m.parts; /* not read */
    if (r->is_squared)
        LW_TRY(lw__operand_in(call, "states", r->extra, &states));
    struct lw__operand of_merge;
    LW_TRY(lw__call_scratch(call, "states", r->norm->type, (struct lw__shape){{1, 1, m.count, 2}},
                            &of_merge));
    LW_TRY(LW_OP_BLOCKS_VARIANT(call, norm, kernel_of(r, "norm_parts_float", "norm_parts_double"),
                                m.blocks, lw__norm_block(call), lw_arg_int(LAYER_NORM),
                                lw_arg_uint(r->is_squared), lw__arg_shape(&m.x.shape),
                                lw_arg_uint(m.count * m.leaves), lw_arg_uint(m.leaves),
                                lw__arg_view(&m.x.view), lw_arg_buffer(m.x.buffer),
                                lw_arg_int(m.x.dtype), lw__arg_at(&states), lw__arg_at(&m.parts)));
    LW_TRY(LW_OP_BLOCKS_VARIANT(call, norm, kernel_of(r, "norm_merge_float", "norm_merge_double"),
                                m.count, lw_dim_1(WARP), lw_arg_uint(false), lw_arg_uint(m.n),
                                lw_arg_uint(m.leaves), lw_arg_real(0), lw__arg_at(&m.parts),
                                lw__arg_at(&of_merge)));
    return leave_roots(call, r, &m, 1);
}

/* What follows from the sums of whole rows: x has them, extra the states. */
static lw_status norm_state_body(struct lw__call *call, void *arguments)
{
    const struct rows *r = arguments;
    struct lw__operand sums;

    LW_TRY(lw__operand_in(call, "sums", r->x, &sums));
    struct lw__operand states;
    LW_TRY(lw__operand_out(call, "states", r->extra, &states));
    return LW_OP_BLOCKS_VARIANT(
        call, norm, kernel_of(r, "norm_merge_float", "norm_merge_double"), r->norm->rows,
        lw_dim_1(WARP), lw_arg_uint(r->is_squared), lw_arg_uint(r->norm->part.global),
        lw_arg_uint(1), lw_arg_real(r->norm->options.eps), lw__arg_at(&sums), lw__arg_at(&states));
}

/* A weight or bias of the accumulation type, side by side; where there is none any operand does. */
static lw_status take_weight(struct lw__call *call, const struct rows *r, const lw_tensor *t,
                             struct lw__operand *o)
{
    if (!t)
        return LW_OK;
    LW_TRY(lw__operand_in(call, "weight", *t, o));
    LW_TRY(lw__as(call, o, r->norm->type));
    return lw__contiguous_in(call, o);
}

static lw_status norm_write_body(struct lw__call *call, void *arguments)
{
    const struct rows *r = arguments;
    const lw_norm_options *o = &r->norm->options;
    struct made m;

    LW_TRY(make(call, r, 1, &m));
    struct lw__operand out;
    LW_TRY(lw__operand_out(call, "out", r->out, &out));
    lw__axis_to_last(&out, LW_AXES - out.rank + r->axis);
    struct lw__operand to;
    LW_TRY(lw__rows_out(call, &out, &to));
    struct lw__operand states;
    LW_TRY(lw__operand_in(call, "states", r->extra, &states));
    struct lw__operand weight, bias;
    weight = bias = m.parts;
    LW_TRY(take_weight(call, r, o->weight, &weight));
    LW_TRY(take_weight(call, r, o->bias, &bias));
    LW_TRY(LW_OP_BLOCKS_VARIANT(
        call, norm, kernel_of(r, "norm_write_float", "norm_write_double"), m.blocks,
        lw__norm_block(call), lw_arg_int(LAYER_NORM), lw__arg_shape(&m.x.shape),
        lw_arg_uint(m.count * m.leaves), lw_arg_uint(m.leaves), lw__arg_view(&m.x.view),
        lw_arg_buffer(m.x.buffer), lw_arg_int(m.x.dtype), lw__arg_view(&to.view),
        lw_arg_buffer(to.buffer), lw_arg_int(to.dtype), lw__arg_at(&states),
        lw_arg_int((o->weight ? HAS_WEIGHT : 0) | (o->bias ? HAS_BIAS : 0)), lw__arg_at(&weight),
        lw__arg_at(&bias)));
    return lw__out_done(call, &out, &to);
}

/* ---- the operations ---- */

/* Elements from `at` on of a buffer, as a tensor of one axis. */
static lw_tensor line_of(lw_buffer *buffer, size_t at, size_t count)
{
    return (lw_tensor){.buffer = buffer, .offset = at, .rank = 1, .extent = {(ptrdiff_t)count}};
}

static lw_status check(struct norm *n)
{
    struct lw__call call = lw__dist_call(n->name, n->comm, n->stream);

    LW_TRY(lw__dist_ready(n->comm, n->stream));
    struct lw__operand x;
    LW_TRY(lw__operand_in(&call, "x", n->x, &x));
    LW_TRY(lw__dist_axis(&call, &x, n->options.axis, x.rank - 1, n->part, &n->axis));
    LW_TRY(lw__norm_check(&call, n->is_softmax, n->out, n->x, &n->options));
    if (n->options.eps == 0)
        n->options.eps = 1e-5;
    n->rows = 1;
    for (int k = 0; k < n->x.rank; k++)
        n->rows *= k == n->axis ? 1 : (size_t)n->x.extent[k];
    n->type = lw__accumulate_dtype(lw__accumulate(x.dtype, lw_buffer_dtype(n->out.buffer)));
    lw__record_add(&n->record, &x, n->axis);
    n->record.number[0] = n->is_softmax ? 0 : n->options.eps;
    n->record.number[1] = n->options.weight != NULL;
    n->record.number[2] = n->options.bias != NULL;
    n->record.type = n->type;
    lw_buffer *states;
    LW_TRY(lw__stage(n->comm, LW_STAGE_STATES, n->type, 2 * n->rows, &states));
    n->states = line_of(states, 0, 2 * n->rows);
    return LW_OK;
}

typedef lw_status make_node(struct lw__fold *f, const lw_tensor *x, size_t first, lw_tensor out);

/* each: numbers of a row in a node */
static lw_status begin(struct norm *n, size_t each, make_node *node, void *user)
{
    LW_TRY(lw__dist_begin(n->comm));
    n->record = lw__record(n->name, n->part);
    lw_status status = check(n);
    n->fold = (struct lw__fold){.comm = n->comm,
                                .stream = n->stream,
                                .inputs = 1,
                                .x = {n->x},
                                .axis = {n->axis},
                                .leaf = LW_LEAF,
                                .dtype = n->type,
                                .values = each * n->rows,
                                .node = node,
                                .user = user};
    if (!status)
        status = lw__fold_early(&n->fold, n->part);
    return lw__dist_agree(n->comm, &n->record, status);
}

static lw_status softmax_node(struct lw__fold *f, const lw_tensor *x, size_t first, lw_tensor out)
{
    struct rows r = {.x = x[0], .out = out, .axis = f->axis[0], .norm = f->user};

    (void)first;
    return lw__call_run(r.norm->name, f->stream, softmax_node_body, &r);
}

lw_status lw_dist_softmax(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                          const lw_norm_options *o)
{
    struct norm n = {.comm = c,
                     .stream = s,
                     .name = "dist_softmax",
                     .out = out,
                     .x = x,
                     .part = part,
                     .options = o ? *o : (lw_norm_options){0},
                     .is_softmax = true};
    struct rows r = {.x = x, .out = out, .norm = &n};
    lw_buffer *nodes;
    size_t root;

    LW_TRY(begin(&n, 2, softmax_node, &n));
    LW_TRY(lw__fold(&n.fold));
    if (!n.rows || !part.count)
        return LW_OK;
    LW_TRY(lw__dist_join(&n.fold, n.name, 0, &nodes, &root));
    r.axis = n.axis;
    r.extra = line_of(nodes, root * n.fold.values, n.fold.values);
    return lw__call_run(n.name, s, softmax_write_body, &r);
}

static lw_status sum_node(struct lw__fold *f, const lw_tensor *x, size_t first, lw_tensor out)
{
    struct rows *whole = f->user, r = *whole;

    (void)first;
    if (r.failed)
        return lw_fail(r.failed, "%s", lw_last_error());
    r.x = x[0];
    r.out = out;
    r.axis = f->axis[0];
    return lw__call_run(r.norm->name, f->stream, norm_node_body, &r);
}

/* From the sums of all ranks the states of rows. */
static lw_status find_states(struct norm *n, struct rows *r)
{
    struct rows state = {.extra = r->extra, .is_squared = r->is_squared, .norm = n};

    if (!n->rows || !n->fold.comm->node_count)
        return LW_OK;
    LW_TRY(lw__room(&n->comm->raw, n->rows * sizeof(double)));
    lw__fold_sum(&n->fold, n->comm->raw.memory);
    lw_buffer *sums;
    LW_TRY(lw__stage(n->comm, LW_STAGE_RESULT, n->type, n->rows, &sums));
    LW_TRY(lw_buffer_write(sums, 0, n->rows, n->comm->raw.memory));
    state.x = line_of(sums, 0, n->rows);
    return lw__call_run(n->name, n->stream, norm_state_body, &state);
}

lw_status lw_dist_layer_norm(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                             const lw_norm_options *o)
{
    struct norm n = {.comm = c,
                     .stream = s,
                     .name = "dist_layer_norm",
                     .out = out,
                     .x = x,
                     .part = part,
                     .options = o ? *o : (lw_norm_options){0}};
    struct rows r = {.x = x, .out = out, .norm = &n};

    LW_TRY(begin(&n, 1, sum_node, &r));
    r.axis = n.axis;
    r.extra = n.states;
    LW_TRY(lw__fold(&n.fold));
    r.failed = find_states(&n, &r);
    r.is_squared = true;
    LW_TRY(lw__fold(&n.fold));
    LW_TRY(find_states(&n, &r));
    if (!n.rows || !part.count)
        return LW_OK;
    return lw__call_run(n.name, s, norm_write_body, &r);
}
