/* reduce.c - lw_dist_sum, _mean, _dot: roots of subtrees, merged on each rank by the aligned tree;
 * lw_dist_max, _argmax: one value of each rank, of which the operation takes the largest again.
 */
#include "ops/dist/dist.h"
#include <assert.h>
#include <string.h>

struct reduction {
    lw_comm *comm;
    lw_stream *stream;
    const char *name;
    lw_tensor out, x;
    lw_part part;
    lw_reduce_options options;
    int axis;                /* of x, from 0 */
    bool needs_some, is_arg; /* of an empty axis there is no result; out is i64 */
    size_t rows;
    struct lw__call call;
    struct lw__record record;
};

/* The tensor of what one value for each row along the axis makes. */
static lw_tensor without_axis(lw_tensor t, int axis)
{
    t.rank--;
    for (int k = axis; k < t.rank; k++)
        t.extent[k] = t.extent[k + 1];
    return t;
}

/* ---- checks ---- */

/* All axes: the tensor in C order is a vector, cut where the first axis is. */
static lw_status flatten(struct reduction *r)
{
    size_t inner = 1;

    for (int k = 1; k < r->x.rank; k++)
        inner *= (size_t)r->x.extent[k];
    r->axis = 0;
    r->part = (lw_part){r->part.global * inner, r->part.first * inner, r->part.count * inner};
    ptrdiff_t count = (ptrdiff_t)r->part.count;
    lw_tensor flat;
    if (!lw_tensor_reshape(r->x, 1, &count, &flat)) {
        r->x = flat;
        return LW_OK;
    }
    lw_buffer *buffer;
    LW_TRY(
        lw__stage(r->comm, LW_STAGE_RESULT, lw_buffer_dtype(r->x.buffer), r->part.count, &buffer));
    lw_tensor whole;
    LW_TRY(lw_tensor_of(buffer, r->x.rank, r->x.extent, &whole));
    LW_TRY(lw_copy(r->stream, whole, r->x));
    return lw_tensor_of(buffer, 1, &count, &r->x);
}

static lw_status check_some(const struct reduction *r)
{
    if (r->needs_some && !r->part.global)
        return lw_fail(LW_E_SHAPE, "%s: x has nothing along the axis; need an element", r->name);
    if (r->is_arg && lw_buffer_dtype(r->out.buffer) != LW_I64)
        return lw_fail(LW_E_DTYPE, "%s: out is of %s; need i64", r->name,
                       lw_dtype_name(lw_buffer_dtype(r->out.buffer)));
    return LW_OK;
}

static lw_status check(struct reduction *r)
{
    const struct lw__reduce_arguments a = {r->out, r->x, r->options};

    LW_TRY(lw__dist_ready(r->comm, r->stream));
    struct lw__operand x;
    LW_TRY(lw__operand_in(&r->call, "x", r->x, &x));
    LW_TRY(lw__dist_axis(&r->call, &x, r->options.axis, 0, r->part, &r->axis));
    struct lw__reduction checked;
    LW_TRY(lw__reduction_begin(&r->call, &a, &checked));
    LW_TRY(check_some(r));
    if (r->options.sum == LW_SUM_EXACT && lw__dtype_is_float(x.dtype))
        return lw_fail(LW_E_ARG, "%s: sum is LW_SUM_EXACT, which ranks cannot keep", r->name);
    r->rows = checked.rows;
    lw__record_add(&r->record, &x, r->axis);
    r->record.number[0] = r->options.axis == 0;
    return r->options.axis ? LW_OK : flatten(r);
}

static lw_status begin(struct reduction *r)
{
    LW_TRY(lw__dist_begin(r->comm));
    r->call = lw__dist_call(r->name, r->comm, r->stream);
    r->record = lw__record(r->name, r->part);
    return LW_OK;
}

/* status: of this rank's checks. */
static lw_status agree(struct reduction *r, lw_status status)
{
    LW_TRY(lw__dist_agree(r->comm, &r->record, status));
    for (int k = 0; !r->options.axis && k < r->comm->transport.size; k++) {
        const size_t inner = r->part.global / (r->record.global ? r->record.global : 1);
        lw_part *part = &r->comm->parts[k];

        *part = (lw_part){part->global * inner, part->first * inner, part->count * inner};
    }
    assert(!memcmp(&r->comm->parts[r->comm->transport.rank], &r->part, sizeof r->part));
    return LW_OK;
}

/* ---- sums ---- */

struct sum {
    enum lw__accumulate acc;
    bool is_mean, is_unsigned;
    double n;
};

static lw_status sum_node(struct lw__fold *f, const lw_tensor *x, size_t first, lw_tensor out)
{
    const struct sum *sum = f->user;
    lw_tensor to = without_axis(x[0], f->axis[0]);

    (void)first;
    LW_TRY(lw_tensor_reshape(out, to.rank, to.extent, &to));
    return lw__sum_node(f->stream, to, x[0], LW_AXIS(f->axis[0]), sum->acc);
}

static lw_status dot_node(struct lw__fold *f, const lw_tensor *x, size_t first, lw_tensor out)
{
    (void)first;
    LW_TRY(lw_tensor_reshape(out, 0, NULL, &out));
    return lw_dot(f->stream, out, x[0], x[1], NULL);
}

/* The dtype of a result before it is converted to the output's: that of mean is divided in A, or
 * where A is an integer in f64. */
static lw_dtype finished(const struct sum *sum, lw_dtype out)
{
    if (sum->is_mean)
        return sum->acc == LW_ACC_F32 ? LW_F32 : LW_F64;
    if (sum->acc == LW_ACC_I64 && sum->is_unsigned && lw__dtype_is_float(out))
        return LW_U64;
    return lw__accumulate_dtype(sum->acc);
}

static void divide(const struct sum *sum, void *total, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sum->acc == LW_ACC_F32)
            ((float *)total)[i] /= (float)sum->n;
        else if (sum->acc == LW_ACC_F64)
            ((double *)total)[i] /= sum->n;
        else
            ((double *)total)[i] = (double)((int64_t *)total)[i] / sum->n;
}

static lw_status finish_sum(struct lw__fold *f, const struct sum *sum, lw_tensor out)
{
    const size_t bytes = f->values * 8;

    LW_TRY(lw__room(&f->comm->raw, bytes));
    void *total = f->comm->raw.memory;
    if (!lw__fold_sum(f, total))
        memset(total, 0, bytes);
    if (sum->is_mean)
        divide(sum, total, f->values);
    return lw__dist_write(f->comm, f->stream, out, finished(sum, lw_buffer_dtype(out.buffer)),
                          f->values, total);
}

static lw_status check_sum(struct reduction *r, struct sum *sum, struct lw__fold *f)
{
    LW_TRY(check(r));
    lw_dtype dtype = lw_buffer_dtype(r->x.buffer);
    sum->n = (double)r->part.global;
    sum->acc =
        lw__sum_accumulate(dtype, lw_buffer_dtype(r->out.buffer), sum->is_mean, r->part.global);
    sum->is_unsigned = lw__dtype_is_unsigned(dtype);
    f->x[0] = r->x;
    f->axis[0] = r->axis;
    f->dtype = lw__accumulate_dtype(sum->acc);
    r->record.type = f->dtype;
    f->values = r->rows;
    return lw__fold_early(f, r->part);
}

static lw_status run_sum(struct reduction *r, bool is_mean)
{
    const lw_tensor given = r->x;
    struct sum sum = {.is_mean = is_mean};
    struct lw__fold f = {.comm = r->comm,
                         .stream = r->stream,
                         .inputs = 1,
                         .leaf = LW_LEAF,
                         .node = sum_node,
                         .user = &sum};

    LW_TRY(begin(r));
    LW_TRY(agree(r, check_sum(r, &sum, &f)));
    if (!r->part.global) /* of nothing, as on one rank */
        return (is_mean ? lw_mean : lw_sum)(r->stream, r->out, given, &r->options);
    LW_TRY(lw__fold(&f));
    return finish_sum(&f, &sum, r->out);
}

static struct reduction reduction_of(const char *name, lw_comm *c, lw_stream *s, lw_tensor out,
                                     lw_tensor x, lw_part part, const lw_reduce_options *o)
{
    struct reduction r = {.comm = c, .stream = s, .name = name, .out = out, .x = x, .part = part};

    if (o)
        r.options = *o;
    return r;
}

lw_status lw_dist_sum(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                      const lw_reduce_options *o)
{
    struct reduction r = reduction_of("dist_sum", c, s, out, x, part, o);

    return run_sum(&r, false);
}

lw_status lw_dist_mean(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                       const lw_reduce_options *o)
{
    struct reduction r = reduction_of("dist_mean", c, s, out, x, part, o);

    return run_sum(&r, true);
}

/* ---- dot ---- */

struct dot {
    lw_comm *comm;
    lw_stream *stream;
    lw_tensor out, x, y;
    lw_part part;
    lw_sum_order order;
    struct lw__record record;
    struct sum sum;
};

static lw_status check_dot(struct dot *d, struct lw__fold *f)
{
    const struct lw__call call = lw__dist_call("dist_dot", d->comm, d->stream);

    LW_TRY(lw__dist_ready(d->comm, d->stream));
    struct lw__operand x;
    LW_TRY(lw__operand_in(&call, "x", d->x, &x));
    struct lw__operand y;
    LW_TRY(lw__operand_in(&call, "y", d->y, &y));
    struct lw__operand out;
    LW_TRY(lw__operand_out(&call, "out", d->out, &out));
    LW_TRY(lw__operand_apart(&call, &out, &x, false));
    LW_TRY(lw__operand_apart(&call, &out, &y, false));
    if (x.rank != 1)
        return lw_fail(LW_E_SHAPE, "dist_dot: x has rank %d; need 1", x.rank);
    LW_TRY(lw__operand_same_shape(&call, &x, &y));
    LW_TRY(lw__operand_expect(&call, &out, 0, NULL));
    LW_TRY(lw__check_order(&call, d->order));
    int axis;
    LW_TRY(lw__dist_axis(&call, &x, 0, 0, d->part, &axis));
    lw_dtype type = lw__promote(x.dtype, y.dtype);
    if (d->order == LW_SUM_EXACT && lw__dtype_is_float(type))
        return lw_fail(LW_E_ARG, "dist_dot: sum is LW_SUM_EXACT, which ranks cannot keep");
    d->sum = (struct sum){.acc = lw__accumulate(type, out.dtype),
                          .is_unsigned = lw__dtype_is_unsigned(type)};
    lw__record_add(&d->record, &x, 0);
    lw__record_add(&d->record, &y, 0);
    f->dtype = lw__accumulate_dtype(d->sum.acc);
    d->record.type = f->dtype;
    return lw__fold_early(f, d->part);
}

lw_status lw_dist_dot(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                      lw_part part, const lw_dot_options *o)
{
    struct dot d = {.comm = c, .stream = s, .out = out, .x = x, .y = y, .part = part};
    struct lw__fold f = {.comm = c,
                         .stream = s,
                         .inputs = 2,
                         .x = {x, y},
                         .leaf = LW_LEAF,
                         .values = 1,
                         .node = dot_node};

    LW_TRY(lw__dist_begin(c));
    d.order = o ? o->sum : LW_SUM_FIXED;
    d.record = lw__record("dist_dot", part);
    LW_TRY(lw__dist_agree(c, &d.record, check_dot(&d, &f)));
    LW_TRY(lw__fold(&f));
    return finish_sum(&f, &d.sum, out);
}

/* ---- max, argmax ---- */

struct extreme {
    struct reduction *r;
    bool is_arg;
    lw_dtype dtype;
    size_t value_bytes, place_bytes; /* of all rows; places stand first, so all are aligned */
};

/* x's extents without the axis, of what a rank finds. */
static lw_status rows_tensor(const struct reduction *r, lw_buffer *buffer, lw_tensor *out)
{
    const lw_tensor like = without_axis(r->x, r->axis);

    return lw_tensor_of(buffer, like.rank, like.extent, out);
}

/* This rank's largest elements, and where they are in its part. */
static lw_status find_local(const struct extreme *e, lw_buffer **values, lw_buffer **places)
{
    const struct reduction *r = e->r;
    const lw_reduce_options along = {.axis = LW_AXIS(r->axis)};

    LW_TRY(lw__stage(r->comm, LW_STAGE_NODES, e->dtype, r->rows, values));
    lw_tensor to;
    LW_TRY(rows_tensor(r, *values, &to));
    LW_TRY(lw_max(r->stream, to, r->x, &along));
    if (!e->is_arg)
        return LW_OK;
    LW_TRY(lw__stage(r->comm, LW_STAGE_MORE, LW_I64, r->rows, places));
    LW_TRY(rows_tensor(r, *places, &to));
    return lw_argmax(r->stream, to, r->x, &along);
}

static lw_status read_local(const struct extreme *e, char *mine)
{
    if (!e->r->part.count || !e->r->rows)
        return LW_OK;
    lw_buffer *values, *places;
    LW_TRY(find_local(e, &values, &places));
    LW_TRY(lw_stream_wait(e->r->stream));
    if (e->is_arg)
        LW_TRY(lw_buffer_read(places, 0, e->r->rows, mine));
    return lw_buffer_read(values, 0, e->r->rows, mine + e->place_bytes);
}

static const char *found(const struct extreme *e, int rank)
{
    return lw__dist_from(e->r->comm, rank, e->place_bytes + e->value_bytes);
}

/* The values of ranks that have some, one row of a matrix for each. */
static lw_status line_up(const struct extreme *e, lw_tensor *out)
{
    const int size = e->r->comm->transport.size;
    const size_t rows = e->r->rows;
    ptrdiff_t extents[2] = {0, (ptrdiff_t)rows};

    lw_buffer *buffer;
    LW_TRY(lw__stage(e->r->comm, LW_STAGE_RESULT, e->dtype, rows * (size_t)size, &buffer));
    for (int k = 0; k < size; k++)
        if (e->r->comm->parts[k].count)
            LW_TRY(lw_buffer_write(buffer, rows * (size_t)extents[0]++, rows,
                                   found(e, k) + e->place_bytes));
    assert(extents[0] > 0); /* an axis without elements was refused */
    return lw_tensor_of(buffer, 2, extents, out);
}

static lw_status finish_max(const struct extreme *e, lw_tensor all)
{
    const lw_reduce_options over_ranks = {.axis = LW_AXIS(0)};
    lw_buffer *buffer;

    LW_TRY(lw__stage(e->r->comm, LW_STAGE_NODES, e->dtype, e->r->rows, &buffer));
    lw_tensor to;
    LW_TRY(lw_tensor_of(buffer, 1, &all.extent[1], &to));
    LW_TRY(lw_max(e->r->stream, to, all, &over_ranks));
    LW_TRY(lw_tensor_of(buffer, e->r->out.rank, e->r->out.extent, &to));
    return lw_copy(e->r->stream, e->r->out, to);
}

/* The rank that has the largest is itself found by argmax: the first of equals again. */
static lw_status finish_argmax(const struct extreme *e, lw_tensor all)
{
    const lw_reduce_options over_ranks = {.axis = LW_AXIS(0)};
    const size_t rows = e->r->rows;
    lw_comm *c = e->r->comm;
    lw_buffer *buffer;

    LW_TRY(lw__stage(c, LW_STAGE_MORE, LW_I64, rows, &buffer));
    lw_tensor to;
    LW_TRY(lw_tensor_of(buffer, 1, &all.extent[1], &to));
    LW_TRY(lw_argmax(e->r->stream, to, all, &over_ranks));
    LW_TRY(lw_stream_wait(e->r->stream));
    int64_t *winners;
    LW_TRY(lw__room(&c->raw, rows * sizeof *winners));
    winners = c->raw.memory;
    LW_TRY(lw_buffer_read(buffer, 0, rows, winners));
    for (size_t i = 0; i < rows; i++) {
        int rank = 0;

        for (int64_t k = winners[i];; rank++) {
            assert(rank < c->transport.size);
            if (c->parts[rank].count && k-- == 0)
                break;
        }
        winners[i] = ((const int64_t *)found(e, rank))[i] + (int64_t)c->parts[rank].first;
    }
    return lw__dist_write(c, e->r->stream, e->r->out, LW_I64, rows, winners);
}

static lw_status run_extreme(struct reduction *r, bool is_arg)
{
    struct extreme e = {.r = r, .is_arg = is_arg};

    r->is_arg = is_arg;
    r->needs_some = true;
    LW_TRY(begin(r));
    LW_TRY(agree(r, check(r)));
    e.dtype = lw_buffer_dtype(r->x.buffer);
    e.value_bytes = lw__divide_up(r->rows * lw_dtype_size(e.dtype), 8) * 8;
    e.place_bytes = is_arg ? r->rows * sizeof(int64_t) : 0;
    void *mine;
    LW_TRY(lw__dist_mine(r->comm, e.value_bytes + e.place_bytes, &mine));
    memset(mine, 0, e.value_bytes + e.place_bytes);
    LW_TRY(lw__dist_gather(r->comm, e.value_bytes + e.place_bytes, read_local(&e, mine)));
    if (!r->rows)
        return LW_OK;
    lw_tensor all;
    LW_TRY(line_up(&e, &all));
    return is_arg ? finish_argmax(&e, all) : finish_max(&e, all);
}

lw_status lw_dist_max(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                      const lw_reduce_options *o)
{
    struct reduction r = reduction_of("dist_max", c, s, out, x, part, o);

    return run_extreme(&r, false);
}

lw_status lw_dist_argmax(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part,
                         const lw_reduce_options *o)
{
    struct reduction r = reduction_of("dist_argmax", c, s, out, x, part, o);

    return run_extreme(&r, true);
}
