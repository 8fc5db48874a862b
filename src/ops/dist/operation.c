/* operation.c - what all operations over ranks share: checks, records, results. */
#include "ops/dist/dist.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

struct lw__call lw__dist_call(const char *name, const lw_comm *c, lw_stream *s)
{
    return (struct lw__call){.name = name, .stream = s, .device = c->device, .is_dry = true};
}

lw_status lw__dist_axis(const struct lw__call *call, const struct lw__operand *o, int option,
                        int otherwise, lw_part part, int *axis)
{
    LW_TRY(lw__axis(call, o, option, otherwise, axis));
    if (o->shape.extent[*axis] != part.count)
        return lw_fail(LW_E_SHAPE, "%s: %s has %zu elements along axis %d; its part has %zu",
                       call->name, o->name, o->shape.extent[*axis], *axis - (LW_AXES - o->rank),
                       part.count);
    *axis -= LW_AXES - o->rank;
    assert(*axis >= 0 && *axis < o->rank);
    return LW_OK;
}

struct lw__record lw__record(const char *name, lw_part part)
{
    struct lw__record r = {.global = part.global, .first = part.first, .count = part.count};

    assert(strlen(name) < sizeof r.name); /* ranks compare all of it */
    snprintf(r.name, sizeof r.name, "%s", name);
    return r;
}

void lw__record_add(struct lw__record *r, const struct lw__operand *o, int axis)
{
    assert(r->inputs < LW_DIST_INPUTS && axis >= -1 && axis < o->rank);
    struct lw__record_input *x = &r->input[r->inputs++];

    *x = (struct lw__record_input){.dtype = (int32_t)o->dtype, .rank = o->rank, .axis = axis};
    for (int k = 0; k < o->rank; k++)
        if (k != axis)
            x->extent[k] = (int64_t)o->shape.extent[LW_AXES - o->rank + k];
}

lw_status lw__dist_write(lw_comm *c, lw_stream *s, lw_tensor out, lw_dtype dtype, size_t count,
                         const void *values)
{
    if (!count)
        return LW_OK;
    if (lw_buffer_dtype(out.buffer) == dtype && lw__tensor_is_plain(&out))
        return lw_buffer_write(out.buffer, out.offset, count, values);
    lw_buffer *buffer;
    LW_TRY(lw__stage(c, LW_STAGE_RESULT, dtype, count, &buffer));
    LW_TRY(lw_buffer_write(buffer, 0, count, values));
    lw_tensor from;
    LW_TRY(lw_tensor_of(buffer, out.rank, out.extent, &from));
    return lw_copy(s, out, from);
}
