/* attention.c - lw_dist_attention: keys and values are cut, queries whole on each rank. A rank has
 * for each row the part of its keys; parts are joined as the chunks of one rank are.
 */
#include "ops/dist/dist.h"
#include <assert.h>

enum { CHUNK = 1024, PART_EXTRA = 2 }; /* ORDER ATTENTION: kernels/attention.h */

struct attention {
    lw_comm *comm;
    lw_stream *stream;
    lw_tensor out, q, k, v;
    lw_part keys;
    lw_attention_options options;
    struct lw__record record;
    struct lw__fold fold;
    size_t width;
};

static lw_status node(struct lw__fold *f, const lw_tensor *x, size_t first, lw_tensor out)
{
    const struct attention *a = f->user;
    const size_t count = (size_t)x[0].extent[f->axis[0]];

    assert(first + count <= a->keys.global);
    return lw__attention_node(f->stream, out, a->q, x[0], x[1], a->keys.global - first - count,
                              &a->options);
}

static lw_status check(struct attention *a)
{
    struct lw__call call = lw__dist_call("dist_attention", a->comm, a->stream);

    LW_TRY(lw__dist_ready(a->comm, a->stream));
    if (a->options.weights)
        return lw_fail(LW_E_ARG, "dist_attention leaves no weights");
    LW_TRY(lw__attention_check(&call, a->out, a->q, a->k, a->v, &a->options));
    struct lw__operand q;
    LW_TRY(lw__operand_in(&call, "q", a->q, &q));
    struct lw__operand k;
    LW_TRY(lw__operand_in(&call, "k", a->k, &k));
    struct lw__operand v;
    LW_TRY(lw__operand_in(&call, "v", a->v, &v));
    int axis;
    LW_TRY(lw__dist_axis(&call, &k, -2, 0, a->keys, &axis));
    lw_dtype type = lw__accumulate_dtype(lw__accumulate(q.dtype, lw_buffer_dtype(a->out.buffer)));
    lw__record_add(&a->record, &q, -1);
    lw__record_add(&a->record, &k, axis);
    lw__record_add(&a->record, &v, axis);
    a->record.number[0] = a->options.scale;
    a->record.number[1] = a->options.causal;
    a->record.number[2] = a->options.window;
    a->record.type = type;
    a->width = v.shape.extent[LW_AXES - 1];
    size_t rows = q.shape.extent[0] * q.shape.extent[1] * q.shape.extent[2];
    a->fold = (struct lw__fold){.comm = a->comm,
                                .stream = a->stream,
                                .inputs = 2,
                                .x = {a->k, a->v},
                                .axis = {axis, axis},
                                .leaf = CHUNK,
                                .dtype = type,
                                .values = rows * (a->width + PART_EXTRA),
                                .node = node,
                                .user = a};
    return lw__fold_early(&a->fold, a->keys);
}

/* No keys: no query sees one. */
static lw_status write_zeros(struct attention *a)
{
    const float zero = 0;
    lw_buffer *buffer;

    LW_TRY(lw__stage(a->comm, LW_STAGE_RESULT, LW_F32, 1, &buffer));
    LW_TRY(lw_buffer_write(buffer, 0, 1, &zero));
    lw_tensor from;
    LW_TRY(lw_tensor_of(buffer, 0, NULL, &from));
    LW_TRY(lw_tensor_broadcast(from, a->out.rank, a->out.extent, &from));
    return lw_copy(a->stream, a->out, from);
}

lw_status lw_dist_attention(lw_comm *c, lw_stream *s, lw_tensor out, lw_tensor q, lw_tensor k,
                            lw_tensor v, lw_part keys, const lw_attention_options *o)
{
    struct attention a = {.comm = c,
                          .stream = s,
                          .out = out,
                          .q = q,
                          .k = k,
                          .v = v,
                          .keys = keys,
                          .options = o ? *o : (lw_attention_options){0}};
    lw_buffer *nodes;
    size_t root;

    LW_TRY(lw__dist_begin(c));
    a.record = lw__record("dist_attention", keys);
    LW_TRY(lw__dist_agree(c, &a.record, check(&a)));
    LW_TRY(lw__fold(&a.fold));
    if (!a.fold.values)
        return LW_OK;
    if (!c->node_count)
        return write_zeros(&a);
    LW_TRY(lw__dist_join(&a.fold, "dist_attention", a.width, &nodes, &root));
    const lw_tensor parts = {.buffer = nodes,
                             .offset = root * a.fold.values,
                             .rank = 1,
                             .extent = {(ptrdiff_t)a.fold.values}};
    return lw__attention_end(s, out, q, k, v, keys.global, parts, &a.options);
}
