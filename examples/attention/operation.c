/* operation.c - the operation `classic::attention`: four launches of the kernels in kernels.c.
 *
 * The scores are a vector to softmax and a matrix of one row to matmul: two views of the same
 * temporary, so a graph plans two of them. An operation gets a stream and tensors, and never asks
 * whether the stream runs or records; its temporaries come from whoever calls it.
 */
#include "operation.h"

enum { TILE = 8 };

lw_status attention_open(lw_device *device, const char *path, struct kernels *k)
{
    *k = (struct kernels){0};
    lw_status status = lw_program_build(device, path, NULL, &k->program);
    if (!status)
        status = lw_program_kernel(k->program, "transpose", &k->transpose);
    if (!status)
        status = lw_program_kernel(k->program, "matmul", &k->matmul);
    return status ? status : lw_program_kernel(k->program, "softmax", &k->softmax);
}

void attention_close(struct kernels *k)
{
    lw_program_destroy(k->program);
}

static lw_tensor as_vector(lw_tensor t, ptrdiff_t length)
{
    return (lw_tensor){.buffer = t.buffer, .rank = 1, .extent = {length}};
}

static lw_tensor as_row(lw_tensor t, ptrdiff_t length)
{
    return (lw_tensor){.buffer = t.buffer, .rank = 2, .extent = {1, length}};
}

static lw_dim3 tiles(ptrdiff_t columns, ptrdiff_t rows)
{
    return lw_dim_2((uint32_t)(columns + TILE - 1) / TILE, (uint32_t)(rows + TILE - 1) / TILE);
}

lw_status attention_score(lw_stream *s, const struct kernels *k, lw_tensor scores, lw_tensor keys,
                          lw_tensor q, lw_tensor K, double scale)
{
    const ptrdiff_t n = K.extent[0], d = K.extent[1];
    const lw_dim3 block = lw_dim_2(TILE, TILE);
    lw_status status = LW_LAUNCH(s, k->transpose, tiles(d, n), block, keys, K);

    if (!status)
        status = LW_LAUNCH(s, k->matmul, tiles(n, 1), block, as_row(scores, n), as_row(q, d), keys,
                           scale);
    return status;
}

lw_status attention_weigh(lw_stream *s, const struct kernels *k, lw_tensor output, lw_tensor scores,
                          lw_tensor V)
{
    const ptrdiff_t n = V.extent[0], d = V.extent[1];
    lw_status status =
        LW_LAUNCH(s, k->softmax, 1, (int)n, as_vector(scores, n), as_vector(scores, n));

    if (!status)
        status = LW_LAUNCH(s, k->matmul, tiles(d, 1), lw_dim_2(TILE, TILE), as_row(output, d),
                           as_row(scores, n), V, 1.0);
    return status;
}

/* infer - output (d), and what it works in: keys (d, n) and scores (n). seq_len and d are checks:
 * 0 takes them from the shapes. */
static lw_status infer(const lw_shape *in, const lw_params *params, lw_shape *out, void *user)
{
    const ptrdiff_t n = in[1].extent[0], d = in[1].extent[1];
    int64_t seq_len = 0, width = 0;
    lw_status status = lw_params_int(params, "seq_len", &seq_len);

    (void)user;
    if (!status)
        status = lw_params_int(params, "d", &width);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        if (in[i].dtype != LW_F32)
            return lw_fail(LW_E_DTYPE, "classic::attention: input %d is of %s; need f32", i,
                           lw_dtype_name(in[i].dtype));
    if (in[0].rank != 1 || in[1].rank != 2 || in[2].rank != 2 || in[0].extent[0] != d ||
        in[2].extent[0] != n || in[2].extent[1] != d || (seq_len && seq_len != n) ||
        (width && width != d))
        return lw_fail(LW_E_SHAPE, "classic::attention: need q (%td), K (%td, %td), V alike", d, n,
                       d);
    out[0] = (lw_shape){.dtype = LW_F32, .rank = 1, .extent = {d}};
    out[1] = (lw_shape){.dtype = LW_F32, .rank = 2, .extent = {d, n}};
    out[2] = (lw_shape){.dtype = LW_F32, .rank = 1, .extent = {n}};
    return LW_OK;
}

static lw_status launch(lw_stream *s, const struct kernels *k, const lw_tensor *out,
                        const lw_tensor *in, double scale)
{
    lw_status status = attention_score(s, k, out[2], out[1], in[0], in[1], scale);

    return status ? status : attention_weigh(s, k, out[0], out[2], in[2]);
}

/* record - user is the path of the kernels, which are built for the stream's device. */
static lw_status record(lw_stream *s, const lw_tensor *out, const lw_tensor *in,
                        const lw_params *params, void *user)
{
    double scale = 1;
    lw_status status = lw_params_real(params, "scale", &scale);

    if (status)
        return status;
    struct kernels k;
    status = attention_open(lw_stream_device(s), user, &k);
    if (!status)
        status = launch(s, &k, out, in, scale);
    attention_close(&k);
    return status;
}

lw_status attention_register(const char *path, lw_op **op)
{
    return lw_op_register(&(lw_op_def){.name = "classic::attention",
                                       .parameters = "seq_len:int=0 d:int=0 scale:real=1",
                                       .inputs = 3,
                                       .outputs = 3,
                                       .infer = infer,
                                       .record = record,
                                       .user = (void *)path},
                          op);
}
