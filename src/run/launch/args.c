/* args.c - checks the arguments of a launch against the kernel's parameters and packs them.
 *
 * Every message starts "KERNEL: parameter N 'NAME' (TYPE)", N counted from 1. Nothing is taken on
 * trust: what is packed here, the kernel may use without a check.
 */
#include "run/report/report.h"
#include "run/launch/launch.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANK_MAX = 4,      /* of an lw_tensor */
    BUFFER_ALIGN = 64, /* of memory of our own */
    SIZES_MAX = 64     /* declared, of one kernel, without memory for them */
};

/* One argument and the parameter it is for. */
struct slot {
    struct lw__job *job;
    const lw_param *param;
    size_t index;
    const lw_arg *arg;
    char *to;         /* param->bytes in the packed arguments */
    const char *what; /* "dot: parameter 2 'a' (const float *)" */
};

static const char *const arg_kinds[] = {
    [LW_ARG_INT] = "an integer",  [LW_ARG_UINT] = "an integer",     [LW_ARG_REAL] = "a real",
    [LW_ARG_BUFFER] = "a buffer", [LW_ARG_TENSOR] = "an lw_tensor", [LW_ARG_BYTES] = "plain bytes",
};

static lw_status wrong_kind(const struct slot *s, const char *needed)
{
    return lw__fail(LW_E_DTYPE, "%s takes %s, not %s", s->what, needed, arg_kinds[s->arg->kind]);
}

/* ---- buffers ---- */

static const char *buffer_type(const lw_buffer *b)
{
    return b->has_dtype ? lw_dtype_name(b->dtype) : "structs";
}

/* void * takes all; structs take structs of their size and raw bytes; the rest their own dtype. */
static bool fits(const lw_param *p, const lw_buffer *b)
{
    if (p->has_dtype)
        return b->has_dtype && b->dtype == p->dtype;
    if (!p->element_bytes)
        return true;
    return b->has_dtype ? b->dtype == LW_U8 : b->element_bytes == p->element_bytes;
}

static lw_status check_fit(const struct slot *s, const lw_buffer *b)
{
    const lw_param *p = s->param;

    if (fits(p, b))
        return LW_OK;
    if (p->has_dtype)
        return lw__fail(LW_E_DTYPE, "%s needs a buffer of %s, this one holds %s", s->what,
                        lw_dtype_name(p->dtype), buffer_type(b));
    if (b->has_dtype)
        return lw__fail(LW_E_DTYPE,
                        "%s needs a buffer of structs of %zu bytes, or u8; this one "
                        "holds %s",
                        s->what, p->element_bytes, buffer_type(b));
    return lw__fail(LW_E_DTYPE, "%s needs a buffer of structs of %zu bytes; this one's have %zu",
                    s->what, p->element_bytes, b->element_bytes);
}

/* Keep the shape of an array in C order: a picture draws the array by it. */
static void note_shape(struct lw__object *object, const lw_arg *arg)
{
    const lw_tensor *t = &arg->as.tensor;

    if (arg->kind != LW_ARG_TENSOR || t->strided)
        return;
    object->rank = t->rank;
    for (int i = 0; i < t->rank; i++)
        object->extent[i] = t->extent[i];
}

/* Hold it for the launch, as the parameter's object. */
static void hold_buffer(struct slot *s, lw_buffer *b)
{
    struct lw__job *job = s->job;

    assert(job->buffer_count < job->params_room && s->index < job->params_room);
    lw__buffer_hold(b);
    job->buffer_params[job->buffer_count] = s->index;
    job->buffers[job->buffer_count++] = b;
    job->objects[s->index] = (struct lw__object){.name = s->param->name,
                                                 .memory = b->memory,
                                                 .bytes = b->bytes,
                                                 .undefined = b->undefined,
                                                 .element_bytes = s->param->element_bytes,
                                                 .place = (size_t)(s->to - job->args),
                                                 .layout = s->param->layout};
}

/* Check a buffer against the parameter and hold it for the launch. */
static lw_status take_buffer(struct slot *s, lw_buffer *b)
{
    struct lw__job *job = s->job;
    const lw_device *own = job->kernel->program->device;

    if (!b)
        return lw__fail(LW_E_ARG, "%s needs a buffer, this one is NULL", s->what);
    if (b->device != own)
        return lw__fail(LW_E_DEVICE, "%s: the buffer is of %s '%s', the kernel of '%s'", s->what,
                        b->device->ops == own->ops ? "another opening of device" : "device",
                        b->device->ops->info.name, own->ops->info.name);
    LW_TRY(check_fit(s, b));
    if (b->blank_of && b->blank_of != job->stream)
        return lw__fail(LW_E_ARG, "%s: the buffer is a graph's; only that graph's stream takes it",
                        s->what);
    if (b->is_wrapped) {
        /* Memory of someone else is aligned for the buffer's elements only; those of the
         * parameter may be short vectors or structs of them. Their alignment divides their size. */
        const size_t bytes = s->param->element_bytes, most = bytes & -bytes;
        const size_t align = most > BUFFER_ALIGN ? BUFFER_ALIGN : most;

        if (b->read_only && !s->param->is_const)
            return lw__fail(LW_E_ARG,
                            "%s: the buffer is read-only, the parameter does not point to const",
                            s->what);
        if (align && (uintptr_t)b->memory % align)
            return lw__fail(LW_E_ARG, "%s: the memory at %p is not aligned; need a multiple of %zu",
                            s->what, b->memory, align);
    }
    hold_buffer(s, b);
    note_shape(&job->objects[s->index], s->arg);
    return LW_OK;
}

/* ---- tensors ---- */

/* C order, unless the strides count. False where they leave the range of ptrdiff_t. */
static bool default_strides(lw_tensor *t)
{
    ptrdiff_t step = 1;

    if (t->strided)
        return true;
    for (int i = 0; i < t->rank; i++)
        if (t->stride[i])
            return true;
    for (int i = t->rank - 1; i >= 0; i--) {
        t->stride[i] = step;
        if (t->extent[i] && __builtin_mul_overflow(step, t->extent[i], &step))
            return false;
    }
    return true;
}

/* The lowest and highest element in reach, relative to the buffer; false on overflow. */
static bool reach(const lw_tensor *t, ptrdiff_t *lowest, ptrdiff_t *highest)
{
    if (t->offset > PTRDIFF_MAX)
        return false;
    *lowest = *highest = (ptrdiff_t)t->offset;
    for (int i = 0; i < t->rank; i++) {
        ptrdiff_t span, *end = t->stride[i] < 0 ? lowest : highest;

        if (__builtin_mul_overflow(t->extent[i] - 1, t->stride[i], &span) ||
            __builtin_add_overflow(*end, span, end))
            return false;
    }
    return true;
}

static bool is_empty(const lw_tensor *t)
{
    for (int i = 0; i < t->rank; i++)
        if (!t->extent[i])
            return true;
    return false;
}

static lw_status check_reach(const struct slot *s, const lw_tensor *t, size_t count)
{
    if (t->offset > count)
        return lw__fail(LW_E_SHAPE, "%s starts at element %zu, the buffer has %zu", s->what,
                        t->offset, count);
    if (is_empty(t))
        return LW_OK;
    ptrdiff_t lowest, highest;
    if (!reach(t, &lowest, &highest))
        return lw__fail(LW_E_SHAPE, "%s: extents and strides reach beyond any memory", s->what);
    if (lowest < 0 || (size_t)highest >= count)
        return lw__fail(LW_E_SHAPE, "%s reaches elements %td to %td, the buffer has %zu", s->what,
                        lowest, highest, count);
    return LW_OK;
}

static lw_status check_extents(const struct slot *s, const lw_tensor *t)
{
    for (int i = 0; i < t->rank; i++)
        if (t->extent[i] < 0)
            return lw__fail(LW_E_SHAPE, "%s: extent %d is %td, need at least 0", s->what, i,
                            t->extent[i]);
    return LW_OK;
}

/* { T *data; ptrdiff_t extent[rank], stride[rank]; } */
static lw_status pack_tensor(struct slot *s)
{
    lw_tensor t = s->arg->as.tensor;

    if (s->arg->kind != LW_ARG_TENSOR)
        return wrong_kind(s, "an lw_tensor");
    LW_TRY(take_buffer(s, t.buffer));
    if (t.rank != s->param->rank)
        return lw__fail(LW_E_SHAPE, "%s has rank %d, the lw_tensor %d", s->what, s->param->rank,
                        t.rank);
    LW_TRY(check_extents(s, &t));
    if (!default_strides(&t))
        return lw__fail(LW_E_SHAPE, "%s: the extents reach beyond any memory", s->what);
    LW_TRY(check_reach(s, &t, t.buffer->bytes / s->param->element_bytes));
    char *data = (char *)t.buffer->memory + t.offset * s->param->element_bytes;
    size_t axes = (size_t)t.rank * sizeof(ptrdiff_t);
    assert(s->param->bytes == sizeof data + 2 * axes);
    memcpy(s->to, &data, sizeof data);
    memcpy(s->to + sizeof data, t.extent, axes);
    memcpy(s->to + sizeof data + axes, t.stride, axes);
    return LW_OK;
}

/* ---- pointers ---- */

static void add_numbers(struct lw__message *m, int count, const ptrdiff_t *numbers)
{
    for (int i = 0; i < count; i++)
        lw__message_add(m, "%s%td", i ? ", " : "", numbers[i]);
}

static lw_status fail_contiguous(const struct slot *s, const lw_tensor *t, const lw_tensor *plain)
{
    struct lw__message m = {0};

    add_numbers(&m, t->rank, t->stride);
    lw__message_add(&m, "; need ");
    add_numbers(&m, t->rank, plain->stride);
    return lw__fail(LW_E_SHAPE,
                    "%s is a plain pointer, so the lw_tensor must be in C order: its strides are "
                    "%s",
                    s->what, m.text);
}

/* The strides must be those of C order; that of an axis with one element has no effect. */
static lw_status check_contiguous(const struct slot *s, const lw_tensor *t)
{
    lw_tensor plain = *t;
    bool is_plain = true;

    memset(plain.stride, 0, sizeof plain.stride);
    plain.strided = false;
    if (is_empty(t))
        return LW_OK;
    if (!default_strides(&plain))
        return lw__fail(LW_E_SHAPE, "%s: the extents reach beyond any memory", s->what);
    for (int i = 0; i < t->rank; i++)
        is_plain = is_plain && (t->extent[i] == 1 || t->stride[i] == plain.stride[i]);
    return is_plain ? LW_OK : fail_contiguous(s, t, &plain);
}

/* What a pointer to whole elements of the parameter may begin at. */
static lw_status check_start(const struct slot *s, const lw_tensor *t)
{
    const size_t step = s->param->element_bytes, bytes = t->offset * t->buffer->element_bytes;

    if (!step || bytes % step == 0)
        return LW_OK;
    return lw__fail(LW_E_SHAPE,
                    "%s: the lw_tensor begins at byte %zu of its buffer; need a multiple of %zu, "
                    "the size of what the parameter points to",
                    s->what, bytes, step);
}

static lw_status pack_pointer(struct slot *s)
{
    lw_tensor t = {0};

    if (s->arg->kind != LW_ARG_BUFFER && s->arg->kind != LW_ARG_TENSOR)
        return wrong_kind(s, "a buffer");
    if (s->arg->kind == LW_ARG_TENSOR)
        t = s->arg->as.tensor;
    else
        t.buffer = s->arg->as.buffer;
    LW_TRY(take_buffer(s, t.buffer));
    if (s->arg->kind == LW_ARG_TENSOR) {
        /* A view for a pointer counts in elements of its buffer. */
        if (t.rank < 0 || t.rank > RANK_MAX)
            return lw__fail(LW_E_SHAPE, "%s: the lw_tensor has rank %d, need 0 to %d", s->what,
                            t.rank, RANK_MAX);
        LW_TRY(check_extents(s, &t));
        if (!default_strides(&t))
            return lw__fail(LW_E_SHAPE, "%s: the extents reach beyond any memory", s->what);
        LW_TRY(check_contiguous(s, &t));
        LW_TRY(check_reach(s, &t, t.buffer->count));
        LW_TRY(check_start(s, &t));
    }
    char *data;
    data =
        t.offset ? (char *)t.buffer->memory + t.offset * t.buffer->element_bytes : t.buffer->memory;
    assert(s->param->bytes == sizeof data);
    memcpy(s->to, &data, sizeof data);
    return LW_OK;
}

/* ---- values ---- */

static lw_status pack_struct(struct slot *s)
{
    if (s->arg->kind != LW_ARG_BYTES)
        return wrong_kind(s, "plain bytes");
    if (s->arg->as.bytes.size != s->param->bytes)
        return lw__fail(LW_E_SHAPE, "%s has %zu bytes, the argument %zu", s->what, s->param->bytes,
                        s->arg->as.bytes.size);
    if (s->arg->as.bytes.size && !s->arg->as.bytes.data)
        return lw__fail(LW_E_ARG, "%s needs %zu bytes, the argument is NULL", s->what,
                        s->param->bytes);
    if (s->param->bytes)
        memcpy(s->to, s->arg->as.bytes.data, s->param->bytes);
    return LW_OK;
}

static lw_status pack_scalar(struct slot *s)
{
    if (s->arg->kind == LW_ARG_BYTES)
        return pack_struct(s);
    if (s->arg->kind > LW_ARG_REAL)
        return wrong_kind(s, "a number");
    assert(s->param->bytes == lw_dtype_size(s->param->dtype));
    return lw__scalar_pack(s->what, s->arg, s->param->dtype, s->to);
}

static lw_status pack_one(struct slot *s)
{
    if ((unsigned)s->arg->kind > LW_ARG_BYTES)
        return lw__fail(LW_E_ARG, "%s: the argument's kind is %d, need 0 to %d", s->what,
                        (int)s->arg->kind, LW_ARG_BYTES);
    switch (s->param->kind) {
    case LW_PARAM_SCALAR: return pack_scalar(s);
    case LW_PARAM_STRUCT: return pack_struct(s);
    case LW_PARAM_POINTER: return pack_pointer(s);
    default: return pack_tensor(s);
    }
}

/* ---- declared sizes ---- */

/* "a[4][16]" */
static struct lw__message declared(const struct slot *s, const int64_t *sizes)
{
    struct lw__message m = {0};

    lw__message_add(&m, "%s", s->param->name);
    for (int i = 0; i < s->param->dims; i++)
        lw__message_add(&m, "[%lld]", (long long)sizes[i]);
    return m;
}

/* A size that is none, or that is below 0. */
static lw_status fail_size(const struct slot *s, int number, int64_t size)
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
static lw_status declared_bytes(const struct slot *s, const int64_t *sizes, size_t *bytes)
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

static lw_status fail_shape(const struct slot *s, const int64_t *sizes, size_t parts)
{
    const lw_tensor *t = &s->arg->as.tensor;
    struct lw__message m = declared(s, sizes);

    if (parts > 1)
        lw__message_add(&m, " of %zu x %s each", parts, buffer_type(t->buffer));
    lw__message_add(&m, "; the array given has the shape [");
    add_numbers(&m, t->rank, t->extent);
    return lw__fail(LW_E_SHAPE, "%s is declared %s]; the first must be at least that%s", s->what,
                    m.text, s->param->dims > 1 ? ", the others equal" : "");
}

/* An array of the declared rank has the declared sizes; one of another rank is taken as a row of
 * elements. */
static lw_status check_shape(const struct slot *s, const int64_t *sizes)
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

/* What the argument has from its start on. */
static size_t bytes_held(const struct slot *s, const lw_buffer *b)
{
    const size_t offset = s->arg->kind == LW_ARG_TENSOR ? s->arg->as.tensor.offset : 0;

    return b->bytes - offset * b->element_bytes;
}

static lw_status check_declared(const struct slot *s, const int64_t *sizes)
{
    const bool is_tensor = s->arg->kind == LW_ARG_TENSOR;
    const lw_buffer *b = is_tensor ? s->arg->as.tensor.buffer : s->arg->as.buffer;
    size_t needed, held = bytes_held(s, b);

    assert(held <= b->bytes); /* check_reach has seen the offset */
    LW_TRY(declared_bytes(s, sizes, &needed));
    if (is_tensor)
        LW_TRY(check_shape(s, sizes));
    if (needed > held)
        return lw__fail(LW_E_SHAPE,
                        "%s is declared %s, which needs %zu bytes; the buffer has %zu (%zu x %s)",
                        s->what, declared(s, sizes).text, needed, held, held / b->element_bytes,
                        buffer_type(b));
    struct lw__object *object;
    object = &s->job->objects[s->index]; /* from where the argument begins */
    object->memory += b->bytes - held;
    if (object->undefined)
        object->undefined += b->bytes - held;
    object->bytes = needed;
    return LW_OK;
}

/* ---- all of them ---- */

static struct slot slot_of(struct lw__job *job, size_t index, const lw_arg *args)
{
    const lw_kernel *k = job->kernel;
    assert(k->param_rows[index].offset + k->param_rows[index].size <= job->args_room);
    return (struct slot){.job = job,
                         .param = &k->params[index],
                         .index = index,
                         .arg = args ? &args[index] : NULL,
                         .to = job->args + k->param_rows[index].offset,
                         .what = k->titles[index]};
}

static lw_status check_sizes(struct lw__job *job, const lw_arg *args)
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
            struct slot s = slot_of(job, i, args);

            status = check_declared(&s, next);
            next += k->params[i].dims;
        }
    assert(status || next == sizes + k->size_count);
    if (sizes != few)
        free(sizes);
    return status;
}

/* Variables of the device are the program's: parameters that no argument is for. */
static void take_symbols(struct lw__job *job)
{
    const lw_kernel *k = job->kernel;
    const lw_program *p = k->program->root ? k->program->root : k->program;

    for (size_t i = 0; i < k->row->symbol_count; i++) {
        struct slot s = slot_of(job, k->row->param_count + i, NULL);
        const struct lw__symbol *symbol = lw__symbol_find(p, s.param->name);

        assert(symbol);
        lw_buffer *b = symbol->buffer;
        hold_buffer(&s, b);
        memcpy(s.to, &b->memory, sizeof b->memory);
    }
}

lw_status lw__args_pack(struct lw__job *job, const lw_arg *args, size_t count)
{
    const lw_kernel *k = job->kernel;

    if (count != k->row->param_count)
        return lw__fail(LW_E_ARG, "%s takes %zu arguments, not %zu: %s", k->row->name,
                        k->row->param_count, count, k->row->signature);
    if (count && !args)
        return lw__fail(LW_E_ARG, "%s: the list of arguments is NULL", k->row->name);
    if (!lw__job_make_room(job, k->row->arg_bytes, count + k->row->symbol_count))
        return lw__fail(LW_E_MEMORY, "out of memory: the arguments of %s", k->row->name);
    for (size_t i = 0; i < count; i++) {
        struct slot s = slot_of(job, i, args);

        LW_TRY(pack_one(&s));
    }
    take_symbols(job);
    return check_sizes(job, args);
}
