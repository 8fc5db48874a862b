/* call.c - a call of an operation: its two runs, its scratch memory, its launches. */
#include "ops/contract.h"
#include <assert.h>
#include <string.h>

enum { SCRATCH_ALIGN = 128, GRID_MAX = 0x7fffffff };

lw_status lw__call_run(const char *name, lw_stream *stream, lw__op_body *body, void *arguments)
{
    struct lw__call call = {.name = name, .stream = stream, .is_dry = true};

    if (!stream)
        return lw_fail(LW_E_ARG, "%s: the stream is NULL", name);
    call.device = lw_stream_device(stream);
    call.is_gpu = lw_device_is_gpu(call.device);
    call.has_vectors = lw_device_vector_bits(call.device) > 128;
    LW_TRY(body(&call, arguments));
    const size_t scratch = call.scratch;
    if (scratch)
        LW_TRY(lw__call_named(&call, lw_stream_scratch(stream, scratch, &call.memory)));
    call.is_dry = false;
    call.scratch = 0;
    lw_status status = body(&call, arguments);
    assert(status || call.scratch == scratch); /* both runs take the same */
    lw_stream_scratch_done(stream, call.memory);
    return status;
}

lw_status lw__call_named(const struct lw__call *call, lw_status status)
{
    return status ? lw_fail(status, "%s: %s", call->name, lw_last_error()) : LW_OK;
}

static void strides_of(const struct lw__shape *shape, struct lw__view *view)
{
    ptrdiff_t step = 1;

    for (int k = LW_AXES - 1; k >= 0; k--) {
        view->stride[k] = step;
        step *= (ptrdiff_t)shape->extent[k];
    }
}

lw_status lw__call_scratch(struct lw__call *call, const char *name, lw_dtype dtype,
                           struct lw__shape shape, struct lw__operand *out)
{
    const size_t size = lw_dtype_size(dtype);
    size_t bytes = size;
    bool fits = true;

    assert(call->scratch % SCRATCH_ALIGN == 0 && call->is_dry == !call->memory);
    for (int k = 0; k < LW_AXES; k++)
        fits = !__builtin_mul_overflow(bytes, shape.extent[k], &bytes) && fits;
    fits = fits && !__builtin_add_overflow(bytes, SCRATCH_ALIGN - 1, &bytes);
    bytes = bytes < SCRATCH_ALIGN ? SCRATCH_ALIGN : bytes - bytes % SCRATCH_ALIGN; /* never none */
    *out = (struct lw__operand){.name = name,
                                .buffer = call->memory,
                                .dtype = dtype,
                                .rank = LW_AXES,
                                .shape = shape,
                                .view.offset = (ptrdiff_t)(call->scratch / size)};
    if (!fits || __builtin_add_overflow(call->scratch, bytes, &call->scratch) ||
        call->scratch > PTRDIFF_MAX)
        return lw_fail(LW_E_SHAPE, "%s: a temporary of %zu x %zu x %zu x %zu %s is too large",
                       call->name, shape.extent[0], shape.extent[1], shape.extent[2],
                       shape.extent[3], lw_dtype_name(dtype));
    strides_of(&shape, &out->view);
    return LW_OK;
}

lw_arg lw__arg_at(const struct lw__operand *o)
{
    const size_t of_buffer = o->buffer ? lw_dtype_size(lw_buffer_dtype(o->buffer)) : 1;
    const size_t scale = lw_dtype_size(o->dtype) / of_buffer, offset = (size_t)o->view.offset;
    lw_tensor t = {.buffer = o->buffer, .offset = offset * scale, .rank = 1};

    assert(lw__operand_is_contiguous(o) && lw_dtype_size(o->dtype) % of_buffer == 0);
    t.extent[0] = (ptrdiff_t)(lw__operand_count(o) * scale);
    return lw_arg_tensor(t);
}

uint32_t lw__threads(const struct lw__call *call)
{
    return lw_device_vector_bits(call->device) == 128 ? 1 : 32;
}

lw_status lw__workers(const struct lw__call *call, enum lw__ops_program program, const char *kernel,
                      size_t *threads)
{
    enum { BLOCKS_OF_A_THREAD = 8 }; /* in a suggested grid: src/run/cpu/device.c */
    lw_kernel *found;
    lw_dim3 grid, block;

    *threads = 1;
    if (call->is_dry || call->is_gpu)
        return LW_OK;
    LW_TRY(lw__ops_kernel(call, program, kernel, &found));
    LW_TRY(lw_kernel_suggest(found, NULL, &grid, &block));
    *threads = lw__divide_up(grid.x, BLOCKS_OF_A_THREAD);
    return LW_OK;
}

lw_status lw__grid(const struct lw__call *call, size_t blocks, lw_dim3 *grid)
{
    *grid = lw_dim_1((uint32_t)blocks);
    if (blocks > GRID_MAX)
        return lw_fail(LW_E_SHAPE, "%s: %zu blocks are too many; need at most %d", call->name,
                       blocks, GRID_MAX);
    return LW_OK;
}

lw_status lw__call_launch(struct lw__call *call, enum lw__ops_program program, const char *kernel,
                          lw_dim3 grid, lw_dim3 block, const lw_arg *args, size_t count)
{
    if (call->is_dry || !grid.x || !grid.y || !grid.z)
        return LW_OK;
    lw_kernel *k;
    LW_TRY(lw__ops_kernel(call, program, kernel, &k));
    return lw__call_queue(call, k, grid, block, NULL, args, count);
}

lw_status lw__call_blocks(struct lw__call *call, enum lw__ops_program program, const char *kernel,
                          size_t blocks, lw_dim3 block, const lw_arg *args, size_t count)
{
    lw_dim3 grid;

    LW_TRY(lw__grid(call, blocks, &grid));
    return lw__call_launch(call, program, kernel, grid, block, args, count);
}

lw_status lw__call_queue(struct lw__call *call, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block,
                         const lw_launch_options *options, const lw_arg *args, size_t count)
{
    assert(!call->is_dry);
    return lw__call_named(
        call, lw_stream_launch(call->stream, kernel, grid, block, options, args, count));
}
