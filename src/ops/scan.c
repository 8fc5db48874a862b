/* scan.c - running sums, products, maxima and minima along an axis, read from memory once. On
 * processors a thread has whole rows, if they are many. Else rows are cut into runs of leaves, and
 * so many runs that the caches hold them are gone through twice: their totals, what stands before
 * each, the result. On GPUs leaves wait for each other. All give the same bits.
 */
#include "ops/op.h"
#include <assert.h>
#include <math.h>

enum { LEAF = 1024, WARP = 32 };    /* kernels/row.h */
enum { WARPS = 4, CLEARED = 1024 }; /* of a block on GPUs; words of nodes that a warp empties */
/* ORDER SCAN: kernels/scan.h */
enum { MAX_U64 = LW_SCAN_MIN + 1, MIN_U64 };

static int64_t whole_start(lw_scan_op op, lw_dtype result)
{
    const size_t bits = 8 * lw_dtype_size(result);
    const bool is_unsigned = lw__dtype_is_unsigned(result);
    const uint64_t most = UINT64_MAX >> (64 - bits) >> !is_unsigned;

    switch (op) {
    case LW_SCAN_MAX: return is_unsigned ? 0 : -(int64_t)most - 1;
    case LW_SCAN_MIN: return (int64_t)most;
    default: return op == LW_SCAN_MUL;
    }
}

static double real_start(lw_scan_op op, lw_dtype result)
{
    const int64_t whole = whole_start(op, result);

    if (lw__dtype_is_float(result) && op >= LW_SCAN_MAX)
        return op == LW_SCAN_MAX ? -(double)INFINITY : (double)INFINITY;
    return lw__dtype_is_unsigned(result) ? (double)(uint64_t)whole : (double)whole;
}

lw_arg lw__scan_start(lw_scan_op op, enum lw__accumulate type, lw_dtype result)
{
    assert(op >= LW_SCAN_ADD && op <= LW_SCAN_MIN); /* those of u64 have the same */
    return type == LW_ACC_I64 ? lw_arg_int(whole_start(op, result))
                              : lw_arg_real(real_start(op, result));
}

struct scan_arguments {
    lw_tensor out, x;
    lw_scan_options options;
};

struct scan {
    struct lw__operand x, out; /* the axis is the last, with stride 1 */
    int op;
    size_t rows, leaves;
    enum lw__accumulate type;
    bool exclusive;
    lw_arg start; /* of exclusive ones */
};

/* ---- on processors ---- */

/* Bytes of a run at most, and of a wave for each thread: the last cache has them. Leaves of a run
 * at least, and those that are worth no second thread. */
enum { RUN_BYTES = 1 << 18, WAVE_BYTES = 1 << 22, RUN_LEAST = 4, FEW_LEAVES = 64 };
enum { RUNS_OF_A_THREAD = 2, ROWS_OF_A_THREAD = 4, BLOCKS_OF_A_THREAD = 8 };

static const char *const names[][3] = {
    {"scan_totals_float", "scan_totals_double", "scan_totals_int64"},
    {"scan_prefixes_float", "scan_prefixes_double", "scan_prefixes_int64"},
    {"scan_write_float", "scan_write_double", "scan_write_int64"},
};

/* How rows are cut: `of_row` runs of `each` leaves; `wave` of all of them are gone through at a
 * time, by launches of `blocks`. */
struct runs {
    size_t each, of_row, wave, blocks;
    struct lw__operand nodes, prefixes;
    int levels;
};

static int levels_of(size_t runs)
{
    int levels = 1;

    assert(runs);
    while (runs >> levels)
        levels++;
    return levels;
}

/* True if each row is one run, whatever the threads. */
static bool has_short_rows(const struct scan *s)
{
    return s->leaves <= RUN_LEAST || s->rows * s->leaves <= FEW_LEAVES;
}

static void cut(const struct scan *s, size_t threads, struct runs *r)
{
    const size_t leaf = LEAF * lw_dtype_size(lw__accumulate_dtype(s->type));
    const bool whole = has_short_rows(s) || threads == 1 || s->rows >= ROWS_OF_A_THREAD * threads;

    r->each = RUN_BYTES / leaf;
    while (!whole && r->each > RUN_LEAST &&
           s->rows * lw__divide_up(s->leaves, r->each) < RUNS_OF_A_THREAD * threads)
        r->each /= 2;
    while (whole && r->each < s->leaves)
        r->each *= 2;
    r->of_row = lw__divide_up(s->leaves, r->each);
    r->levels = levels_of(r->of_row);
    if (r->of_row > 1) {
        r->wave = r->blocks = threads * (WAVE_BYTES / leaf / r->each);
        return;
    }
    const size_t most = lw__divide_up(s->rows * s->leaves, RUN_LEAST);
    r->wave = s->rows;
    r->blocks = BLOCKS_OF_A_THREAD * threads;
    r->blocks = r->blocks < most ? r->blocks : most;
    r->blocks = r->blocks < s->rows ? r->blocks : s->rows;
}

/* What the launches of a wave, of runs begin .. begin + count, are given beside these. */
static lw_status find_prefixes(struct lw__call *call, const struct scan *s, const struct runs *r,
                               size_t begin, size_t count)
{
    const size_t rows = lw__divide_up(begin + count, r->of_row) - begin / r->of_row;

    LW_TRY(LW_OP_BLOCKS(call, scan, names[0][s->type], count, lw_dim_1(WARP), lw_arg_int(s->op),
                        lw__arg_shape(&s->x.shape), lw_arg_uint(begin), lw_arg_uint(count),
                        lw_arg_uint(r->each), lw_arg_uint(r->of_row), lw__arg_view(&s->x.view),
                        lw_arg_buffer(s->x.buffer), lw_arg_int(s->x.dtype), lw__arg_at(&r->nodes)));
    return LW_OP_BLOCKS(call, scan, names[1][s->type], rows, lw_dim_1(WARP), lw_arg_int(s->op),
                        lw_arg_uint(s->rows), lw_arg_uint(r->of_row), lw_arg_uint(begin),
                        lw_arg_uint(begin + count), lw_arg_int(r->levels), lw__arg_at(&r->nodes),
                        lw__arg_at(&r->prefixes));
}

static lw_status write_wave(struct lw__call *call, const struct scan *s, const struct runs *r,
                            size_t begin, size_t count)
{
    const bool has_prefixes = r->of_row > 1;
    const lw_arg prefixes = has_prefixes ? lw__arg_at(&r->prefixes) : lw_arg_buffer(s->x.buffer);

    if (has_prefixes)
        LW_TRY(find_prefixes(call, s, r, begin, count));
    return LW_OP_BLOCKS(
        call, scan, names[2][s->type], r->blocks < count ? r->blocks : count, lw_dim_1(WARP),
        lw_arg_int(s->op), lw_arg_uint(s->exclusive), lw_arg_uint(s->exclusive), s->start,
        lw__arg_shape(&s->x.shape), lw_arg_uint(begin), lw_arg_uint(count), lw_arg_uint(r->each),
        lw_arg_uint(r->of_row), lw__arg_view(&s->x.view), lw_arg_buffer(s->x.buffer),
        lw_arg_int(s->x.dtype), lw__arg_view(&s->out.view), lw_arg_buffer(s->out.buffer),
        lw_arg_int(s->out.dtype), lw_arg_uint(has_prefixes), prefixes);
}

/* As much scratch memory as the shortest runs need: the number of threads has no part in that. */
static lw_status launch_runs(struct lw__call *call, const struct scan *s)
{
    const size_t most = lw__divide_up(s->leaves, RUN_LEAST);
    const lw_dtype type = lw__accumulate_dtype(s->type);
    struct runs r;
    size_t threads;

    if (!has_short_rows(s)) {
        const struct lw__shape nodes = {{1, (size_t)levels_of(most), s->rows, most}};
        const struct lw__shape prefixes = {{1, 1, s->rows, most}};
        LW_TRY(lw__call_scratch(call, "nodes", type, nodes, &r.nodes));
        LW_TRY(lw__call_scratch(call, "prefixes", type, prefixes, &r.prefixes));
    }
    if (call->is_dry)
        return LW_OK;
    LW_TRY(lw__workers(call, LW_PROGRAM_scan, names[2][s->type], &threads));
    cut(s, threads, &r);
    const size_t all = s->rows * r.of_row;
    for (size_t begin = 0; begin < all; begin += r.wave)
        LW_TRY(write_wave(call, s, &r, begin, all - begin < r.wave ? all - begin : r.wave));
    return LW_OK;
}

/* ---- on GPUs ---- */

static const char *const once_names[] = {"scan_float", "scan_double", "scan_int64"};
_Static_assert(sizeof once_names / sizeof *once_names == LW_ACC_I64 + 1, "ORDER ACCUMULATE");

/* The nodes of the leaves' tree, empty; rows of one leaf have none. */
static lw_status make_nodes(struct lw__call *call, const struct scan *s, lw_dim3 block,
                            struct lw__operand *nodes)
{
    const size_t words = s->leaves > 1 ? lw_dtype_size(lw__accumulate_dtype(s->type)) / 4 : 0;
    const size_t of_row = s->leaves + s->leaves / 31; /* ORDER NODES: kernels/scan_gpu.c */
    const struct lw__shape shape = {{1, s->rows, of_row, words}};
    const size_t count = s->rows * of_row * words;

    LW_TRY(lw__call_scratch(call, "nodes", LW_U64, shape, nodes));
    return LW_OP_BLOCKS(call, scan_gpu, "scan_clear",
                        lw__divide_up(count, (size_t)CLEARED * block.y), block, lw__arg_at(nodes),
                        lw_arg_uint(count));
}

static lw_status launch_once(struct lw__call *call, const struct scan *s)
{
    const bool is_f32 = s->op == LW_SCAN_ADD && s->x.dtype == LW_F32 && s->out.dtype == LW_F32;
    const lw_dim3 block = lw_dim_2(WARP, WARPS);
    const size_t count = s->rows * s->leaves;
    struct lw__operand nodes;

    LW_TRY(make_nodes(call, s, block, &nodes));
    return LW_OP_BLOCKS(call, scan_gpu, is_f32 ? "scan_f32" : once_names[s->type],
                        lw__divide_up(count, block.y), block, lw_arg_int(s->op),
                        lw_arg_uint(s->exclusive), lw_arg_uint(s->exclusive), s->start,
                        lw__arg_shape(&s->x.shape), lw_arg_uint(count), lw_arg_uint(s->leaves),
                        lw__arg_view(&s->x.view), lw_arg_buffer(s->x.buffer),
                        lw_arg_int(s->x.dtype), lw__arg_view(&s->out.view),
                        lw_arg_buffer(s->out.buffer), lw_arg_int(s->out.dtype), lw__arg_at(&nodes));
}

static lw_status check(struct lw__call *call, const struct scan_arguments *a, struct lw__operand *x,
                       struct lw__operand *out)
{
    LW_TRY(lw__operand_in(call, "x", a->x, x));
    LW_TRY(lw__operand_out(call, "out", a->out, out));
    LW_TRY(lw__operand_same_shape(call, out, x));
    LW_TRY(lw__operand_apart(call, out, x, true));
    if (a->options.op < LW_SCAN_ADD || a->options.op > LW_SCAN_MIN)
        return lw_fail(LW_E_ARG, "%s: op is %d; need LW_SCAN_ADD, _MUL, _MAX or _MIN", call->name,
                       (int)a->options.op);
    int axis;
    LW_TRY(lw__axis(call, x, a->options.axis, x->rank - 1, &axis));
    lw__axis_to_last(x, axis);
    lw__axis_to_last(out, axis);
    return LW_OK;
}

lw_status lw__scan_check(struct lw__call *call, lw_tensor out, lw_tensor x,
                         const lw_scan_options *options)
{
    const struct scan_arguments a = {.out = out, .x = x, .options = *options};
    struct lw__operand of_x, of_out;

    return check(call, &a, &of_x, &of_out);
}

static lw_status scan_body(struct lw__call *call, void *arguments)
{
    const struct scan_arguments *a = arguments;
    struct lw__operand out;
    struct scan s;

    LW_TRY(check(call, a, &s.x, &out));
    if (!lw__operand_count(&s.x))
        return LW_OK;
    s.type = lw__accumulate(s.x.dtype, out.dtype);
    s.op = (int)a->options.op;
    s.exclusive = a->options.exclusive;
    s.start = lw__scan_start(a->options.op, s.type, out.dtype);
    if (s.type == LW_ACC_I64 && s.x.dtype == LW_U64 && s.op >= LW_SCAN_MAX)
        s.op += MAX_U64 - LW_SCAN_MAX;
    s.leaves = lw__divide_up(s.x.shape.extent[LW_AXES - 1], LEAF);
    s.rows = lw__operand_count(&s.x) / s.x.shape.extent[LW_AXES - 1];
    LW_TRY(lw__rows_in_out(call, s.type, &s.x, &out, &s.out));
    assert(s.rows * s.x.shape.extent[LW_AXES - 1] == lw__operand_count(&s.out));
    LW_TRY((call->is_gpu ? launch_once : launch_runs)(call, &s));
    return lw__out_done(call, &out, &s.out);
}

lw_status lw_scan(lw_stream *s, lw_tensor out, lw_tensor x, const lw_scan_options *options)
{
    struct scan_arguments a = {.out = out, .x = x};

    if (options)
        a.options = *options;
    return lw__call_run("scan", s, scan_body, &a);
}
