/* join.c - indices of several axes as one: the places that their slices begin at. */
#include "ops/indices.h"
#include <assert.h>
#include <stdlib.h>

/* ORDER JOIN: kernels/join.c */
enum { PART = 4096, THREADS = 128 };
struct joining {
    int64_t lowest, extent, step, begin;
    size_t wide, adds;
};

static lw_status broadcast_one(const struct lw__call *call, struct lw__indices *indices,
                               const struct lw__operand *o)
{
    char of_one[LW_SHAPE_TEXT], of_other[LW_SHAPE_TEXT];

    for (int k = 0; k < LW_AXES; k++) {
        size_t *const to = &indices->shape.extent[k], extent = o->shape.extent[k];

        if (*to != 1 && extent != 1 && *to != extent)
            return lw_fail(LW_E_SHAPE, "%s: indices of shape %s and %s do not broadcast",
                           call->name, lw__operand_text(&indices->of[0], of_one),
                           lw__operand_text(o, of_other));
        *to = *to == 1 ? extent : *to;
    }
    indices->rank = o->rank > indices->rank ? o->rank : indices->rank;
    return LW_OK;
}

lw_status lw__indices_in(struct lw__call *call, lw_tensor first, const lw_tensor *more,
                         size_t more_count, struct lw__indices *indices)
{
    if (more_count >= LW_AXES || (more_count && !more))
        return lw_fail(LW_E_ARG, "%s: there are %zu more arrays of indices; need at most %d",
                       call->name, more_count, LW_AXES - 1);
    *indices = (struct lw__indices){.count = 1 + more_count, .shape = {{1, 1, 1, 1}}};
    for (size_t k = 0; k < indices->count; k++) {
        struct lw__operand *const o = &indices->of[k];

        LW_TRY(lw__operand_in(call, "indices", k ? more[k - 1] : first, o));
        if (o->dtype == LW_BOOL || lw__dtype_is_float(o->dtype))
            return lw_fail(LW_E_DTYPE, "%s: indices are of %s; need an integer type", call->name,
                           lw_dtype_name(o->dtype));
        LW_TRY(broadcast_one(call, indices, o));
    }
    return LW_OK;
}

lw_status lw__indices_read(struct lw__call *call, struct lw__operand *o)
{
    if (o->dtype == LW_I32)
        return LW_OK;
    return lw__as(call, o, o->dtype == LW_U64 ? LW_U64 : LW_I64);
}

static lw_status launch(struct lw__call *call, struct lw__operand indices,
                        const struct lw__shape *shape, struct joining j,
                        const struct lw__operand *places)
{
    j.lowest = indices.dtype == LW_U64 ? 0 : -j.extent; /* its large values are negative as i64 */
    LW_TRY(lw__indices_read(call, &indices));
    j.wide = indices.dtype != LW_I32;
    const bool fits = lw__operand_broadcast(&indices, shape);
    assert(fits);
    (void)fits;
    lw__flatten(&indices);
    const size_t n = lw__operand_count(&indices);
    return LW_OP_BLOCKS(call, join, "join", lw__divide_up(n, PART),
                        lw_dim_1(call->is_gpu ? THREADS : 1), lw__arg_shape(&indices.shape),
                        lw_arg_uint(n), lw_arg_bytes(&j, sizeof j), lw__arg_view(&indices.view),
                        lw_arg_buffer(indices.buffer), lw__arg_at(places));
}

lw_status lw__join(struct lw__call *call, const struct lw__operand *x, int axis,
                   struct lw__indices *indices, struct lw__places *places)
{
    bool is_empty = false;

    places->least = 0;
    places->span = 1;
    for (size_t k = 0; k < indices->count; k++) {
        const size_t extent = x->shape.extent[(size_t)axis + k];
        const ptrdiff_t stride = x->view.stride[(size_t)axis + k];

        is_empty = is_empty || !extent;
        if (is_empty)
            continue;
        places->span += (extent - 1) * (size_t)labs(stride);
        places->least += stride < 0 ? stride * (ptrdiff_t)(extent - 1) : 0;
    }
    if (is_empty)
        places->span = 0;
    LW_TRY(lw__call_scratch(call, "places", LW_I64, indices->shape, &places->at));
    places->at.rank = indices->rank;
    for (size_t k = 0; k < indices->count; k++) {
        const struct joining j = {.extent = (int64_t)x->shape.extent[(size_t)axis + k],
                                  .step = x->view.stride[(size_t)axis + k],
                                  .begin = -places->least,
                                  .adds = k > 0};

        LW_TRY(launch(call, indices->of[k], &indices->shape, j, &places->at));
    }
    return LW_OK;
}
