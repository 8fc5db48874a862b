/* args.c - checks the arguments of a launch against the kernel's parameters and packs them.
 *
 * Every message starts "KERNEL: parameter N 'NAME' (TYPE)", N counted from 1. Nothing is taken on
 * trust: what is packed here, the kernel may use without a check.
 */
#include "base/ref_abi.h"
#include "run/report/report.h"
#include "run/launch/launch.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANK_MAX = 4,     /* of an lw_tensor */
    BUFFER_ALIGN = 64 /* of memory of our own */
};

static const char *const arg_kinds[] = {
    [LW_ARG_INT] = "an integer",      [LW_ARG_UINT] = "an integer",
    [LW_ARG_REAL] = "a real",         [LW_ARG_BUFFER] = "a buffer",
    [LW_ARG_TENSOR] = "an lw_tensor", [LW_ARG_BYTES] = "plain bytes",
    [LW_ARG_ADDRESS] = "an address",
};

static lw_status wrong_kind(const struct lw__slot *s, const char *needed)
{
    return lw__fail(LW_E_DTYPE, "%s takes %s, not %s", s->what, needed, arg_kinds[s->arg->kind]);
}

/* ---- buffers ---- */

/* void * takes all; structs take structs of their size and u8, CUDA's structs all dtypes, for its
 * float4 is one; the rest their own dtype. */
static bool fits(const struct lw__slot *s, const lw_buffer *b)
{
    const lw_param *p = s->param;

    if (lw__is_bytes(b) || s->arg->kind == LW_ARG_ADDRESS)
        return true;
    if (p->has_dtype)
        return b->has_dtype && b->dtype == p->dtype;
    if (!p->element_bytes)
        return true;
    if (b->has_dtype)
        return b->dtype == LW_U8 || lw__is_cuda(s->job->kernel->program);
    return b->element_bytes == p->element_bytes;
}

static lw_status check_fit(const struct lw__slot *s, const lw_buffer *b)
{
    const lw_param *p = s->param;

    if (fits(s, b))
        return LW_OK;
    if (p->has_dtype)
        return lw__fail(LW_E_DTYPE, "%s needs a buffer of %s, this one holds %s", s->what,
                        lw_dtype_name(p->dtype), lw__buffer_type(b));
    if (b->has_dtype)
        return lw__fail(LW_E_DTYPE,
                        "%s needs a buffer of structs of %zu bytes, or u8; this one "
                        "holds %s",
                        s->what, p->element_bytes, lw__buffer_type(b));
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
static void hold_buffer(struct lw__slot *s, lw_buffer *b)
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
static lw_status take_buffer(struct lw__slot *s, lw_buffer *b)
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
        const size_t align = s->arg->kind == LW_ARG_ADDRESS ? 1
                             : most > BUFFER_ALIGN          ? BUFFER_ALIGN
                                                            : most;

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

static lw_status check_reach(const struct lw__slot *s, const lw_tensor *t, size_t count)
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

static lw_status check_extents(const struct lw__slot *s, const lw_tensor *t)
{
    for (int i = 0; i < t->rank; i++)
        if (t->extent[i] < 0)
            return lw__fail(LW_E_SHAPE, "%s: extent %d is %td, need at least 0", s->what, i,
                            t->extent[i]);
    return LW_OK;
}

/* { T *data; ptrdiff_t extent[rank], stride[rank]; } */
static lw_status pack_tensor(struct lw__slot *s)
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

static lw_status fail_contiguous(const struct lw__slot *s, const lw_tensor *t,
                                 const lw_tensor *plain)
{
    struct lw__message m = {0};

    lw__add_numbers(&m, t->rank, t->stride);
    lw__message_add(&m, "; need ");
    lw__add_numbers(&m, t->rank, plain->stride);
    return lw__fail(LW_E_SHAPE,
                    "%s is a plain pointer, so the lw_tensor must be in C order: its strides are "
                    "%s",
                    s->what, m.text);
}

/* The strides must be those of C order; that of an axis with one element has no effect. */
static lw_status check_contiguous(const struct lw__slot *s, const lw_tensor *t)
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
static lw_status check_start(const struct lw__slot *s, const lw_tensor *t)
{
    const size_t step = s->param->element_bytes, bytes = t->offset * t->buffer->element_bytes;

    if (!step || bytes % step == 0)
        return LW_OK;
    return lw__fail(LW_E_SHAPE,
                    "%s: the lw_tensor begins at byte %zu of its buffer; need a multiple of %zu, "
                    "the size of what the parameter points to",
                    s->what, bytes, step);
}

/* Any address within a buffer of the device; that is what the pointer may reach. */
static lw_status pack_address(struct lw__slot *s)
{
    const lw_device *own = s->job->kernel->program->device;
    uint64_t address = (uint64_t)(uintptr_t)s->arg->as.address;
    lw_buffer *b;

    if (!own->ops->memory_create) /* a pointer that `ref` has stored has its object's tag */
        address &= (UINT64_C(1) << LW_REF_ADDRESS_BITS) - 1;
    if (!address) {
        s->job->objects[s->index] = (struct lw__object){.name = s->param->name,
                                                        .element_bytes = s->param->element_bytes,
                                                        .place = (size_t)(s->to - s->job->args),
                                                        .layout = s->param->layout,
                                                        .is_null = true};
        return LW_OK;
    }
    LW_TRY(lw__reach_find(s->job->kernel->program->device, address, &b));
    if (!b)
        return lw__fail(LW_E_ARG, "%s: 0x%llx is in no buffer of device '%s'", s->what,
                        (unsigned long long)address, own->ops->info.name);
    lw_status status = take_buffer(s, b);
    const size_t align = s->param->has_dtype ? s->param->element_bytes : 1;
    if (!status && align && address % align)
        status = lw__fail(LW_E_ARG, "%s: the address 0x%llx is not aligned; need a multiple of %zu",
                          s->what, (unsigned long long)address, align);
    lw_buffer_destroy(b);
    memcpy(s->to, &address, sizeof address);
    return status;
}

static lw_status pack_pointer(struct lw__slot *s)
{
    lw_tensor t = {0};

    assert(s->param->bytes == sizeof(void *));
    if (s->arg->kind == LW_ARG_ADDRESS)
        return pack_address(s);
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
    memcpy(s->to, &data, sizeof data);
    return LW_OK;
}

/* ---- values ---- */

static lw_status pack_struct(struct lw__slot *s)
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

static lw_status pack_scalar(struct lw__slot *s)
{
    if (s->arg->kind == LW_ARG_BYTES)
        return pack_struct(s);
    if (s->arg->kind > LW_ARG_REAL)
        return wrong_kind(s, "a number");
    assert(s->param->bytes == lw_dtype_size(s->param->dtype));
    return lw__scalar_pack(s->what, s->arg, s->param->dtype, s->to);
}

static lw_status pack_one(struct lw__slot *s)
{
    if ((unsigned)s->arg->kind > LW_ARG_ADDRESS)
        return lw__fail(LW_E_ARG, "%s: the argument's kind is %d, need 0 to %d", s->what,
                        (int)s->arg->kind, LW_ARG_ADDRESS);
    switch (s->param->kind) {
    case LW_PARAM_SCALAR: return pack_scalar(s);
    case LW_PARAM_STRUCT: return pack_struct(s);
    case LW_PARAM_POINTER: return pack_pointer(s);
    default: return pack_tensor(s);
    }
}

/* ---- all of them ---- */

/* Variables of the device are the program's: parameters that no argument is for. */
static void take_symbols(struct lw__job *job)
{
    const lw_kernel *k = job->kernel;
    const lw_program *p = k->program->root ? k->program->root : k->program;

    for (size_t i = 0; i < k->row->symbol_count; i++) {
        struct lw__slot s = lw__slot_of(job, k->row->param_count + i, NULL);
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
        struct lw__slot s = lw__slot_of(job, i, args);

        LW_TRY(pack_one(&s));
    }
    take_symbols(job);
    LW_TRY(lw__check_declared(job, args));
    return k->row->follows_addresses ? lw__reach_take(k->program->device, &job->reach) : LW_OK;
}
