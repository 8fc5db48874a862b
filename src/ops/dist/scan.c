/* scan.c - lw_dist_scan: running results along an axis that is cut.
 *
 * Ranks exchange the nodes that they hold whole. What stands before a subtree of leaves is a chain
 * of nodes to its left, as docs/order.md has it. It continues inside the subtree, so a rank runs
 * the kernels of the operation over twice as many leaves: the first half stands for what comes
 * before, with the chain as its first leaf and identities after. So node `level` of the first half
 * is the chain, and a leaf's prefix begins with it.
 *
 * A leaf that a border of parts cuts is written by the rank that makes it, which sends others their
 * results.
 */
#include "ops/dist/dist.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { WARP = 32 };
/* ORDER SCAN: kernels/scan.h */
enum { MAX_U64 = LW_SCAN_MIN + 1, MIN_U64 };

struct scan {
    lw_comm *comm;
    lw_stream *stream;
    lw_tensor out, x;
    lw_part part;
    lw_scan_options options;
    int axis, op;
    enum lw__accumulate type;
    size_t rows;
    struct lw__record record;
    struct lw__fold fold;
};

/* ---- a value of A, and the operator ---- */

union value {
    float f32;
    double f64;
    int64_t i64;
};

/* Of two reals: a NaN stays, and -0 is less than +0. */
static double extreme(double a, double b, bool is_max)
{
    if (isnan(a) || isnan(b))
        return (double)NAN;
    if (a == b)
        return !!signbit(a) == is_max ? b : a;
    return (a > b) == is_max ? a : b;
}

static double combine_real(int op, double a, double b)
{
    return extreme(a, b, op == LW_SCAN_MAX);
}

static int64_t combine_whole(int op, int64_t a, int64_t b)
{
    switch (op) {
    case LW_SCAN_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case LW_SCAN_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
    case LW_SCAN_MAX: return a > b ? a : b;
    case LW_SCAN_MIN: return a < b ? a : b;
    case MAX_U64: return (uint64_t)a > (uint64_t)b ? a : b;
    default: return (uint64_t)a < (uint64_t)b ? a : b;
    }
}

/* a stands to the left. One IEEE operation, as on every device. */
static union value combine(struct scan *s, union value a, union value b)
{
    if (s->type == LW_ACC_I64)
        return (union value){.i64 = combine_whole(s->op, a.i64, b.i64)};
    if (s->type == LW_ACC_F32)
        return (union value){.f32 = s->op == LW_SCAN_ADD ? a.f32 + b.f32
                                    : s->op == LW_SCAN_MUL
                                        ? a.f32 * b.f32
                                        : (float)combine_real(s->op, a.f32, b.f32)};
    return (union value){.f64 = s->op == LW_SCAN_ADD   ? a.f64 + b.f64
                                : s->op == LW_SCAN_MUL ? a.f64 * b.f64
                                                       : combine_real(s->op, a.f64, b.f64)};
}

static union value identity(struct scan *s)
{
    static const int64_t whole[] = {0, 1, INT64_MIN, INT64_MAX, 0, -1};
    const double real = s->op == LW_SCAN_ADD   ? -0.0
                        : s->op == LW_SCAN_MUL ? 1
                        : s->op == LW_SCAN_MAX ? -(double)INFINITY
                                               : (double)INFINITY;

    _Static_assert(sizeof whole / sizeof *whole == MIN_U64 + 1, "ORDER SCAN");
    assert(s->type == LW_ACC_I64 || s->op <= LW_SCAN_MIN);
    if (s->type == LW_ACC_I64)
        return (union value){.i64 = whole[s->op]};
    return s->type == LW_ACC_F32 ? (union value){.f32 = (float)real} : (union value){.f64 = real};
}

static size_t value_bytes(struct scan *s)
{
    return s->type == LW_ACC_F32 ? 4 : 8;
}

/* ---- what stands before a leaf ---- */

/* The exchanged node that begins with this leaf; those of a smaller level are within. */
static size_t find_node(const lw_comm *c, size_t leaf)
{
    size_t low = 0, high = c->node_count;

    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;

        if (lw__dist_node(c, middle)->leaf <= leaf)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Node `level` from `leaf` on, of a row: exchanged, or made of two. */
static union value node_value(struct scan *s, int level, size_t leaf, size_t row)
{
    const size_t k = find_node(s->comm, leaf);
    union value v = {0};

    assert(lw__dist_node(s->comm, k)->leaf == leaf && lw__dist_node(s->comm, k)->level <= level);
    if (lw__dist_node(s->comm, k)->level == level) {
        memcpy(&v, (char *)lw__fold_at(&s->fold, k) + row * value_bytes(s), value_bytes(s));
        return v;
    }
    return combine(s, node_value(s, level - 1, leaf, row),
                   node_value(s, level - 1, leaf + ((size_t)1 << (level - 1)), row));
}

static union value before_leaf(struct scan *s, size_t leaf, size_t row)
{
    union value v = identity(s);

    for (int bit = 63; bit >= 0; bit--)
        if (leaf >> bit & 1)
            v = combine(s, v, node_value(s, bit, (leaf >> (bit + 1)) << (bit + 1), row));
    return v;
}

/* ---- launches ---- */

static const char *const names[][3] = {
    {"scan_totals_float", "scan_totals_double", "scan_totals_int64"},
    {"scan_prefixes_float", "scan_prefixes_double", "scan_prefixes_int64"},
    {"scan_write_float", "scan_write_double", "scan_write_int64"},
};

/* Leaves of x, and memory of the tree over them. */
struct leaves {
    struct scan *scan;
    lw_tensor x, out; /* out: of a node its value, or results */
    lw_tensor before; /* what stands before each row, and at last an identity */
    int level;        /* of the subtree */
    bool is_first;    /* and that nothing stands before */
};

static int levels_of(size_t leaves)
{
    int levels = 1;

    while (leaves >> levels)
        levels++;
    return levels;
}

static lw_status take(struct lw__call *call, const struct leaves *l, struct lw__operand *x)
{
    LW_TRY(lw__operand_in(call, "x", l->x, x));
    lw__axis_to_last(x, LW_AXES - x->rank + l->scan->axis);
    if (l->scan->type == LW_ACC_F64)
        LW_TRY(lw__as(call, x, LW_F64));
    return lw__rows_in(call, x);
}

static lw_status totals(struct lw__call *call, const struct leaves *l, const struct lw__operand *x,
                        size_t leaves, const struct lw__operand *to)
{
    const size_t count = l->scan->rows * leaves;

    return LW_OP_BLOCKS(call, scan, names[0][l->scan->type], count, lw_dim_1(WARP),
                        lw_arg_int(l->scan->op), lw__arg_shape(&x->shape), lw_arg_uint(0),
                        lw_arg_uint(count), lw_arg_uint(1), lw_arg_uint(leaves),
                        lw__arg_view(&x->view), lw_arg_buffer(x->buffer), lw_arg_int(x->dtype),
                        lw__arg_at(to));
}

static lw_status prefixes(struct lw__call *call, const struct leaves *l, size_t leaves,
                          const struct lw__operand *nodes, const struct lw__operand *to)
{
    return LW_OP_BLOCKS(call, scan, names[1][l->scan->type], l->scan->rows, lw_dim_1(WARP),
                        lw_arg_int(l->scan->op), lw_arg_uint(l->scan->rows), lw_arg_uint(leaves),
                        lw_arg_uint(0), lw_arg_uint(l->scan->rows * leaves),
                        lw_arg_int(levels_of(leaves)), lw__arg_at(nodes), lw__arg_at(to));
}

static lw_status scratch(struct lw__call *call, const struct leaves *l, size_t levels,
                         size_t leaves, struct lw__operand *out)
{
    const struct lw__shape shape = {{1, levels, l->scan->rows, leaves}};

    return lw__call_scratch(call, "nodes", lw__accumulate_dtype(l->scan->type), shape, out);
}

/* Some leaves of each row of a table that has `leaves` of them. */
static struct lw__operand part_of(const struct lw__operand *table, size_t rows, size_t leaves,
                                  size_t first, size_t count)
{
    struct lw__operand t = *table;

    t.shape = (struct lw__shape){{1, 1, rows, count}};
    t.view = (struct lw__view){table->view.offset + (ptrdiff_t)first, {0, 0, (ptrdiff_t)leaves, 1}};
    return t;
}

/* The root of a whole subtree. */
static lw_status node_body(struct lw__call *call, void *arguments)
{
    const struct leaves *l = arguments;
    const size_t rows = l->scan->rows;
    struct lw__operand x;

    LW_TRY(take(call, l, &x));
    struct lw__operand out;
    LW_TRY(lw__operand_out(call, "out", l->out, &out));
    size_t leaves = lw__divide_up(x.shape.extent[LW_AXES - 1], LW_LEAF);
    struct lw__operand nodes;
    LW_TRY(scratch(call, l, (size_t)levels_of(leaves), leaves, &nodes));
    struct lw__operand made;
    LW_TRY(scratch(call, l, 1, leaves, &made));
    LW_TRY(totals(call, l, &x, leaves, &nodes));
    LW_TRY(prefixes(call, l, leaves, &nodes, &made));
    struct lw__operand root = part_of(&nodes, rows, leaves, 0, 1);
    root.view.offset += (ptrdiff_t)((size_t)(levels_of(leaves) - 1) * rows * leaves);
    out = part_of(&out, rows, 1, 0, 1);
    return lw__copy(call, &out, &root);
}

/* The first half of the leaves: what stands before, and identities. */
static lw_status set_before(struct lw__call *call, const struct leaves *l, size_t half, size_t all,
                            const struct lw__operand *nodes)
{
    const size_t rows = l->scan->rows;
    struct lw__operand before;

    LW_TRY(lw__operand_in(call, "before", l->before, &before));
    struct lw__operand none = part_of(&before, rows, 0, rows, half);
    none.view.stride[LW_AXES - 1] = 0;
    struct lw__operand to = part_of(nodes, rows, all, 0, half);
    LW_TRY(lw__copy(call, &to, &none));
    before = part_of(&before, rows, 1, 0, 1);
    to = part_of(nodes, rows, all, 0, 1);
    return lw__copy(call, &to, &before);
}

static lw_status write_body(struct lw__call *call, void *arguments)
{
    const struct leaves *l = arguments;
    const size_t rows = l->scan->rows, half = (size_t)1 << l->level;
    struct lw__operand x;

    LW_TRY(take(call, l, &x));
    struct lw__operand out;
    LW_TRY(lw__operand_out(call, "out", l->out, &out));
    lw__axis_to_last(&out, LW_AXES - out.rank + l->scan->axis);
    struct lw__operand to;
    LW_TRY(lw__rows_out_as(call, l->scan->type, &out, x.dtype, &to));
    const size_t leaves = lw__divide_up(x.shape.extent[LW_AXES - 1], LW_LEAF), all = half + leaves;
    assert(leaves && leaves <= half);
    struct lw__operand nodes;
    LW_TRY(scratch(call, l, (size_t)levels_of(all), all, &nodes));
    struct lw__operand sums;
    LW_TRY(scratch(call, l, 1, leaves, &sums));
    struct lw__operand made;
    LW_TRY(scratch(call, l, 1, all, &made));
    struct lw__operand own;
    LW_TRY(scratch(call, l, 1, leaves, &own));
    LW_TRY(totals(call, l, &x, leaves, &sums));
    LW_TRY(set_before(call, l, half, all, &nodes));
    struct lw__operand part = part_of(&nodes, rows, all, half, leaves);
    sums = part_of(&sums, rows, leaves, 0, leaves);
    LW_TRY(lw__copy(call, &part, &sums));
    LW_TRY(prefixes(call, l, all, &nodes, &made));
    part = part_of(&made, rows, all, half, leaves);
    own = part_of(&own, rows, leaves, 0, leaves);
    LW_TRY(lw__copy(call, &own, &part));
    LW_TRY(LW_OP_BLOCKS(
        call, scan, names[2][l->scan->type], rows * leaves, lw_dim_1(WARP), lw_arg_int(l->scan->op),
        lw_arg_uint(l->scan->options.exclusive),
        lw_arg_uint(l->scan->options.exclusive && l->is_first),
        lw__scan_start(l->scan->options.op, l->scan->type, lw_buffer_dtype(l->scan->out.buffer)),
        lw__arg_shape(&x.shape), lw_arg_uint(0), lw_arg_uint(rows * leaves), lw_arg_uint(1),
        lw_arg_uint(leaves), lw__arg_view(&x.view), lw_arg_buffer(x.buffer), lw_arg_int(x.dtype),
        lw__arg_view(&to.view), lw_arg_buffer(to.buffer), lw_arg_int(to.dtype), lw_arg_uint(true),
        lw__arg_at(&own)));
    return lw__out_done(call, &out, &to);
}

/* ---- subtrees of this rank ---- */

static lw_status node(struct lw__fold *f, const lw_tensor *x, size_t first, lw_tensor out)
{
    struct leaves l = {.scan = f->user, .x = x[0], .out = out};

    (void)first;
    return lw__call_run("dist_scan", f->stream, node_body, &l);
}

/* What stands before the leaf, of each row, and an identity: into a stage. */
static lw_status bring_before(struct scan *s, size_t leaf, lw_tensor *out)
{
    const size_t bytes = value_bytes(s);
    const lw_dtype dtype = lw__accumulate_dtype(s->type);
    const ptrdiff_t count = (ptrdiff_t)s->rows + 1;

    LW_TRY(lw__room(&s->comm->raw, (s->rows + 1) * bytes));
    char *to = s->comm->raw.memory;
    for (size_t row = 0; row <= s->rows; row++) {
        const union value v = row < s->rows ? before_leaf(s, leaf, row) : identity(s);

        memcpy(to + row * bytes, &v, bytes);
    }
    lw_buffer *buffer;
    LW_TRY(lw__stage(s->comm, LW_STAGE_NODES, dtype, s->rows + 1, &buffer));
    LW_TRY(lw_buffer_write(buffer, 0, s->rows + 1, to));
    return lw_tensor_of(buffer, 1, &count, out);
}

static lw_status write_node(struct scan *s, const struct lw__node *n, lw_tensor out, lw_tensor x)
{
    struct leaves l = {.scan = s, .x = x, .out = out, .level = n->level, .is_first = n->begin == 0};

    LW_TRY(bring_before(s, n->leaf, &l.before));
    return lw__call_run("dist_scan", s->stream, write_body, &l);
}

static lw_status write_whole(struct scan *s)
{
    const size_t first = s->part.first, end = first + s->part.count;

    for (size_t k = 0; k < s->comm->node_count; k++) {
        const struct lw__node *n = lw__dist_node(s->comm, k);

        if (n->rank != s->comm->transport.rank || n->end > end)
            continue;
        lw_tensor x;
        LW_TRY(lw_tensor_slice(s->x, s->axis, (ptrdiff_t)(n->begin - first),
                               (ptrdiff_t)(n->end - first), 1, &x));
        lw_tensor out;
        LW_TRY(lw_tensor_slice(s->out, s->axis, (ptrdiff_t)(n->begin - first),
                               (ptrdiff_t)(n->end - first), 1, &out));
        LW_TRY(write_node(s, n, out, x));
    }
    return LW_OK;
}

/* ---- the leaf that a border cuts ---- */

/* The results of the leaf that this rank has made, with the axis first, in a stage. */
static lw_status write_cut(struct scan *s, const struct lw__node *n, lw_buffer **results)
{
    lw_tensor x;

    LW_TRY(lw__fold_leaf(&s->fold, n, &x));
    size_t count = (n->end - n->begin) * s->rows;
    lw_buffer *buffer;
    LW_TRY(lw__stage(s->comm, LW_STAGE_RESULT, lw_buffer_dtype(s->out.buffer), count, &buffer));
    lw_tensor made;
    made = x; /* the same strides */
    made.buffer = buffer;
    LW_TRY(write_node(s, n, made, x));
    *results = buffer;
    return lw_stream_wait(s->stream);
}

/* Elements of the axis, from `at` on in a stage that has it first, to out from `first` on. */
static lw_status copy_out(struct scan *s, lw_buffer *from, size_t elements, size_t first)
{
    const size_t offset = first - s->part.first;
    lw_tensor out;

    LW_TRY(lw_tensor_slice(s->out, s->axis, (ptrdiff_t)offset, (ptrdiff_t)(offset + elements), 1,
                           &out));
    LW_TRY(lw__axis_first(out, s->axis, &out));
    lw_tensor results;
    LW_TRY(lw_tensor_of(from, out.rank, out.extent, &results));
    return lw_copy(s->stream, out, results);
}

static lw_status send_results(struct scan *s, const struct lw__node *n, lw_buffer *results,
                              lw_status *status)
{
    const size_t step = s->rows * lw_dtype_size(lw_buffer_dtype(s->out.buffer));
    size_t next = s->part.first + s->part.count;

    LW_TRY(lw__dist_raw(s->comm, (n->end - n->begin) * step));
    if (!*status)
        *status = lw_buffer_read(results, 0, (n->end - n->begin) * s->rows, s->comm->raw.memory);
    for (int r = s->comm->transport.rank + 1; next < n->end; r++) {
        const lw_part *part = &s->comm->parts[r];
        const size_t end = part->first + part->count, last = end < n->end ? end : n->end;

        if (part->count)
            LW_TRY(lw__dist_send(s->comm, r, (char *)s->comm->raw.memory + (next - n->begin) * step,
                                 (last - next) * step));
        next = last > next ? last : next;
    }
    return LW_OK;
}

/* The results of the elements before this rank's first leaf. */
static lw_status receive_results(struct scan *s, lw_status *status)
{
    const lw_dtype dtype = lw_buffer_dtype(s->out.buffer);
    const int from = lw__fold_head(&s->fold);
    const size_t elements = lw__fold_head_end(&s->fold, &s->part) - s->part.first;
    const size_t bytes = elements * s->rows * lw_dtype_size(dtype);

    if (from < 0)
        return LW_OK;
    LW_TRY(lw__dist_raw(s->comm, bytes));
    LW_TRY(lw__dist_receive(s->comm, from, s->comm->raw.memory, bytes));
    if (*status)
        return LW_OK;
    lw_buffer *buffer;
    *status = lw__stage(s->comm, LW_STAGE_MORE, dtype, elements * s->rows, &buffer);
    if (!*status)
        *status = lw_buffer_write(buffer, 0, elements * s->rows, s->comm->raw.memory);
    if (!*status)
        *status = copy_out(s, buffer, elements, s->part.first);
    return LW_OK;
}

static lw_status finish(struct scan *s)
{
    const struct lw__node *cut = lw__fold_cut(&s->fold, s->comm->transport.rank);
    lw_buffer *results = NULL;
    lw_status status = LW_OK;

    if (cut) {
        status = write_cut(s, cut, &results);
        LW_TRY(send_results(s, cut, results, &status));
        if (!status)
            status = copy_out(s, results, s->part.first + s->part.count - cut->begin, cut->begin);
    }
    LW_TRY(receive_results(s, &status));
    if (!status)
        status = write_whole(s);
    void *mine;
    LW_TRY(lw__dist_mine(s->comm, 0, &mine));
    return lw__dist_gather(s->comm, 0, status);
}

/* ---- the operation ---- */

static lw_status check(struct scan *s)
{
    struct lw__call call = lw__dist_call("dist_scan", s->comm, s->stream);

    LW_TRY(lw__dist_ready(s->comm, s->stream));
    struct lw__operand x;
    LW_TRY(lw__operand_in(&call, "x", s->x, &x));
    LW_TRY(lw__dist_axis(&call, &x, s->options.axis, x.rank - 1, s->part, &s->axis));
    LW_TRY(lw__scan_check(&call, s->out, s->x, &s->options));
    s->type = lw__accumulate(x.dtype, lw_buffer_dtype(s->out.buffer));
    s->op = (int)s->options.op;
    if (s->type == LW_ACC_I64 && x.dtype == LW_U64 && s->op >= LW_SCAN_MAX)
        s->op += MAX_U64 - LW_SCAN_MAX;
    s->rows = 1;
    for (int k = 0; k < s->x.rank; k++)
        s->rows *= k == s->axis ? 1 : (size_t)s->x.extent[k];
    lw__record_add(&s->record, &x, s->axis);
    s->record.type = lw__accumulate_dtype(s->type);
    s->record.number[0] = s->options.op;
    s->record.number[1] = s->options.exclusive;
    s->record.number[2] = lw_buffer_dtype(s->out.buffer); /* results travel */
    return LW_OK;
}

lw_status lw_dist_scan(lw_comm *c, lw_stream *stream, lw_tensor out, lw_tensor x, lw_part part,
                       const lw_scan_options *o)
{
    struct scan s = {.comm = c,
                     .stream = stream,
                     .out = out,
                     .x = x,
                     .part = part,
                     .options = o ? *o : (lw_scan_options){0}};

    LW_TRY(lw__dist_begin(c));
    s.record = lw__record("dist_scan", part);
    LW_TRY(lw__dist_agree(c, &s.record, check(&s)));
    s.fold = (struct lw__fold){.comm = c,
                               .stream = stream,
                               .inputs = 1,
                               .x = {x},
                               .axis = {s.axis},
                               .leaf = LW_LEAF,
                               .dtype = lw__accumulate_dtype(s.type),
                               .values = s.rows,
                               .node = node,
                               .user = &s};
    LW_TRY(lw__fold(&s.fold));
    return s.rows ? finish(&s) : LW_OK;
}
