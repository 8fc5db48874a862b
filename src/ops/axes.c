/* axes.c - operands looked at in other ways, without a copy. */
#include "ops/op.h"
#include <assert.h>

lw_status lw__axis(const struct lw__call *call, const struct lw__operand *o, int option,
                   int otherwise, int *axis)
{
    const int said = option > 0 ? option - 1 : option; /* what LW_AXIS got */
    const int k = option > 0 ? said : option < 0 ? o->rank + option : otherwise;

    assert(o->rank >= 0 && o->rank <= LW_AXES);
    *axis = 0;
    if (k >= 0 && k < o->rank) {
        *axis = LW_AXES - o->rank + k;
        return LW_OK;
    }
    return lw_fail(LW_E_ARG, "%s: %s has no axis %d; its rank is %d", call->name, o->name,
                   option ? said : otherwise, o->rank);
}

void lw__axis_to_last(struct lw__operand *o, int axis)
{
    assert(axis >= 0 && axis < LW_AXES);
    const size_t extent = o->shape.extent[axis];
    const ptrdiff_t stride = o->view.stride[axis];

    for (int k = axis; k < LW_AXES - 1; k++) {
        o->shape.extent[k] = o->shape.extent[k + 1];
        o->view.stride[k] = o->view.stride[k + 1];
    }
    o->shape.extent[LW_AXES - 1] = extent;
    o->view.stride[LW_AXES - 1] = stride;
}

bool lw__operand_is_contiguous(const struct lw__operand *o)
{
    ptrdiff_t step = 1;

    if (!lw__operand_count(o))
        return true;
    for (int k = LW_AXES - 1; k >= 0; k--) {
        if (o->shape.extent[k] > 1 && o->view.stride[k] != step)
            return false;
        step *= (ptrdiff_t)o->shape.extent[k];
    }
    return true;
}

bool lw__flatten(struct lw__operand *o)
{
    const size_t count = lw__operand_count(o);
    size_t seen = 1;
    ptrdiff_t step = 0;

    for (int k = LW_AXES - 1; k >= 0 && count; k--) {
        if (seen == 1)
            step = o->view.stride[k]; /* of the fastest axis, 0 where that is broadcast */
        else if (o->shape.extent[k] > 1 && o->view.stride[k] != step * (ptrdiff_t)seen)
            return false;
        seen *= o->shape.extent[k];
    }
    o->shape = (struct lw__shape){{1, 1, 1, count}};
    o->view = (struct lw__view){o->view.offset, {0, 0, 0, count > 1 ? step : 1}};
    return true;
}

bool lw__operand_broadcast(struct lw__operand *o, const struct lw__shape *shape)
{
    for (int k = 0; k < LW_AXES; k++) {
        if (o->shape.extent[k] == shape->extent[k])
            continue;
        if (o->shape.extent[k] != 1)
            return false;
        o->shape.extent[k] = shape->extent[k];
        o->view.stride[k] = 0;
    }
    return true;
}
