/* operand.c - tensors checked: they lie in their buffers, on the stream's device, and outputs apart
 * from inputs.
 */
#include "ops/op.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

bool lw__operand_is_aligned(const struct lw__operand *o, size_t bytes)
{
    assert(bytes && bytes <= LW_ALIGNED_MAX && !(bytes & (bytes - 1)));
    return (size_t)o->view.offset * lw_dtype_size(o->dtype) % bytes == 0 &&
           lw_buffer_alignment(o->buffer) >= bytes;
}

size_t lw__operand_count(const struct lw__operand *o)
{
    return o->shape.extent[0] * o->shape.extent[1] * o->shape.extent[2] * o->shape.extent[3];
}

const char *lw__operand_text(const struct lw__operand *o, char *text)
{
    int n = snprintf(text, LW_SHAPE_TEXT, "(");

    for (int k = LW_AXES - o->rank; k < LW_AXES; k++)
        n += snprintf(text + n, LW_SHAPE_TEXT - (size_t)n, "%zu%s", o->shape.extent[k],
                      k < LW_AXES - 1 ? ", "
                      : o->rank == 1  ? ","
                                      : "");
    assert(n > 0 && n + 1 < LW_SHAPE_TEXT);
    snprintf(text + n, LW_SHAPE_TEXT - (size_t)n, ")");
    return text;
}

static bool is_empty(const struct lw__operand *o)
{
    return !o->shape.extent[0] || !o->shape.extent[1] || !o->shape.extent[2] || !o->shape.extent[3];
}

static bool reach(const struct lw__operand *o, ptrdiff_t *lowest, ptrdiff_t *highest)
{
    return lw__reach(LW_AXES, (size_t)o->view.offset, (const ptrdiff_t *)o->shape.extent,
                     o->view.stride, lowest, highest);
}

/* ---- one tensor ---- */

/* Extents and strides of the tensor as the last axes of the operand. */
static lw_status take_axes(const struct lw__call *call, const lw_tensor *t, struct lw__operand *o)
{
    const bool strided = lw__tensor_has_strides(t);
    char shape[LW_SHAPE_TEXT];
    ptrdiff_t step = 1;

    for (int k = 0; k < LW_AXES; k++) {
        o->shape.extent[k] = 1;
        o->view.stride[k] = 0;
    }
    for (int i = 0, k = LW_AXES - t->rank; i < t->rank; i++, k++) {
        if (t->extent[i] < 0)
            return lw_fail(LW_E_SHAPE, "%s: %s has extent %td in axis %d; need at least 0",
                           call->name, o->name, t->extent[i], i);
        o->shape.extent[k] = (size_t)t->extent[i];
    }
    for (int i = t->rank - 1, k = LW_AXES - 1; i >= 0; i--, k--) {
        o->view.stride[k] = strided ? t->stride[i] : step;
        if (t->extent[i] && __builtin_mul_overflow(step, t->extent[i], &step))
            return lw_fail(LW_E_SHAPE, "%s: %s of shape %s has more elements than memory can hold",
                           call->name, o->name, lw__operand_text(o, shape));
    }
    return LW_OK;
}

static lw_status check_reach(const struct lw__call *call, const struct lw__operand *o)
{
    const size_t count = lw_buffer_count(o->buffer);
    char shape[LW_SHAPE_TEXT];

    if (is_empty(o))
        return LW_OK;
    ptrdiff_t lowest, highest;
    if (reach(o, &lowest, &highest) && lowest >= 0 && (size_t)highest < count)
        return LW_OK;
    return lw_fail(LW_E_SHAPE,
                   "%s: %s of shape %s at element %td leaves its buffer, which has %zu elements",
                   call->name, o->name, lw__operand_text(o, shape), o->view.offset, count);
}

static const char *name_of(lw_device *device)
{
    lw_device_info info;

    return lw_device_get_info(device, &info) ? "another" : info.name;
}

static lw_status check_buffer(const struct lw__call *call, const char *name, lw_buffer *buffer)
{
    lw_device *const device = lw_buffer_device(buffer);
    const size_t count = lw_buffer_count(buffer);

    if (!lw_buffer_has_dtype(buffer))
        return lw_fail(LW_E_DTYPE, "%s: %s is made of structs of %zu bytes; need numbers",
                       call->name, name, count ? lw_buffer_bytes(buffer) / count : 0);
    if (device != call->device)
        return lw_fail(LW_E_DEVICE, "%s: %s is on %s; need the stream's device, %s", call->name,
                       name, name_of(device), name_of(call->device));
    return LW_OK;
}

lw_status lw__operand_in(const struct lw__call *call, const char *name, lw_tensor t,
                         struct lw__operand *out)
{
    *out = (struct lw__operand){.name = name, .buffer = t.buffer, .rank = t.rank};
    if (!t.buffer)
        return lw_fail(LW_E_ARG, "%s: %s has no buffer", call->name, name);
    if (t.rank < 0 || t.rank > LW_AXES)
        return lw_fail(LW_E_SHAPE, "%s: %s has rank %d; need 0 to %d", call->name, name, t.rank,
                       LW_AXES);
    LW_TRY(check_buffer(call, name, t.buffer));
    if (t.offset > PTRDIFF_MAX)
        return lw_fail(LW_E_SHAPE, "%s: %s begins at element %zu", call->name, name, t.offset);
    out->dtype = lw_buffer_dtype(t.buffer);
    out->view.offset = (ptrdiff_t)t.offset;
    LW_TRY(take_axes(call, &t, out));
    return check_reach(call, out);
}

/* True if two places of the operand may be one element: each axis must step over all that the axes
 * with smaller steps reach. */
static bool meets_itself(const struct lw__operand *o)
{
    size_t reached = 0;
    bool done[LW_AXES] = {false};

    for (int round = 0; round < LW_AXES; round++) {
        int least = -1;

        for (int k = 0; k < LW_AXES; k++)
            if (!done[k] && o->shape.extent[k] > 1 &&
                (least < 0 || labs(o->view.stride[k]) < labs(o->view.stride[least])))
                least = k;
        if (least < 0)
            return false;
        done[least] = true;
        if ((size_t)labs(o->view.stride[least]) <= reached)
            return true;
        reached += (o->shape.extent[least] - 1) * (size_t)labs(o->view.stride[least]);
    }
    return false;
}

lw_status lw__operand_out(const struct lw__call *call, const char *name, lw_tensor t,
                          struct lw__operand *out)
{
    LW_TRY(lw__operand_in(call, name, t, out));
    if (lw_buffer_is_read_only(t.buffer))
        return lw_fail(LW_E_ARG, "%s: the output %s is read-only: its memory was wrapped so",
                       call->name, name);
    if (!is_empty(out) && meets_itself(out))
        return lw_fail(LW_E_ARG,
                       "%s: elements of the output %s share memory: strides %td, %td, %td, %td",
                       call->name, name, out->view.stride[0], out->view.stride[1],
                       out->view.stride[2], out->view.stride[3]);
    return LW_OK;
}

/* ---- two tensors ---- */

static bool are_same(const struct lw__operand *a, const struct lw__operand *b)
{
    bool same = a->view.offset == b->view.offset;

    assert(a->buffer == b->buffer);
    for (int k = 0; k < LW_AXES; k++)
        same = same && a->shape.extent[k] == b->shape.extent[k] &&
               (a->shape.extent[k] < 2 || a->view.stride[k] == b->view.stride[k]);
    return same;
}

static ptrdiff_t common_divisor(ptrdiff_t a, ptrdiff_t b)
{
    while (b) {
        const ptrdiff_t rest = a % b;

        a = b;
        b = rest;
    }
    return labs(a);
}

/* True if the operands, of one buffer, have no element in common: their ranges are apart, or all
 * steps are multiples of one that their begins do not share. */
static bool are_apart(const struct lw__operand *a, const struct lw__operand *b)
{
    ptrdiff_t low_a, high_a, low_b, high_b, divisor = 0;

    if (is_empty(a) || is_empty(b))
        return true;
    if (!reach(a, &low_a, &high_a) || !reach(b, &low_b, &high_b))
        return false;
    assert(low_a >= 0 && low_b >= 0); /* both lie in the buffer */
    if (high_a < low_b || high_b < low_a)
        return true;
    for (int k = 0; k < LW_AXES; k++) {
        if (a->shape.extent[k] > 1)
            divisor = common_divisor(divisor, a->view.stride[k]);
        if (b->shape.extent[k] > 1)
            divisor = common_divisor(divisor, b->view.stride[k]);
    }
    return divisor > 1 && (a->view.offset - b->view.offset) % divisor;
}

lw_status lw__operand_apart(const struct lw__call *call, const struct lw__operand *out,
                            const struct lw__operand *in, bool in_place)
{
    if (out->buffer != in->buffer || are_apart(out, in) || (in_place && are_same(out, in)))
        return LW_OK;
    return lw_fail(LW_E_ARG, "%s: the output %s, from element %td on, overlaps %s, from %td on%s",
                   call->name, out->name, out->view.offset, in->name, in->view.offset,
                   in_place ? "; need the same tensor, or one apart from it" : "");
}

lw_status lw__operand_same_shape(const struct lw__call *call, const struct lw__operand *a,
                                 const struct lw__operand *b)
{
    char of_a[LW_SHAPE_TEXT], of_b[LW_SHAPE_TEXT];
    bool same = a->rank == b->rank;

    for (int k = 0; k < LW_AXES; k++)
        same = same && a->shape.extent[k] == b->shape.extent[k];
    if (same)
        return LW_OK;
    return lw_fail(LW_E_SHAPE, "%s: %s has shape %s and %s has %s; need the same", call->name,
                   a->name, lw__operand_text(a, of_a), b->name, lw__operand_text(b, of_b));
}

lw_status lw__operand_expect(const struct lw__call *call, const struct lw__operand *o, int rank,
                             const size_t *extents)
{
    struct lw__operand needed = {.rank = rank, .shape.extent = {1, 1, 1, 1}};
    char has[LW_SHAPE_TEXT], needs[LW_SHAPE_TEXT];
    bool same = o->rank == rank;

    assert(rank >= 0 && rank <= LW_AXES);
    for (int k = 0; k < rank; k++)
        needed.shape.extent[LW_AXES - rank + k] = extents[k];
    for (int k = 0; k < LW_AXES; k++)
        same = same && o->shape.extent[k] == needed.shape.extent[k];
    if (same)
        return LW_OK;
    return lw_fail(LW_E_SHAPE, "%s: %s has shape %s; need %s", call->name, o->name,
                   lw__operand_text(o, has), lw__operand_text(&needed, needs));
}
