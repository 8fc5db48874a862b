/* matmul_launch.c - the kernel for a product's size. A sum is cut into nodes where there are few
 * elements, so that there is work for all; which changes no bits (docs/order.md, contractions).
 */
#include "ops/product.h"
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
    LINES = 6,      /* ORDER PANEL: kernels/matmul_panel.inc */
    LINES_SLIM = 8, /* in panels of SLIM columns, of floats in 512 bits */
    SLIM = 16,
    FEWER = 4,
    TILE = 16384,
    HEIGHT = 252, /* of panels: their sums fill a quarter of a second cache */
    GANGS = 4,    /* of a panel's columns */
    /* Products that a thread makes in about 6 us, before another one is awake: by 32 a cycle in
     * panels; of few rows as it reads y, at 40 GB/s. */
    ALONE = 1 << 19,
    ALONE_FEW = 1 << 16,
    DEEP = 16, /* the deepest tile. ORDER TILES: kernels/matmul_gpu.c */
    LARGE = 128,
    SMALL = 64,
    FOUR = 4,
    TILES_ENOUGH = 128, /* tiles for about every processor */
    BLOCKS_GPU = 264,   /* cut sums into nodes below so many blocks */
    BLOCKS_CPU = 64,
    MOST = 4,    /* rows of a product that waits for memory. ORDER FEW: kernels/matmul_few.inc */
    RUN = 16384, /* bytes of a row of y that are read at a time; at least LEAST, for more blocks */
    LEAST = 512,
    READ = 131072 /* bytes of y for a block, where terms lie side by side */
};

/* ---- nodes ---- */

static size_t batches_of(const struct lw__product *p)
{
    return p->out.shape.extent[0] * p->out.shape.extent[1];
}

/* The form's numbers; nodes so that there are `enough` blocks, where a node has `blocks`. */
static struct matmul cut(const struct lw__product *p, size_t blocks, size_t enough)
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
static lw_status take_parts(struct lw__call *call, const struct lw__product *p, struct matmul *a,
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
    size_t blocks, shared_bytes, height, gangs; /* gangs: of panels; strips of columns by AMX */
    bool is_few, is_slim, by_amx;
};

static enum lw__ops_program program_for(const struct lw__call *call, const struct launch *l)
{
    if (call->is_gpu)
        return LW_PROGRAM_matmul_gpu;
    if (l->by_amx)
        return LW_PROGRAM_matmul_amx;
    switch (lw_device_vector_bits(call->device)) {
    case 0: return LW_PROGRAM_matmul;
    case 512: return LW_PROGRAM_matmul_wide;
    default: return l->is_few ? LW_PROGRAM_matmul_few : LW_PROGRAM_matmul_narrow;
    }
}

/* The kernel's whole name into `name`; returns it. */
enum { NAME_BYTES = 64 };
static const char *name_of(const struct lw__product *p, const struct launch *l, char *name)
{
    strcpy(name, l->name);
    return strcat(strcat(name, "_"), lw__accumulate_name(p->type));
}

static lw_status kernel_of(struct lw__call *call, const struct lw__product *p,
                           const struct launch *l, lw_kernel **kernel)
{
    char name[NAME_BYTES];

    return lw__ops_kernel(call, program_for(call, l), name_of(p, l, name), kernel);
}

/* Without a bias nothing reads it: an input stands for it, which has been written. */
static lw_arg bias_of(const struct lw__product *p)
{
    return lw_arg_buffer(p->has_bias ? p->bias.buffer : p->x.buffer);
}

static lw_status launch_nodes(struct lw__call *call, const struct lw__product *p,
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
                           lw_arg_uint(l->gangs),
                           l->by_amx ? lw_arg_int(p->out.dtype == LW_BF16)
                                     : lw_arg_bytes(&p->window, sizeof p->window)};
    const lw_launch_options options = {.shared_bytes = l->shared_bytes};
    lw_kernel *kernel;
    lw_dim3 grid;

    LW_TRY(lw__grid(call, l->blocks, &grid));
    if (call->is_dry)
        return LW_OK;
    LW_TRY(kernel_of(call, p, l, &kernel));
    return lw__call_queue(call, kernel, grid, lw_dim_1(l->threads), &options, args,
                          l->gangs    ? 9
                          : l->height ? 7
                                      : 6);
}

static lw_status launch_merge(struct lw__call *call, const struct lw__product *p,
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

static lw_status run(struct lw__call *call, const struct lw__product *p, struct matmul *a,
                     size_t slots, const struct launch *l)
{
    struct lw__operand parts;

    LW_TRY(take_parts(call, p, a, slots, &parts));
    LW_TRY(launch_nodes(call, p, a, &parts, l));
    return launch_merge(call, p, a, &parts);
}

static lw_status run_plain(struct lw__call *call, const struct lw__product *p)
{
    const size_t elements = batches_of(p) * p->m * p->n;
    struct matmul a = cut(p, lw__divide_up(elements, 64), elements <= LW_FEW ? SIZE_MAX / 2 : 0);
    const struct launch l = {
        .name = "matmul_naive", .threads = 64, .blocks = lw__divide_up(elements * a.nodes, 64)};

    return run(call, p, &a, a.nodes > 1 ? a.nodes : 0, &l);
}

size_t lw__matmul_gang(const struct lw__call *call, lw_dtype dtype)
{
    const int bits = call->is_gpu ? 0 : lw_device_vector_bits(call->device);

    return !bits ? 0 : (bits == 512 ? 256 : 64) / lw_dtype_size(dtype);
}

size_t lw__matmul_least_gang(const struct lw__call *call, enum lw__accumulate type)
{
    const size_t gang = lw__matmul_gang(call, lw__accumulate_dtype(type));

    return gang > SLIM && type == LW_ACC_F32 ? SLIM : gang;
}

size_t lw__max_dynamic(const struct lw__call *call)
{
    lw_device_info info;

    return lw_device_get_info(call->device, &info) ? 0 : info.max_dynamic_bytes;
}

/* True if the operand's elements along the axis lie side by side. */
static bool is_run(const struct lw__operand *o, int axis)
{
    return o->view.stride[axis] == 1 || o->shape.extent[axis] == 1;
}

/* True if the rows are few, for which y is read once as it lies. */
static bool is_few(const struct lw__call *call, const struct lw__product *p)
{
    return !p->window.kh && p->m <= MOST && call->has_vectors &&
           (is_run(&p->y, LW_ROW) || is_run(&p->y, LW_COLUMN));
}

static size_t whole(size_t n, size_t of)
{
    return lw__divide_up(n, of) * of;
}

static lw_status count_threads(const struct lw__call *call, const struct lw__product *p,
                               const struct launch *l, size_t *threads)
{
    char name[NAME_BYTES];

    return lw__workers(call, program_for(call, l), name_of(p, l, name), threads);
}

static lw_status run_few(struct lw__call *call, const struct lw__product *p)
{
    const bool by_terms = is_run(&p->y, LW_ROW);
    const size_t size = lw_dtype_size(lw__accumulate_dtype(p->type));
    const size_t gang = lw__matmul_gang(call, lw__accumulate_dtype(p->type));
    struct launch l = {.name = by_terms ? "matmul_few_terms" : "matmul_few_columns",
                       .is_few = true};
    size_t width = whole(p->n < RUN / size ? p->n : RUN / size, gang), threads = 1;

    if (batches_of(p) * p->n > ALONE_FEW / (p->k + 1))
        LW_TRY(count_threads(call, p, &l, &threads));
    const size_t enough = threads > 1 ? 2 * threads : 1; /* blocks: one alone merges no nodes */
    if (by_terms) {
        const size_t span = lw_device_vector_bits(call->device) == 512 ? 16 : 8; /* ORDER FEW */
        width = whole(1 + READ / size / (p->k + 1), span);
        while (width > span && lw__divide_up(p->n, width) * batches_of(p) < enough)
            width = whole(width / 2, span);
        l.threads = (uint32_t)span;
        l.height = width;
    } else {
        const size_t nodes = lw__divide_up(p->k, CHAIN) * batches_of(p);
        while (width * size > LEAST && lw__divide_up(p->n, width) * nodes < enough)
            width = whole(width / 2, gang);
        l.threads = (uint32_t)gang;
        l.height = width;
    }
    struct matmul a;
    for (;; width = l.height = whole(width / 2, gang)) { /* a long sum has many levels */
        l.blocks = lw__divide_up(p->n, width) * batches_of(p);
        a = cut(p, l.blocks, enough);
        l.shared_bytes = by_terms ? 0 : p->m * (1 + a.levels) * width * size;
        if (l.shared_bytes <= lw__max_dynamic(call) || width == gang)
            break;
    }
    l.blocks *= a.nodes;
    a.levels = 0; /* they lie in block memory, or in the threads' */
    return run(call, p, &a, p->k > CHAIN ? lw__divide_up(p->k, CHAIN) : 0, &l);
}

/* A panel's work in rows of one gang's columns: besides its products y is brought for all rows, and
 * x from beyond the second cache for all columns. The last of its lines, `lines` at a time, are
 * computed in fours, or in vain. */
static size_t panel_work(size_t height, size_t gangs, size_t lines)
{
    enum { BRING = 16 };
    const size_t rest = height % lines;
    const size_t rows = lines == LINES && (rest == 1 || rest == 2)
                            ? height - rest + (height > LINES ? 2 : FEWER)
                        : rest && rest <= FEWER ? height - rest + FEWER
                                                : whole(height, lines);

    return gangs * (rows + BRING) + height / 2;
}

/* How blocks may be cut: they fit in `room` bytes and finish earliest on `threads` threads. With
 * several, one may start late or be slow: this costs one more block. */
struct choice {
    size_t room, threads;
    size_t least; /* work of one thread, with the launch's blocks */
};

/* Blocks of this height and so many gangs or strips, if they are better than the launch's. */
static void consider(struct choice *c, struct launch *l, size_t height, size_t gangs, size_t blocks,
                     size_t bytes, size_t work_of_block)
{
    const size_t most = lw__divide_up(blocks, c->threads); /* blocks of one thread */
    const size_t work = (most + (c->threads > 1)) * work_of_block;

    if (work >= c->least || bytes > c->room)
        return;
    c->least = work;
    l->height = height;
    l->gangs = gangs;
    l->blocks = blocks;
    l->shared_bytes = bytes;
}

static void choose_panel(const struct lw__product *p, const struct matmul *a, size_t room,
                         size_t threads, struct launch *l)
{
    enum { TRIES = 8 };
    const size_t at_once = l->is_slim ? LINES_SLIM : LINES;
    const size_t gang = l->threads, size = gang * lw_dtype_size(lw__accumulate_dtype(p->type));
    const size_t across = lw__divide_up(p->n, gang), fewest = lw__divide_up(p->m, HEIGHT);
    struct choice c = {room, threads, SIZE_MAX};

    for (size_t ranges = fewest; ranges < fewest + TRIES && ranges <= p->m; ranges++) {
        const size_t even = lw__divide_up(p->m, ranges);
        const size_t height = ranges == 1 ? even : whole(even, 2);
        for (size_t gangs = across < GANGS ? across : GANGS; gangs; gangs--)
            consider(&c, l, height, gangs,
                     lw__divide_up(p->m, height) * lw__divide_up(across, gangs) * a->batches *
                         a->nodes,
                     gangs * (TILE + height * (1 + a->levels) * size),
                     panel_work(height, gangs, at_once));
    }
    assert(c.least < SIZE_MAX);
}

static lw_status run_panels(struct lw__call *call, const struct lw__product *p)
{
    const size_t wide = lw__matmul_gang(call, lw__accumulate_dtype(p->type));
    const size_t slim = lw__matmul_least_gang(call, p->type);
    /* A slim panel's column takes 4 / 3 of the time, as each product reads its element of x. */
    const bool is_slim =
        slim < wide && !p->window.kh && 4 * whole(p->n, slim) < 3 * whole(p->n, wide);
    const size_t gang = is_slim ? slim : wide;
    const size_t blocks = lw__divide_up(p->m, HEIGHT) * lw__divide_up(p->n, gang) * batches_of(p);
    struct matmul a = cut(p, blocks, BLOCKS_CPU);
    struct launch l = {.name = is_slim ? "matmul_panel_slim" : "matmul_panel",
                       .threads = (uint32_t)gang,
                       .is_slim = is_slim};
    size_t threads = 1;

    if (batches_of(p) * p->m * p->n > ALONE / (p->k + 1))
        LW_TRY(count_threads(call, p, &l, &threads));
    choose_panel(p, &a, lw__max_dynamic(call), threads, &l);
    a.levels = 0; /* they lie in block memory */
    return run(call, p, &a, a.nodes > 1 ? a.nodes : 0, &l);
}

/* ---- by AMX ---- */

enum { SIDE = 32, RUN_AMX = 512 }; /* ORDER AMX: kernels/matmul_amx.c */

bool lw__matmul_suits_amx(const struct lw__call *call, const struct lw__product *p)
{
    enum { FEWEST = 16 }; /* rows and columns: below, most of a tile is not there */

    return p->type == LW_ACC_F32 && p->m >= FEWEST && p->n >= FEWEST && p->k >= SIDE &&
           p->x.view.stride[LW_COLUMN] && p->y.view.stride[LW_COLUMN] &&
           lw_device_has_amx(call->device);
}

/* A block's strips of rows and of columns. One is brought in the time of about BRING squares. */
static void choose_strips(const struct lw__product *p, const struct matmul *a, size_t room,
                          size_t threads, struct launch *l)
{
    enum { MOST_STRIPS = 16, BRING = 4, STRIP = RUN_AMX * SIDE * 2, SQUARE = SIDE * SIDE * 4 };
    const size_t down = lw__divide_up(p->m, SIDE), across = lw__divide_up(p->n, SIDE);
    struct choice c = {room, threads, SIZE_MAX};

    for (size_t height = 1; height <= MOST_STRIPS && height <= down; height++)
        for (size_t width = 1; width <= MOST_STRIPS && width <= across; width++)
            consider(&c, l, height, width,
                     lw__divide_up(down, height) * lw__divide_up(across, width) * a->batches *
                         a->nodes,
                     (width + 1) * STRIP + height * width * SQUARE,
                     height * width + BRING * (height + width));
    assert(c.least < SIZE_MAX);
}

static lw_status run_amx(struct lw__call *call, const struct lw__product *p)
{
    const size_t squares = lw__divide_up(p->m, SIDE) * lw__divide_up(p->n, SIDE) * batches_of(p);
    struct matmul a = cut(p, squares, BLOCKS_CPU);
    struct launch l = {.name = "matmul_amx", .threads = SIDE, .by_amx = true};
    size_t threads;

    LW_TRY(count_threads(call, p, &l, &threads));
    choose_strips(p, &a, lw__max_dynamic(call), threads, &l);
    a.levels = 0; /* a node is one sum */
    if (a.nodes == 1 || p->out.dtype == LW_F32)
        return run(call, p, &a, a.nodes > 1 ? a.nodes : 0, &l);
    struct lw__product wide = *p; /* nodes are joined in float */
    LW_TRY(lw__call_scratch(call, "out", LW_F32, p->out.shape, &wide.out));
    a.out = wide.out.view;
    LW_TRY(run(call, &wide, &a, a.nodes, &l));
    return lw__copy(call, &p->out, &wide.out);
}

/* ---- of a GPU ---- */

/* True if the operand has these rows and columns, and lies as a tile wants it. */
static bool is_padded(const struct lw__operand *o, size_t rows, size_t columns)
{
    bool fits = o->shape.extent[LW_ROW] == rows && o->shape.extent[LW_COLUMN] == columns &&
                o->view.stride[LW_COLUMN] == 1 &&
                lw__operand_is_aligned(o, FOUR * lw_dtype_size(o->dtype));

    for (int k = 0; k < LW_COLUMN; k++)
        fits = fits && o->view.stride[k] % FOUR == 0;
    return fits;
}

static lw_status launch_pad(struct lw__call *call, const struct lw__product *p,
                            const struct lw__operand *to, const struct lw__operand *from,
                            lw_arg absent)
{
    const size_t count = lw__operand_count(to);
    const struct launch l = {
        .name = "matmul_pad", .threads = 256, .blocks = lw__divide_up(count, 256)};
    const lw_arg args[] = {lw__arg_shape(&to->shape),
                           lw_arg_uint(from->shape.extent[LW_ROW]),
                           lw_arg_uint(from->shape.extent[LW_COLUMN]),
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
static lw_status pad(struct lw__call *call, const struct lw__product *p, struct lw__operand *o,
                     size_t rows, size_t columns, lw_arg absent)
{
    if (!is_padded(o, rows, columns) && o->view.stride[LW_COLUMN] != 1)
        LW_TRY(lw__as_dtype(call, o, o->dtype)); /* turned by tiles */
    if (is_padded(o, rows, columns))
        return LW_OK;
    struct lw__operand from = lw__without_repeats(*o);
    struct lw__shape shape = from.shape;
    from.shape.extent[LW_ROW] = o->shape.extent[LW_ROW];
    from.shape.extent[LW_COLUMN] = o->shape.extent[LW_COLUMN];
    shape.extent[LW_ROW] = rows;
    shape.extent[LW_COLUMN] = columns;
    struct lw__operand to;
    LW_TRY(lw__call_scratch(call, o->name, o->dtype, shape, &to));
    LW_TRY(launch_pad(call, p, &to, &from, absent));
    for (int k = 0; k < LW_ROW; k++)
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

static size_t tiles_of(const struct lw__product *p, const struct tile *t)
{
    return lw__divide_up(p->m, t->rows) * lw__divide_up(p->n, t->columns) * batches_of(p);
}

static struct tile tile_for(const struct lw__product *p)
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

static lw_status run_tiles(struct lw__call *call, struct lw__product *p)
{
    const struct tile t = tile_for(p);
    const size_t lines = whole(p->m, t.rows), pitch = whole(p->n, t.columns);
    const bool is_float = p->type != LW_ACC_I64;
    struct launch l = {.name = t.name, .threads = t.threads};

    LW_TRY(pad(call, p, &p->x, lines, whole(p->k, DEEP),
               is_float ? lw_arg_real(-0.0) : lw_arg_int(0)));
    LW_TRY(
        pad(call, p, &p->y, whole(p->k, DEEP), pitch, is_float ? lw_arg_real(0) : lw_arg_int(0)));
    assert(is_padded(&p->x, lines, p->y.shape.extent[LW_ROW]) &&
           p->y.shape.extent[LW_COLUMN] == pitch);
    l.blocks = tiles_of(p, &t);
    struct matmul a = cut(p, l.blocks, BLOCKS_GPU);
    l.blocks *= a.nodes;
    a.lines = lines;
    a.pitch = pitch;
    a.k = whole(p->k, DEEP);
    return run(call, p, &a, a.levels * a.nodes + (a.nodes > 1 ? a.nodes : 0), &l);
}

lw_status lw__matmul_launch(struct lw__call *call, struct lw__product *p)
{
    const size_t elements = batches_of(p) * p->m * p->n;

    if (!elements)
        return LW_OK;
    if (elements > LW_FEW && call->is_gpu && p->k)
        return run_tiles(call, p);
    if (p->by_amx)
        return run_amx(call, p);
    if (lw_device_vector_bits(call->device))
        return is_few(call, p) ? run_few(call, p) : run_panels(call, p);
    return run_plain(call, p);
}
