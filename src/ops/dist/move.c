/* move.c - lw_dist_gather, lw_dist_scatter: parts of the first axis to all ranks, or from rank 0;
 * lw_dist_matmul, whose rows are cut and stay where they are.
 */
#include "ops/dist/dist.h"
#include <assert.h>
#include <string.h>

struct move {
    lw_comm *comm;
    lw_stream *stream;
    const char *name;
    lw_tensor out, x;
    lw_part part;
    struct lw__record record;
    size_t slab; /* elements for one step along the axis */
    lw_dtype dtype;
};

/* ---- checks ---- */

/* `whole` has the shape of `cut` but along the first axis, where it has all. */
static lw_status check_shapes(const struct lw__call *call, const struct lw__operand *whole,
                              const struct lw__operand *cut, lw_part part)
{
    char a[LW_SHAPE_TEXT], b[LW_SHAPE_TEXT];
    bool fits = whole->rank == cut->rank;
    int axis;

    LW_TRY(lw__dist_axis(call, cut, LW_AXIS(0), 0, part, &axis));
    for (int k = 0; fits && k < LW_AXES; k++) {
        const bool is_first = k == LW_AXES - cut->rank;

        fits = whole->shape.extent[k] == (is_first ? part.global : cut->shape.extent[k]);
    }
    if (fits)
        return LW_OK;
    return lw_fail(LW_E_SHAPE,
                   "%s: %s has shape %s, %s has %s; need them alike but for %zu along "
                   "axis 0",
                   call->name, whole->name, lw__operand_text(whole, a), cut->name,
                   lw__operand_text(cut, b), part.global);
}

static lw_status check(struct move *m, bool is_gather)
{
    const struct lw__call call = lw__dist_call(m->name, m->comm, m->stream);

    LW_TRY(lw__dist_ready(m->comm, m->stream));
    struct lw__operand out;
    LW_TRY(lw__operand_out(&call, "out", m->out, &out));
    struct lw__operand x;
    if (!is_gather && m->comm->transport.rank) {
        int axis;

        LW_TRY(lw__dist_axis(&call, &out, LW_AXIS(0), 0, m->part, &axis));
    } else {
        LW_TRY(lw__operand_in(&call, "x", m->x, &x));
        LW_TRY(lw__operand_apart(&call, &out, &x, false));
        LW_TRY(is_gather ? check_shapes(&call, &out, &x, m->part)
                         : check_shapes(&call, &x, &out, m->part));
        if (x.dtype != out.dtype)
            return lw_fail(LW_E_DTYPE, "%s: x is of %s, out of %s; need one dtype", m->name,
                           lw_dtype_name(x.dtype), lw_dtype_name(out.dtype));
    }
    lw__record_add(&m->record, is_gather ? &x : &out, 0);
    m->dtype = out.dtype;
    m->slab = 1;
    for (int k = 1; k < m->out.rank; k++)
        m->slab *= (size_t)m->out.extent[k];
    return LW_OK;
}

static lw_status begin(struct move *m, bool is_gather)
{
    LW_TRY(lw__dist_begin(m->comm));
    m->record = lw__record(m->name, m->part);
    return lw__dist_agree(m->comm, &m->record, check(m, is_gather));
}

/* ---- a tensor as elements in C order ---- */

static size_t count_of(lw_tensor t)
{
    size_t count = 1;

    for (int k = 0; k < t.rank; k++)
        count *= (size_t)t.extent[k];
    return count;
}

static bool is_plain(const struct move *m, const char *name, lw_tensor t)
{
    const struct lw__call call = lw__dist_call(m->name, m->comm, m->stream);
    struct lw__operand o;

    return !lw__operand_in(&call, name, t, &o) && lw__operand_is_contiguous(&o);
}

/* Where the elements lie: in its own memory, or in a copy that is made and awaited. */
static lw_status plain_in(struct move *m, lw_tensor t, lw_buffer **buffer, size_t *offset)
{
    *buffer = t.buffer;
    *offset = t.offset;
    if (is_plain(m, "x", t))
        return LW_OK;
    *offset = 0;
    LW_TRY(lw__stage(m->comm, LW_STAGE_RAW, m->dtype, count_of(t), buffer));
    lw_tensor plain;
    LW_TRY(lw_tensor_of(*buffer, t.rank, t.extent, &plain));
    LW_TRY(lw_copy(m->stream, plain, t));
    return lw_stream_wait(m->stream);
}

static lw_status read_tensor(struct move *m, lw_tensor t, void *to)
{
    if (!count_of(t))
        return LW_OK;
    lw_buffer *buffer;
    size_t offset;
    LW_TRY(plain_in(m, t, &buffer, &offset));
    return lw_buffer_read(buffer, offset, count_of(t), to);
}

/* ---- between devices of this process ---- */

/* What a rank lends to others until all have met again. */
struct lent {
    lw_buffer *buffer;
    size_t offset; /* elements */
};

static lw_status lend(struct move *m, bool has_any)
{
    lw_status status = LW_OK;
    struct lent *mine;

    LW_TRY(lw__dist_mine(m->comm, sizeof *mine, (void **)&mine));
    *mine = (struct lent){0};
    if (has_any && count_of(m->x))
        status = plain_in(m, m->x, &mine->buffer, &mine->offset);
    return lw__dist_gather(m->comm, sizeof *mine, status);
}

/* `count` elements of what the rank lends, from its element `first` on. */
static lw_status copy_lent(const struct move *m, int rank, size_t first, size_t count,
                           struct lent to)
{
    const struct lent *from = lw__dist_from(m->comm, rank, sizeof *from);

    assert(!count || from->buffer);
    return count ? lw_buffer_copy(to.buffer, to.offset, from->buffer, from->offset + first, count)
                 : LW_OK;
}

static lw_status copy_parts(const struct move *m, bool is_gather, struct lent to)
{
    const lw_comm *c = m->comm;

    if (!is_gather)
        return copy_lent(m, 0, m->part.first * m->slab, m->part.count * m->slab, to);
    for (int r = 0; r < c->transport.size; r++) {
        LW_TRY(copy_lent(m, r, 0, c->parts[r].count * m->slab, to));
        to.offset += c->parts[r].count * m->slab;
    }
    return LW_OK;
}

/* Each rank copies from the devices of others; what it lends is its own again once all have. */
static lw_status move_near(struct move *m, bool is_gather)
{
    const size_t count = (is_gather ? m->part.global : m->part.count) * m->slab;
    const bool is_direct = is_plain(m, "out", m->out);
    struct lent to = {m->out.buffer, m->out.offset};
    lw_status status = LW_OK;

    LW_TRY(lend(m, is_gather || m->comm->transport.rank == 0));
    if (!is_direct && count) {
        to.offset = 0;
        status = lw__stage(m->comm, LW_STAGE_RESULT, m->dtype, count, &to.buffer);
    }
    status = status ? status : copy_parts(m, is_gather, to);
    void *mine;
    LW_TRY(lw__dist_mine(m->comm, 0, &mine));
    LW_TRY(lw__dist_gather(m->comm, 0, status));
    if (is_direct || !count)
        return LW_OK;
    lw_tensor plain;
    LW_TRY(lw_tensor_of(to.buffer, m->out.rank, m->out.extent, &plain));
    return lw_copy(m->stream, m->out, plain);
}

/* ---- between processes: through the host ---- */

static lw_status gather_far(struct move *m)
{
    lw_comm *c = m->comm;
    size_t most = 0, bytes, at = 0;

    for (int r = 0; r < c->transport.size; r++)
        most = most < c->parts[r].count ? c->parts[r].count : most;
    bytes = most * m->slab * lw_dtype_size(m->dtype);
    void *mine;
    LW_TRY(lw__dist_mine(c, bytes, &mine));
    LW_TRY(lw__dist_gather(c, bytes, read_tensor(m, m->x, mine)));
    if (!m->part.global || !m->slab)
        return LW_OK;
    lw_buffer *buffer;
    LW_TRY(lw__stage(c, LW_STAGE_RESULT, m->dtype, m->part.global * m->slab, &buffer));
    for (int r = 0; r < c->transport.size; r++) {
        const size_t count = c->parts[r].count * m->slab;

        LW_TRY(lw_buffer_write(buffer, at, count, lw__dist_from(c, r, bytes)));
        at += count;
    }
    assert(at == m->part.global * m->slab);
    lw_tensor plain;
    LW_TRY(lw_tensor_of(buffer, m->out.rank, m->out.extent, &plain));
    return lw_copy(m->stream, m->out, plain);
}

static lw_status send_all(struct move *m, lw_status *status)
{
    const size_t step = m->slab * lw_dtype_size(m->dtype);
    lw_comm *c = m->comm;

    LW_TRY(lw__dist_raw(c, m->part.global * step));
    *status = read_tensor(m, m->x, c->raw.memory);
    for (int r = 1; r < c->transport.size; r++)
        if (c->parts[r].count && step)
            LW_TRY(lw__dist_send(c, r, (char *)c->raw.memory + c->parts[r].first * step,
                                 c->parts[r].count * step));
    return LW_OK;
}

static lw_status scatter_far(struct move *m)
{
    const size_t count = m->part.count * m->slab, bytes = count * lw_dtype_size(m->dtype);
    lw_status status = LW_OK;
    lw_comm *c = m->comm;

    if (c->transport.rank == 0) {
        LW_TRY(send_all(m, &status));
    } else if (bytes) {
        LW_TRY(lw__dist_raw(c, bytes));
        LW_TRY(lw__dist_receive(c, 0, c->raw.memory, bytes));
    }
    void *mine;
    LW_TRY(lw__dist_mine(c, 0, &mine));
    LW_TRY(lw__dist_gather(c, 0, status));
    return lw__dist_write(c, m->stream, m->out, m->dtype, count, c->raw.memory);
}

/* ---- gather, scatter ---- */

lw_status lw_dist_gather(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part)
{
    struct move m = {
        .comm = c, .stream = s, .name = "dist_gather", .out = out, .x = x, .part = part};

    LW_TRY(begin(&m, true));
    return lw__dist_lends(c) ? move_near(&m, true) : gather_far(&m);
}

lw_status lw_dist_scatter(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_part part)
{
    struct move m = {
        .comm = c, .stream = s, .name = "dist_scatter", .out = out, .x = x, .part = part};

    LW_TRY(begin(&m, false));
    return lw__dist_lends(c) ? move_near(&m, false) : scatter_far(&m);
}

/* ---- matmul ---- */

struct product {
    lw_comm *comm;
    lw_stream *stream;
    lw_tensor out, x, y;
    lw_part rows;
    const lw_matmul_options *options;
    struct lw__record record;
};

static lw_status check_product(struct product *p)
{
    struct lw__call call = lw__dist_call("dist_matmul", p->comm, p->stream);

    LW_TRY(lw__dist_ready(p->comm, p->stream));
    struct lw__operand x;
    LW_TRY(lw__operand_in(&call, "x", p->x, &x));
    struct lw__operand y;
    LW_TRY(lw__operand_in(&call, "y", p->y, &y));
    if (x.rank < 2)
        return lw_fail(LW_E_SHAPE,
                       "dist_matmul: x has rank %d; need at least 2, of which the rows "
                       "are cut",
                       x.rank);
    int axis;
    LW_TRY(lw__dist_axis(&call, &x, -2, 0, p->rows, &axis));
    LW_TRY(lw__matmul_check(&call, p->out, p->x, p->y, p->options));
    lw__record_add(&p->record, &x, axis);
    lw__record_add(&p->record, &y, -1);
    p->record.number[0] = p->options && p->options->bias;
    return LW_OK;
}

/* A row of the result depends on its row of x and on y alone. */
lw_status lw_dist_matmul(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                         lw_part rows, const lw_matmul_options *o)
{
    struct product p = {
        .comm = c, .stream = s, .out = out, .x = x, .y = y, .rows = rows, .options = o};
    void *mine;

    LW_TRY(lw__dist_begin(c));
    p.record = lw__record("dist_matmul", rows);
    LW_TRY(lw__dist_agree(c, &p.record, check_product(&p)));
    LW_TRY(lw__dist_mine(c, 0, &mine));
    return lw__dist_gather(c, 0, lw_matmul(s, out, x, y, o));
}
