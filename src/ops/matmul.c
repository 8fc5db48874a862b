/* matmul.c - lw_matmul: ranks and batches brought to one form, then a kernel for its size.
 *
 * The form (struct problem) is out[b][r][c] = sum over k of x[b][r][k] y[b][k][c], its operands in
 * the accumulation type. A sum is cut into nodes where there are few elements, so that there is
 * work for all; which changes no bits (docs/order.md, contractions).
 */
#include "ops/contract.h"
#include <assert.h>
#include <string.h>

/* ORDER MATMUL: kernels/matmul.h */
enum { CHAIN = 1024 };
struct matmul {
    size_t m, n, k, batches, b, group, nodes, levels, lines, pitch;
    struct lw__view x, y, out, bias;
    size_t parts;
    bool has_bias;
};

enum {
    ROW = 2, /* axes */
    COLUMN = 3,
    LINES = 6, /* ORDER PANEL: kernels/matmul_panel.inc */
    STEPS = 128,
    HEIGHT = 252, /* of panels: their sums fill a quarter of a second cache */
    DEEP = 16,    /* the deepest tile. ORDER TILES: kernels/matmul_gpu.c */
    LARGE = 128,
    SMALL = 64,
    FOUR = 4,
    TILES_ENOUGH = 128, /* tiles for about every processor */
    BLOCKS_GPU = 264,   /* cut sums into nodes below so many blocks */
    BLOCKS_CPU = 64,
    FEW = 16 /* elements for which a thread each will do */
};

struct problem {
    struct lw__operand x, y, out, bias;
    struct lw__window window;
    bool has_bias;
    enum lw__accumulate type;
    size_t m, n, k;
};

/* ---- ranks, as NumPy has them ---- */

static void swap_last(struct lw__operand *o)
{
    const size_t extent = o->shape.extent[ROW];
    const ptrdiff_t stride = o->view.stride[ROW];

    o->shape.extent[ROW] = o->shape.extent[COLUMN];
    o->view.stride[ROW] = o->view.stride[COLUMN];
    o->shape.extent[COLUMN] = extent;
    o->view.stride[COLUMN] = stride;
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
static lw_status result_shape(const struct lw__call *call, const struct problem *p,
                              struct lw__shape *shape)
{
    const struct lw__operand *x = &p->x, *y = &p->y;
    char of_x[LW_SHAPE_TEXT], of_y[LW_SHAPE_TEXT];
    bool fits = x->rank > 0 && y->rank > 0 &&
                x->shape.extent[COLUMN] == y->shape.extent[y->rank == 1 ? COLUMN : ROW];

    for (int k = 0; k < ROW; k++) {
        const size_t a = x->shape.extent[k], b = y->shape.extent[k];

        fits = fits && (a == b || a == 1 || b == 1);
        shape->extent[k] = a == 1 ? b : a;
    }
    shape->extent[ROW] = x->shape.extent[ROW];
    shape->extent[COLUMN] = y->rank == 1 ? 1 : y->shape.extent[COLUMN];
    if (fits)
        return LW_OK;
    return lw_fail(LW_E_SHAPE,
                   "%s: x has shape %s and y has %s; need (..., m, k) and (..., k, n), or vectors "
                   "(k,), with batches that broadcast",
                   call->name, lw__operand_text(x, of_x), lw__operand_text(y, of_y));
}

static lw_status check_out(const struct lw__call *call, const struct problem *p,
                           const struct lw__shape *shape)
{
    const int rank_x = p->x.rank, rank_y = p->y.rank;
    const int batch = (rank_x > rank_y ? rank_x : rank_y) - 2;
    size_t extents[LW_AXES];
    int rank = 0;

    for (int k = ROW - (batch > 0 ? batch : 0); k < ROW; k++)
        extents[rank++] = shape->extent[k];
    if (rank_x > 1)
        extents[rank++] = shape->extent[ROW];
    if (rank_y > 1)
        extents[rank++] = shape->extent[COLUMN];
    return lw__operand_expect(call, &p->out, rank, extents);
}

static lw_status take_bias(struct lw__call *call, struct problem *p, const lw_tensor *bias)
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
static lw_status take_axes(struct lw__call *call, struct problem *p, const lw_tensor *bias)
{
    const int rank_x = p->x.rank, rank_y = p->y.rank;

    struct lw__shape shape;
    LW_TRY(result_shape(call, p, &shape));
    LW_TRY(check_out(call, p, &shape));
    LW_TRY(take_bias(call, p, bias));
    if (rank_y == 1) {
        swap_last(&p->y);
        make_axis(&p->out, COLUMN);
        make_axis(&p->bias, COLUMN);
    }
    if (rank_x == 1) {
        make_axis(&p->out, ROW);
        make_axis(&p->bias, ROW);
    }
    p->m = shape.extent[ROW];
    p->n = shape.extent[COLUMN];
    p->k = p->x.shape.extent[COLUMN];
    struct lw__shape of_x, of_y;
    of_x = of_y = shape;
    of_x.extent[COLUMN] = of_y.extent[ROW] = p->k;
    lw__operand_broadcast(&p->x, &of_x);
    lw__operand_broadcast(&p->y, &of_y);
    return LW_OK;
}

/* ---- one form ---- */

/* Without the axes along which it only repeats, so that a copy is no larger than what there is. */
static struct lw__operand without_repeats(struct lw__operand o)
{
    for (int k = 0; k < LW_AXES; k++)
        if (!o.view.stride[k] && o.shape.extent[k])
            o.shape.extent[k] = 1;
    return o;
}

lw_status lw__as_dtype(struct lw__call *call, struct lw__operand *o, lw_dtype dtype)
{
    const struct lw__operand from = without_repeats(*o);
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
static void join_batch(struct problem *p)
{
    for (int k = ROW - 1; k >= 0; k--) {
        struct lw__operand *both[] = {&p->x, &p->out, &p->bias};
        const size_t extent = p->out.shape.extent[k];
        const ptrdiff_t m = (ptrdiff_t)p->m;

        if (extent == 1)
            continue;
        if (p->y.view.stride[k] || p->x.view.stride[k] != m * p->x.view.stride[ROW] ||
            p->out.view.stride[k] != m * p->out.view.stride[ROW] ||
            (p->has_bias && p->bias.view.stride[k] != m * p->bias.view.stride[ROW]))
            return;
        for (int i = 0; i < 3; i++) {
            both[i]->shape.extent[k] = 1;
            both[i]->shape.extent[ROW] *= extent;
        }
        p->y.shape.extent[k] = 1;
        p->m *= extent;
    }
}

/* The transposed product, y's lines as rows: where there are few columns and many rows. */
static void turn(struct problem *p)
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

static lw_status bring(struct lw__call *call, struct problem *p)
{
    const lw_dtype dtype = lw__accumulate_dtype(p->type);

    if (p->x.dtype != dtype)
        LW_TRY(lw__as_dtype(call, &p->x, dtype));
    if (p->y.dtype != dtype)
        LW_TRY(lw__as_dtype(call, &p->y, dtype));
    if (p->has_bias && p->bias.dtype != dtype)
        LW_TRY(lw__as_dtype(call, &p->bias, dtype));
    join_batch(p);
    if (p->n < FEW && p->m > p->n)
        turn(p);
    assert(p->m == p->out.shape.extent[ROW] && p->n == p->out.shape.extent[COLUMN]);
    if (!call->is_gpu && p->m >= 2 * FEW && p->n > 1 && p->y.view.stride[COLUMN] != 1)
        LW_TRY(lw__as_dtype(call, &p->y, dtype));
    return LW_OK;
}

/* ---- nodes ---- */

static size_t batches_of(const struct problem *p)
{
    return p->out.shape.extent[0] * p->out.shape.extent[1];
}

/* The form's numbers; nodes so that there are `enough` blocks, where a node has `blocks`. */
static struct matmul cut(const struct problem *p, size_t blocks, size_t enough)
{
    const size_t chains = lw__divide_up(p->k, CHAIN);
    struct matmul a = {.m = p->m,
                       .n = p->n,
                       .k = p->k,
                       .batches = batches_of(p),
                       .b = p->out.shape.extent[1],
                       .group = 1,
                       .lines = p->m,
                       .pitch = p->n,
                       .x = p->x.view,
                       .y = p->y.view,
                       .out = p->out.view,
                       .bias = p->bias.view,
                       .has_bias = p->has_bias};

    while (a.group < chains)
        a.group *= 2;
    while (a.group > 1 && lw__divide_up(chains, a.group) * blocks < enough)
        a.group /= 2;
    a.nodes = chains ? lw__divide_up(chains, a.group) : 1;
    assert(!(a.group & (a.group - 1)) && a.nodes * a.group >= chains);
    while ((size_t)1 << a.levels < a.group && (size_t)1 << a.levels < chains)
        a.levels++;
    return a;
}

/* Scratch memory for `slots` values of each element. */
static lw_status take_parts(struct lw__call *call, const struct problem *p, struct matmul *a,
                            size_t slots, struct lw__operand *parts)
{
    const struct lw__shape shape = {{slots, a->batches, a->lines, a->pitch}};

    *parts = p->out;
    if (!slots)
        return LW_OK;
    LW_TRY(lw__call_scratch(call, "parts", lw__accumulate_dtype(p->type), shape, parts));
    a->parts = (size_t)parts->view.offset;
    return LW_OK;
}

/* ---- launches ---- */

struct launch {
    const char *name; /* of the kernel, without the type */
    uint32_t threads;
    size_t blocks, shared_bytes, height;
};

static enum lw__ops_program program_for(const struct lw__call *call)
{
    if (call->is_gpu)
        return LW_PROGRAM_matmul_gpu;
    switch (lw_device_vector_bits(call->device)) {
    case 0: return LW_PROGRAM_matmul;
    case 512: return LW_PROGRAM_matmul_wide;
    default: return LW_PROGRAM_matmul_narrow;
    }
}

static lw_status kernel_of(struct lw__call *call, const struct problem *p, const struct launch *l,
                           lw_kernel **kernel)
{
    char name[64];

    strcpy(name, l->name);
    strcat(strcat(name, "_"), lw__accumulate_name(p->type));
    return lw__ops_kernel(call, program_for(call), name, kernel);
}

/* Without a bias nothing reads it: an input stands for it, which has been written. */
static lw_arg bias_of(const struct problem *p)
{
    return lw_arg_buffer(p->has_bias ? p->bias.buffer : p->x.buffer);
}

static lw_status launch_nodes(struct lw__call *call, const struct problem *p,
                              const struct matmul *a, const struct lw__operand *parts,
                              const struct launch *l)
{
    const lw_arg args[] = {lw_arg_bytes(a, sizeof *a),
                           lw_arg_buffer(p->out.buffer),
                           lw_arg_buffer(p->x.buffer),
                           lw_arg_buffer(p->y.buffer),
                           bias_of(p),
                           lw_arg_buffer(parts->buffer),
                           lw_arg_uint(l->height),
                           lw_arg_bytes(&p->window, sizeof p->window)};
    const lw_launch_options options = {.shared_bytes = l->shared_bytes};
    lw_kernel *kernel;
    lw_dim3 grid;

    LW_TRY(lw__grid(call, l->blocks, &grid));
    if (call->is_dry)
        return LW_OK;
    LW_TRY(kernel_of(call, p, l, &kernel));
    return lw__call_queue(call, kernel, grid, lw_dim_1(l->threads), &options, args,
                          l->height ? 8 : 6);
}

static lw_status launch_merge(struct lw__call *call, const struct problem *p,
                              const struct matmul *a, const struct lw__operand *parts)
{
    const struct launch l = {.name = "matmul_merge"};
    const lw_arg args[] = {lw_arg_bytes(a, sizeof *a), lw_arg_buffer(p->out.buffer), bias_of(p),
                           lw_arg_buffer(parts->buffer)};
    lw_kernel *kernel;
    lw_dim3 grid;

    if (call->is_dry || a->nodes == 1)
        return LW_OK;
    LW_TRY(kernel_of(call, p, &l, &kernel));
    lw_dim3 block = lw_kernel_fixed_block(kernel);
    LW_TRY(lw__grid(call, lw__divide_up(a->batches * a->m * a->n, block.x), &grid));
    return lw__call_queue(call, kernel, grid, block, NULL, args, 4);
}

static lw_status run(struct lw__call *call, const struct problem *p, struct matmul *a, size_t slots,
                     const struct launch *l)
{
    struct lw__operand parts;

    LW_TRY(take_parts(call, p, a, slots, &parts));
    LW_TRY(launch_nodes(call, p, a, &parts, l));
    return launch_merge(call, p, a, &parts);
}

static lw_status run_plain(struct lw__call *call, const struct problem *p)
{
    const size_t elements = batches_of(p) * p->m * p->n;
    struct matmul a = cut(p, lw__divide_up(elements, 64), elements <= FEW ? SIZE_MAX / 2 : 0);
    const struct launch l = {"matmul_naive", 64, lw__divide_up(elements * a.nodes, 64), 0, 0};

    return run(call, p, &a, a.nodes > 1 ? a.nodes : 0, &l);
}

size_t lw__matmul_gang(const struct lw__call *call, lw_dtype dtype)
{
    const int bits = call->is_gpu ? 0 : lw_device_vector_bits(call->device);

    return !bits ? 0 : (bits == 512 ? 256 : 64) / lw_dtype_size(dtype);
}

static lw_status run_panels(struct lw__call *call, const struct problem *p)
{
    const lw_dtype dtype = lw__accumulate_dtype(p->type);
    const size_t gang = lw__matmul_gang(call, dtype), ranges = lw__divide_up(p->m, HEIGHT);
    const size_t height = lw__divide_up(lw__divide_up(p->m, ranges), LINES) * LINES;
    const size_t blocks = lw__divide_up(p->m, height) * lw__divide_up(p->n, gang) * batches_of(p);
    struct matmul a = cut(p, blocks, BLOCKS_CPU);
    const size_t size = gang * lw_dtype_size(dtype), slots = a.nodes;
    const size_t shared = (STEPS + height * (1 + a.levels)) * size;
    const struct launch l = {"matmul_panel", (uint32_t)gang, blocks * slots, shared, height};

    assert(height % LINES == 0 && height <= HEIGHT);
    a.levels = 0; /* they lie in block memory */
    return run(call, p, &a, slots > 1 ? slots : 0, &l);
}

static size_t whole(size_t n, size_t of)
{
    return lw__divide_up(n, of) * of;
}

/* True if the operand has these rows and columns, and lies as a tile wants it. */
static bool is_padded(const struct lw__operand *o, size_t rows, size_t columns)
{
    bool fits = o->shape.extent[ROW] == rows && o->shape.extent[COLUMN] == columns &&
                o->view.stride[COLUMN] == 1 &&
                lw__operand_is_aligned(o, FOUR * lw_dtype_size(o->dtype));

    for (int k = 0; k < COLUMN; k++)
        fits = fits && o->view.stride[k] % FOUR == 0;
    return fits;
}

static lw_status launch_pad(struct lw__call *call, const struct problem *p,
                            const struct lw__operand *to, const struct lw__operand *from,
                            lw_arg absent)
{
    const size_t count = lw__operand_count(to);
    const struct launch l = {"matmul_pad", 256, lw__divide_up(count, 256), 0, 0};
    const lw_arg args[] = {lw__arg_shape(&to->shape),
                           lw_arg_uint(from->shape.extent[ROW]),
                           lw_arg_uint(from->shape.extent[COLUMN]),
                           lw__arg_view(&from->view),
                           lw_arg_buffer(from->buffer),
                           lw_arg_buffer(to->buffer),
                           lw_arg_uint((size_t)to->view.offset),
                           absent};
    lw_kernel *kernel;
    lw_dim3 grid;

    LW_TRY(lw__grid(call, l.blocks, &grid));
    if (call->is_dry)
        return LW_OK;
    LW_TRY(kernel_of(call, p, &l, &kernel));
    return lw__call_queue(call, kernel, grid, lw_dim_1(l.threads), NULL, args, 8);
}

/* Has the operand in whole tiles: as it is, or copied, with what adds nothing around it. */
static lw_status pad(struct lw__call *call, const struct problem *p, struct lw__operand *o,
                     size_t rows, size_t columns, lw_arg absent)
{
    if (!is_padded(o, rows, columns) && o->view.stride[COLUMN] != 1)
        LW_TRY(lw__as_dtype(call, o, o->dtype)); /* turned by tiles */
    if (is_padded(o, rows, columns))
        return LW_OK;
    struct lw__operand from = without_repeats(*o);
    struct lw__shape shape = from.shape;
    from.shape.extent[ROW] = o->shape.extent[ROW];
    from.shape.extent[COLUMN] = o->shape.extent[COLUMN];
    shape.extent[ROW] = rows;
    shape.extent[COLUMN] = columns;
    struct lw__operand to;
    LW_TRY(lw__call_scratch(call, o->name, o->dtype, shape, &to));
    LW_TRY(launch_pad(call, p, &to, &from, absent));
    for (int k = 0; k < ROW; k++)
        shape.extent[k] = o->shape.extent[k];
    lw__operand_broadcast(&to, &shape);
    *o = to;
    return LW_OK;
}

/* Tiles of the kernels, the larger ones first. ORDER TILES: kernels/matmul_gpu.c */
struct tile {
    const char *name;
    size_t rows, columns;
    uint32_t threads;
};

static size_t tiles_of(const struct problem *p, const struct tile *t)
{
    return lw__divide_up(p->m, t->rows) * lw__divide_up(p->n, t->columns) * batches_of(p);
}

static struct tile tile_for(const struct problem *p)
{
    static const struct tile large = {"matmul_tiled_large", 128, 128, 256},
                             small = {"matmul_tiled_small", 64, 64, 128},
                             tiny = {"matmul_tiled_tiny", 32, 64, 128},
                             other = {"matmul_tiled_small", 64, 64, 256};

    if (p->type != LW_ACC_F32)
        return other;
    if (tiles_of(p, &large) >= TILES_ENOUGH)
        return large;
    return tiles_of(p, &small) >= TILES_ENOUGH ? small : tiny;
}

static lw_status run_tiles(struct lw__call *call, struct problem *p)
{
    const struct tile t = tile_for(p);
    const size_t lines = whole(p->m, t.rows), pitch = whole(p->n, t.columns);
    const bool is_float = p->type != LW_ACC_I64;
    struct launch l = {t.name, t.threads, 0, 0, 0};

    LW_TRY(pad(call, p, &p->x, lines, whole(p->k, DEEP),
               is_float ? lw_arg_real(-0.0) : lw_arg_int(0)));
    LW_TRY(
        pad(call, p, &p->y, whole(p->k, DEEP), pitch, is_float ? lw_arg_real(0) : lw_arg_int(0)));
    assert(is_padded(&p->x, lines, p->y.shape.extent[ROW]) && p->y.shape.extent[COLUMN] == pitch);
    l.blocks = tiles_of(p, &t);
    struct matmul a = cut(p, l.blocks, BLOCKS_GPU);
    l.blocks *= a.nodes;
    a.lines = lines;
    a.pitch = pitch;
    a.k = whole(p->k, DEEP);
    return run(call, p, &a, a.levels * a.nodes + (a.nodes > 1 ? a.nodes : 0), &l);
}

static lw_status run_any(struct lw__call *call, struct problem *p)
{
    const size_t elements = batches_of(p) * p->m * p->n;

    if (!elements)
        return LW_OK;
    if (elements > FEW && call->is_gpu && p->k)
        return run_tiles(call, p);
    if (lw_device_vector_bits(call->device))
        return run_panels(call, p);
    return run_plain(call, p);
}

/* ---- the operation ---- */

lw_status lw__matmul(struct lw__call *call, const struct lw__operand *out,
                     const struct lw__operand *x, const struct lw__operand *y,
                     const struct lw__window *window)
{
    struct problem p = {.x = *x,
                        .y = *y,
                        .out = *out,
                        .bias = *out,
                        .type = lw__accumulate(out->dtype, out->dtype),
                        .m = out->shape.extent[ROW],
                        .n = out->shape.extent[COLUMN],
                        .k = x->shape.extent[COLUMN]};

    assert(window || p.k == y->shape.extent[ROW]);
    if (window) {
        p.window = *window;
        return run_panels(call, &p);
    }
    LW_TRY(bring(call, &p));
    return run_any(call, &p);
}

struct matmul_arguments {
    lw_tensor out, x, y;
    const lw_tensor *bias;
};

static lw_status matmul_body(struct lw__call *call, void *arguments)
{
    const struct matmul_arguments *a = arguments;
    struct problem p = {0};

    LW_TRY(lw__operand_in(call, "x", a->x, &p.x));
    LW_TRY(lw__operand_in(call, "y", a->y, &p.y));
    LW_TRY(lw__operand_out(call, "out", a->out, &p.out));
    LW_TRY(lw__operand_apart(call, &p.out, &p.x, false));
    LW_TRY(lw__operand_apart(call, &p.out, &p.y, false));
    LW_TRY(take_axes(call, &p, a->bias));
    p.type = lw__accumulate(lw__promote(p.x.dtype, p.y.dtype), p.out.dtype);
    lw_dtype dtype = lw__accumulate_dtype(p.type);
    struct lw__operand out = p.out;
    if (out.dtype != dtype)
        LW_TRY(lw__call_scratch(call, "out", dtype, out.shape, &p.out));
    struct lw__operand made = p.out;
    LW_TRY(bring(call, &p));
    LW_TRY(run_any(call, &p));
    return out.dtype == dtype ? LW_OK : lw__copy(call, &out, &made);
}

lw_status lw__matmul_check(struct lw__call *call, lw_tensor out, lw_tensor x, lw_tensor y,
                           const lw_matmul_options *options)
{
    struct matmul_arguments a = {out, x, y, options ? options->bias : NULL};

    return matmul_body(call, &a);
}

lw_status lw_matmul(lw_stream *s, lw_tensor out, lw_tensor x, lw_tensor y,
                    const lw_matmul_options *options)
{
    struct matmul_arguments a = {out, x, y, options ? options->bias : NULL};

    return lw__call_run("matmul", s, matmul_body, &a);
}
