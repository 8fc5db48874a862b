/* attention.c - lw_attention: shapes brought to (batch, heads, positions, depth), then the kernel
 * for the device and the number of queries. All of them leave the same bits (docs/order.md,
 * attention).
 *
 *     rows      from the products of queries and keys in memory: what defines the others
 *     stream    few queries: keys and values are read once
 *     panel     many queries, processors
 *     tiled     many queries, GPUs
 */
#include "ops/contract.h"
#include "ops/dist/dist.h"
#include <assert.h>
#include <string.h>

/* ORDER ATTENTION: kernels/attention.h */
enum { LEAF = 128, CHUNK = 1024, PART_EXTRA = 2 };
struct attention {
    size_t batches, heads, sharers, queries, keys, depth, width, group, nodes, levels;
    size_t parts, scores;
    struct lw__view q, k, v, out;
    double scale;
    size_t window;
    bool causal, keeps_parts;
    uint32_t later;
};

enum {
    HEAD = 1, /* axes */
    POSITION = 2,
    DEPTH = 3,
    DEPTH_MAX = 1024, /* of one chain; more go by stream. ORDER CHAIN: kernels/matmul.h */
    GROUP_MAX = 128,  /* chunks a node: 2^7, and a tree has room for 8 levels */
    PIECE_BYTES = 128,
    TEAM_PLAIN = 16,  /* ORDER TEAM: kernels/attention.c */
    QUERIES = 64,     /* of a tile. ORDER TILED: kernels/attention_tiled.inc */
    FEW_GPU = 16,     /* queries for which a tile is not worth it */
    BLOCKS_GPU = 528, /* cut rows into nodes below so many blocks */
    BLOCKS_CPU = 64
};

struct problem {
    struct lw__operand q, k, v, out;
    struct attention a;
    lw_dtype dtype;           /* that sums are made in */
    struct lw__operand *root; /* where the parts of rows go, or NULL: they become results */
};

/* ---- shapes ---- */

static lw_status shapes_do_not_fit(const struct lw__call *call, const struct problem *p)
{
    char q[LW_SHAPE_TEXT], k[LW_SHAPE_TEXT], v[LW_SHAPE_TEXT];

    return lw_fail(
        LW_E_SHAPE,
        "%s: q has shape %s, k has %s and v has %s; need (d,), (n, d), (n, e) or (m, d), "
        "(n, d), (n, e) or (batch, heads, m, d), (batch, some, n, d), (batch, some, n, "
        "e), heads a multiple of some",
        call->name, lw__operand_text(&p->q, q), lw__operand_text(&p->k, k),
        lw__operand_text(&p->v, v));
}

static lw_status check_shapes(const struct lw__call *call, const struct problem *p)
{
    const struct lw__operand *q = &p->q, *k = &p->k, *v = &p->v;
    const int rank = q->rank == 1 ? 2 : q->rank;
    bool fits = (rank == 2 || rank == 4) && k->rank == rank && v->rank == rank &&
                q->shape.extent[DEPTH] == k->shape.extent[DEPTH] &&
                k->shape.extent[POSITION] == v->shape.extent[POSITION];

    for (int axis = 0; axis < POSITION; axis++)
        fits = fits && k->shape.extent[axis] == v->shape.extent[axis];
    fits = fits && q->shape.extent[0] == k->shape.extent[0];
    if (fits && k->shape.extent[HEAD])
        fits = q->shape.extent[HEAD] % k->shape.extent[HEAD] == 0;
    else
        fits = fits && !q->shape.extent[HEAD];
    return fits ? LW_OK : shapes_do_not_fit(call, p);
}

static lw_status check_dtypes(const struct lw__call *call, const struct problem *p)
{
    if (p->q.dtype == p->k.dtype && p->q.dtype == p->v.dtype && lw__dtype_is_float(p->q.dtype))
        return LW_OK;
    return lw_fail(LW_E_DTYPE, "%s: q, k and v are %s, %s and %s; need one floating type",
                   call->name, lw_dtype_name(p->q.dtype), lw_dtype_name(p->k.dtype),
                   lw_dtype_name(p->v.dtype));
}

/* The shape of q with another last extent, as an output has it. */
static lw_status check_like_q(const struct lw__call *call, const struct problem *p,
                              const struct lw__operand *o, size_t last)
{
    size_t extents[LW_AXES];
    const int rank = p->q.rank;

    for (int k = 0; k < rank; k++)
        extents[k] = p->q.shape.extent[LW_AXES - rank + k];
    extents[rank - 1] = last;
    return lw__operand_expect(call, o, rank, extents);
}

static lw_status take_output(const struct lw__call *call, const struct problem *p, const char *name,
                             lw_tensor t, size_t last, struct lw__operand *out)
{
    LW_TRY(lw__operand_out(call, name, t, out));
    LW_TRY(check_like_q(call, p, out, last));
    LW_TRY(lw__operand_apart(call, out, &p->q, false));
    LW_TRY(lw__operand_apart(call, out, &p->k, false));
    return lw__operand_apart(call, out, &p->v, false);
}

static void take_numbers(struct problem *p, const lw_attention_options *options)
{
    const size_t heads = p->q.shape.extent[HEAD], of_k = p->k.shape.extent[HEAD];

    p->a = (struct attention){.batches = p->q.shape.extent[0],
                              .heads = heads,
                              .sharers = of_k ? heads / of_k : 1,
                              .queries = p->q.shape.extent[POSITION],
                              .keys = p->k.shape.extent[POSITION],
                              .depth = p->q.shape.extent[DEPTH],
                              .width = p->v.shape.extent[DEPTH],
                              .nodes = 1,
                              .scale = options && options->scale != 0 ? options->scale : 1,
                              .window = options ? (size_t)options->window : 0,
                              .causal = options && options->causal};
}

/* ---- launches ---- */

static size_t rows_of(const struct problem *p)
{
    return p->a.batches * p->a.heads * p->a.queries;
}

/* Nodes, so that there are `enough` blocks where a node has `blocks`; at most `group` chunks
 * each. */
static void cut(struct problem *p, size_t blocks, size_t enough, size_t group)
{
    const size_t chunks = lw__divide_up(p->a.keys, CHUNK);

    p->a.group = 1;
    while (p->a.group < chunks && p->a.group < group)
        p->a.group *= 2;
    while (p->a.group > 1 && lw__divide_up(chunks, p->a.group) * blocks < enough)
        p->a.group /= 2;
    p->a.nodes = chunks ? lw__divide_up(chunks, p->a.group) : 1;
    assert(!(p->a.group & (p->a.group - 1)) && p->a.nodes * p->a.group >= chunks);
    p->a.levels = 0;
    while ((size_t)1 << p->a.levels < p->a.group && (size_t)1 << p->a.levels < chunks)
        p->a.levels++;
}

/* Scratch memory for `slots` parts of each row. */
static lw_status take_parts(struct lw__call *call, struct problem *p, size_t slots,
                            struct lw__operand *parts)
{
    enum { JOINED = 64 }; /* of lw__join_line, with one more for each node */
    const size_t more = p->root ? p->a.nodes + JOINED : 0;
    const struct lw__shape shape = {{1, slots + more, rows_of(p), p->a.width + PART_EXTRA}};

    *parts = p->out;
    assert(slots || !p->root);
    if (!slots)
        return LW_OK;
    LW_TRY(lw__call_scratch(call, "parts", p->dtype, shape, parts));
    p->a.parts = (size_t)parts->view.offset;
    if (p->root)
        *p->root = *parts;
    return LW_OK;
}

/* Slots of whole nodes; there are none where rows go to the result at once. */
static size_t node_slots(const struct problem *p)
{
    return p->a.nodes > 1 || p->a.keeps_parts ? p->a.nodes : 0;
}

/* The plain kernels serve devices without vectors, and those with short ones. */
static bool is_plain(const struct lw__call *call)
{
    return !call->is_gpu && lw_device_vector_bits(call->device) <= 128;
}

static enum lw__ops_program program_for(const struct lw__call *call)
{
    if (call->is_gpu)
        return LW_PROGRAM_attention_gpu;
    switch (lw_device_vector_bits(call->device)) {
    case 512: return LW_PROGRAM_attention_wide;
    case 256: return LW_PROGRAM_attention_narrow;
    default: return LW_PROGRAM_attention;
    }
}

struct launch {
    const char *name; /* of the kernel, without the type */
    size_t blocks, shared_bytes;
    size_t elements; /* where not 0, a thread each, for as many blocks as that takes */
};

static lw_status launch(struct lw__call *call, const struct problem *p, const struct launch *l,
                        const lw_arg *args, size_t count)
{
    const lw_launch_options options = {.shared_bytes = l->shared_bytes};
    char name[64];

    if (call->is_dry || !(l->blocks + l->elements))
        return LW_OK;
    strcpy(name, l->name);
    strcat(strcat(name, "_"), lw__accumulate_name(lw__accumulate(p->dtype, p->dtype)));
    lw_kernel *kernel;
    LW_TRY(lw__ops_kernel(call, program_for(call), name, &kernel));
    lw_dim3 block = lw_kernel_fixed_block(kernel), grid;
    LW_TRY(lw__grid(call, l->elements ? lw__divide_up(l->elements, block.x) : l->blocks, &grid));
    return lw__call_queue(call, kernel, grid, block, &options, args, count);
}

/* The rows' nodes, then what joins them. `scores`: the products of queries and keys, or NULL. */
static lw_status launch_nodes(struct lw__call *call, const struct problem *p,
                              const struct lw__operand *parts, const struct lw__operand *scores,
                              const struct launch *l)
{
    const struct launch merge = {"attention_merge", 0, 0, rows_of(p) * p->a.width};
    const lw_arg of_problem = lw_arg_bytes(&p->a, sizeof p->a);
    const lw_arg out = lw_arg_buffer(p->out.buffer), to = lw_arg_buffer(parts->buffer);
    const lw_arg args[] = {of_problem,
                           out,
                           lw_arg_buffer(p->q.buffer),
                           lw_arg_buffer(p->k.buffer),
                           lw_arg_buffer(p->v.buffer),
                           lw_arg_buffer(scores ? scores->buffer : p->q.buffer),
                           to};

    LW_TRY(launch(call, p, l, args, 7));
    if (p->root) /* lw__attention_node joins them */
        return LW_OK;
    if (p->a.nodes == 1 && !p->a.keeps_parts)
        return LW_OK;
    return launch(call, p, &merge, (const lw_arg[]){of_problem, out, to}, 3);
}

static size_t lots_of(const struct problem *p, size_t columns)
{
    return p->a.width ? lw__divide_up(p->a.width, columns) : 1;
}

/* ---- products in memory, weights ---- */

/* The products of queries and keys, a row of keys for each row of out. */
static lw_status multiply(struct lw__call *call, struct problem *p, struct lw__operand *scores)
{
    struct lw__operand q = p->q, k = p->k, product;
    const struct lw__shape shape = {
        {p->a.batches, k.shape.extent[HEAD], p->a.sharers * p->a.queries, p->a.keys}};

    LW_TRY(lw__call_scratch(call, "scores", p->dtype, shape, scores));
    p->a.scores = (size_t)scores->view.offset;
    if (p->a.sharers > 1) { /* the queries of those that share a head are rows of one product */
        LW_TRY(lw__contiguous_in(call, &q));
        q.shape.extent[HEAD] = shape.extent[HEAD];
        q.shape.extent[POSITION] = shape.extent[POSITION];
        q.view.stride[POSITION] = (ptrdiff_t)p->a.depth;
        q.view.stride[HEAD] = (ptrdiff_t)(p->a.depth * shape.extent[POSITION]);
        q.view.stride[0] = q.view.stride[HEAD] * (ptrdiff_t)shape.extent[HEAD];
    }
    product = *scores;
    k.shape.extent[POSITION] = p->k.shape.extent[DEPTH];
    k.shape.extent[DEPTH] = p->k.shape.extent[POSITION];
    k.view.stride[POSITION] = p->k.view.stride[DEPTH];
    k.view.stride[DEPTH] = p->k.view.stride[POSITION];
    return lw__matmul(call, &product, &q, &k, NULL);
}

static lw_status leave_weights(struct lw__call *call, const struct problem *p,
                               const struct lw__operand *parts, struct lw__operand *scores,
                               const struct lw__operand *weights)
{
    const struct launch l = {"attention_weights", 0, 0, rows_of(p) * p->a.keys};
    const lw_arg args[] = {lw_arg_bytes(&p->a, sizeof p->a), lw_arg_buffer(scores->buffer),
                           lw_arg_buffer(parts->buffer)};

    LW_TRY(launch(call, p, &l, args, 3));
    scores->shape = weights->shape;
    scores->view.stride[DEPTH] = 1;
    for (int k = DEPTH; k > 0; k--)
        scores->view.stride[k - 1] = scores->view.stride[k] * (ptrdiff_t)weights->shape.extent[k];
    return lw__copy(call, weights, scores);
}

/* ---- a block a row ---- */

/* From products in memory, or else a pass over keys and values. */
static lw_status run_rows(struct lw__call *call, struct problem *p,
                          const struct lw__operand *scores, struct lw__operand *parts)
{
    const size_t team = scores ? TEAM_PLAIN : LEAF;
    struct launch l = {scores ? "attention_rows" : "attention_stream",
                       rows_of(p) * lots_of(p, team), 0, 0};

    if (!scores && !call->is_gpu) /* ORDER PIECE: kernels/attention_stream_cpu.inc */
        l.shared_bytes = 2 * LEAF * PIECE_BYTES;
    cut(p, l.blocks, call->is_gpu ? BLOCKS_GPU : BLOCKS_CPU, GROUP_MAX);
    p->a.levels = 0; /* they lie in the threads' own memory */
    l.blocks *= p->a.nodes;
    LW_TRY(take_parts(call, p, node_slots(p), parts));
    return launch_nodes(call, p, parts, scores, &l);
}

static lw_status run_weights(struct lw__call *call, struct problem *p,
                             const struct lw__operand *weights)
{
    p->a.keeps_parts = true;
    struct lw__operand scores;
    LW_TRY(multiply(call, p, &scores));
    struct lw__operand parts;
    LW_TRY(run_rows(call, p, is_plain(call) ? &scores : NULL, &parts));
    return leave_weights(call, p, &parts, &scores, weights);
}

static lw_status run_few(struct lw__call *call, struct problem *p)
{
    struct lw__operand scores, parts;

    if (!is_plain(call))
        return run_rows(call, p, NULL, &parts);
    LW_TRY(multiply(call, p, &scores));
    return run_rows(call, p, &scores, &parts);
}

/* ---- many queries ---- */

/* Block memory of a panel, with room for `levels` of its tree. */
static size_t panel_bytes(const struct problem *p, size_t gang, size_t levels)
{
    const struct attention *a = &p->a;

    return (a->depth + LEAF + a->width + levels * (a->width + PART_EXTRA)) * gang *
           lw_dtype_size(p->dtype);
}

static size_t gang_of(const struct lw__call *call, const struct problem *p)
{
    return (lw_device_vector_bits(call->device) == 512 ? 256 : 64) / lw_dtype_size(p->dtype);
}

/* True if panels are worth it, and fit. */
static bool has_panels(const struct lw__call *call, const struct problem *p)
{
    const size_t gang = gang_of(call, p);

    return lw_device_vector_bits(call->device) && p->a.depth <= DEPTH_MAX &&
           p->a.queries >= gang / 4 && panel_bytes(p, gang, 0) <= lw__max_dynamic(call);
}

static lw_status run_panels(struct lw__call *call, struct problem *p)
{
    const size_t gang = gang_of(call, p), levels_in_parts = 0;
    const size_t blocks = lw__divide_up(p->a.queries, gang) * p->a.heads * p->a.batches,
                 most = lw__max_dynamic(call);
    struct launch l = {"attention_panel", 0, 0, 0};
    size_t group = GROUP_MAX, levels = 7; /* 2^7 chunks */
    struct lw__operand parts;

    for (; levels && panel_bytes(p, gang, levels) > most; levels--)
        group /= 2;
    cut(p, blocks, BLOCKS_CPU, group);
    l.shared_bytes = panel_bytes(p, gang, p->a.levels);
    assert(l.shared_bytes <= most);
    l.blocks = blocks * p->a.nodes;
    p->a.levels = levels_in_parts;
    LW_TRY(take_parts(call, p, node_slots(p), &parts));
    return launch_nodes(call, p, &parts, NULL, &l);
}

/* ORDER TILED: kernels/attention_tiled.inc */
static size_t tile_bytes(const struct problem *p)
{
    enum { PITCH_Q = QUERIES + 4, PANELS = 2 * 8 * (LEAF + 4), EACH = 5 };

    return (p->a.depth * PITCH_Q + LEAF * QUERIES + PANELS + EACH * QUERIES) * sizeof(float);
}

/* True if four elements along the depth can be loaded at once. */
static bool has_fours(const struct lw__operand *o)
{
    bool fits =
        o->view.stride[DEPTH] == 1 && lw__operand_is_aligned(o, 4 * lw_dtype_size(o->dtype));

    for (int k = 0; k < DEPTH; k++)
        fits = fits && o->view.stride[k] % 4 == 0;
    return fits;
}

static bool has_tiles(const struct lw__call *call, const struct problem *p)
{
    return call->is_gpu && p->dtype == LW_F32 && p->a.queries >= FEW_GPU && p->a.depth &&
           p->a.depth <= DEPTH_MAX && p->a.width && p->a.depth % 8 == 0 && p->a.width % 4 == 0 &&
           has_fours(&p->k) && has_fours(&p->v) && p->q.view.stride[DEPTH] == 1 &&
           tile_bytes(p) <= lw__max_dynamic(call);
}

static lw_status run_tiles(struct lw__call *call, struct problem *p)
{
    const bool is_narrow = p->a.width <= 64;
    const size_t blocks = lw__divide_up(p->a.queries, QUERIES) * lots_of(p, is_narrow ? 64 : 128) *
                          p->a.heads * p->a.batches;
    struct launch l = {is_narrow ? "attention_tiled_64" : "attention_tiled_128", 0, tile_bytes(p),
                       0};
    struct lw__operand parts;

    cut(p, blocks, BLOCKS_GPU / 2, GROUP_MAX);
    l.blocks = blocks * p->a.nodes;
    LW_TRY(take_parts(call, p, p->a.levels * p->a.nodes + node_slots(p), &parts));
    return launch_nodes(call, p, &parts, NULL, &l);
}

/* ---- the operation ---- */

static lw_status run_any(struct lw__call *call, struct problem *p,
                         const struct lw__operand *weights)
{
    if (!rows_of(p))
        return LW_OK;
    if (weights)
        return run_weights(call, p, weights);
    if (has_tiles(call, p))
        return run_tiles(call, p);
    if (has_panels(call, p))
        return run_panels(call, p);
    return run_few(call, p);
}

struct attention_arguments {
    lw_tensor out, q, k, v;
    const lw_attention_options *options;
};

static lw_status take_inputs(const struct lw__call *call, const struct attention_arguments *a,
                             struct problem *p)
{
    LW_TRY(lw__check_contraction(call, a->options ? a->options->sum : LW_SUM_FIXED));
    LW_TRY(lw__operand_in(call, "q", a->q, &p->q));
    LW_TRY(lw__operand_in(call, "k", a->k, &p->k));
    LW_TRY(lw__operand_in(call, "v", a->v, &p->v));
    LW_TRY(check_dtypes(call, p));
    LW_TRY(check_shapes(call, p));
    if (!a->options || a->options->window >= 0)
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: window is %d; need 0 (all keys) or more", call->name,
                   a->options->window);
}

static lw_status convert(struct lw__call *call, struct problem *p)
{
    struct lw__operand *all[] = {&p->q, &p->k, &p->v};

    p->dtype = lw__accumulate_dtype(lw__accumulate(p->q.dtype, p->out.dtype));
    for (int i = 0; i < 3; i++)
        if (all[i]->dtype != p->dtype)
            LW_TRY(lw__as_dtype(call, all[i], p->dtype));
    if (p->out.dtype != p->dtype)
        LW_TRY(lw__call_scratch(call, "out", p->dtype, p->out.shape, &p->out));
    p->a.q = p->q.view;
    p->a.k = p->k.view;
    p->a.v = p->v.view;
    p->a.out = p->out.view;
    return LW_OK;
}

static lw_status attention_body(struct lw__call *call, void *arguments)
{
    const struct attention_arguments *a = arguments;
    const lw_tensor *of_weights = a->options ? a->options->weights : NULL;
    struct problem p = {0};

    LW_TRY(take_inputs(call, a, &p));
    take_numbers(&p, a->options);
    struct lw__operand out;
    LW_TRY(take_output(call, &p, "out", a->out, p.a.width, &out));
    struct lw__operand weights;
    if (of_weights) {
        LW_TRY(take_output(call, &p, "weights", *of_weights, p.a.keys, &weights));
        LW_TRY(lw__operand_apart(call, &out, &weights, false));
    }
    p.out = out;
    LW_TRY(convert(call, &p));
    LW_TRY(run_any(call, &p, of_weights ? &weights : NULL));
    return out.dtype == p.dtype ? LW_OK : lw__copy(call, &out, &p.out);
}

lw_status lw_attention(lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k, lw_tensor v,
                       const lw_attention_options *options)
{
    struct attention_arguments a = {.out = out, .q = q, .k = k, .v = v, .options = options};

    return lw__call_run("attention", s, attention_body, &a);
}

/* ---- keys that are cut over ranks ---- */

lw_status lw__attention_check(struct lw__call *call, lw_tensor out, lw_tensor q, lw_tensor k,
                              lw_tensor v, const lw_attention_options *options)
{
    struct attention_arguments a = {.out = out, .q = q, .k = k, .v = v, .options = options};

    return attention_body(call, &a);
}

struct part_arguments {
    struct attention_arguments of; /* of a node: out has the parts of rows */
    size_t keys;                   /* after those of a node; of all, at the end */
    lw_tensor parts;
};

static lw_status take_part(struct lw__call *call, const struct part_arguments *a, struct problem *p)
{
    LW_TRY(take_inputs(call, &a->of, p));
    take_numbers(p, a->of.options);
    p->a.later = (uint32_t)a->keys;
    if (a->keys > UINT32_MAX)
        return lw_fail(LW_E_SHAPE, "%s: %zu keys behind those of a part; need at most %u",
                       call->name, a->keys, UINT32_MAX);
    LW_TRY(lw__operand_out(call, "parts", a->of.out, &p->out));
    return convert(call, p);
}

static lw_status node_body(struct lw__call *call, void *arguments)
{
    struct problem p = {0};
    struct lw__operand parts;

    p.root = &parts;
    LW_TRY(take_part(call, arguments, &p));
    struct lw__operand out = p.out;
    p.a.keeps_parts = true;
    LW_TRY(run_any(call, &p, NULL));
    if (!rows_of(&p))
        return LW_OK;
    const size_t each = rows_of(&p) * (p.a.width + PART_EXTRA);
    parts.view.offset += (ptrdiff_t)(p.a.levels * p.a.nodes * each);
    size_t root;
    LW_TRY(lw__join_line(call, &parts, p.a.nodes, rows_of(&p), p.a.width, &root));
    parts.view.offset += (ptrdiff_t)(root * each);
    parts.shape = out.shape = (struct lw__shape){{1, 1, 1, each}};
    parts.view.stride[LW_AXES - 1] = out.view.stride[LW_AXES - 1] = 1;
    return lw__copy(call, &out, &parts);
}

lw_status lw__attention_node(lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k, lw_tensor v,
                             size_t later, const lw_attention_options *options)
{
    struct part_arguments a = {.of = {out, q, k, v, options}, .keys = later};

    return lw__call_run("dist_attention", s, node_body, &a);
}

/* The quotients of whole rows. */
static lw_status end_body(struct lw__call *call, void *arguments)
{
    const struct part_arguments *a = arguments;
    struct problem p = {0};

    LW_TRY(take_inputs(call, &a->of, &p));
    take_numbers(&p, a->of.options);
    p.a.keys = a->keys;
    struct lw__operand out;
    LW_TRY(take_output(call, &p, "out", a->of.out, p.a.width, &out));
    p.out = out;
    p.dtype = lw__accumulate_dtype(lw__accumulate(p.q.dtype, p.out.dtype));
    if (out.dtype != p.dtype)
        LW_TRY(lw__call_scratch(call, "out", p.dtype, out.shape, &p.out));
    p.a.out = p.out.view;
    struct lw__operand parts;
    LW_TRY(lw__operand_in(call, "parts", a->parts, &parts));
    p.a.parts = (size_t)parts.view.offset;
    const struct launch merge = {"attention_merge", 0, 0, rows_of(&p) * p.a.width};
    LW_TRY(launch(call, &p, &merge,
                  (const lw_arg[]){lw_arg_bytes(&p.a, sizeof p.a), lw_arg_buffer(p.out.buffer),
                                   lw_arg_buffer(parts.buffer)},
                  3));
    return out.dtype == p.dtype ? LW_OK : lw__copy(call, &out, &p.out);
}

lw_status lw__attention_end(lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k, lw_tensor v,
                            size_t keys, lw_tensor parts, const lw_attention_options *options)
{
    struct part_arguments a = {{out, q, k, v, options}, keys, parts};

    return lw__call_run("dist_attention", s, end_body, &a);
}
