/* view.c - views of tensors on the host: other extents and strides over the same buffer.
 *
 * A view enters with strides that count, or in C order (see lw_tensor), and leaves with strides
 * that count. What enters is checked to stay within its buffer; then every element of what leaves
 * is one of those, so that only new numbers of elements can overflow.
 */
#include "ops/op.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LIST_ROOM = 100 };

/* ---- text for messages: "[4,8]" ---- */

struct list {
    char text[LIST_ROOM];
};

static struct list list_of(int count, const ptrdiff_t *numbers)
{
    struct list l = {"["};
    size_t at = 1;

    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(l.text + at, sizeof l.text - at, "%s%td", i ? "," : "", numbers[i]);
    assert(count <= LW_AXES && at + 1 < sizeof l.text);
    strcpy(l.text + at, "]");
    return l;
}

static const char *type_of(const lw_buffer *buffer)
{
    return lw_buffer_has_dtype(buffer) ? lw_dtype_name(lw_buffer_dtype(buffer)) : "structs";
}

/* ---- what enters ---- */

/* *count is the number of elements. */
static lw_status check_extents(int rank, const ptrdiff_t *extents, size_t *count)
{
    bool is_empty = false, is_known = true;
    ptrdiff_t product = 1;

    if (rank < 0 || rank > LW_AXES)
        return lw_fail(LW_E_SHAPE, "rank %d; need 0 to %d", rank, LW_AXES);
    if (rank && !extents)
        return lw_fail(LW_E_ARG, "the list of %d extents is NULL", rank);
    for (int i = 0; i < rank; i++) {
        if (extents[i] < 0)
            return lw_fail(LW_E_SHAPE, "extents %s: extent %d is %td, need at least 0",
                           list_of(rank, extents).text, i, extents[i]);
        is_empty = is_empty || !extents[i];
        if (extents[i] && __builtin_mul_overflow(product, extents[i], &product))
            is_known = false;
    }
    if (!is_known)
        return lw_fail(LW_E_SHAPE, "extents %s reach beyond any memory",
                       list_of(rank, extents).text);
    *count = is_empty ? 0 : (size_t)product;
    return LW_OK;
}

/* In C order; an extent of 0 counts as 1. The extents are checked. */
static void set_strides(lw_tensor *t)
{
    ptrdiff_t step = 1;

    for (int i = t->rank - 1; i >= 0; i--) {
        t->stride[i] = step;
        step *= t->extent[i] ? t->extent[i] : 1;
    }
    t->strided = true;
}

bool lw__tensor_has_strides(const lw_tensor *t)
{
    bool has_some = t->strided;

    assert(t->rank >= 0 && t->rank <= LW_AXES); /* callers refuse others */
    for (int i = 0; i < t->rank; i++)
        has_some = has_some || t->stride[i];
    return has_some;
}

bool lw__tensor_is_plain(const lw_tensor *t)
{
    ptrdiff_t step = 1;

    for (int k = t->rank - 1; k >= 0 && lw__tensor_has_strides(t); k--) {
        if (t->extent[k] != 1 && t->stride[k] != step)
            return false;
        step *= t->extent[k];
    }
    return true;
}

bool lw__reach(int axes, size_t offset, const ptrdiff_t *extent, const ptrdiff_t *stride,
               ptrdiff_t *lowest, ptrdiff_t *highest)
{
    *lowest = *highest = (ptrdiff_t)offset;
    for (int k = 0; k < axes; k++) {
        ptrdiff_t span, *end = stride[k] < 0 ? lowest : highest;

        assert(extent[k] > 0); /* of a tensor without elements nobody asks */
        if (__builtin_mul_overflow(extent[k] - 1, stride[k], &span) ||
            __builtin_add_overflow(*end, span, end))
            return false;
    }
    return true;
}

/* From here on the strides count. */
static lw_status take(lw_tensor *t, const lw_tensor *out, size_t *count)
{
    if (!out)
        return lw_fail(LW_E_ARG, "the place for the tensor is NULL");
    if (!t->buffer)
        return lw_fail(LW_E_ARG, "the tensor's buffer is NULL");
    LW_TRY(check_extents(t->rank, t->extent, count));
    if (!lw__tensor_has_strides(t))
        set_strides(t);
    t->strided = true;
    size_t held = lw_buffer_count(t->buffer);
    if (t->offset > held)
        return lw_fail(LW_E_SHAPE, "the tensor starts at element %zu, the buffer has %zu",
                       t->offset, held);
    if (!*count)
        return LW_OK;
    ptrdiff_t lowest, highest;
    if (!lw__reach(t->rank, t->offset, t->extent, t->stride, &lowest, &highest))
        return lw_fail(LW_E_SHAPE,
                       "the tensor of extents %s and strides %s reaches beyond any memory",
                       list_of(t->rank, t->extent).text, list_of(t->rank, t->stride).text);
    if (lowest < 0 || (size_t)highest >= held)
        return lw_fail(LW_E_SHAPE,
                       "the tensor of extents %s and strides %s reaches elements %td to %td, the "
                       "buffer has %zu",
                       list_of(t->rank, t->extent).text, list_of(t->rank, t->stride).text, lowest,
                       highest, held);
    return LW_OK;
}

/* An axis from 0 on. */
static lw_status check_axis(const lw_tensor *t, int axis, int *plain)
{
    *plain = axis < 0 ? axis + t->rank : axis;
    if (*plain >= 0 && *plain < t->rank)
        return LW_OK;
    if (!t->rank)
        return lw_fail(LW_E_ARG, "axis %d: a tensor of rank 0 has none", axis);
    return lw_fail(LW_E_ARG, "axis %d of a tensor of rank %d; need %d to %d", axis, t->rank,
                   -t->rank, t->rank - 1);
}

/* On success *out is t, on failure all zero. */
static lw_status give(lw_status status, const lw_tensor *t, lw_tensor *out)
{
    assert(status || (t->strided && t->offset <= lw_buffer_count(t->buffer)));
    if (out)
        *out = status ? (lw_tensor){0} : *t;
    return status;
}

static lw_tensor plain(lw_buffer *buffer, size_t offset, int rank, const ptrdiff_t *extents)
{
    lw_tensor t = {.buffer = buffer, .offset = offset, .rank = rank};

    for (int i = 0; i < rank; i++)
        t.extent[i] = extents[i];
    set_strides(&t);
    return t;
}

/* ---- the whole of a buffer ---- */

static lw_status view_buffer(lw_buffer *buffer, int rank, const ptrdiff_t *extents, lw_tensor *t)
{
    if (!buffer)
        return lw_fail(LW_E_ARG, "the buffer is NULL");
    size_t count;
    LW_TRY(check_extents(rank, extents, &count));
    if (count > lw_buffer_count(buffer))
        return lw_fail(LW_E_SHAPE, "%s%s has %zu elements, the buffer %zu", type_of(buffer),
                       list_of(rank, extents).text, count, lw_buffer_count(buffer));
    *t = plain(buffer, 0, rank, extents);
    return LW_OK;
}

lw_status lw_tensor_of(lw_buffer *buffer, int rank, const ptrdiff_t *extents, lw_tensor *out)
{
    lw_tensor t = {0};

    if (!out)
        return lw_fail(LW_E_ARG, "the place for the tensor is NULL");
    return give(view_buffer(buffer, rank, extents, &t), &t, out);
}

/* ---- slice ---- */

/* Python's slice.indices: where `at` lies between lowest and highest. */
static ptrdiff_t clip(ptrdiff_t at, ptrdiff_t extent, ptrdiff_t lowest, ptrdiff_t highest)
{
    if (at < 0)
        at = at < -extent ? lowest : at + extent;
    return at < lowest ? lowest : at > highest ? highest : at;
}

/* How many there are from *begin on. */
static ptrdiff_t count_steps(ptrdiff_t extent, ptrdiff_t *begin, ptrdiff_t end, ptrdiff_t step)
{
    if (step > 0) {
        *begin = clip(*begin, extent, 0, extent);
        end = clip(end, extent, 0, extent);
        return end > *begin ? (end - *begin - 1) / step + 1 : 0;
    }
    *begin = clip(*begin, extent, -1, extent - 1);
    end = clip(end, extent, -1, extent - 1);
    return *begin > end ? (*begin - end - 1) / -step + 1 : 0;
}

/* A step that overflows the stride leaves one element, whose stride is never used. The strides of
 * a tensor without elements may lead anywhere. */
static lw_status slice(lw_tensor *t, size_t count, int axis, ptrdiff_t begin, ptrdiff_t end,
                       ptrdiff_t step)
{
    LW_TRY(check_axis(t, axis, &axis));
    if (!step)
        return lw_fail(LW_E_ARG, "a step of 0 along axis %d", axis);
    if (step == PTRDIFF_MIN)
        step = -PTRDIFF_MAX;
    ptrdiff_t stride = t->stride[axis], extent = t->extent[axis];
    t->extent[axis] = count_steps(extent, &begin, end, step);
    assert(!t->extent[axis] || (begin >= 0 && begin < extent && t->extent[axis] <= extent));
    if (count && t->extent[axis])
        t->offset += (size_t)(begin * stride);
    if (__builtin_mul_overflow(stride, step, &t->stride[axis]))
        t->stride[axis] = stride;
    return LW_OK;
}

lw_status lw_tensor_slice(lw_tensor t, int axis, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t step,
                          lw_tensor *out)
{
    size_t count;
    lw_status status = take(&t, out, &count);

    return give(status ? status : slice(&t, count, axis, begin, end, step), &t, out);
}

/* ---- permute ---- */

static lw_status permute(lw_tensor *t, const int *axes)
{
    const lw_tensor from = *t;
    int taken_by[LW_AXES] = {-1, -1, -1, -1};

    for (int i = 0; i < t->rank; i++) {
        int axis;

        LW_TRY(check_axis(t, axes ? axes[i] : t->rank - 1 - i, &axis));
        if (taken_by[axis] >= 0)
            return lw_fail(LW_E_ARG, "axes %d and %d are both axis %d; need each one once",
                           taken_by[axis], i, axis);
        taken_by[axis] = i;
        t->extent[i] = from.extent[axis];
        t->stride[i] = from.stride[axis];
    }
    return LW_OK;
}

lw_status lw_tensor_permute(lw_tensor t, const int *axes, lw_tensor *out)
{
    size_t count;
    lw_status status = take(&t, out, &count);

    return give(status ? status : permute(&t, axes), &t, out);
}

/* ---- reshape ---- */

/* Axes whose elements follow each other at one distance are one axis; those of extent 1 are none.
 * The strides of axes of extent 1 may be anything. */
static int join_axes(const lw_tensor *t, ptrdiff_t *extent, ptrdiff_t *stride)
{
    int count = 0;

    for (int i = 0; i < t->rank; i++) {
        if (t->extent[i] == 1)
            continue;
        ptrdiff_t span;
        if (count && !__builtin_mul_overflow(t->extent[i], t->stride[i], &span) &&
            stride[count - 1] == span) {
            extent[count - 1] *= t->extent[i];
            stride[count - 1] = t->stride[i];
            continue;
        }
        extent[count] = t->extent[i];
        stride[count++] = t->stride[i];
    }
    return count;
}

/* From the last axis on: each joined axis is cut into new ones without a rest. False: the strides
 * do not allow it. The number of elements is the same, and not 0. */
static bool cut_axes(lw_tensor *to, int count, const ptrdiff_t *extent, const ptrdiff_t *stride)
{
    ptrdiff_t left = 1, step = 1;

    for (int i = to->rank - 1; i >= 0; i--) {
        if (left == 1 && to->extent[i] > 1) {
            count--;
            left = extent[count];
            step = stride[count];
        }
        to->stride[i] = step;
        if (left % to->extent[i])
            return false;
        left /= to->extent[i];
        if (__builtin_mul_overflow(step, to->extent[i], &step))
            step = 0; /* beyond the joined axis */
    }
    assert(!count && left == 1); /* all of the joined axes are in the new ones */
    return true;
}

static lw_status reshape(lw_tensor *t, size_t count, int rank, const ptrdiff_t *extents)
{
    const lw_tensor from = *t;
    ptrdiff_t extent[LW_AXES], stride[LW_AXES];
    size_t wanted;

    LW_TRY(check_extents(rank, extents, &wanted));
    if (wanted != count)
        return lw_fail(LW_E_SHAPE, "extents %s have %zu elements, %s need %zu",
                       list_of(rank, extents).text, wanted, list_of(t->rank, t->extent).text,
                       count);
    *t = plain(from.buffer, from.offset, rank, extents);
    int joined = join_axes(&from, extent, stride);
    if (count && !cut_axes(t, joined, extent, stride))
        return lw_fail(LW_E_SHAPE,
                       "extents %s with strides %s cannot become %s without a copy (lw_copy)",
                       list_of(from.rank, from.extent).text, list_of(from.rank, from.stride).text,
                       list_of(rank, extents).text);
    return LW_OK;
}

lw_status lw_tensor_reshape(lw_tensor t, int rank, const ptrdiff_t *extents, lw_tensor *out)
{
    size_t count;
    lw_status status = take(&t, out, &count);

    return give(status ? status : reshape(&t, count, rank, extents), &t, out);
}

/* ---- broadcast ---- */

static lw_status broadcast(lw_tensor *t, int rank, const ptrdiff_t *extents)
{
    const lw_tensor from = *t;
    size_t count;

    LW_TRY(check_extents(rank, extents, &count));
    int more = rank - from.rank;
    if (more < 0)
        return lw_fail(LW_E_SHAPE, "extents %s cannot be repeated to %s: rank %d, need at least %d",
                       list_of(from.rank, from.extent).text, list_of(rank, extents).text, rank,
                       from.rank);
    *t = plain(from.buffer, from.offset, rank, extents);
    for (int i = 0; i < rank; i++) {
        const ptrdiff_t extent = i < more ? 1 : from.extent[i - more];

        if (extent != 1 && extent != extents[i])
            return lw_fail(LW_E_SHAPE,
                           "extents %s cannot be repeated to %s: axis %d has %td, need 1 or %td",
                           list_of(from.rank, from.extent).text, list_of(rank, extents).text,
                           i - more, extent, extents[i]);
        t->stride[i] = extent == extents[i] && i >= more ? from.stride[i - more] : 0;
    }
    return LW_OK;
}

lw_status lw_tensor_broadcast(lw_tensor t, int rank, const ptrdiff_t *extents, lw_tensor *out)
{
    size_t count;
    lw_status status = take(&t, out, &count);

    return give(status ? status : broadcast(&t, rank, extents), &t, out);
}
