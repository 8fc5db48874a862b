/* buffer.c - the life of a buffer, and what it says of itself. */
#include "run/objects/objects.h"
#include <assert.h>
#include <stdlib.h>

enum { ALIGNMENT_MAX = 256 };

/* ---- life ---- */

static lw_status create(lw_buffer model, lw_buffer **buffer)
{
    lw_status status = LW_OK;

    if (!model.device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    if (__builtin_mul_overflow(model.count, model.element_bytes, &model.bytes) ||
        model.bytes > PTRDIFF_MAX)
        return lw__fail(LW_E_MEMORY, "a buffer of %zu x %zu bytes is beyond any memory",
                        model.count, model.element_bytes);
    lw_buffer *b;
    b = malloc(sizeof *b);
    if (!b)
        return lw__fail(LW_E_MEMORY, "out of memory: a buffer");
    *b = model;
    atomic_init(&b->holds, 1);
    lw__device_hold(b->device);
    if (!b->is_wrapped)
        status = lw__memory_create(b);
    if (!status && !b->is_wrapped && b->device->ops->memory_made)
        b->device->ops->memory_made(b->device->state, b->memory, b->bytes);
    if (status)
        lw_buffer_destroy(b);
    else
        *buffer = b;
    return status;
}

static lw_status check_dtype(lw_dtype dtype)
{
    if (lw_dtype_size(dtype))
        return LW_OK;
    return lw__fail(LW_E_DTYPE, "%d is no dtype; they go from 0 (i8) to %d (f64)", (int)dtype,
                    LW_DTYPE_COUNT - 1);
}

/* The program has created it, by a call that returns to `creator`. */
static lw_status created(lw_buffer *buffer, const void *creator)
{
    lw__alive_add(buffer->device, &buffer->alive, buffer, creator);
    return LW_OK;
}

void lw__buffer_list(lw_buffer *buffer)
{
    lw__alive_add(buffer->device, &buffer->alive, buffer, NULL);
}

lw_status lw__buffer_create(lw_device *device, lw_dtype dtype, size_t count, lw_buffer **buffer)
{
    LW_TRY(check_dtype(dtype));
    return create((lw_buffer){.device = device,
                              .has_dtype = true,
                              .dtype = dtype,
                              .element_bytes = lw_dtype_size(dtype),
                              .count = count},
                  buffer);
}

lw_status lw_buffer_create(lw_device *device, lw_dtype dtype, size_t count, lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    LW_TRY(lw__buffer_create(device, dtype, count, buffer));
    return created(*buffer, __builtin_return_address(0));
}

lw_status lw__buffer_create_structs(lw_device *device, size_t element_bytes, size_t count,
                                    lw_buffer **buffer)
{
    return create(
        (lw_buffer){
            .device = device, .dtype = LW_U8, .element_bytes = element_bytes, .count = count},
        buffer);
}

lw_status lw_buffer_create_structs(lw_device *device, size_t element_bytes, size_t count,
                                   lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    if (!element_bytes)
        return lw__fail(LW_E_SHAPE, "a struct of 0 bytes; need at least 1");
    LW_TRY(lw__buffer_create_structs(device, element_bytes, count, buffer));
    return created(*buffer, __builtin_return_address(0));
}

lw_status lw_buffer_create_bytes(lw_device *device, size_t bytes, lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    LW_TRY(lw__buffer_create_structs(device, 1, bytes, buffer));
    return created(*buffer, __builtin_return_address(0));
}

static lw_status check_memory(const lw_device *device, lw_dtype dtype, size_t count,
                              const void *memory)
{
    const size_t size = lw_dtype_size(dtype);

    if (!device)
        return lw__fail(LW_E_ARG, "the device is NULL");
    if (count && !memory)
        return lw__fail(LW_E_ARG, "the memory for %zu elements is NULL", count);
    if ((uintptr_t)memory % size)
        return lw__fail(LW_E_ARG, "the memory at %p is not aligned: %s needs a multiple of %zu",
                        memory, lw_dtype_name(dtype), size);
    size_t bytes;
    if (!count || !device->ops->memory_check || __builtin_mul_overflow(count, size, &bytes))
        return LW_OK;
    return device->ops->memory_check(device->state, memory, bytes);
}

lw_status lw__buffer_create_at(lw_device *device, lw_dtype dtype, size_t count, void *memory,
                               lw_buffer **buffer)
{
    LW_TRY(check_dtype(dtype));
    return create((lw_buffer){.device = device,
                              .has_dtype = true,
                              .dtype = dtype,
                              .element_bytes = lw_dtype_size(dtype),
                              .count = count,
                              .memory = memory,
                              .is_wrapped = true},
                  buffer);
}

lw_status lw_buffer_wrap(lw_device *device, lw_dtype dtype, size_t count, void *memory,
                         bool read_only, void (*release)(void *memory, void *user), void *user,
                         lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    LW_TRY(check_dtype(dtype)); /* check_memory divides by its size */
    LW_TRY(check_memory(device, dtype, count, memory));
    LW_TRY(lw__buffer_create_at(device, dtype, count, memory, buffer));
    (*buffer)->read_only = read_only;
    (*buffer)->release = release;
    (*buffer)->user = user;
    return created(*buffer, __builtin_return_address(0));
}

void lw__buffer_hold(lw_buffer *buffer)
{
    assert(atomic_load(&buffer->holds) > 0);
    atomic_fetch_add_explicit(&buffer->holds, 1, memory_order_relaxed);
}

void lw_buffer_hold(lw_buffer *buffer)
{
    if (buffer)
        lw__buffer_hold(buffer);
}

void lw_buffer_destroy(lw_buffer *buffer)
{
    void (*release)(void *, void *);
    void *memory, *user;

    if (!buffer || atomic_fetch_sub(&buffer->holds, 1) != 1)
        return;
    assert(!buffer->uses); /* a launch that uses it holds it */
    if (buffer->is_used_unseen && !buffer->is_wrapped) {
        lw__lock();
        (void)buffer->device->hooks->await_unseen(buffer->device);
        lw__unlock();
    }
    lw__alive_remove(buffer->device, &buffer->alive);
    free(buffer->undefined);
    release = buffer->release;
    memory = buffer->memory;
    user = buffer->user;
    if (!buffer->is_wrapped && memory && buffer->device->ops->memory_gone)
        buffer->device->ops->memory_gone(buffer->device->state, memory, buffer->bytes);
    if (buffer->is_wrapped)
        free(buffer->staging);
    else
        lw__memory_destroy(buffer);
    lw_device_close(buffer->device);
    free(buffer);
    if (release)
        release(memory, user);
}

lw_device *lw_buffer_device(const lw_buffer *buffer)
{
    return buffer ? buffer->device : NULL;
}

size_t lw_buffer_count(const lw_buffer *buffer)
{
    return buffer ? buffer->count : 0;
}

size_t lw_buffer_bytes(const lw_buffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

void *lw_buffer_address(const lw_buffer *buffer)
{
    return buffer && !lw_buffer_is_blank(buffer) ? buffer->memory : NULL;
}

size_t lw_buffer_alignment(const lw_buffer *buffer)
{
    const uintptr_t at = (buffer ? (uintptr_t)buffer->memory : 0) | ALIGNMENT_MAX;

    return at & -at;
}

bool lw_buffer_is_read_only(const lw_buffer *buffer)
{
    return buffer && buffer->read_only;
}

bool lw_buffer_has_dtype(const lw_buffer *buffer)
{
    return buffer && buffer->has_dtype;
}

lw_dtype lw_buffer_dtype(const lw_buffer *buffer)
{
    return buffer ? buffer->dtype : LW_U8;
}

bool lw_buffer_is_blank(const lw_buffer *buffer)
{
    return buffer && buffer->blank_of;
}

lw_status lw__buffer_check_memory(const lw_buffer *buffer, const char *call)
{
    if (!lw_buffer_is_blank(buffer))
        return LW_OK;
    return lw__fail(LW_E_ARG, "%s: the buffer is a graph's and has no memory but during a run",
                    call);
}

/* ---- parts ---- */

static void release_whole(void *memory, void *whole)
{
    (void)memory;
    lw_buffer_destroy(whole);
}

lw_status lw_buffer_create_part(lw_buffer *whole, size_t offset, lw_dtype dtype, size_t count,
                                lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    if (!whole)
        return lw__fail(LW_E_ARG, "the whole buffer is NULL");
    LW_TRY(lw__buffer_check_memory(whole, "lw_buffer_create_part"));
    size_t bytes;

    if (__builtin_mul_overflow(count, lw_dtype_size(dtype), &bytes) || offset > whole->bytes ||
        bytes > whole->bytes - offset)
        return lw__fail(LW_E_SHAPE, "%zu elements from byte %zu on leave a buffer of %zu bytes",
                        count, offset, whole->bytes);
    LW_TRY(
        lw__buffer_create_at(whole->device, dtype, count, (char *)whole->memory + offset, buffer));
    lw__buffer_hold(whole);
    (*buffer)->read_only = whole->read_only;
    (*buffer)->release = release_whole;
    (*buffer)->user = whole;
    return LW_OK;
}
