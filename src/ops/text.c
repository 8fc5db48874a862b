/* text.c - kernels from text; see text.h. */
#include "ops/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lw__source_add(struct lw__source *source, const char *format, ...)
{
    const size_t room = LW_SOURCE_MAX - source->length;
    va_list args;
    int n;

    va_start(args, format);
    n = room ? vsnprintf(source->text + source->length, room, format, args) : 0;
    va_end(args);
    source->length += n < 0 || (size_t)n >= room ? room : (size_t)n;
}

lw_status lw__source_launch(struct lw__call *call, const struct lw__source *source,
                            const char *kernel, lw_dim3 grid, lw_dim3 block, const lw_arg *args,
                            size_t count)
{
    lw_program *program;
    lw_status status;
    lw_kernel *k;

    if (source->length == LW_SOURCE_MAX)
        return lw_fail(LW_E_ARG, "%s: the expression is too long; its kernel may have %d bytes",
                       call->name, LW_SOURCE_MAX - 1);
    LW_TRY(lw_program_share(call->device, call->name, source->text, &program));
    status = lw_program_kernel(program, kernel, &k);
    if (!status)
        status = lw_stream_launch(call->stream, k, grid, block, NULL, args, count);
    lw_program_destroy(program);
    return status;
}

const char *lw__c_type(lw_dtype dtype)
{
    /* ORDER DTYPE */
    static const char *const types[] = {"int8_t",   "int16_t",  "int32_t",  "int64_t", "uint8_t",
                                        "uint16_t", "uint32_t", "uint64_t", "bool",    "_Float16",
                                        "__bf16",   "float",    "double"};

    return types[dtype];
}

lw_status lw__check_expression(const char *op, const char *what, const char *expression)
{
    if (expression && expression[strspn(expression, " \t\n")])
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: the %s is %s", op, what, expression ? "empty" : "NULL");
}

lw_status lw__check_inputs(const char *op, const lw_tensor *inputs, size_t count)
{
    if (count > LW_INPUTS_MAX)
        return lw_fail(LW_E_ARG, "%s: there are %zu inputs; need at most %d: a, b, c, d", op, count,
                       LW_INPUTS_MAX);
    if (count && !inputs)
        return lw_fail(LW_E_ARG, "%s: the list of %zu inputs is NULL", op, count);
    return LW_OK;
}
