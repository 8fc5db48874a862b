/* buffer.c - ARGs on a device: made, filled before every launch, packed, written to files.
 */
#include "cli/run/run.h"
#include "text/half.h"
#include <string.h>

enum { TENSOR_RANK_MAX = sizeof((lw_tensor *)NULL)->extent / sizeof(ptrdiff_t) };

int cli_arg_create(lw_device *device, struct cli_arg *arg)
{
    lw_status status = LW_OK;
    if (arg->buffer)
        return CLI_DONE;
    if (arg->is_buffer && arg->has_dtype)
        status = lw_buffer_create(device, arg->dtype, arg->count, &arg->buffer);
    else if (arg->is_buffer)
        status = lw_buffer_create_structs(device, arg->element_bytes, arg->count, &arg->buffer);
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

static lw_status fill_made(struct cli_arg *arg)
{
    void *memory;
    lw_status status = lw_buffer_map(arg->buffer, &memory);
    if (status != LW_OK)
        return status;
    lw__fill_make(arg->fill, arg->dtype, arg->seed, arg->count, memory);
    return lw_buffer_unmap(arg->buffer);
}

int cli_arg_refill(struct cli_arg *arg)
{
    lw_status status;
    if (!arg->is_buffer || arg->count == 0 || arg->is_kept)
        return CLI_DONE;
    switch (arg->fill) {
    case LW_FILL_NONE: status = lw_buffer_discard(arg->buffer); break;
    case LW_FILL_ZEROS:
    case LW_FILL_CONST: status = lw_buffer_fill(arg->buffer, arg->value); break;
    case LW_FILL_DATA: status = lw_buffer_write(arg->buffer, 0, arg->count, arg->value); break;
    default: status = fill_made(arg);
    }
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}

/* pack_scalar - a scalar of any dtype as the widest of its kind, which holds it exactly. */
static lw_arg pack_scalar(lw_dtype dtype, const void *value)
{
    switch (lw__dtypes[dtype].kind) {
    case 'f': return lw_arg_real(lw__real_get(dtype, value));
    case 'i': return lw_arg_int(lw__integer_get(dtype, value));
    default: return lw_arg_uint((uint64_t)lw__integer_get(dtype, value));
    }
}

lw_arg cli_arg_pack(const struct cli_arg *arg)
{
    if (arg->is_null)
        return lw_arg_address(NULL);
    if (!arg->is_buffer && arg->type->form == LW_SCALAR)
        return pack_scalar(arg->type->dtype, arg->value);
    if (!arg->is_buffer)
        return lw_arg_bytes(arg->value, arg->type->bytes);
    bool has_sizes = arg->param.dims > 0 && arg->rank <= TENSOR_RANK_MAX;
    if (arg->param.kind != LW_PARAM_TENSOR && !has_sizes)
        return lw_arg_buffer(arg->buffer);
    lw_tensor tensor = {.buffer = arg->buffer, .rank = arg->rank};
    for (int axis = 0; axis < arg->rank; axis++)
        tensor.extent[axis] = (ptrdiff_t)arg->extent[axis];
    return lw_arg_tensor(tensor);
}

/* as_array - the buffer as NumPy has it: structs are rows of bytes. */
static struct cli_npy as_array(const struct cli_arg *arg, void *data)
{
    struct cli_npy array = {
        .dtype = arg->dtype, .rank = arg->rank, .count = arg->count, .data = data};
    memcpy(array.extent, arg->extent, sizeof array.extent);
    if (!arg->has_dtype) {
        array.count *= arg->element_bytes;
        if (array.rank < CLI_MAX_RANK)
            array.extent[array.rank++] = arg->element_bytes;
        else
            array.extent[array.rank - 1] *= arg->element_bytes;
    }
    return array;
}

int cli_arg_write_file(const struct cli_arg *arg)
{
    if (!arg->out)
        return CLI_DONE;
    void *memory;
    lw_status status = lw_buffer_map(arg->buffer, &memory);
    if (status != LW_OK)
        return cli_fail_library(status);
    struct cli_npy array = as_array(arg, memory);
    int failed = cli_npy_write(arg->out, &array);
    status = lw_buffer_unmap(arg->buffer);
    if (failed)
        return failed;
    return status == LW_OK ? CLI_DONE : cli_fail_library(status);
}
