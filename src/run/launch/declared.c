/* declared.c - arguments of parameters with declared sizes, as float a[rows][cols]: the sizes come
 * of the arguments before, and the memory must have them.
 */
#include "run/report/report.h"
#include "run/launch/launch.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 64 }; /* of one kernel, without memory for them */

/* "a[4][16]" */
static struct lw__message declared(const struct lw__slot *s, const int64_t *sizes)
{
    struct lw__message m = {0};

    lw__message_add(&m, "%s", s->param->name);
    for (int i = 0; i < s->param->dims; i++)
        lw__message_add(&m, "[%lld]", (long long)sizes[i]);
    return m;
}

/* A size that is none, or that is below 0. */
static lw_status fail_size(const struct lw__slot *s, int number, int64_t size)
{
    const char *why = size == LW_SIZE_OVERFLOWS ? "overflows its type"
                      : size == LW_SIZE_DIVIDES ? "divides by 0, or the least number by -1"
                      : size == LW_SIZE_SHIFTS  ? "shifts bits out, or by the type's width or more"
                                                : NULL;

    if (why)
        return lw__fail(LW_E_SHAPE, "%s: the arithmetic of declared size %d %s", s->what, number,
                        why);
    return lw__fail(LW_E_SHAPE, "%s: declared size %d is %lld, need at least 0", s->what, number,
                    (long long)size);
}

/* float a[rows][cols]: the bytes that these sizes ask for, or an error. */
static lw_status declared_bytes(const struct lw__slot *s, const int64_t *sizes, size_t *bytes)
{
    bool fits_memory = true, empty = false;

    *bytes = s->param->element_bytes ? s->param->element_bytes : 1;
    for (int i = 0; i < s->param->dims; i++) {
        if (sizes[i] < 0)
            return fail_size(s, i + 1, sizes[i]);
        empty = empty || !sizes[i];
        if (sizes[i] && __builtin_mul_overflow(*bytes, (size_t)sizes[i], bytes))
            fits_memory = false;
    }
    if (empty)
        *bytes = 0;
    if (fits_memory || empty)
        return LW_OK;
    return lw__fail(LW_E_SHAPE, "%s: %s is beyond any memory", s->what, declared(s, sizes).text);
}

/* True if an array with these extents, in elements of its buffer, has the declared sizes. The first
 * of them is a minimum. An element of the parameter takes `parts` elements of the buffer: the last
 * extent counts those, or is an axis of its own. */
static bool has_declared_sizes(const lw_tensor *t, const int64_t *sizes, int dims, size_t parts)
{
    const bool is_split = t->rank == dims;

    for (int i = 0; i < dims; i++) {
        const size_t unit = is_split && i == dims - 1 ? parts : 1;
        const size_t extent = (size_t)t->extent[i], size = (size_t)sizes[i];

        if (extent % unit || (i ? extent / unit != size : extent / unit < size))
            return false;
    }
    return true;
}

static lw_status fail_shape(const struct lw__slot *s, const int64_t *sizes, size_t parts)
{
    const lw_tensor *t = &s->arg->as.tensor;
    struct lw__message m = declared(s, sizes);

    if (parts > 1)
        lw__message_add(&m, " of %zu x %s each", parts, lw__buffer_type(t->buffer));
    lw__message_add(&m, "; the array given has the shape [");
    lw__add_numbers(&m, t->rank, t->extent);
    return lw__fail(LW_E_SHAPE, "%s is declared %s]; the first must be at least that%s", s->what,
                    m.text, s->param->dims > 1 ? ", the others equal" : "");
}

/* An array of the declared rank has the declared sizes; one of another rank is taken as a row of
 * elements. */
static lw_status check_shape(const struct lw__slot *s, const int64_t *sizes)
{
    const lw_tensor *t = &s->arg->as.tensor;
    const size_t bytes = s->param->element_bytes; /* 0: a struct without members */
    const size_t parts = bytes ? bytes / t->buffer->element_bytes : 1;
    const int dims = s->param->dims;
    const bool has_own_axis = parts > 1 && t->rank == dims + 1 && (size_t)t->extent[dims] == parts;

    if (t->rank != dims && !has_own_axis)
        return LW_OK;
    return has_declared_sizes(t, sizes, dims, parts) ? LW_OK : fail_shape(s, sizes, parts);
}

/* "the buffer has 40 (10 x f32)" */
static lw_status fail_declared(const struct lw__slot *s, const int64_t *sizes, size_t needed,
                               size_t held)
{
    const lw_arg *arg = s->arg;
    const lw_buffer *b = arg->kind == LW_ARG_TENSOR   ? arg->as.tensor.buffer
                         : arg->kind == LW_ARG_BUFFER ? arg->as.buffer
                                                      : NULL;
    struct lw__message m = {0};

    if (b)
        lw__message_add(&m, "the buffer has %zu (%zu x %s)", held, held / b->element_bytes,
                        lw__buffer_type(b));
    else
        lw__message_add(&m, "there are %zu behind the address", held);
    return lw__fail(LW_E_SHAPE, "%s is declared %s, which needs %zu bytes; %s", s->what,
                    declared(s, sizes).text, needed, m.text);
}

static lw_status check_one(const struct lw__slot *s, const int64_t *sizes)
{
    struct lw__object *object = &s->job->objects[s->index];
    const char *start;
    size_t needed;

    memcpy(&start, s->to, sizeof start);
    const size_t before = object->memory ? (size_t)(start - object->memory) : 0;
    assert(before <= object->bytes); /* check_reach has seen the offset */
    LW_TRY(declared_bytes(s, sizes, &needed));
    if (s->arg->kind == LW_ARG_TENSOR)
        LW_TRY(check_shape(s, sizes));
    if (needed > object->bytes - before)
        return fail_declared(s, sizes, needed, object->bytes - before);
    if (!object->memory)
        return LW_OK;
    object->memory += before; /* it is what is declared */
    if (object->undefined)
        object->undefined += before;
    object->bytes = needed;
    return LW_OK;
}

lw_status lw__check_declared(struct lw__job *job, const lw_arg *args)
{
    const lw_kernel *k = job->kernel;
    int64_t few[SIZES_MAX], *sizes = few, *next;
    lw_status status = LW_OK;

    if (!k->sizes)
        return LW_OK;
    if (k->size_count > SIZES_MAX)
        sizes = malloc(k->size_count * sizeof *sizes);
    next = sizes;
    if (!sizes)
        return lw__fail(LW_E_MEMORY, "out of memory: the declared sizes of %s", k->row->name);
    k->sizes(job->args, sizes);
    for (size_t i = 0; i < k->row->param_count && !status; i++)
        if (k->params[i].dims) {
            struct lw__slot s = lw__slot_of(job, i, args);

            status = check_one(&s, next);
            next += k->params[i].dims;
        }
    assert(status || next == sizes + k->size_count);
    if (sizes != few)
        free(sizes);
    return status;
}
